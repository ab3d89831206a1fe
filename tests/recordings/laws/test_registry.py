"""The registry of laws fills itself, in the order of results, and every law cites a source."""

import re
from collections import Counter

import pytest

from oneowner.checkers.recordings.fold.channel_law import ChannelLaw
from oneowner.checkers.recordings.fold.channel_laws import CHANNEL_LAWS
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS, SCENE_LAWS, TABLES, modules_of_laws
from oneowner.checkers.recordings.laws.scene_law import LAST, SceneLaw
from oneowner.checkers.recordings.scene.tables import Table
from oneowner.checkers.report.rule_texts import declared_laws, statements
from oneowner.model.kernel.law import Severity
from tests.command_line import oneowner

PUBLIC = re.compile(r"PIP-\d+|#\d+|\b[A-Z]\w+(Service|Impl|View|Resolver|Factory|Manager)\b")
"""Public sources: a PIP, an issue, a class of Pulsar."""


@pytest.mark.parametrize("law", RECORDING_LAWS, ids=lambda law: law.name)
def test_source_of_a_law_is_public(law: ChannelLaw | SceneLaw) -> None:
    assert PUBLIC.search(law.source)
    assert law.needs
    assert re.fullmatch(r"[A-Z].*\.", law.statement)


def test_laws_come_in_their_order_and_those_of_one_place_by_module() -> None:
    orders = [law.order for law in SCENE_LAWS]
    assert orders == sorted(orders)
    late = [law.name for law in SCENE_LAWS if law.order == LAST]
    assert late.index("placement-as-computed") < late.index("names-are-known") < late.index("loss-is-noticed")


def test_every_table_that_laws_read_is_known_before_they_are_asked() -> None:
    declared = [value for module in modules_of_laws() for value in vars(module).values() if isinstance(value, Table)]
    assert set(TABLES) == set(declared)
    assert len(TABLES) == 6


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
def test_law_that_accuses_lists_the_excuses_that_it_subtracts(law: ChannelLaw | SceneLaw) -> None:
    assert law.excuses
    assert all(len(excuse.words) > 20 and not excuse.words.endswith(".") for excuse in law.excuses)
    listed = oneowner("list", "laws", law.name)
    assert listed.code == 0
    assert "Not counted as a violation:" in listed.out
    assert all(excuse.words in " ".join(listed.out.split()) for excuse in law.excuses)
