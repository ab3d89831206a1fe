"""
The streaming fold: events of some namespaces, in topic order, become findings, refusals and intervals.

Each event goes through the model's own ``refusal``. What it accepts becomes the unit's entry and is put to
the laws; what it refuses lost a race and is only counted and reported. In a ZooKeeper history every write
took effect, so there a refusal breaks the law legal-history and the write counts all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from checkers.audit.events import (
    Entered,
    Event,
    Finding,
    Interval,
    Mark,
    Refused,
    Severity,
    Tally,
    brokers_named,
)
from checkers.audit.laws import (
    LAWS_BY_STATE,
    LEGAL_HISTORY,
    NO_OCCASION,
    STUCK,
    WHEN_PARTIAL,
    Broken,
    Law,
    enters_flight,
)
from checkers.audit.notes import Notes
from checkers.audit.units import Unit, Units
from model.explanation import repair, why
from model.record import ASSIGNING, DELETED, RELEASING, SPLITTING, Record, is_absent, is_active, is_in_flight, owner
from model.resolver import Refusal, ownerless, refusal
from model.rules import Storage


@dataclass(frozen=True, slots=True)
class Question:
    """What one run is asked."""

    storage: Storage
    is_history: bool
    """Whether the events are writes that took effect (ZooKeeper), not messages that readers may refuse."""
    in_flight_limit: int  # milliseconds
    partial: bool
    intervals: bool = False
    unit: str | None = None
    """Report intervals of this unit only."""
    at: int | None = None
    """Report every unit's owner at this time."""


Outcome = Finding | Refused | Interval


class Fold:
    """The fold of one part of a run: whole namespaces, events in topic order."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.units = Units()
        self.tally = Tally()
        self.out: list[Outcome] = []
        self.notes = Notes(self.units)
        self._previous: Event | None = None

    def take(self, event: Event) -> None:
        """Judge one event; what there is to say is added to ``out``."""
        tally, question = self.tally, self.question
        tally.events += 1
        if tally.last_time is None or event.time > tally.last_time:
            tally.last_time = event.time
        unit = self.units.by_key.get(event.key) or self.units.meet(event.key)
        self._check_repeated(event)
        self.notes.see(event)
        held, record = unit.held, event.record
        refused = refusal(held, record, question.storage) or ownerless(held, record, question.storage)
        if question.is_history:
            tally.exercised[LEGAL_HISTORY] += 1
            if refused is not None:
                self._illegal(event, refused)
        elif refused is not None:
            tally.refused[refused.rule] += 1
            self.out.append(Refused(event.key, event.position, event.message_id, refused.rule, why(refused)))
            return
        tally.accepted += 1
        for name, law in LAWS_BY_STATE[record.state]:
            self._ask(name, law, unit, event)
        self._leave(unit, event)
        self._accept(unit, event)

    def _accept(self, unit: Unit, event: Event) -> None:
        held, record = unit.held, event.record
        self.notes.accept(unit, event)
        if enters_flight(held, record):
            self.tally.exercised[STUCK] += 1
            unit.entered = event
        if is_active(record):
            unit.split_away = False
        if record.state == SPLITTING:
            unit.children = tuple(f"{event.key.rpartition('/')[0]}/{text}" for text in event.children or ())
        elif record.state == DELETED:
            unit.split_away = True
            unit.children = None
        unit.held, unit.written = record, event
        question = self.question
        if question.at is not None and event.time <= question.at:
            self.tally.owners[event.key] = str(owner(record)) if owner(record) else None

    def _leave(self, unit: Unit, event: Event) -> None:
        """End the unit's present state: its interval, and its time in flight."""
        entered = unit.entered
        if entered is not None and event.record.state != entered.record.state:
            unit.entered = None
            if event.time - entered.time > self.question.in_flight_limit:
                self._say(stuck(entered, event.time - entered.time, self._severity(STUCK)))
        self._interval(unit, event)

    def _interval(self, unit: Unit, event: Event | None) -> None:
        question = self.question
        if not question.intervals or unit.written is None or is_absent(unit.held):
            return
        if question.unit is None or question.unit == unit.key:
            until = None if event is None else Mark(event.message_id, event.time)
            self.out.append(interval(unit, unit.written, until))

    def _ask(self, name: str, law: Law, unit: Unit, event: Event) -> None:
        answer = law(self.units, unit, event)
        if answer is NO_OCCASION:
            return
        self.tally.exercised[name] += 1
        if answer is None:
            return
        for broken in answer if isinstance(answer, list) else [answer]:
            assert isinstance(broken, Broken)
            named = broken.brokers or brokers_named(unit.held, event.record)
            self._say(
                Finding(
                    name, self._severity(name), event.key, event.position, event.origin, event.message_id,
                    event.time, named, broken.why, shown(unit.held), shown(event.record), name, broken.repair,
                )
            )  # fmt: skip

    def _illegal(self, event: Event, refused: Refusal) -> None:
        self._say(
            Finding(
                LEGAL_HISTORY, Severity.VIOLATION, event.key, event.position, event.origin, event.message_id,
                event.time, brokers_named(refused.held, refused.proposed), why(refused), shown(refused.held),
                refused.proposed, refused.guard, repair(refused),
            )
        )  # fmt: skip

    def _check_repeated(self, event: Event) -> None:
        previous = self._previous
        self._previous = event
        if previous is None or previous.position != event.position or previous.origin.piece == event.origin.piece:
            return  # repeats within one file are seen where the file is read
        self._say(repeated(event, "its message id occurs in another file too"))

    def _severity(self, law: str) -> Severity:
        if self.question.partial and law in WHEN_PARTIAL:
            return Severity.WARNING
        return Severity.VIOLATION

    def _say(self, finding: Finding) -> None:
        count(self.tally, finding)
        self.out.append(finding)

    def finish(self) -> Tally:
        """End the fold: what is still in flight or open, notes, and the counts."""
        tally = self.tally
        tally.units = len(self.units)
        for unit in self.units.by_key.values():
            if unit.entered is not None and is_in_flight(unit.held):
                finding = stuck(unit.entered, 0, self._severity(STUCK))
                tally.in_flight.append(Entered(finding, unit.entered.time))
            self._interval(unit, None)
        for finding in self.notes.finish():
            self._say(finding)
        tally.publishers = self.notes.publishers()
        if self.question.at is not None:
            for key in self.units.by_key:
                tally.owners.setdefault(key, None)
        if self.question.intervals:
            tally.names = list(self.units.by_key)
        return tally


