"""TLA+: the export, and TLC's verdict on it."""

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.catalogue.families import families, faults
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.engines.compile.writing import identifier
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.ledger import referee, tlc
from oneowner.checkers.ledger.family_export import tla_of
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.system import actions, initial_states
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from tests.channel import DEFAULT_RELEASE

FAMILY = "transfer-metadata-store"
SMALL = {"brokers": "2", "unloads": "0", "transfers": "1"}
MODULE = "transfer_metadata_store"

needs_tlc = pytest.mark.skipif(not tlc.is_installed(), reason="TLC is not installed: make setup-referees")


@cache
def exported() -> dict[str, str]:
    return tla_of(FAMILY, (), DEFAULT_RELEASE, {})


def test_export_has_every_action_slot_and_law_and_a_configuration_for_those_that_hold() -> None:
    family = families()[FAMILY]
    texts = exported()
    assert list(texts) == [f"{MODULE}.tla", f"{MODULE}.cfg", f"{MODULE}_named.tla", f"{MODULE}_named.cfg"]
    module, configuration, _, named = texts.values()
    assert named == f"{configuration}ALIAS Named\n"
    for action in actions(family.bounds):
        assert f"\\* {action}\n" in module
    assert "view_2_1_version == " in module
    invariants = set(re.findall(r"INVARIANT (\w+)", configuration))
    judged = set(re.findall(r'ELSE {"(\w+)"}', module))  # laws of steps
    checked = {name.replace("_", "-") for name in invariants}
    assert checked == {law for law, verdict in family.laws.items() if verdict == Verdict.VALID}
    assert judged
    assert all(f'\n{name} == "{name}" \\notin broken\n' in module for name in judged)
    assert all(f"\n{name} ==\n" in module for name in invariants - judged)


def test_export_is_the_same_every_time() -> None:
    assert tla_of(FAMILY, (), DEFAULT_RELEASE, {}) == exported()


def test_referee_without_tlc_is_unknown_and_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tlc, "jar", lambda: None)
    family = families()["pip-192"]
    row = referee.by_tlc(family, explore(family.bounds, PROPERTIES, WITNESSES))
    assert (row.verdict, row.words) == (Verdict.UNKNOWN, "TLC is not installed: make setup-referees")


@needs_tlc
@pytest.mark.slow
def test_named_fields_are_the_values_of_the_cells_that_change(tmp_path: Path) -> None:
    """TLC 2.15 has no ALIAS, so an invariant prints the record of each state."""
    for name, text in tla_of(FAMILY, (), DEFAULT_RELEASE, SMALL).items():
        (tmp_path / name).write_text(text)
    named = f"{MODULE}_named"
    text = (tmp_path / f"{named}.tla").read_text()
    (tmp_path / f"{named}.tla").write_text(text.replace("\n====", "\nPrinted == PrintT(Named)\n===="))
    (tmp_path / f"{named}.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Printed\n")
    command = ["java", tlc.STACK, "-cp", str(tlc.jar()), "tlc2.TLC", "-workers", "1", named]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    states = re.findall(r"^\[broken \|->.*\]$", found, re.MULTILINE)
    bounds = bounds_with(families()[FAMILY].bounds, SMALL)
    assert len(states) == explore(bounds, PROPERTIES).distinct
    (first,) = initial_states(bounds)
    assert f"serving |-> {tupled(first.serving)}" in states[0]
    assert 'view |-> <<<<[state |-> "Owned", destination |-> 1, source |-> 0, force |-> FALSE' in states[0]
    assert "compactions_left" not in states[0]  # nothing changes it here


def tupled(cells: Any) -> str:
    """A cell of truths by brokers and units, as TLC prints it."""
    values = [["TRUE" if cells[broker, 1] else "FALSE"] for broker in (1, 2)]
    return f"<<{', '.join(f'<<{value[0]}>>' for value in values)}>>"


@needs_tlc
@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("strict_version_step", "Invariant view_is_prefix_fold is violated"),
        ("cas_retry_keeps_value", "Invariant version_chain is violated"),
    ],
)
def test_tlc_finds_the_law_that_kills_a_fault_broken(fault: str, words: str, tmp_path: Path) -> None:
    for name, text in tla_of(faults()[fault].family, (fault,), DEFAULT_RELEASE, {}).items():
        (tmp_path / name).write_text(text)
    module = identifier(faults()[fault].family)
    command = ["java", "-cp", str(tlc.jar()), "tlc2.TLC", "-workers", "1", module]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert words in found.stdout
    assert "exception" not in found.stdout
    assert len(re.findall(r"^State \d+: ", found.stdout, re.MULTILINE)) == faults()[fault].steps + 1
