"""Every excuse of a law of the channel is needed: without it the law accuses somebody on a small dump."""

from dataclasses import replace
from typing import Any

import pytest

from oneowner.checkers.recordings.fold.channel_excuses import begun_before, one_phase, partial, unknown_node, unsure
from oneowner.checkers.recordings.fold.channel_laws import CHANNEL_LAWS, LEGAL_HISTORY, PUT_OFF
from oneowner.checkers.recordings.fold.fold import Fold
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.recorded_law import Excuse
from oneowner.checkers.recordings.read.events import CREATE, Row
from oneowner.model.channel.record import NOBODY, ServiceUnitState
from oneowner.model.channel.rules import Storage
from tests.recordings.dumps import dump
from tests.recordings.fold.test_channel_laws import BROKEN, HANDED_OVER, SPLIT

ILLEGAL = ("0-8 Assigning(1) v1", "0-8 Owned(2) v9")
GIVEN_BACK = (*HANDED_OVER, "0-8 Owned(1) v5 forced")
BEGINS_LATE = {
    "tombstone-of-active": ("0-8 Owned(1) v7", "0-8 -"),
    "version-chain": ("0-8 Releasing(2, from 1) v3", "0-8 Owned(3, from 1) v5"),
    "overlapping-owners": ("0-4 Owned(1) v1", "0-8 Owned(2) v7"),
    "parent-revived": (*SPLIT[2:], "0-8 Deleted(from 1) v3", "0-8 Assigning(1) v4 forced"),
    "split-tiles": ("0-8 Splitting(from 1) v2 split 0-4 5-8",),
    "given-back-by-force": ("0-8 Assigning(2, from 1) v4", "0-8 Owned(1) v5 forced"),
}
"""Dumps in which the entry that makes a law look broken may have been refused."""
AGAIN = ("0-8 Splitting(from 1) v4 forced split 0-4 4-8", "0-8 Deleted(from 1) v5")
OTHERS: dict[tuple[str, Excuse[bool]], tuple[str, ...]] = {
    ("children-before-deleted", begun_before): AGAIN,
    ("given-back-by-force", one_phase): GIVEN_BACK,
    ("legal-history", partial): ILLEGAL,
    ("legal-history", unknown_node): ("0-8 Owned(2, from 1) v9",),
}


def row(number: int, message: dict[str, Any], is_created: bool) -> Row:
    record = message["value"] or {"state": "nothing"}
    children = record.get("splitServiceUnitToDestBroker")
    return (
        0, number, -1, 0, 0, number + 1, f"0:{number}", message["publishTime"], message["key"],
        ServiceUnitState(record["state"]), record.get("dstBroker", NOBODY), record.get("sourceBroker", NOBODY),
        record.get("force", False), record.get("versionId", 0), children and tuple(children), "",
        CREATE if is_created else "",
    )  # fmt: skip


def violations(law: str, asked: Question, lines: tuple[str, ...]) -> int:
    """Return how often a law accuses somebody; in a history that begins with its node."""
    fold = Fold(asked)
    is_created = law == LEGAL_HISTORY.name and lines == ILLEGAL
    fold.take([row(number, message, is_created and not number) for number, message in enumerate(dump(*lines))])
    return fold.finish().violations[law]


@pytest.mark.parametrize(
    ("law", "excuse"),
    [(law.name, excuse) for law in CHANNEL_LAWS for excuse in law.excuses if excuse is not PUT_OFF],
)
def test_law_accuses_without_the_excuse(law: str, excuse: Excuse[bool]) -> None:
    broken = next(iter(BROKEN.get(law, {"": ((), [])}).values()))[0]
    lines = OTHERS.get((law, excuse)) or (BEGINS_LATE[law] if excuse is unsure else broken)
    is_history = law == LEGAL_HISTORY.name
    asked = Question(
        Storage.METADATA_STORE if is_history else Storage.SYSTEM_TOPIC, is_history, 120_000,
        partial=excuse is partial, one_phase=excuse is one_phase,
    )  # fmt: skip
    assert violations(law, asked, lines) < violations(law, replace(asked, left_out=excuse), lines)
