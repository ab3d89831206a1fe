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

from model.language import BOOLEAN, NEVER, Array, Cells, Domain, Fields, Sequence, SequenceOf, Struct, integers, names
from model.record import Record, ServiceUnitState
from model.rules import RELEASE_4_0_6, Rules, Storage


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
    splits: int = 0
    """How often a split of unit 1, the parent, into units 2 and 3 may be asked for; else no units overlap."""
    other_splits: int = 0
    """How many other bundles of the namespace may be split meanwhile."""
    resends: int = 0
    """How many publishes may be appended although their publisher never learns it."""
    window: int = 3
    """How many records the slowest living broker may lag behind (system topic only)."""
    pending: int = 1
    """How many publishes of one broker may be under way."""
    closings: int = 1
    """How many closes of topics may be under way at one broker; 0: a close leaves the search undecided."""
    versions: int = 9
    """The highest version; a step that needs a higher one leaves the search undecided."""
    rules: Rules = RELEASE_4_0_6

    def __post_init__(self) -> None:
        for name in ("brokers", "units", "window", "pending", "versions"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} refused: {getattr(self, name)}; at least 1 is needed")
        counts = "assigns unloads transfers splits other_splits crashes restarts expiries"
        others = "tombstones unplaced resends closings"
        for name in ("owner", *counts.split(), *others.split()):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} refused: {getattr(self, name)}; 0 is the least")
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
        if self.storage == Storage.METADATA_STORE and (self.crashes or self.expiries):
            raise ValueError(
                "bounds refused: crashes or expiries in the metadata store; what a lost session does"
                " to a view there is not modelled yet"
            )


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
        "boundaries",
        "bounds",
        "changed",
        "closing",
        "crashes_left",
        "cursor",
        "expiries_left",
        "known",
        "leader",
        "log",
        "node",
        "other_splits_left",
        "outbox",
        "poisoned",
        "resends_left",
        "ring",
        "run",
        "serving",
        "splits_left",
        "splitting",
        "tainted",
        "tombstones_left",
        "transfers_left",
        "unloads_left",
        "unplaced_left",
        "view",
        "won",
    )
    constants: ClassVar[tuple[str, ...]] = ("bounds",)

    bounds: Bounds

    # The channel. System topic: ``log`` is the suffix that some living broker has not consumed,
    # ``base`` the fold of everything before it. Metadata store: ``base`` is the node of each unit.
    base: Cells[Record]  # [unit]
    log: Sequence[Message]
    cursor: Cells[int]  # [broker] how many records of ``log`` it has consumed
    changed: Cells[bool]  # [broker, unit] a notification that it has not taken yet

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

    # Budgets that are left.
    assigns_left: int
    unloads_left: int
    transfers_left: int
    crashes_left: int
    expiries_left: int
    tombstones_left: int
    unplaced_left: int
    splits_left: int
    other_splits_left: int
    resends_left: int

    # Ghosts, set when the channel accepts a record.
    won: Cells[bool]  # [unit, version] a record with this version was accepted
    tainted: Cells[bool]  # [unit] single ownership can no longer be promised (channel.taints)
    poisoned: bool  # a handler met a record that it has no case for

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(domains(bounds))
        self.bounds = bounds


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
    ring = Fields(Ring, split=BOOLEAN if bounds.splits else NEVER, others=integers(0, bounds.other_splits))
    splitters = brokers if bounds.splits else 0
    on_topic = bounds.storage == Storage.SYSTEM_TOPIC
    window = bounds.window if on_topic else 0
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
        "assigns_left": integers(0, bounds.assigns),
        "unloads_left": integers(0, bounds.unloads),
        "transfers_left": integers(0, bounds.transfers),
        "crashes_left": integers(0, bounds.crashes),
        "expiries_left": integers(0, bounds.expiries),
        "tombstones_left": integers(0, bounds.tombstones),
        "unplaced_left": integers(0, bounds.unplaced),
        "splits_left": integers(0, bounds.splits),
        "other_splits_left": integers(0, bounds.other_splits),
        "resends_left": integers(0, bounds.resends),
        "won": Array((units, bounds.versions), BOOLEAN, (UNIT, "")),
        "tainted": Array((units,), BOOLEAN, (UNIT,)),
        "poisoned": BOOLEAN,
    }
    return cells
