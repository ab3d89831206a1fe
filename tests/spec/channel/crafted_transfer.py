"""Crafted states and steps for transfers, and for the laws of the leader's reading and of equal tables."""

from __future__ import annotations

from oneowner.model.channel.parts import Message
from oneowner.model.channel.record import OWNED, Record
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import (
    OWNED_1,
    OWNED_2,
    RELEASING_1,
    Crafted,
    breaks,
    cluster,
    edited,
    keeps,
    state,
    taken,
)

HANDED_OVER = Record(OWNED, 2, 1, False, 5)

# ---- transfer-handshake ----


def opening(record: Record, is_served: bool, is_tainted: bool = False) -> Crafted:
    """Broker 2 opens the unit because its view holds *record*; broker 1 serves it or not."""
    before = cluster()
    before.view[2, 1], before.serving[1, 1], before.tainted[1] = record, is_served, is_tainted
    return taken(before, "open(broker=2)")


@breaks("transfer-handshake")
def the_destination_opens_while_the_source_serves() -> Crafted:
    return opening(HANDED_OVER, True)


@keeps("transfer-handshake")
def the_destination_opens_after_the_source_has_closed() -> Crafted:
    return opening(HANDED_OVER, False)


# ---- leader-caught-up ----


def overriding(cursor: int) -> Crafted:
    """Leader 1 overrides, with *cursor* of the one record in the log read."""
    before = cluster(brokers=3, owner=2, crashes=1)
    before.log, before.cursor[1] = Sequence([Message(1, RELEASING_1)]), cursor
    return edited(before, "override(broker=1, destination=3)", lambda after: None)


@breaks("leader-caught-up")
def the_leader_overrides_with_a_record_unread() -> Crafted:
    return overriding(0)


@keeps("leader-caught-up")
def the_leader_overrides_with_everything_read() -> Crafted:
    return overriding(1)


# ---- same-tables ----


def holding(record: Record, is_told: bool = True) -> Crafted:
    """Both brokers have read the same; broker 1 holds Owned(1), broker 2 *record*."""
    at = cluster()
    at.view[2, 1], at.changed[2, 1] = record, not is_told
    return state(at)


@breaks("same-tables")
def two_that_read_the_same_hold_different_records() -> Crafted:
    return holding(OWNED_2)


@breaks("same-tables")
def two_that_name_the_same_owner_hold_different_versions() -> Crafted:
    return holding(OWNED_1._replace(version=4))


@keeps("same-tables")
def two_that_read_the_same_hold_the_same() -> Crafted:
    return holding(OWNED_1)
