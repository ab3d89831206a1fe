"""
How big the model is (``Bounds``), and what a state of it holds (``State``).

A state is a cluster at one instant: the channel, every broker's view of it and unfinished work,
the registry in ZooKeeper and what each broker believes about it, the budgets that are left, and
ghosts: history that no broker can see and that only the laws read.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple

from model.language import (
    BOOLEAN,
    NEVER,
    Array,
    Cells,
    Domain,
    Fields,
    Finite,
    Sequence,
    SequenceOf,
    Struct,
    integers,
    names,
)
from model.record import Record, ServiceUnitState
from model.reply import Outcome, Reply, Request, Stage
from model.rules import RELEASE_4_0_6, Dialect, Rules, Storage


@dataclass(frozen=True, slots=True)
class Bounds:
    """
    The size of a model: everything here is concrete while the model runs.

    Perturbations (commands of operators and clients, crashes, lost sessions, lost acknowledgements)
    are budgeted; what the cluster does to heal itself is not.
    """

    brokers: int = 2
    units: int = 1
    owner: int = 0
    """The broker that owns and serves every unit at the start; 0: nothing was ever written."""
    storage: Storage = Storage.SYSTEM_TOPIC
    assigns: int = 0
    """How many lookups may assign a unit."""
    unloads: int = 0
    transfers: int = 0
    crashes: int = 0
    restarts: int = 9
    """How many of the brokers that crashed may start again."""
    expiries: int = 0
    """How many sessions of living brokers may expire; those of dead ones always may."""
    tombstones: int = 0
    """How many entries the leader's monitor may delete."""
    unplaced: int = 0
    """How many overrides may find no broker that the policies allow."""
    outages: int = 0
    """How many times ZooKeeper may go down; needs ``safe_mode``."""
    safe_mode: int = 0
    """1: session events, and clean-ups as jobs that are scheduled, delayed, called off; 0: an override is one step."""
    beliefs: int = 0
    """1: who leads and who plays the leader are two things; 0: they are one."""
    splits: int = 0
    """How often a split of unit 1, the parent, into units 2 and 3 may be asked for; else no units overlap."""
    other_splits: int = 0
    """How many other bundles of the namespace may be split meanwhile."""
    resends: int = 0
    """How many publishes may be appended although their publisher never learns it."""
    lookups: int = 0
    """How many lookups may be opened that are followed to their answer (``assigns`` counts those that are not)."""
    shutdowns: int = 0
    """How many brokers may be told to shut down."""
    compactions: int = 0
    """How many compactions of the channel may start; if any may, the window is the whole log."""
    window: int = 3
    """How many records the slowest living broker may lag behind (system topic only)."""
    pending: int = 1
    """How many publishes of one broker may be under way."""
    closings: int = 1
    """How many closes of topics may be under way at one broker; 0: a close leaves the search undecided."""
    versions: int = 9
    """The highest version; a step that needs a higher one leaves the search undecided."""
    dialect: Dialect = Dialect.RELEASED
    """The protocol that the brokers speak, and by which the channel is folded."""
    upgraded: int = 0
    """How many brokers, from 1 on, speak the protocol of the releases already, and not ``dialect``."""
    rules: Rules = RELEASE_4_0_6

    def dialect_of(self, broker: int) -> Dialect:
        """Return the protocol that *broker* speaks."""
        return Dialect.RELEASED if broker <= self.upgraded else self.dialect

    def __post_init__(self) -> None:
        for name in ("brokers", "units", "window", "pending", "versions"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} refused: {getattr(self, name)}; at least 1 is needed")
        commands = "assigns unloads transfers splits other_splits lookups shutdowns"
        faults = "crashes restarts expiries outages tombstones unplaced resends compactions"
        for name in ("owner", "upgraded", "closings", *commands.split(), *faults.split()):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} refused: {getattr(self, name)}; 0 is the least")
        for name in ("safe_mode", "beliefs"):
            if getattr(self, name) not in (0, 1):
                raise ValueError(f"{name} refused: {getattr(self, name)}; 0 or 1 is allowed")
        if self.outages < 0 or (self.outages and not self.safe_mode):
            raise ValueError(f"outages refused: {self.outages}; they are modelled with safe_mode: 1 only")
        if self.beliefs and self.crashes:
            raise ValueError("bounds refused: crashes with beliefs; roles of processes that die are not modelled yet")
        if self.owner > self.brokers:
            raise ValueError(f"owner refused: {self.owner}; there are {self.brokers} brokers")
        if self.owner and self.versions < 2:
            raise ValueError(f"versions refused: {self.versions}; a unit that is owned at the start has version 2")
        if self.splits and (self.units != 3 or self.pending < 2):
            raise ValueError(
                f"splits refused: {self.splits}; a parent and two children are 3 units (units), and the children are"
                " published together (pending 2)"
            )
        if self.other_splits and not self.splits:
            raise ValueError(f"other_splits refused: {self.other_splits}; without splits nobody knows boundaries")
        if self.storage == Storage.METADATA_STORE and self.compactions:
            raise ValueError("bounds refused: compactions in the metadata store; only a topic is compacted")
        if self.storage == Storage.METADATA_STORE and (self.crashes or self.expiries or self.outages):
            raise ValueError(
                "bounds refused: crashes or expiries in the metadata store; what a lost session does"
                " to a view there is not modelled yet"
            )
        if self.shutdowns and (self.crashes or self.expiries):
            raise ValueError("bounds refused: shutdowns with crashes or expiries; what meets there is not modelled yet")
        if self.lookups and self.units > 1:
            raise ValueError("bounds refused: lookups of several units; which broker was named is kept for one only")
        if self.dialect != Dialect.RELEASED:
            self._check_dialect()
        elif self.upgraded:
            raise ValueError("upgraded refused: every broker speaks the protocol of the releases; set dialect too")

    def _check_dialect(self) -> None:
        if self.storage == Storage.METADATA_STORE or self.crashes or self.expiries:
            raise ValueError(f"dialect refused: {self.dialect}; it goes with commands on the system topic only")
        if self.dialect != Dialect.GENERATION_1 and self.unloads:
            raise ValueError(
                f"unloads refused: {self.unloads}; in the dialect {self.dialect} an unload is an empty message, which"
                " is not modelled yet"
            )
        if self.dialect != Dialect.GENERATION_1 and self.upgraded:
            raise ValueError(f"upgraded refused: {self.upgraded}; the dialect {self.dialect} has no versions")
        if self.upgraded > self.brokers:
            raise ValueError(f"upgraded refused: {self.upgraded}; there are {self.brokers} brokers")


