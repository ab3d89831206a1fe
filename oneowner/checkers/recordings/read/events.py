"""
The types that flow through an audit are declared here: events in; findings, refusals, intervals, tallies out.

Everything is a plain tuple of plain values, so it crosses from a Spark worker to the driver as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from oneowner.model.channel.record import NOBODY, Broker, Record, ServiceUnitState
from oneowner.model.kernel.law import Severity

Position = tuple[int, int, int]
"""Topic order: ledger, entry, batch index (-1 without batch); for a ZooKeeper history: zxid, chunk, line.

The chunk of a history is numbered over all its pieces, since one transaction may write several nodes.
"""

NOWHERE: Position = (-1, -1, -1)
"""The position of an item that is no message, such as an unreadable line: it sorts first."""

END: Final = 2**63 - 1
"""The open end of a time: later than every other, and still a number that an array of int64 holds."""


class Origin(NamedTuple):
    """The source of an event: piece and chunk by number, and the line within that chunk."""

    piece: int
    chunk: int
    line: int


Children = tuple[str, ...] | None
"""The ranges that a Splitting record names; None: no map at all."""


class Event(NamedTuple):
    """
    One message of the channel, or one write to a unit's node.

    Millions of them are read, shipped and folded, so they are flat and travel as plain tuples (``Row``) in this order;
    ``Event(*row)`` serves to report one. Rows sort by place in the topic, then by origin.
    """

    ledger: int
    entry: int
    batch: int
    piece: int
    chunk: int
    line: int
    message_id: str
    time: int  # publishTime, epoch milliseconds
    key: str  # tenant/namespace/0xLOW_0xHIGH
    state: ServiceUnitState
    destination: Broker
    source: Broker
    force: bool
    version: int
    children: Children
    producer: str
    write: str
    """The operation in a ZooKeeper history: create, delete, or setData with the node's new version; else empty."""

    @property
    def position(self) -> Position:
        return self.ledger, self.entry, self.batch

    @property
    def origin(self) -> Origin:
        return Origin(self.piece, self.chunk, self.line)

    @property
    def record(self) -> Record:
        return Record(self.state, self.destination, self.source, self.force, self.version)


CREATE: Final = "create"
DELETE: Final = "delete"
"""A history's operations for the creation of a node, and for its removal."""

PIECE: Final = 3
MESSAGE_ID: Final = 6
TIME: Final = 7
KEY: Final = 8
STATE: Final = 9
DESTINATION: Final = 10
SOURCE: Final = 11
PRODUCER: Final = 15
WRITE: Final = 16
"""Places of the fields that are read from rows."""

Row = tuple[
    int, int, int, int, int, int, str, int, str, ServiceUnitState, Broker, Broker, bool, int, Children, str, str
]  # fmt: skip


class Cite(NamedTuple):
    """One line that proves a finding."""

    origin: Origin
    message_id: str | None
    time: int
    text: str


class Window(NamedTuple):
    """
    An interval, in epoch milliseconds: since..until was seen, possible_from..possible_to cannot be excluded.

    since and until are None if only the possible part is known; an end that the run does not show is END.
    """

    since: int | None
    until: int | None
    possible_since: int
    possible_until: int


class Cause(NamedTuple):
    """The name of a happening behind findings: equal names are one happening."""

    kind: str
    """Of ``scene/happenings.py``."""
    subject: str
    """The affected broker or unit; empty if it is all of a cluster, or none in particular."""
    since: int
    """Epoch milliseconds; 0 for permanent behaviour of a release."""


class Waived(NamedTuple):
    """The waiver of a violation, by its place in the file."""

    number: int
    reason: str
    expires: str
    """The last day on which it counts, ISO 8601."""


class ModelStep(NamedTuple):
    """The step, counted from 1, that breaks a law of states in the model's run for a unit: of a split, the parent."""

    law: str
    number: int
    action: str
    unit: str
    recorded: str
    """The path of the recorded run."""

    def __str__(self) -> str:
        return f"{self.action}, step {self.number} of the run that explains the bundle"


