"""The registry of laws fills itself, in the order of results, and every law says where it can be read up."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from oneowner.checkers.recordings.fold.channel_law import ChannelLaw
from oneowner.checkers.recordings.fold.channel_laws import CHANNEL_LAWS
from oneowner.checkers.recordings.laws.registry import ORDER, RECORDING_LAWS, modules_of_laws
from oneowner.checkers.recordings.laws.scene_law import SceneLaw
from oneowner.checkers.report.rule_texts import declared_laws, statements
from oneowner.model.kernel.law import Severity
from oneowner.model.kernel.system import found_in
from tests.command_line import oneowner

PUBLIC = re.compile(r"PIP-\d+|#\d+|\b[A-Z]\w+(Service|Impl|View|Resolver|Factory|Manager)\b")
"""What anybody can look up: a PIP, an issue, a class of Pulsar."""


@pytest.mark.parametrize("law", RECORDING_LAWS, ids=lambda law: law.name)
def test_source_of_a_law_is_public(law: ChannelLaw | SceneLaw) -> None:
    assert PUBLIC.search(law.source)
    assert law.needs
    assert re.fullmatch(r"[A-Z].*\.", law.statement)


def test_modules_of_the_order_are_those_that_declare_laws() -> None:
    names = [module.__name__.partition(".laws.")[2] for module in modules_of_laws()]
    assert tuple(names[: len(ORDER)]) == ORDER
    assert all(found_in([module], SceneLaw) for module in modules_of_laws()[: len(ORDER)])


def test_no_two_laws_of_recordings_have_one_name() -> None:
    assert max(Counter(law.name for law in RECORDING_LAWS).values()) == 1
    assert RECORDING_LAWS[: len(CHANNEL_LAWS)] == CHANNEL_LAWS


def test_every_declared_law_has_a_sentence_as_a_rule() -> None:
    declared = list(declared_laws())
    assert set(RECORDING_LAWS) <= set(declared)
    assert {law.name for law in declared} <= set(statements())
    assert all(statements()[law.name] == law.statement for law in RECORDING_LAWS)


@pytest.mark.parametrize(
    "law", [law for law in RECORDING_LAWS if law.severity == Severity.VIOLATION], ids=lambda law: law.name
)
def test_law_that_accuses_says_which_innocent_explanations_it_rules_out(law: ChannelLaw | SceneLaw) -> None:
    assert law.innocent
    assert all(len(words) > 20 and not words.endswith(".") for words in law.innocent)
    told = oneowner("list", "laws", law.name)
    assert told.code == 0
    assert all(words in " ".join(told.out.split()) for words in law.innocent)
