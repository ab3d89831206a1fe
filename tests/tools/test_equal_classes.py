"""The measured table of classes: equal code has equal letters, and no two rules contradict it."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from oneowner.checkers.decisions.gates import RUNS
from oneowner.model.balancer.batch import splitting, transfer
from oneowner.model.balancer.batch.shedders import LOADS, MEASURED, SHEDDERS
from oneowner.model.balancer.local_broker_data import LOAD_RULES, LoadRules
from oneowner.model.balancer.shedding import load_shedding_task
from oneowner.model.kafka import variants as of_kafka
from oneowner.model.kafka.batch.assignors import RULES
from oneowner.model.kernel.releases import version
from oneowner.model.kernel.variants import Variants
from oneowner.model.pulsar import variants as of_pulsar
from tools.equal_classes.__main__ import methods_of
from tools.equal_classes.class_files import members
from tools.equal_classes.products import KAFKA, PULSAR, Product

SOURCE = """package org.p; import java.util.function.*;
public class A {{
  static int one() {{ return 1; }}
  static int two() {{ return {two}; }}
  static int unused() {{ return {unused}; }}
  public Supplier<Integer> decide() {{ {line}; return A::{called}; }}
}}
"""
CODE = """Compiled from "A.java"
public class A {{
  private static final org.slf4j.Logger log;

  public int decide(int);
    Code:
       0: iload_1
       1: ifle          {jump}
{log}       {at}: {load}           #{pool}                 // String much
      {end}: iconst_{answer}
      {last}: ireturn
}}
"""
LOG = """       4: getstatic     #7                  // Field log:Lorg/slf4j/Logger;
       7: ldc           #13                 // String is positive
       9: invokeinterface #21,  2           // InterfaceMethod org/slf4j/Logger.info:(Ljava/lang/String;)V
"""


def code(log: str = "", pool: int = 9, load: str = "ldc", answer: int = 1) -> Any:
    at = 18 if log else 4
    text = CODE.format(log=log, at=at, load=load, pool=pool, end=at + 2, jump=at + 2, last=at + 3, answer=answer)
    return list(members(text))


def test_code_is_equal_whatever_is_logged_and_wherever_constants_lie() -> None:
    assert code() == code(LOG) == code(pool=300, load="ldc_w")
    assert [one.name for one in code()] == ["decide"]


def test_code_that_answers_otherwise_differs() -> None:
    assert code() != code(answer=2)


@pytest.mark.parametrize(("product", "table"), [(PULSAR, of_pulsar.VARIANTS), (KAFKA, of_kafka.VARIANTS)])
def test_table_has_a_letter_for_each_release_in_order_of_age(product: Product, table: Variants) -> None:
    assert list(table.rows) == [*product.classes, *product.fields]
    assert {len(letters) for letters in table.rows.values()} == {len(table.releases)}
    assert list(table.releases) == sorted(table.releases, key=lambda one: version(one) or ())
    assert all(set(letters) != {"-"} for letters in table.rows.values())


def jar_of(folder: Path, **parts: object) -> str:
    """Compile the fixture into a jar."""
    if shutil.which("javac") is None or shutil.which("javap") is None:
        pytest.skip("no JDK")
    source = folder / "A.java"
    folder.mkdir()
    source.write_text(SOURCE.format(**{"two": 2, "unused": 3, "line": "", "called": "two"} | parts))
    subprocess.run(["javac", "-g", "-d", str(folder), str(source)], check=True)
    with ZipFile(folder / "a.jar", "w") as archive:
        archive.write(folder / "org" / "p" / "A.class", "org/p/A.class")
    return str(folder / "a.jar")


def test_methods_that_decide_are_followed_through_calls_and_references(tmp_path: Path) -> None:
    product = Product("P", ("p",), {}, "org.p.", {"whole": ("A",), "by decide": ("A#decide",)}, {}, tmp_path)
    base = methods_of(product, jar_of(tmp_path / "base"))

    def differing(**parts: object) -> list[str]:
        other = methods_of(product, jar_of(tmp_path / str(len(list(tmp_path.iterdir()))), **parts))
        return [row for row in base if base[row] != other[row]]

    assert differing(two="/* a note\n */ 2") == []
    assert differing(unused=4) == ["whole"]
    assert differing(two=4) == differing(called="one") == ["whole", "by decide"]


def without_load(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return a shedder's own rules of the releases that were read."""
    own = {name: of for name, of in rules.items() if name in LOAD_RULES}
    return {name: None if isinstance(of, LoadRules) else of._replace(load=None) for name, of in own.items()}


@pytest.mark.parametrize(
    ("rules", "rows"),
    [
        (LOAD_RULES, ("LocalBrokerData", "LoadData", "weights")),
        (transfer.RULES, ("TransferShedder", "TransferShedder's thresholds")),
        (load_shedding_task.RULES, ("LoadSheddingTask",)),
        (splitting.MODULAR, ("BundleSplitterTask", "split limits")),
        *((without_load(SHEDDERS[name].rules), rows) for name, rows in MEASURED.items()),
    ],
)
def test_releases_of_equal_classes_have_equal_rules(rules: Any, rows: tuple[str, ...]) -> None:
    assert list(of_pulsar.VARIANTS.disagreements(rules, *rows)) == []


def test_assignors_of_equal_classes_have_equal_rules() -> None:
    assert list(of_kafka.VARIANTS.disagreements(RULES, "assignors", "racks", "TaskId")) == []


@pytest.mark.parametrize(
    ("shedder", "equal", "unequal"),
    [
        ("threshold", ["3.0.2", "3.2.0", "4.0.4", "4.0.7"], ["2.9.0", "4.0.0", "5.0.1"]),
        ("uniform", ["2.10.4", "3.2.3", "4.0.1"], ["3.0.0", "5.0.1"]),
        ("avg", ["3.3.2", "4.0.0"], ["3.2.0", "5.0.0-M1", "5.0.1"]),
        ("overload", ["2.10.2", "3.0.2", "4.0.5"], ["2.8.0", "5.0.1"]),
    ],
)
def test_shedder_is_known_of_releases_with_equal_classes(shedder: str, equal: list[str], unequal: list[str]) -> None:
    assert {*equal} <= {*SHEDDERS[shedder].rules}
    assert not {*unequal} & {*SHEDDERS[shedder].rules}
    assert {*LOAD_RULES} <= {*LOADS}
    assert {*load_shedding_task.RULES} <= {*RUNS}