class Finding(NamedTuple):
    """An auditor's report about one event."""

    law: str
    severity: Severity
    unit: str | None
    position: Position
    origin: Origin
    message_id: str | None
    time: int | None
    brokers: tuple[str, ...]
    why: str
    held: Record | None
    proposed: Record | None
    guard: str
    repair: str
    evidence: tuple[Cite, ...] = ()
    """The lines that prove it, where it is not the record's own."""
    window: Window | None = None
    symptoms: tuple[str, ...] = ()
    """Facts beside its law and its causes by which a known bug is recognised."""
    waived: Waived | None = None
    causes: tuple[Cause, ...] = ()
    """The causes that its law established."""
    units: tuple[str, ...] = ()
    """All its units, if there are several."""
    model: ModelStep | None = None
    """The step of the model that breaks the law, if it is one of states, or if one of states agrees with it."""

    @property
    def sentence(self) -> str:
        """The finding in one sentence, with the law of states that agrees with its own."""
        if self.model is None or self.model.law == self.law:
            return self.why
        return f"{self.why}; this breaks the law of states {self.model.law}, too: {self.model}"


class Refused(NamedTuple):
    """A record that the resolver dropped: a lost race, not a finding."""

    unit: str
    position: Position
    message_id: str
    rule: str
    why: str


class Mark(NamedTuple):
    """One end of an interval."""

    message_id: str
    time: int


class Interval(NamedTuple):
    """The time that a unit spent in one state at one broker; *until* is None while the dump ends in it."""

    unit: str
    position: Position
    broker: str | None
    state: str
    since: Mark
    until: Mark | None


class Entered(NamedTuple):
    """The record with which a unit went in flight, if it stayed so until the dump ended."""

    finding: Finding
    """The finding to report if it turns out to be stuck; ``why`` still lacks the duration."""
    time: int


class Publisher(NamedTuple):
    """Evidence that *producer* is *broker*: it published what only that broker may."""

    producer: str
    broker: str
    finding: Finding
    """The finding to report if the producer turns out to be another broker."""


def first_of(publishers: Iterable[Publisher]) -> list[Publisher]:
    """Return the first evidence, in the order of the topic, of every producer and broker."""
    first: dict[tuple[str, str], Publisher] = {}
    for one in publishers:
        known = first.setdefault((one.producer, one.broker), one)
        if (one.finding.position, one.finding.origin) < (known.finding.position, known.finding.origin):
            first[one.producer, one.broker] = one
    return [*first.values()]


@dataclass(slots=True)
class Tally:
    """Counts of one part of a run; parts add up."""

    events: int = 0
    units: int = 0
    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    exercised: Counter[str] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    waived: Counter[tuple[str, Waived]] = field(default_factory=Counter)
    """Violations that are waived: they are not among ``violations``."""
    unsure: int = 0
    """Warnings that would be violations if the dump did not begin late."""
    last_time: int | None = None
    in_flight: list[Entered] = field(default_factory=list)
    publishers: list[Publisher] = field(default_factory=list)
    owners: dict[str, str | None] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    """Units."""
    brokers: set[str] = field(default_factory=set)
    producers: set[str] = field(default_factory=set)
    """The units that occur, if they are requested."""

    def add(self, other: Tally) -> None:
        """Add the counts of another part."""
        self.events += other.events
        self.units += other.units
        self.accepted += other.accepted
        self.refused.update(other.refused)
        self.exercised.update(other.exercised)
        self.violations.update(other.violations)
        self.warnings.update(other.warnings)
        self.waived.update(other.waived)
        self.unsure += other.unsure
        if other.last_time is not None:
            last = other.last_time if self.last_time is None else self.last_time
            self.last_time = max(other.last_time, last)
        self.in_flight += other.in_flight
        self.publishers = first_of([*self.publishers, *other.publishers])
        self.owners.update(other.owners)
        self.names += other.names
        self.brokers |= other.brokers
        self.producers |= other.producers


def brokers_named(*records: Record | None) -> tuple[str, ...]:
    """Return the brokers that some records name, each once, in order."""
    named = [broker for r in records if r is not None for broker in (r.destination, r.source)]
    return tuple(str(broker) for broker in dict.fromkeys(named) if broker != NOBODY)
