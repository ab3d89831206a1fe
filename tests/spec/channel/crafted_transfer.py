"""Crafted states and steps for transfers, and for the laws of the leader's reading and of equal tables."""

from __future__ import annotations

from oneowner.model.channel.parts import Message
from oneowner.model.channel.record import OWNED, Record
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import (
    BROKEN,
    KEPT,
    OWNED_1,
    OWNED_2,
    RELEASING_1,
    Crafted,
    cluster,
    edited,
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


BROKEN["transfer-handshake"] |= {"the destination opens while the source serves": lambda: opening(HANDED_OVER, True)}

KEPT["transfer-handshake"] |= {"the destination opens after the source has closed": lambda: opening(HANDED_OVER, False)}


# ---- leader-caught-up ----


def overriding(cursor: int) -> Crafted:
    """Leader 1 overrides, with *cursor* of the one record in the log read."""
    before = cluster(brokers=3, owner=2, crashes=1)
    before.log, before.cursor[1] = Sequence([Message(1, RELEASING_1)]), cursor
    return edited(before, "override(broker=1, destination=3)", lambda after: None)


BROKEN["leader-caught-up"] |= {"the leader overrides with a record unread": lambda: overriding(0)}

KEPT["leader-caught-up"] |= {"the leader overrides with everything read": lambda: overriding(1)}


# ---- same-tables ----


def holding(record: Record, is_told: bool = True) -> Crafted:
    """Both brokers have read the same; broker 1 holds Owned(1), broker 2 *record*."""
    at = cluster()
    at.view[2, 1], at.changed[2, 1] = record, not is_told
    return state(at)


BROKEN["same-tables"] |= {
    "two that read the same hold different records": lambda: holding(OWNED_2),
    "two that name the same owner hold different versions": lambda: holding(OWNED_1._replace(version=4)),
}

KEPT["same-tables"] |= {"two that read the same hold the same": lambda: holding(OWNED_1)}
