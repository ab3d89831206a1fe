"""A switch is on in exactly the releases whose sources have its change, and a fault names the first of them."""

import re
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.catalogue.affected import differing
from oneowner.checkers.catalogue.families import catalogue, faults
from oneowner.model.balancer.batch.splitting import MODULAR
from oneowner.spec.systems import systems
from tools.release_edges import age, compared, from_jars, from_tags, has_change, rows

OTHERWISE = {
    ("target_knows_group", "5.6.16"): "its target waits for the cluster state of the source instead",
}
"""Releases that behave so without the text."""
ROWS = {f"{row['system']}-{row['switch']}": row for row in rows()}


def switches(system: str) -> dict[str, Any]:
    """Return the rules of each release; of the modular trigger, which is no system, those of its decision."""
    return MODULAR if system == "triggers" else dict(systems()[system].releases)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_switch_is_on_where_the_sources_have_its_change(row: dict[str, Any]) -> None:
    rules = switches(row["system"])
    judged = [one for one in rules if one in (*row["with"], *row["without"])]
    assert judged
    old = row["switch"] in ("idle_may_split", "sessions_always_count")  # the two name the behaviour before the change
    found = {one: getattr(rules[one], row["switch"]) != old for one in judged if (row["switch"], one) not in OTHERWISE}
    assert found == {one: one in row["with"] for one in found}


@pytest.mark.parametrize("system", ["elasticsearch", "redis"])
def test_every_switch_and_every_release_was_searched(system: str) -> None:
    searched = {row["switch"]: {*row["with"], *row["without"]} for row in ROWS.values() if row["system"] == system}
    assert searched.keys() >= set(differing(systems()[system]))
    assert all(found >= systems()[system].releases.keys() for found in searched.values())


def test_fault_names_the_first_release_whose_sources_have_the_change() -> None:
    named = 0
    for row in ROWS.values():
        for fault in faults().values():
            turned = fault.rules == {row["switch"]: False} and fault.system == row["system"]
            for first in re.findall(r"before ([0-9]+\.[0-9]+\.[0-9]+)(?![-0-9])", fault.releases if turned else ""):
                named += 1
                assert first in row["with"], fault.name
                before = [one for one in (*row["with"], *row["without"]) if age(one) < age(first)]
                assert set(before) <= set(row["without"]), (fault.name, first)
    assert named > 5


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("replica_keeps_surplus", "before 6.5.0"),
        ("doubt_outlives_owner", "from 7.0.13, before 7.2.4"),
        ("loss_is_ignored", "before 7.0.13"),
        ("parent_is_kept", "before 2.9.2"),
    ],
)
def test_fault_names_its_releases(fault: str, words: str) -> None:
    assert catalogue()[fault].releases == words


def test_search_finds_an_edge_in_jars_and_in_tags(tmp_path: Path) -> None:
    for release, text in (("1.0.0", "old()"), ("1.1.0", "fixed(\n  now)")):
        with zipfile.ZipFile(tmp_path / f"elasticsearch-{release}-sources.jar", "w") as jar:
            jar.writestr("A.java", text)
    row = {"system": "s", "switch": "b", "change": "#1", "files": ["A.java"], "text": "fixed( now)"}
    listed = {**row, "without": [], "with": ["1.1.0", "1.0.0"]}
    assert list(compared(listed, from_jars(tmp_path))) == ["s b: 1.0.0 lacks #1"]
    assert (listed["without"], listed["with"]) == (["1.0.0"], ["1.1.0"])
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / "A.java").write_text("old()")
    subprocess.run([*git, "add", "A.java"], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    subprocess.run([*git, "tag", "v1.0.0"], check=True)
    gone = {"switch": "b", "files": ["A.java"], "gone": "old()"}
    assert not has_change(gone, "1.0.0", from_tags(tmp_path, "v"))
    with pytest.raises(ValueError, match=r"1\.0\.0 has none of"):
        has_change({**gone, "files": ["B.java"]}, "1.0.0", from_tags(tmp_path, "v"))