class Run(StrEnum):
    """Whether a broker's process lives."""

    UP = "up"
    DOWN = "down"


class Node(StrEnum):
    """A broker's ephemeral node in the registry, ``/loadbalance/brokers/<brokerId>``."""

    PRESENT = "present"
    """It belongs to the session of the process that runs."""
    LEFTOVER = "left over"
    """It belongs to the session of a process that is gone, and vanishes when that expires."""
    ABSENT = "absent"


class Phase(StrEnum):
    """How far the compaction of the channel's topic has come."""

    IDLE = "idle"
    READ = "read"
    WRITTEN = "written"
    SHOWN = "shown"
    """Readers are given the new ledger."""
    SAVED = "saved"
    """So is a later host; the ledger before is still there."""


class Metadata(StrEnum):
    """What a broker makes of its last session event (``MetadataState`` of ``ServiceUnitStateChannelImpl``)."""

    STABLE = "Stable"
    """Its session is as old as its process, or was re-established more than 180 s ago."""
    JITTERY = "Jittery"
    """Its session was re-established not long ago."""
    UNSTABLE = "Unstable"
    """Its session is lost, for all it knows."""


class Message(NamedTuple):
    """A record in the channel, or one whose handler still closes topics."""

    unit: int
    record: Record


class Publish(NamedTuple):
    """A record on its way to the channel; *basis* is the entry that its publisher started from."""

    unit: int
    record: Record
    basis: Record


class Ring(NamedTuple):
    """The boundaries of the namespace in ZooKeeper, as far as they matter here."""

    split: bool = False
    """The parent is cut in two."""
    others: int = 0
    """How many of its other bundles were split."""

    def __str__(self) -> str:
        return f"the parent is {'split' if self.split else 'whole'}, {self.others} other splits"


class SplitJob(NamedTuple):
    """A split that its broker has begun, on behalf of the Splitting record *parent*."""

    parent: Record
    moved: bool
    """The boundaries are moved."""

    def __str__(self) -> str:
        return f"{self.parent}, boundaries {'moved' if self.moved else 'not moved'}"