def fold(events: Iterable[Event], question: Question) -> tuple[list[Outcome], Tally]:
    """Fold all *events*; return what there is to say, and the counts."""
    folding = Fold(question)
    for event in events:
        folding.take(event)
    tally = folding.finish()
    return folding.out, tally


def count(tally: Tally, finding: Finding) -> None:
    """Count a violation or a warning."""
    if finding.severity == Severity.VIOLATION:
        tally.violations[finding.law] += 1
    elif finding.severity == Severity.WARNING:
        tally.warnings[finding.law] += 1


def stuck(entered: Event, duration: int, severity: Severity) -> Finding:
    """Return the finding about an entry that stayed in flight for *duration* milliseconds."""
    return Finding(
        STUCK, severity, entered.key, entered.position, entered.origin, entered.message_id, entered.time,
        brokers_named(entered.record), f"{entered.record} stayed in flight for {duration / 1000:.3f} s",
        None, entered.record, STUCK, "the next record of the unit within the limit",
    )  # fmt: skip


def repeated(event: Event, words: str) -> Finding:
    """Return the warning about a message that is out of order."""
    return Finding(
        "message-order", Severity.WARNING, event.key, event.position, event.origin, event.message_id, event.time,
        (), words, None, None, "message-order", "every message once, ids strictly increasing",
    )  # fmt: skip


def interval(unit: Unit, written: Event, until: Mark | None) -> Interval:
    """Return the interval that the unit's entry stands for."""
    broker = holder(unit.held)
    name = str(broker) if broker else None
    since = Mark(written.message_id, written.time)
    return Interval(unit.key, written.position, name, unit.held.state.value, since, until)


def holder(record: Record) -> int:
    """Return the broker that an interval shows: the owner, who will own, or who gives up; else NOBODY."""
    if record.state == ASSIGNING:
        return record.destination
    if record.state == RELEASING:
        return record.source
    return owner(record)


def shown(record: Record) -> Record | None:
    """Return the record as findings show it: None for no entry."""
    return None if is_absent(record) else record
