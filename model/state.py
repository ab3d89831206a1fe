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
from model.parts import Message, Metadata, Node, Phase, Publish, Ring, Run, SplitJob
from model.record import Record, ServiceUnitState
from model.reply import Outcome, Reply, Request, Stage
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
        "cleaning",
        "closing",
        "compactions_left",
        "crashes_left",
        "cursor",
        "drained",
        "expiries_left",
        "held_up",
        "horizon",
        "host",
        "kept",
        "known",
        "leader",
        "leaked",
        "ledger",
        "lingering",
        "log",
        "lookups_left",
        "metadata",
        "named",
        "nested_splits_left",
        "node",
        "other_splits_left",
        "outages_left",
        "outbox",
        "pauses_left",
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
        "slow_closes_left",
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
    held_up: Cells[bool]  # [broker] the thread that reads the channel waits for itself (Rules.handler_waits)
    lingering: Cells[bool]  # [broker, unit] its topics are still being closed after the close has timed out
    asking: Cells[bool]  # [broker, unit] a lookup found no owner and selects a broker
    serving: Cells[bool]  # [broker, unit] its topics are open to clients
    kept: Cells[bool]  # [broker, unit] its topics are closed, their clients still connected (bound ``multi_phase``)

    # Splits; without ``bounds.splits`` no broker has these cells.
    ring: Ring
    boundaries: Cells[Ring]  # [broker] what it has read of ``ring``
    splitting: Cells[Sequence[SplitJob]]  # [broker] the splits that it has begun: one, or two if they may be nested

    # Sessions and the registry.
    node: Cells[Node]  # [broker]
    known: Cells[bool]  # [observer, broker] what the observer's registry cache says
    leader: int
    host: int  # who hosts the channel's topic, as everybody's connections have it (bound ``channel_host``)

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
    pauses_left: int
    slow_closes_left: int
    tombstones_left: int
    unplaced_left: int
    outages_left: int
    splits_left: int
    nested_splits_left: int
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
    ring = Fields(
        Ring,
        split=BOOLEAN if bounds.splits else NEVER,
        others=integers(0, bounds.other_splits),
        nested=BOOLEAN if bounds.nested_splits else NEVER,
    )
    splitters = brokers if bounds.splits else 0
    job = Fields(SplitJob, parent=record, moved=BOOLEAN, unit=integers(1, 2 if bounds.nested_splits else 1))
    on_topic = bounds.storage == Storage.SYSTEM_TOPIC
    window = bounds.window if on_topic else 0
    place = integers(0, window if bounds.compactions else 0)
    kept = Array((units if bounds.compactions else 0,), record, (UNIT,))
    cells: dict[str, Domain] = {
        "base": Array((units,), record, (UNIT,)),
        "log": SequenceOf(window, message),
        "cursor": Array((brokers,), integers(0, window), (BROKER,)),
        "changed": Array((brokers, units), NEVER if on_topic else BOOLEAN, (BROKER, UNIT)),
        "run": Array((brokers,), names(Run) if bounds.pauses else Finite((Run.UP, Run.DOWN)), (BROKER,)),
        "view": Array((brokers, units), record, (BROKER, UNIT)),
        "outbox": Array((brokers,), SequenceOf(bounds.pending, publish), (BROKER,)),
        "closing": Array((brokers,), SequenceOf(bounds.closings, message), (BROKER,)),
        "held_up": Array((brokers,), BOOLEAN if bounds.rules.handler_waits else NEVER, (BROKER,)),
        "lingering": Array((brokers, units), BOOLEAN if bounds.slow_closes else NEVER, (BROKER, UNIT)),
        "asking": Array((brokers, units), BOOLEAN, (BROKER, UNIT)),
        "serving": Array((brokers, units), BOOLEAN, (BROKER, UNIT)),
        "kept": Array((brokers, units), BOOLEAN if bounds.multi_phase else NEVER, (BROKER, UNIT)),
        "ring": ring,
        "boundaries": Array((splitters,), ring, (BROKER,)),
        "splitting": Array((splitters,), SequenceOf(2 if bounds.nested_splits else 1, job), (BROKER,)),
        "node": Array((brokers,), names(Node), (BROKER,)),
        "known": Array((brokers, brokers), BOOLEAN, (BROKER, BROKER)),
        "leader": broker,
        "host": integers(0, brokers if bounds.channel_host else 0, BROKER),
        "zookeeper_down": BOOLEAN if bounds.outages else NEVER,
        "session_ended": Array((brokers,), in_safe_mode, (BROKER,)),
        "metadata": Array((brokers,), names(Metadata) if bounds.safe_mode else Finite((Metadata.STABLE,)), (BROKER,)),
        "cleaning": Array((brokers, brokers), in_safe_mode, (BROKER, BROKER)),
        "believes": Array((brokers,), BOOLEAN if bounds.beliefs else NEVER, (BROKER,)),
        "assigns_left": integers(0, bounds.assigns),
        "unloads_left": integers(0, bounds.unloads),
        "transfers_left": integers(0, bounds.transfers),
        "crashes_left": integers(0, bounds.crashes),
        "expiries_left": integers(0, bounds.expiries),
        "pauses_left": integers(0, bounds.pauses),
        "slow_closes_left": integers(0, bounds.slow_closes),
        "tombstones_left": integers(0, bounds.tombstones),
        "unplaced_left": integers(0, bounds.unplaced),
        "outages_left": integers(0, bounds.outages),
        "splits_left": integers(0, bounds.splits),
        "nested_splits_left": integers(0, bounds.nested_splits),
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
