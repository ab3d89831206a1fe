"""
One cluster's channel, followed live: lines in, findings out, by the fold and the laws of the audit.

A violation by a record is reported with the record. A violation by time alone (a hand-over that does not end) is
reported by the clock of the source. Each finding has a name, made of its law, its record and its unit, by which a
repetition is recognised.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from oneowner.checkers.recordings.fold.channel_laws import STUCK, is_stuck
from oneowner.checkers.recordings.fold.chunk_reader import out_of_order, unreadable
from oneowner.checkers.recordings.fold.fold import Fold
from oneowner.checkers.recordings.fold.notes import PING_PONG_TIMES, PING_PONG_WITHIN, ping_pong, publishers
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.unit_memory import Units
from oneowner.checkers.recordings.judge.finding_json import finding_json, shortened
from oneowner.checkers.recordings.judge.run_verdict import mistaken_publishers
from oneowner.checkers.recordings.live.packed_fold import Packed, packed, row_of, unpack
from oneowner.checkers.recordings.read.dump import DumpReader, Unreadable
from oneowner.checkers.recordings.read.events import KEY, Event, Finding, Origin, Refused, Row, first_of
from oneowner.checkers.times import lasting
from oneowner.model.channel.record import is_absent

Json = dict[str, Any]


class LiveFinding(NamedTuple):
    """A finding with the name by which a repetition is recognised."""

    name: str
    cluster: str
    finding: Json
    """The finding as in the JSON of an audit."""


class Counts(NamedTuple):
    """The present counts of a channel."""

    records: int
    refused: dict[str, int]
    """Refusals, by the resolver's rule."""
    states: dict[str, int]
    """Units by the state of their entries, without deleted entries."""
    in_flight: int
    longest: int
    """The age of the oldest in milliseconds, by the clock of the source."""


class ChannelWatch:
    """The fold of one cluster's channel, with the names of the reported findings."""

    def __init__(self, cluster: str, file: str, question: Question, memory: Packed | None = None) -> None:
        """:param file: the file that findings name; :param memory: a `packed` state to continue."""
        self.cluster, self.file = cluster, file
        self.fold = Fold(question)
        self._reader = DumpReader(0, 0)
        self._lines = 0
        self.judged: list[tuple[Row, bool]] = []
        """The records taken last, each with whether the resolver refused it."""
        self._last: Event | None = None
        self._told: dict[str, None] = {}
        """Names of reported findings that the fold may repeat: those by time, and those of several records."""
        self._pairs = 0
        """The number of pairs of producer and broker that the laws of publishers have judged."""
        if memory is not None:
            unpack(memory["fold"], self.fold)
            self._lines, self._told = memory["lines"], dict.fromkeys(memory["told"])
            self._last = None if memory["last"] is None else Event(*row_of(memory["last"]))

    def take(self, lines: Iterable[bytes]) -> list[LiveFinding]:
        """Judge the next lines of the channel; return the findings."""
        said: list[Finding] = []
        rows: list[Row] = []
        for raw in lines:
            self._lines += 1
            if not raw or raw.isspace():
                continue
            try:
                row = self._reader.row(raw, self._lines)
            except Unreadable as error:
                said.append(unreadable(Origin(0, 0, self._lines), str(error)))
                continue
            event = Event(*row)
            if self._last is not None and event.position <= self._last.position:
                said.append(out_of_order(event, self._last.position))
                continue  # a repeated record is no new one
            self._last = event
            rows.append(row)
        self.judged = []
        return self._named([*said, *self._judged(rows)])

    def _judged(self, rows: list[Row]) -> Iterator[Finding]:
        if not rows:
            return
        self.fold.take(rows)
        said, self.fold.out = self.fold.out, []
        refused = {one.position for one in said if isinstance(one, Refused)}
        self.judged = [(row, row[:3] in refused) for row in rows]
        yield from (one for one in said if isinstance(one, Finding))
        touched = Units()
        touched.by_key = {row[KEY]: self.fold.units.by_key[row[KEY]] for row in rows}
        yield from self._once(_so_far(note) for note in ping_pong(touched))
        pairs = sum(len(namespace.publishers) for namespace in self.fold.units.namespaces.values())
        if pairs != self._pairs:
            self._pairs = pairs
            yield from self._once(mistaken_publishers(first_of(publishers(self.fold.units))))

    def pass_time(self, now: int) -> list[LiveFinding]:
        """Return the violations by time alone at *now*, epoch milliseconds, if no record up to then is missing."""
        return self._named(self._once(self._stuck(now)))

    def _stuck(self, now: int) -> Iterator[Finding]:
        limit = self.fold.question.in_flight_limit
        for entered in self.fold.in_flight():
            if is_stuck(entered.time, now, limit):
                words = f"{entered.finding.proposed} has been in flight for longer than {lasting(limit)}, and still is"
                yield entered.finding._replace(why=words)

    def _once(self, found: Iterable[Finding]) -> Iterator[Finding]:
        """Yield new findings, and record their names."""
        for finding in found:
            name = name_of(finding)
            if name not in self._told:
                self._told[name] = None
                yield finding

    def _named(self, found: Iterable[Finding]) -> list[LiveFinding]:
        """Name the findings; several findings of one law and one record are numbered."""
        named: list[LiveFinding] = []
        alike = Counter[str]()
        for finding in found:
            name = name_of(finding)
            alike[name] += 1
            if alike[name] == 1 and finding.law == STUCK.name and name in self._told and self._has_left(finding):
                del self._told[name]  # it was reported while it lasted
                continue
            number = f" {alike[name]}" if alike[name] > 1 else ""
            shown = shortened(finding_json(finding, lambda origin: (self.file, origin.line)))
            named.append(LiveFinding(f"{name}{number}", self.cluster, shown))
        return named

    def _has_left(self, finding: Finding) -> bool:
        unit = self.fold.units.by_key[str(finding.unit)]
        return unit.entered is None or Event(*unit.entered).position != finding.position

    def next_time(self) -> int | None:
        """Return when time alone may break a law next, epoch milliseconds, or None."""
        limit = self.fold.question.in_flight_limit
        due = [one.time + limit for one in self.fold.in_flight() if name_of(one.finding) not in self._told]
        return min(due, default=None)

    def counts(self, now: int) -> Counts:
        """Return the counts at *now*, by the clock of the source."""
        units = self.fold.units.by_key.values()
        states = Counter(unit.held.state.value for unit in units if not is_absent(unit.held))
        flying = [one.time for one in self.fold.in_flight()]
        return Counts(
            self.fold.tally.events, dict(self.fold.tally.refused), dict(states), len(flying),
            max(0, now - min(flying)) if flying else 0,
        )  # fmt: skip

    def memory(self) -> Packed:
        """Return the state with which it can be continued, as JSON values."""
        return {"fold": packed(self.fold), "lines": self._lines, "last": self._last, "told": list(self._told)}


def _so_far(note: Finding) -> Finding:
    """Rephrase the note on a unit that goes back and forth: a live report cannot count the later moves."""
    words = f"within {PING_PONG_WITHIN // 1000} s, {PING_PONG_TIMES} times or more"
    return note._replace(why=f"the unit went back to its former owner {words}")


def name_of(finding: Finding) -> str:
    """Return the name of a finding: its law, its record or else its line, and its unit."""
    place = finding.message_id or f"line {finding.origin.line}"
    return f"{finding.law} {place}" + (f" {finding.unit}" if finding.unit else "")


def kind_of(found: LiveFinding) -> tuple[str, str]:
    """Return the law and the severity of a finding, the key for counting."""
    return found.finding["law"], found.finding["severity"]
