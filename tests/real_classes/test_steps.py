"""The table of steps, beside the harness and the families."""

import re

import pytest

from oneowner.checkers.catalogue.families import families, family_named
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.real_classes.machine import SOURCES
from oneowner.checkers.real_classes.steps import STEPS, command, why_not
from oneowner.model.channel.system import DECLARED
from oneowner.model.kernel.system import actions

WALKED = 61
"""Families of the channel whose every action has a counterpart; the number may only grow."""


def channel() -> list[Family]:
    return [family for family in families().values() if family.system.name == "channel"]


def test_every_step_is_an_action_and_a_case_of_the_harness() -> None:
    (file,) = SOURCES.rglob("Steps.java")
    cases = re.findall(r'^ +case ((?:"\w+",? ?)+) ->', file.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(name for case in cases for name in re.findall(r"\w+", case)) == sorted(STEPS)
    assert STEPS.keys() <= {one.name for one in DECLARED}


def test_families_that_can_be_walked_do_not_get_fewer() -> None:
    assert sum(not why_not(family.bounds) for family in channel()) >= WALKED


@pytest.mark.parametrize(
    ("family", "words"),
    [("shedding", "begin_shedding"), ("pip-192", "no release speaks"), ("wrap-around", "wrap around")],
)
def test_family_that_cannot_be_walked_names_the_reason(family: str, words: str) -> None:
    assert words in why_not(family_named(family).bounds)


def test_command_has_the_acting_broker_first() -> None:
    named = {command(action) for action in actions(family_named("failure").bounds)}
    assert {"notice 1 2", "assign 1 1 3", "append 2"} <= named
