"""The page of candidates: its stories exist, and break their laws in the steps that it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from oneowner import spec
from oneowner.checkers.catalogue.affected import affected_releases, idle_releases, known_to
from oneowner.checkers.catalogue.families import defects, families, faults
from oneowner.checkers.ledger.kills.release_matrix import Bite, bites
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.model.channel.releases import NAMES

HERE = Path(spec.__file__).parent
PAGE = (HERE / "CANDIDATES.md").read_text(encoding="utf-8")
SECTIONS = PAGE.split("\n## ")[1:-1]
COLUMNS = ("3.0.4", "3.3.8", "4.0.6", "4.0.8", "4.0.14", "4.2.4", "5.0.1")
BY_RELEASE = {
    name: (int(number), tuple(cell.strip() for cell in cells.split("|")))
    for number, name, cells in re.findall(r"^\| (\d+) \| `([a-z_]+)` \|((?:[^|]+\|){6}[^|]+)\|$", PAGE, re.MULTILINE)
}
"""The candidate of every defect of the table, and its cells: steps, or why there are none."""
ASKED = re.findall(r"^\| `([a-z-]+)` \| `([a-z-]+)` \| (\S+) \| (\d+|holds) \|$", PAGE, re.MULTILINE)


def test_there_are_some_and_each_says_how_to_provoke_it_and_how_sure_it_is() -> None:
    assert len(SECTIONS) >= 8
    for number, section in enumerate(SECTIONS, 1):
        assert section.startswith(f"{number}. ")
        for word in ("Story: [", "Law: `", "Releases: ", "Sure: **", "Provoke: ", "See", "Reported: "):
            assert word in section, f"{number}: {word}"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.split("\n")[0])
def test_story_breaks_the_law_in_its_steps(section: str) -> None:
    (found,) = re.findall(r"^Story: \[[\w-]+\]\(([^)]+)\), (\d+) steps", section, re.MULTILINE)
    (law,) = re.findall(r"Law: `([a-z-]+)`", section)
    scenario = read_scenario((HERE / found[0]).resolve())
    assert scenario.expect is not None
    assert (scenario.expect.law, scenario.expect.verdict.value) == (law, "invalid")
    assert len(scenario.steps) == int(found[1])


def test_second_stories_take_the_steps_that_are_said() -> None:
    for steps, story in re.findall(r"after (\d+): \[[\w-]+\]\(([^)]+)\)", PAGE):
        assert len(read_scenario((HERE / story).resolve()).steps) == int(steps)


def test_releases_that_were_asked_are_of_families_and_releases_that_exist() -> None:
    assert ASKED
    for family, law, release, _ in ASKED:
        assert law in {**families()[family].laws, **families()[family].liveness}
        assert release in NAMES


def cell_of(one: Bite | None) -> str:
    """Say in a cell what exploring a release found, or that it cannot have the family's bounds."""
    if one is None:
        return "no such storage"
    return {"invalid": str(one.steps), "valid": "holds"}.get(one.verdict.value, "no occasion")


def test_every_prediction_is_in_the_table_of_releases() -> None:
    assert f"| {' | '.join(COLUMNS)} |" in PAGE
    predicted = defects().keys() - faults().keys()
    assert len(BY_RELEASE) >= 9
    assert set(BY_RELEASE) == predicted | {"transfer_told_done", "returned_unit_stays_fenced"}
    assert {number for number, _ in BY_RELEASE.values()} == {1, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13}
    for name in predicted:
        assert defects()[name].upstream.split()[1] == str(BY_RELEASE[name][0])


@pytest.mark.parametrize("name", BY_RELEASE)
def test_table_of_releases_says_what_is_pinned_of_them(name: str) -> None:
    defect, (_, cells) = defects()[name], BY_RELEASE[name]
    bounds = families()[defect.family].bounds
    for release, cell in zip(COLUMNS, cells, strict=True):
        if release not in known_to(bounds):
            assert cell == "no such storage", release
        elif release in affected_releases(defect):
            assert cell.isdigit(), release
        else:
            assert cell == ("no occasion" if release in idle_releases(defect) else "holds"), release
    assert cells[COLUMNS.index("4.0.6")] == str(defect.steps)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transfer_told_done", "fenced_when_coalesced", "served_after_quick_restart"])
def test_table_of_releases_says_what_exploring_them_finds(name: str) -> None:
    found = {one.release: one for one in bites(name)}
    assert BY_RELEASE[name][1] == tuple(cell_of(found.get(release)) for release in COLUMNS)


def test_story_of_a_prediction_breaks_its_law_by_no_fault_in_its_family() -> None:
    for name, defect in defects().items():
        if name not in faults():
            scenario = read_scenario(defect.scenario)
            assert (scenario.family, scenario.faults, len(scenario.steps)) == (defect.family, (), defect.steps), name
            assert scenario.expect is not None
            assert (scenario.expect.law, scenario.expect.verdict.value) == (defect.law, "invalid"), name
