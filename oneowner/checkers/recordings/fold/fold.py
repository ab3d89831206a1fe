"""
The streaming fold turns events of some namespaces, in topic order, into findings, refusals and intervals.

Each event goes through the model's own ``refusal``. An accepted record becomes the unit's entry and is judged by the
laws; a refused one lost a race and is only counted and reported. In a ZooKeeper history every write
took effect, so there a refusal breaks the law legal-history and the write counts all the same.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from oneowner.checkers.recordings.fold.channel_excuses import begun_before, one_phase, partial, unknown_node, unsure
from oneowner.checkers.recordings.fold.channel_law import Broken, ChannelLaw, by_state
from oneowner.checkers.recordings.fold.channel_laws import (
    CHANNEL_LAWS,
    IN_FLIGHT,
    LEGAL_HISTORY,
    STUCK,
    VERSION_CHAIN,
    is_stuck,
    lands,
)
from oneowner.checkers.recordings.fold.findings import broken, illegal, interval, lost, repeated, stuck
from oneowner.checkers.recordings.fold.notes import (
    begins_late,
    begins_surely,
    begins_truncated,
    goes_back,
    is_next,
    is_repeated,
    out_of_place,
    ping_pong,
    published_as,
    publishers,
    see_owner,
    skewed,
)
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.unit_memory import Unit, Units
from oneowner.checkers.recordings.read.events import (
    CREATE,
    DESTINATION,
    PRODUCER,
    SOURCE,
    STATE,
    TIME,
    WRITE,
    Entered,
    Event,
    Finding,
    Interval,
    Mark,
    Refused,
    Row,
    Tally,
    first_of,
)
from oneowner.model.channel.record import (
    DELETED,
    FREE,
    NOBODY,
    NOTHING,
    OWNED,
    SPLITTING,
    Record,
    is_absent,
    is_active,
    owner,
)
from oneowner.model.channel.resolver import Refusal, ownerless, refusal
from oneowner.model.kernel.law import Severity

Outcome = Finding | Refused


_record: Callable[[type[Record], tuple[Any, ...]], Record] = tuple.__new__
"""Makes a record at half the cost of calling its class; there is one for every event."""


class Fold:
    """The fold of one part of a run: whole namespaces, events in topic order."""

    def __init__(self, question: Question, laws: tuple[ChannelLaw, ...] = CHANNEL_LAWS) -> None:
        self.question, self.laws = question, laws
        self.units = Units()
        self.tally = Tally()
        self.out: list[Outcome] = []
        self.intervals: list[Interval] = []
        """The intervals that have ended, in topic order."""
        self._exercised_elsewhere: Counter[str] = Counter()
        """Occasions outside the time range."""

    def take(self, rows: list[Row]) -> None:  # noqa: PLR0915 - all time is spent here, so nothing is called twice
        """Judge some events; findings and refusals are added to ``out``."""
        tally, storage, units = self.tally, self.question.storage, self.units
        known, exercised, limit = units.by_key, tally.exercised, self.question.in_flight_limit
        is_history, follows = self.question.is_history, self.question.follows_owners
        scope = None if self.question.scope.is_all_time else self.question.scope
        laws_of = by_state(self.laws)
        refusals = doubled = 0
        for row in rows:
            (_, _, _, _, _, _, _, time, key, state, destination, source, force, version, children, producer, write) = (
                row
            )
            if scope is not None:
                exercised = tally.exercised if scope.has(time) else self._exercised_elsewhere
            unit = known.get(key) or units.meet(key)
            held, written = unit.held, unit.written
            record = _record(Record, (state, destination, source, force, version))
            if write and written is not None and not self._follows(written, row):
                doubled += 1
                continue
            refused = refusal(held, record, storage)
            if refused is None and destination == NOBODY:
                refused = ownerless(held, record, storage)
            if refused is not None and not is_history:
                refusals += 1
                tally.refused[refused.rule] += 1
                if scope is None or scope.has(time):
                    self.out.append(lost(row, refused))
                continue
            is_illegal = is_history and self._judge_history(unit, row, refused)
            for law, when, judge in laws_of[state]:
                if is_illegal and law is VERSION_CHAIN:  # legal-history reports it already
                    continue
                if when(unit, record):
                    exercised[law.name] += 1
                    answer = judge(units, unit, record, children)
                    if answer is not None:
                        self._break(law, unit, row, answer)
            if written is None:
                if begins_late(version) and write != CREATE:
                    self.say(begins_truncated(row))
            elif goes_back(written[TIME], time):
                self.say(skewed(row, written[TIME] - time))
            entered = unit.entered
            if entered is not None and lands(unit, record):
                unit.entered = None
                if scope is None or scope.touches(entered[TIME], time):
                    tally.exercised[STUCK.name] += 1
                if is_stuck(entered[TIME], time, limit):
                    self.say(stuck(Event(*entered), time - entered[TIME], self._severity(STUCK)), time)
            if follows:
                self._follow(unit, row)
            if state == OWNED:
                see_owner(unit, row, str(destination), time)
            elif state in IN_FLIGHT:
                if state != held.state:
                    unit.entered = row
                if state == SPLITTING:
                    unit.children = tuple([f"{unit.namespace.name}/{text}" for text in children or ()])
                    unit.split_away = False
                    if held.state != SPLITTING:
                        unit.split_begun = not begun_before.of(self.question, unit, version)
            elif state == DELETED:
                unit.split_away = True
            elif state == NOTHING:
                unit.freed = None
            elif state == FREE and force:
                unit.freed = row
            if producer and not force and (broker := published_as(record)):
                unit.namespace.publishers.setdefault((producer, str(broker)), row)
            if unit.split_away and state != DELETED and is_active(record):
                unit.split_away, unit.children = False, None
            if state != NOTHING:
                unit.created = True
            if not unit.sure:
                unit.sure = written is not None or begins_surely(record)
            unit.held, unit.written = record, row
        self._count(rows, refusals, doubled)

    def _follows(self, before: Row, row: Row) -> bool:
        """Return whether a write is a new one; doubt the history if the node cannot have been as it claims."""
        if is_repeated(before, row):
            self.say(repeated(Event(*row), "this write of its transaction occurs before"))
            return False
        if not is_next(before[WRITE], row[WRITE]):
            self.say(out_of_place(Event(*row), before[WRITE]))
        return True

    def _judge_history(self, unit: Unit, row: Row, refused: Refusal | None) -> bool:
        """Judge a write by the law legal-history; return whether the write broke it."""
        if row[STATE] == NOTHING or unknown_node.of(self.question, unit, row):
            return False
        if self.question.scope.has(row[TIME]):
            self.tally.exercised[LEGAL_HISTORY.name] += 1
        if refused is not None:
            self.say(illegal(row, refused, self._severity(LEGAL_HISTORY)))
        return refused is not None

    def _count(self, rows: list[Row], refusals: int, doubled: int) -> None:
        tally = self.tally
        tally.events += len(rows)
        tally.accepted += len(rows) - refusals - doubled
        latest = max([row[TIME] for row in rows])
        tally.last_time = latest if tally.last_time is None else max(latest, tally.last_time)
        if self.question.vocabulary:
            tally.brokers.update(str(row[place]) for row in rows for place in (DESTINATION, SOURCE) if row[place])
            tally.producers.update(row[PRODUCER] for row in rows if row[PRODUCER])

    def _break(self, law: ChannelLaw, unit: Unit, row: Row, answer: Broken | list[Broken]) -> None:
        severity, is_unsure = self._severity(law), unsure.of(self.question, unit, row)
        for one in answer if isinstance(answer, list) else [answer]:
            if is_unsure and severity == Severity.VIOLATION and self.question.scope.has(row[TIME]):
                self.tally.unsure += 1
            self.say(broken(law.name, unit.held, row, one, Severity.WARNING if is_unsure else severity))

    def _follow(self, unit: Unit, row: Row) -> None:
        """End the unit's present interval, and record its owner."""
        question, event = self.question, Event(*row)
        self._interval(unit, Mark(event.message_id, event.time))
        if question.at is not None and event.time <= question.at:
            self.tally.owners[event.key] = str(owner(event.record)) if owner(event.record) else None

    def _interval(self, unit: Unit, until: Mark | None) -> None:
        question = self.question
        if question.intervals and unit.written is not None and not is_absent(unit.held):
            end = None if until is None else until.time
            if question.unit in (None, unit.key) and question.scope.touches(unit.written[TIME], end):
                self.intervals.append(interval(unit, Event(*unit.written), until))

    def _severity(self, law: ChannelLaw) -> Severity:
        only_warns = any(one in law.excuses and one.of(self.question) for one in (partial, one_phase))
        return Severity.WARNING if only_warns else law.severity

    def say(self, finding: Finding, until: int | None = None) -> None:
        """Add a finding, which lasted *until* then, if it is in the scope of the question."""
        kept = self.question.scope.kept(finding, until)
        if kept is not None:
            count(self.tally, kept)
            self.out.append(kept)

    def in_flight(self) -> Iterator[Entered]:
        """Yield the units that are in flight now."""
        for unit in self.units.by_key.values():
            if unit.entered is not None:
                entered = Event(*unit.entered)
                yield Entered(stuck(entered, 0, self._severity(STUCK)), entered.time)

    def finish(self) -> Tally:
        """End the fold: add units still in flight, open intervals, notes, and the counts."""
        tally, units = self.tally, self.units
        tally.units = len(units.by_key)
        tally.in_flight += self.in_flight()
        for unit in units.by_key.values():
            self._interval(unit, None)
        for note in ping_pong(units):
            self.say(note)
        tally.publishers = first_of(publishers(units))
        if self.question.at is not None:
            for key in units.by_key:
                tally.owners.setdefault(key, None)
        if self.question.intervals or self.question.vocabulary:
            tally.names = list(units.by_key)
        return tally


def count(tally: Tally, finding: Finding) -> None:
    """Count a violation or a warning."""
    if finding.waived is not None:
        tally.waived[finding.law, finding.waived] += 1
    elif finding.severity == Severity.VIOLATION:
        tally.violations[finding.law] += 1
    elif finding.severity == Severity.WARNING:
        tally.warnings[finding.law] += 1
