"""
What else an auditor wants to say: warnings and notes, which never make a run invalid.

Truncated beginnings, clocks that disagree, units that go back and forth, and producers that publish what
only another broker may. Thresholds are constants here; none of these is a law of the protocol.
"""

from __future__ import annotations

from collections.abc import Iterator

from checkers.audit.events import Event, Finding, Publisher, Severity, brokers_named
from checkers.audit.units import Unit, Units
from model.record import ASSIGNING, DELETED, FIRST_VERSION, FREE, NOBODY, OWNED, Record, is_absent

CLOCK_SKEW_LIMIT = 1_000
"""Milliseconds that publish times may go back in topic order before it is worth a note."""

PING_PONG_WITHIN = 60_000
"""A unit that returns to its former owner within this time (milliseconds) goes back and forth ..."""
PING_PONG_TIMES = 2
"""... if it happens so many times."""


class Notes:
    """Collects what there is to note about the events of some namespaces."""

    def __init__(self, units: Units) -> None:
        self._units = units
        self._truncated: list[Finding] = []
        self._latest: dict[str, int] = {}  # namespace: latest publish time
        self._skew: dict[str, tuple[int, Event]] = {}  # namespace: largest step back, and where
        self._publishers: dict[tuple[str, str, str], Publisher] = {}

    def see(self, event: Event) -> None:
        """Look at any event, accepted or not."""
        namespace = event.key.rpartition("/")[0]
        latest = self._latest.get(namespace)
        if latest is None or event.time >= latest:
            self._latest[namespace] = event.time
        elif latest - event.time > CLOCK_SKEW_LIMIT:
            worst = self._skew.get(namespace)
            if worst is None or latest - event.time > worst[0]:
                self._skew[namespace] = (latest - event.time, event)

    def accept(self, unit: Unit, event: Event) -> None:
        """Look at an event that is about to become the unit's entry."""
        record = event.record
        if unit.written is None and not is_absent(record) and record.version > FIRST_VERSION:
            self._truncated.append(
                note("began-truncated", event, f"the dump begins in the middle of this unit, with {record}")
            )
        if record.state == OWNED:
            self._move(unit, event)
        if event.producer:
            self._identify(unit, event)

    def _move(self, unit: Unit, event: Event) -> None:
        moves, owner = unit.moves, str(event.record.destination)
        if owner == moves.now:
            return
        if owner == moves.before and event.time - moves.since <= PING_PONG_WITHIN:
            moves.count += 1
            moves.first = moves.first or event
        moves.before, moves.now, moves.since = moves.now, owner, event.time

    def _identify(self, unit: Unit, event: Event) -> None:
        broker = rightful_publisher(event.record, unit.held)
        if broker == NOBODY:
            return
        at = (unit.key.rpartition("/")[0], event.producer, str(broker))
        if at not in self._publishers:
            words = f"producer {event.producer} publishes {event.record}, which only {broker} may"
            finding = note("publisher-discipline", event, words, Severity.WARNING)
            self._publishers[at] = Publisher(event.producer, str(broker), finding)

    def publishers(self) -> list[Publisher]:
        """Return for every producer the brokers that it published as, first evidence each."""
        return list(self._publishers.values())

    def finish(self) -> Iterator[Finding]:
        """Yield the notes."""
        yield from self._truncated
        for step, event in self._skew.values():
            yield note(
                "clock-skew", event, f"publish times go back by {step / 1000:.3f} s in topic order (the most here)"
            )
        for unit in self._units.by_key.values():
            first, count = unit.moves.first, unit.moves.count
            if first is not None and count >= PING_PONG_TIMES:
                words = f"the unit went back to its former owner within {PING_PONG_WITHIN // 1000} s, {count} times"
                yield note("ping-pong", first, words)


def rightful_publisher(record: Record, held: Record) -> int:
    """
    Return the only broker that may publish *record*, or NOBODY if several may (pulsar-channel.md 5).

    Unforced: Owned by its destination (P2, P8); Free, Deleted and the Assigning of a transfer by the source
    (P5, P6, P9).
    """
    if record.force:
        return NOBODY
    if record.state == OWNED:
        return record.destination
    if record.state in (FREE, DELETED) or (record.state == ASSIGNING and record.source != NOBODY):
        return record.source
    return NOBODY


def note(law: str, event: Event, words: str, severity: Severity = Severity.NOTE) -> Finding:
    """Return a note about one event."""
    record = None if is_absent(event.record) else event.record
    return Finding(
        law, severity, event.key, event.position, event.origin, event.message_id, event.time,
        brokers_named(record), words, None, record, law, "",
    )  # fmt: skip
