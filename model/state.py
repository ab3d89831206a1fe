"""
What a state of the model holds; ``model/domains.py`` says what each of its cells may hold.

A state is a cluster at one instant: the channel, every broker's view of it and unfinished work,
the registry in ZooKeeper and what each broker believes about it, the budgets that are left, and
ghosts: history that no broker can see and that only the laws read.
"""

from __future__ import annotations

from typing import ClassVar

from model.bounds import Bounds
from model.domains import domains
from model.language import Cells, Sequence, Struct
from model.parts import Message, Metadata, Node, Phase, Publish, Ring, Run, SplitJob
from model.record import Record
from model.reply import Reply, Request, Stage


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
        "held_up",
        "horizon",
        "host",
        "kept",
        "known",
        "leader",
        "leaked",
        "ledger",
        "lingering",
        "listed",
        "log",
        "lookups_left",
        "metadata",
        "named",
        "nested_splits_left",
        "node",
        "nodes",
        "noticed",
        "other_splits_left",
        "outages_left",
        "outbox",
        "overtakes_left",
        "pauses_left",
        "phase",
        "poisoned",
        "read_to",
        "registered_then",
        "removals_left",
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
    removals_left: int
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
    overtakes_left: int
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