class State(Struct):
    """One instant of a cluster; ``domains(bounds)`` says what each cell may hold."""

    __slots__ = (
        "asking",
        "assigns_left",
        "base",
        "believes",
        "boundaries",
        "bounds",
        "changed",
        "cleaning",
        "closing",
        "compactions_left",
        "crashes_left",
        "cursor",
        "drained",
        "expiries_left",
        "horizon",
        "known",
        "leader",
        "leaked",
        "ledger",
        "log",
        "lookups_left",
        "metadata",
        "named",
        "node",
        "other_splits_left",
        "outages_left",
        "outbox",
        "phase",
        "poisoned",
        "read_to",
        "registered_then",
        "reply",
        "request",
        "resends_left",
        "result",
        "ring",
        "run",
        "saved_horizon",
        "saved_ledger",
        "serving",
        "session_ended",
        "shutdowns_left",
        "splits_left",
        "splitting",
        "stage",
        "swallowed",
        "tainted",
        "tombstones_left",
        "transfers_left",
        "unloads_left",
        "unplaced_left",
        "view",
        "won",
        "zookeeper_down",
    )
    constants: ClassVar[tuple[str, ...]] = ("bounds",)

    bounds: Bounds

    # The channel. System topic: ``log`` is the suffix that some living broker has not consumed,
    # ``base`` the fold of everything before it. Metadata store: ``base`` is the node of each unit.
    base: Cells[Record]  # [unit]
    log: Sequence[Message]
    cursor: Cells[int]  # [broker] how many records of ``log`` it has consumed
    changed: Cells[bool]  # [broker, unit] a notification that it has not taken yet

    # The compaction of the topic; empty unless the bounds allow one.
    phase: Phase
    read_to: int  # how many records the compaction under way has read
    result: Cells[Record]  # [unit] what it keeps
    horizon: int  # how many records are represented in what readers are given
    ledger: Cells[Record]  # [unit] what they are given
    saved_horizon: int  # the same, for a host that comes after
    saved_ledger: Cells[Record]  # [unit]

    # Brokers.
    run: Cells[Run]  # [broker]
    view: Cells[Record]  # [broker, unit]
    outbox: Cells[Sequence[Publish]]  # [broker] published, outcome unknown to it
    closing: Cells[Sequence[Message]]  # [broker] handlers that still close topics
    asking: Cells[bool]  # [broker, unit] a lookup found no owner and selects a broker
    serving: Cells[bool]  # [broker, unit] its topics are open to clients

    # Splits; without ``bounds.splits`` no broker has these cells.
    ring: Ring
    boundaries: Cells[Ring]  # [broker] what it has read of ``ring``
    splitting: Cells[Sequence[SplitJob]]  # [broker] the split that it has begun, if any

    # Sessions and the registry.
    node: Cells[Node]  # [broker]
    known: Cells[bool]  # [observer, broker] what the observer's registry cache says
    leader: int

    # Lookups that are followed to their answer, and graceful shutdown.
    request: Cells[Request]  # [broker, unit]
    stage: Cells[Stage]  # [broker]
    drained: Cells[bool]  # [broker, unit] the shutdown of the broker has dealt with the unit
    # Outages and safe mode (bound ``safe_mode``), roles (bound ``beliefs``).
    zookeeper_down: bool
    session_ended: Cells[bool]  # [broker] ZooKeeper has ended its session, and it has not heard of it
    metadata: Cells[Metadata]  # [broker]
    cleaning: Cells[bool]  # [leader, broker] a clean-up of the broker is scheduled at whoever led
    believes: Cells[bool]  # [broker] it plays the leader

    # Budgets that are left.
    assigns_left: int
    unloads_left: int
    transfers_left: int
    crashes_left: int
    expiries_left: int
    tombstones_left: int
    unplaced_left: int
    outages_left: int
    splits_left: int
    other_splits_left: int
    resends_left: int
    lookups_left: int
    shutdowns_left: int
    compactions_left: int

    # Ghosts, set when the channel accepts a record.
    won: Cells[bool]  # [unit, version] a record with this version was accepted
    tainted: Cells[bool]  # [unit] single ownership can no longer be promised (channel.taints)
    leaked: int  # ledgers of compactions that nothing refers to any more
    swallowed: Cells[bool]  # [broker, unit] a compaction swallowed a record that told the broker to stop serving
    poisoned: bool  # a handler met a record that it has no case for

    # Ghosts of lookups: the last answer, and of one that is open, what was true since then.
    reply: Cells[Reply]  # [broker, unit]
    named: Cells[bool]  # [broker, other] the broker's view named the other as owner or destination
    registered_then: Cells[bool]  # [broker, other] the other was registered when the lookup was opened

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(domains(bounds))
        self.bounds = bounds


ALWAYS_STABLE = Finite((Metadata.STABLE,))

BROKER, UNIT = "broker", "unit"
"""The kinds of things that are numbered, and may be interchangeable."""


def domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domain of every cell; cells that a storage does not have are left empty."""
    brokers, units = bounds.brokers, bounds.units
    broker = integers(0, brokers, BROKER)
    unit = integers(1, units, UNIT)
    version = integers(0, bounds.versions)
    record = Fields(
        Record,
        state=names(ServiceUnitState),
        destination=broker,
        source=broker,
        force=BOOLEAN,
        version=version,
    )
    message = Fields(Message, unit=unit, record=record)
    publish = Fields(Publish, unit=unit, record=record, basis=record)
    in_safe_mode = BOOLEAN if bounds.safe_mode else NEVER
    ring = Fields(Ring, split=BOOLEAN if bounds.splits else NEVER, others=integers(0, bounds.other_splits))
    splitters = brokers if bounds.splits else 0
    on_topic = bounds.storage == Storage.SYSTEM_TOPIC
    window = bounds.window if on_topic else 0
    place = integers(0, window if bounds.compactions else 0)
    kept = Array((units if bounds.compactions else 0,), record, (UNIT,))
    cells: dict[str, Domain] = {
        "base": Array((units,), record, (UNIT,)),
        "log": SequenceOf(window, message),
        "cursor": Array((brokers,), integers(0, window), (BROKER,)),
        "changed": Array((brokers, units), NEVER if on_topic else BOOLEAN, (BROKER, UNIT)),
        "run": Array((brokers,), names(Run), (BROKER,)),
        "view": Array((brokers, units), record, (BROKER, UNIT)),
        "outbox": Array((brokers,), SequenceOf(bounds.pending, publish), (BROKER,)),
        "closing": Array((brokers,), SequenceOf(bounds.closings, message), (BROKER,)),
        "asking": Array((brokers, units), BOOLEAN, (BROKER, UNIT)),
        "serving": Array((brokers, units), BOOLEAN, (BROKER, UNIT)),
        "ring": ring,
        "boundaries": Array((splitters,), ring, (BROKER,)),
        "splitting": Array((splitters,), SequenceOf(1, Fields(SplitJob, parent=record, moved=BOOLEAN)), (BROKER,)),
        "node": Array((brokers,), names(Node), (BROKER,)),
        "known": Array((brokers, brokers), BOOLEAN, (BROKER, BROKER)),
        "leader": broker,
        "zookeeper_down": BOOLEAN if bounds.outages else NEVER,
        "session_ended": Array((brokers,), in_safe_mode, (BROKER,)),
        "metadata": Array((brokers,), names(Metadata) if bounds.safe_mode else ALWAYS_STABLE, (BROKER,)),
        "cleaning": Array((brokers, brokers), in_safe_mode, (BROKER, BROKER)),
        "believes": Array((brokers,), BOOLEAN if bounds.beliefs else NEVER, (BROKER,)),
        "assigns_left": integers(0, bounds.assigns),
        "unloads_left": integers(0, bounds.unloads),
        "transfers_left": integers(0, bounds.transfers),
        "crashes_left": integers(0, bounds.crashes),
        "expiries_left": integers(0, bounds.expiries),
        "tombstones_left": integers(0, bounds.tombstones),
        "unplaced_left": integers(0, bounds.unplaced),
        "outages_left": integers(0, bounds.outages),
        "splits_left": integers(0, bounds.splits),
        "other_splits_left": integers(0, bounds.other_splits),
        "resends_left": integers(0, bounds.resends),
        "won": Array((units, bounds.versions), BOOLEAN, (UNIT, "")),
        "tainted": Array((units,), BOOLEAN, (UNIT,)),
        "poisoned": BOOLEAN,
        **followed_domains(bounds),
        "compactions_left": integers(0, bounds.compactions),
        "phase": names(Phase) if bounds.compactions else Finite((Phase.IDLE,)),
        "read_to": place,
        "result": kept,
        "horizon": place,
        "ledger": kept,
        "saved_horizon": place,
        "saved_ledger": kept,
        "swallowed": Array((brokers if bounds.compactions else 0, units), BOOLEAN, (BROKER, UNIT)),
        "leaked": integers(0, bounds.compactions),
    }
    return cells


def followed_domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domains of the cells of followed lookups and of graceful shutdown; without any each has one value."""
    brokers, units, asked, stopped = bounds.brokers, bounds.units, bounds.lookups > 0, bounds.shutdowns > 0
    reply = Fields(
        Reply,
        outcome=names(Outcome) if asked else Finite((Outcome.NONE,)),
        owner=integers(0, brokers if asked else 0, BROKER),
        version=integers(0, bounds.versions if asked else 0),
    )
    request = names(Request) if asked else Finite((Request.NONE,))
    stage = names(Stage) if stopped else Finite((Stage.RUNNING,))
    flag = BOOLEAN if asked else NEVER
    return {
        "request": Array((brokers, units), request, (BROKER, UNIT)),
        "reply": Array((brokers, units), reply, (BROKER, UNIT)),
        "named": Array((brokers, brokers), flag, (BROKER, BROKER)),
        "registered_then": Array((brokers, brokers), flag, (BROKER, BROKER)),
        "lookups_left": integers(0, bounds.lookups),
        "stage": Array((brokers,), stage, (BROKER,)),
        "drained": Array((brokers, units), BOOLEAN if stopped else NEVER, (BROKER, UNIT)),
        "shutdowns_left": integers(0, bounds.shutdowns),
    }
