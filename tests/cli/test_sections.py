"""The help lists every verb in its section."""

import re

import pytest

from oneowner.checkers.cli.main import VERBS, main
from oneowner.checkers.cli.verbs import Section, Verb
from tests.command_line import oneowner


def test_every_verb_has_a_section_and_is_listed_once() -> None:
    assert all(isinstance(verb, Verb) for verb in main.commands.values())
    assert len({verb.name for verb in VERBS}) == len(VERBS)
    sections = oneowner("--help").out.split("Options:")[1]
    listed = re.findall(r"^  ([a-z][a-z-]*)  +[A-Z]", sections, re.MULTILINE)
    assert listed == [verb.name for verb in VERBS if not verb.hidden]


@pytest.mark.parametrize("section", Section)
def test_help_has_a_heading_for_every_section(section: Section) -> None:
    heading = f"\n{section.value}:\n"
    first = next(verb.name for verb in VERBS if verb.section is section)
    assert f"{heading}  {first} " in oneowner("--help").out


def test_verbs_of_a_section_are_neighbours() -> None:
    order = [verb.section for verb in VERBS]
    assert order == sorted(order, key=[*Section].index)
