"""
What a state of the model holds (``State``), and the values that each of its cells may have (``domains``).

A state is a cluster at one instant: the channel, every broker's view of it and unfinished work,
the registry in ZooKeeper and what each broker believes about it, the budgets that are left, and
ghosts: history that no broker can see and that only the laws read.
"""

from __future__ import annotations

from typing import ClassVar

from model.bounds import Bounds
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
from model.occasional import BROKER, UNIT, followed_domains, storage_domains
from model.parts import Message, Metadata, Node, Phase, Publish, Ring, Run, SplitJob
from model.record import Record, ServiceUnitState
from model.reply import Reply, Request, Stage
from model.rules import Storage


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
        "cleaned",
        "cleaning",
        "closing",
        "compactions_left",
        "copied",
        "crashes_left",
        "cursor",
        "drained",
        "expiries_left",
        "filling",
        "horizon",
        "known",
        "leader",
        "leaked",
        "ledger",
        "listed",
        "log",
        "lookups_left",
        "metadata",
        "named",
        "node",
        "nodes",
        "noticed",
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
        "syncs_left",
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
    # The metadata store's views when a session is lost (``model/invalidation.py``).
    filling: Cells[bool]  # [broker, unit] it has yet to read the node in its new session
    listed: Cells[bool]  # [broker, unit] it lists the unit as its own, because it knew it when its session was lost

    # The syncer between the storages (bound ``synced``): ``base`` and ``log`` are the topic then.
    nodes: Cells[Record]  # [unit] what the metadata store holds
    noticed: Cells[bool]  # [unit] the syncer was told that the node changed
    copied: int  # how many records of ``log`` the syncer has read
    cleaned: bool  # a syncer that starts has deleted the nodes

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
    syncs_left: int

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


def domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domain of every cell; cells that a storage does not have are left empty."""
    brokers, units = bounds.brokers, bounds.units
    broker = integers(0, brokers, BROKER)
    unit = integers(1, units, UNIT)
    version = integers(0, bounds.versions)
    if bounds.wraps:
        version = Finite(range(-bounds.versions - 1, bounds.versions + 1), start=0)
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
        "changed": Array((brokers, units), NEVER if on_topic and not bounds.synced else BOOLEAN, (BROKER, UNIT)),
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
        "won": Array((units, 2 * bounds.versions + 1 if bounds.wraps else bounds.versions), BOOLEAN, (UNIT, "")),
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
        **storage_domains(bounds, record),
    }
    return cells
