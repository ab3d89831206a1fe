"""The page of recorded findings: complete, and each row is what its story and the catalogue of faults say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from oneowner import spec
from oneowner.checkers.catalogue.families import faults
from oneowner.checkers.scenarios.scenario import read_scenario

HERE = Path(spec.__file__).parent
PAGE = (HERE / "RECORDED.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (?P<finding>run\.G\d+) \| (?P<seen>[^|]+) \| \[(?P<name>\w+)\]\((?P<story>[^)]+)\) \| `(?P<law>[a-z-]+)`"
    r" \| (?P<steps>\d+) \| (?P<ends>[^|]+) \| (?P<upstream>[^|]+) \|$",
    re.MULTILINE,
)
ROWS = list(ROW.finditer(PAGE))


def test_every_finding_has_a_row_in_order() -> None:
    found = [row["finding"] for row in ROWS]
    assert list(dict.fromkeys(found)) == [f"run.G{number}" for number in range(1, 13)]
    assert PAGE.count("\n| run.G") == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_story_breaks_the_law_in_the_steps_of_its_row(row: re.Match[str]) -> None:
    scenario = read_scenario((HERE / row["story"]).resolve())
    assert scenario.expect is not None
    assert (scenario.expect.law, scenario.expect.verdict.value) == (row["law"], "invalid")
    assert len(scenario.steps) == int(row["steps"])
    assert scenario.title
    assert scenario.release == "4.0.6"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_fault_of_a_row_cites_the_finding_and_its_switch_is_named(row: re.Match[str]) -> None:
    fault = faults()[row["name"]]
    assert fault.record == row["finding"]
    (switch,) = {**fault.rules, **fault.repaired}
    assert f"`{switch}`" in row["ends"]
