"""
Warnings and notes report facts for an auditor beside the laws; they never make a run invalid.

Truncated beginnings, clocks that disagree, units that go back and forth, producers that publish what only another
broker may, and ZooKeeper histories with holes. Thresholds are constants here; none of these is a law of the protocol.
"""

from collections.abc import Iterator
from typing import Any

from oneowner.checkers.recordings.fold.unit_memory import Unit, Units
from oneowner.checkers.recordings.read.events import (
    CREATE,
    DELETE,
    WRITE,
    Event,
    Finding,
    Publisher,
    Row,
    brokers_named,
)
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FIRST_VERSION,
    FREE,
    NOBODY,
    OWNED,
    Broker,
    Record,
    is_absent,
)
from oneowner.model.kernel.law import Severity

CLOCK_SKEW_LIMIT = 1_000
"""Milliseconds that publish times may go back in topic order, within one unit, before it is worth a note."""

PING_PONG_WITHIN = 60_000
"""A unit that returns to its former owner within this time (milliseconds) goes back and forth ..."""
PING_PONG_TIMES = 2
"""... if it happens so many times."""


NODE_CHAIN = "node-chain"
"""A history whose writes to a node do not follow on each other is incomplete."""


def begins_late(version: Any) -> Any:
    """Return whether a unit's first record, or each of a column of them, is not the first of its history."""
    return version > FIRST_VERSION


def begins_surely(record: Record) -> bool:
    """Return whether a unit's first record is certainly its entry: no earlier record could make it refused."""
    return not begins_late(record.version) or is_absent(record) or record.force


def goes_back(before: Any, time: Any) -> Any:
    """Return whether a publish time, or each of a column of them, lies too far before the one that it follows."""
    return before - time > CLOCK_SKEW_LIMIT


def begins_truncated(row: Row) -> Finding:
    """Return the note about a unit whose first record is not the first of its history."""
    event = Event(*row)
    return note("began-truncated", event, f"the dump begins in the middle of this unit, with {event.record}")


def skewed(row: Row, step: int) -> Finding:
    """Return the note about publish times that go back by *step* milliseconds from one record of a unit to the next."""
    return note("clock-skew", Event(*row), f"published {step / 1000:.3f} s before the record that it replaces")


def see_owner(unit: Unit, row: Row, owner: str, time: int) -> None:
    """Record the unit's present owner, and whether it went back to its former owner."""
    moves = unit.moves
    if owner == moves.now:
        return
    if owner == moves.before and time - moves.since <= PING_PONG_WITHIN:
        moves.count += 1
        moves.first = moves.first or row
    moves.before, moves.now, moves.since = moves.now, owner, time


def ping_pong(units: Units) -> Iterator[Finding]:
    """Yield a note for every unit that went back and forth."""
    for unit in units.by_key.values():
        first, count = unit.moves.first, unit.moves.count
        if first is not None and count >= PING_PONG_TIMES:
            words = f"the unit went back to its former owner within {PING_PONG_WITHIN // 1000} s, {count} times"
            yield note("ping-pong", Event(*first), words)


def published_as(record: Record) -> Broker:
    """Return the only broker that may publish the record, unless it is forced; NOBODY if several may."""
    if record.state == OWNED:
        return record.destination
    return record.source if record.state in (ASSIGNING, FREE, DELETED) else NOBODY


def publishers(units: Units) -> Iterator[Publisher]:
    """Yield, for every producer, the brokers that it published as, with the first evidence of each."""
    for namespace in units.namespaces.values():
        for (producer, broker), row in namespace.publishers.items():
            event = Event(*row)
            words = f"producer {producer} publishes {event.record}, which only {broker} may"
            yield Publisher(producer, broker, note("publisher-discipline", event, words, Severity.WARNING))


def is_repeated(before: Row, row: Row) -> bool:
    """Return whether both rows are the same write of the same transaction."""
    return before[:1] == row[:1] and before[WRITE] == row[WRITE]


def is_next(before: str, write: str) -> bool:
    """
    Return whether a node whose last write was *before* can be written so next, as far as versions are given.

    >>> is_next("create", "setData 1"), is_next("setData 1", "setData 3"), is_next("setData 1", "create")
    (True, False, False)
    """
    is_there = before != DELETE
    if is_there == (write == CREATE):
        return False
    known = 0 if before == CREATE else int(before[8:]) if before.startswith("setData ") else None
    if known is None or not write.startswith("setData "):
        return True
    return int(write[8:]) == known + 1


def out_of_place(event: Event, before: str) -> Finding:
    """Return the warning about a write that cannot follow on the one before it: lines of the history are missing."""
    words = f"{event.write} cannot follow on {before} of the same node: lines of the history are missing"
    return Finding(
        NODE_CHAIN, Severity.WARNING, event.key, event.position, event.origin, event.message_id, event.time,
        (), words, None, None, NODE_CHAIN, "every write to the node, versions counting up by one",
    )  # fmt: skip


def note(law: str, event: Event, words: str, severity: Severity = Severity.NOTE) -> Finding:
    """Return a note about one event."""
    record = None if is_absent(event.record) else event.record
    return Finding(
        law, severity, event.key, event.position, event.origin, event.message_id, event.time,
        brokers_named(record), words, None, record, law, "",
    )  # fmt: skip
