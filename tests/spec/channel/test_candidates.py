"""The page of candidates: its stories exist, and break their laws in the steps that it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from oneowner import spec
from oneowner.checkers.catalogue.families import families
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.model.channel.releases import NAMES

HERE = Path(spec.__file__).parent
PAGE = (HERE / "CANDIDATES.md").read_text(encoding="utf-8")
SECTIONS = PAGE.split("\n## ")[1:-1]
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
