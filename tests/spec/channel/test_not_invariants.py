"""The page of laws that look like invariants: complete, in the laws' own words, and each with a run that breaks it."""

import re

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.spec.channel.registry import LIVENESS, PROPERTIES

PAGE = TOP / "docs" / "not-invariants.md"
VIOLATED = {law.name: law for law in (*PROPERTIES, *LIVENESS) if law.status.is_violated}
SECTION = re.compile(
    r"^## `(?P<law>[a-z-]+)` \((?P<status>\w+)\)\n\n(?P<statement>.+)\n\n"
    r"Broken in (?P<steps>\d+) steps: \[.+\]\((?P<story>.+?)\)\. Source: (?P<source>.+)\.\n\nInstead: .+$",
    re.MULTILINE,
)
TEXT = re.sub(r"(?<=[^\n])\n(?=[^\n])", " ", PAGE.read_text(encoding="utf-8"))
"""The page with each paragraph on one line."""
SECTIONS = {found["law"]: found for found in SECTION.finditer(TEXT)}


def test_every_law_that_is_known_to_be_violated_has_its_section() -> None:
    assert SECTIONS.keys() == VIOLATED.keys()
    assert TEXT.count("\n## ") == len(SECTIONS)


@pytest.mark.parametrize("law", SECTIONS)
def test_section_has_the_words_of_its_law_and_a_run_that_breaks_it(law: str) -> None:
    section = SECTIONS[law]
    assert section["statement"] == VIOLATED[law].statement
    assert (section["status"], section["source"]) == (VIOLATED[law].status.value, VIOLATED[law].source)
    scenario = read_scenario((PAGE.parent / section["story"]).resolve())
    assert scenario.expect is not None
    assert (scenario.expect.law, scenario.expect.verdict.value) == (law, "invalid")
    assert len(scenario.steps) == int(section["steps"])


def test_laws_that_hold_instead_are_laws() -> None:
    names = {law.name for law in (*PROPERTIES, *LIVENESS)}
    mentioned = re.findall(r"^Instead: (.+)$", TEXT, re.MULTILINE)
    others = {name for line in mentioned for name in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", line)}
    assert others <= names | {"in-flight"}
    assert len(mentioned) == len(VIOLATED)
