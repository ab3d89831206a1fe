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
    expiries: int = 0
    """How many sessions of living brokers may expire; those of dead ones always may."""
    resends: int = 0
    """How many publishes may be appended although their publisher never learns it."""
    compactions: int = 0
    """How many compactions of the channel may start; if any may, the window is the whole log."""
    window: int = 3
    """How many records the slowest living broker may lag behind (system topic only)."""
    pending: int = 1
    """How many publishes of one broker may be under way."""
    closings: int = 1
    """How many closes of topics may be under way at one broker."""
    versions: int = 9
    """The highest version; a step that needs a higher one leaves the search undecided."""
    rules: Rules = RELEASE_4_0_6

    def __post_init__(self) -> None:
        for name in ("brokers", "units", "window", "pending", "closings", "versions"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} refused: {getattr(self, name)}; at least 1 is needed")
        for name in ("owner", "assigns", "unloads", "transfers", "crashes", "expiries", "resends", "compactions"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} refused: {getattr(self, name)}; 0 is the least")
        if self.owner > self.brokers:
            raise ValueError(f"owner refused: {self.owner}; there are {self.brokers} brokers")
        if self.owner and self.versions < 2:
            raise ValueError(f"versions refused: {self.versions}; a unit that is owned at the start has version 2")
        if self.storage == Storage.METADATA_STORE and self.compactions:
            raise ValueError("bounds refused: compactions in the metadata store; only a topic is compacted")
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


class Phase(StrEnum):
    """How far the compaction of the channel's topic has come."""

    IDLE = "idle"
    READ = "read"
    WRITTEN = "written"
    SHOWN = "shown"
    """Readers are given the new ledger."""
    SAVED = "saved"
    """So is a later host; the ledger before is still there."""


class Message(NamedTuple):
    """A record in the channel, or one whose handler still closes topics."""

    unit: int
    record: Record


class Publish(NamedTuple):
    """A record on its way to the channel; *basis* is the entry that its publisher started from."""

    unit: int
    record: Record
    basis: Record


class State(Struct):
    """One instant of a cluster; ``domains(bounds)`` says what each cell may hold."""

    __slots__ = (
        "asking",
        "assigns_left",
        "base",
        "bounds",
        "changed",
        "closing",
        "compactions_left",
        "crashes_left",
        "cursor",
        "expiries_left",
        "horizon",
        "known",
        "leader",
        "leaked",
        "ledger",
        "log",
        "node",
        "outbox",
        "phase",
        "poisoned",
        "read_to",
        "resends_left",
        "result",
        "run",
        "saved_horizon",
        "saved_ledger",
        "serving",
        "swallowed",
        "tainted",
        "transfers_left",
        "unloads_left",
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
    resends_left: int
    compactions_left: int

    # Ghosts, set when the channel accepts a record.
    won: Cells[bool]  # [unit, version] a record with this version was accepted
    tainted: Cells[bool]  # [unit] single ownership can no longer be promised (channel.taints)
    leaked: int  # ledgers of compactions that nothing refers to any more
    swallowed: Cells[bool]  # [broker, unit] a compaction swallowed a record that told the broker to stop serving
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
        "node": Array((brokers,), names(Node), (BROKER,)),
        "known": Array((brokers, brokers), BOOLEAN, (BROKER, BROKER)),
        "leader": broker,
        "assigns_left": integers(0, bounds.assigns),
        "unloads_left": integers(0, bounds.unloads),
        "transfers_left": integers(0, bounds.transfers),
        "crashes_left": integers(0, bounds.crashes),
        "expiries_left": integers(0, bounds.expiries),
        "resends_left": integers(0, bounds.resends),
        "won": Array((units, bounds.versions), BOOLEAN, (UNIT, "")),
        "tainted": Array((units,), BOOLEAN, (UNIT,)),
        "poisoned": BOOLEAN,
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
