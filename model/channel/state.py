"""
What a state of the model holds; ``domains.py`` says what each of its cells may hold.

A state is a cluster at one instant: the channel, every broker's view of it and unfinished work,
the registry in ZooKeeper and what each broker believes about it, the budgets that are left, and
ghosts: history that no broker can see and that only the laws read.
"""

from __future__ import annotations

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.domains import domains
from oneowner.model.channel.lookup_parts import Reply, Request, Stage
from oneowner.model.channel.parts import Message, Metadata, Node, Order, Phase, Publish, Ring, Run, SplitJob
from oneowner.model.channel.record import Record
from oneowner.model.kernel import state as kernel
from oneowner.model.kernel.language import Cells, Domain, Sequence

__traced__ = False  # declares cells; no function runs on a state


class State(kernel.State):
    """One instant of a cluster; ``domains(bounds)`` says what each cell may hold."""

    __slots__ = (
        "acknowledged",
        "asking",
        "assigns_left",
        "base",
        "believes",
        "boundaries",
        "changed",
        "channel_closed",
        "channel_losses_left",
        "cleaned",
        "cleaning",
        "closing",
        "cold",
        "compactions_left",
        "copied",
        "crashes_left",
        "cursor",
        "cut_off",
        "dividing",
        "drained",
        "expiries_left",
        "failed_starts_left",
        "failed_writes_left",
        "filling",
        "held_up",
        "horizon",
        "host",
        "hurried",
        "kept",
        "known",
        "late_handlers_left",
        "leader",
        "leader_read",
        "leaked",
        "ledger",
        "lingering",
        "listed",
        "load_open",
        "loaded",
        "locks",
        "log",
        "lookups_left",
        "metadata",
        "migrating",
        "migrations_left",
        "misled",
        "missed",
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
        "recreations_left",
        "registered_then",
        "removals_left",
        "reply",
        "reports_to",
        "request",
        "resends_left",
        "resent",
        "result",
        "ring",
        "run",
        "running_for_lead",
        "saved_horizon",
        "saved_ledger",
        "serving",
        "session_ended",
        "set_aside",
        "shedding",
        "sheddings_left",
        "shutdowns_left",
        "slow_closes_left",
        "splits_left",
        "splitting",
        "stage",
        "stale",
        "swallowed",
        "syncs_left",
        "tainted",
        "tombstones_left",
        "transfers_left",
        "trimmed",
        "unaware",
        "unloading",
        "unloads_left",
        "unplaced_left",
        "unregistrable",
        "view",
        "won",
        "zookeeper_down",
    )

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
    trimmed: int  # how many records of the original log are gone (bound ``trims``)
    stale: Cells[Record]  # [unit] what a compaction that failed has left in the batch it was writing

    # Brokers.
    run: Cells[Run]  # [broker]
    view: Cells[Record]  # [broker, unit]
    outbox: Cells[Sequence[Publish]]  # [broker] published, outcome unknown to it
    closing: Cells[Sequence[Message]]  # [broker] handlers that still close topics
    resent: Cells[bool]  # [broker] the topic has the first of its outbox already (bound ``sequence_ids``)
    held_up: Cells[bool]  # [broker] the thread that reads the channel waits for itself (Rules.handler_waits)
    lingering: Cells[bool]  # [broker, unit] its topics are still being closed after the close has timed out
    asking: Cells[bool]  # [broker, unit] a lookup found no owner and selects a broker
    serving: Cells[bool]  # [broker, unit] its topics are open to clients
    kept: Cells[bool]  # [broker, unit] its topics are closed, their clients still connected (bound ``multi_phase``)

    loaded: Cells[bool]  # [broker, unit] who listens was told that it owns the unit (bound ``listeners``)
    # What operators asked for (bound ``operators``).
    unloading: Cells[Order]  # [broker, unit] an unload or a transfer that the broker serves
    dividing: Cells[Order]  # [broker, unit] a split that it serves

    # Splits; without ``bounds.splits`` no broker has these cells.
    ring: Ring
    boundaries: Cells[Ring]  # [broker] what it has read of ``ring``
    splitting: Cells[Sequence[SplitJob]]  # [broker] the splits that it has begun: one, or two if they may be nested

    # Sessions and the registry.
    node: Cells[Node]  # [broker]
    known: Cells[bool]  # [observer, broker] what the observer's registry cache says
    cold: Cells[bool]  # [observer, broker] the cache has yet to read the entry (Rules.registry_read_waits)
    unregistrable: Cells[bool]  # [broker] its load manager did not start (Rules.start_fails_fast)
    leader: int
    host: int  # who hosts the channel's topic, as everybody's connections have it (bound ``channel_host``)

    # Lookups that are followed to their answer, and graceful shutdown.
    request: Cells[Request]  # [broker, unit]
    stage: Cells[Stage]  # [broker]
    drained: Cells[bool]  # [broker, unit] the shutdown of the broker has dealt with the unit
    hurried: Cells[bool]  # [broker] its clean-up scans although a handler's publish is under way
    set_aside: Cells[Record]  # [broker] what its clean-up read of the system bundle, to which it comes last

    cut_off: Cells[bool]  # [broker] it refuses the look-ups of its own producer (Rules.unloads_before_closing)
    # Outages and safe mode (bound ``safe_mode``), roles (bound ``beliefs``).
    zookeeper_down: bool
    session_ended: Cells[bool]  # [broker] ZooKeeper has ended its session, and it has not heard of it
    metadata: Cells[Metadata]  # [broker]
    cleaning: Cells[bool]  # [leader, broker] a clean-up of the broker is scheduled at whoever led
    believes: Cells[bool]  # [broker] it plays the leader
    # The metadata store's views when a session is lost (``invalidation.py``).
    filling: Cells[bool]  # [broker, unit] it has yet to read the node in its new session
    listed: Cells[bool]  # [broker, unit] it lists the unit as its own, because it knew it when its session was lost

    # The syncer between the storages (bound ``synced``): ``base`` and ``log`` are the topic then.
    nodes: Cells[Record]  # [unit] what the metadata store holds
    noticed: Cells[bool]  # [unit] the syncer was told that the node changed
    copied: int  # how many records of ``log`` the syncer has read
    cleaned: bool  # a syncer that starts has deleted the nodes

    # Who leads, as brokers read or hear it, and what goes wrong there.
    leader_read: Cells[int]  # [broker] what its cache says of the election's node (bound ``leader_caches``)
    unaware: Cells[bool]  # [broker] it was elected and has not heard of it (Rules.hears_of_election)
    running_for_lead: Cells[bool]  # [broker] its election runs again (Rules.foreign_leader_kept)
    misled: Cells[bool]  # [observer, broker] its registry cache is old, and no notice is to come
    shedding: Cells[bool]  # [broker] it is in the middle of a round of shedding (bound ``sheddings``)
    # Topics of the load manager (bounds ``load_topics``, ``channel_losses``).
    load_open: Cells[bool]  # [broker] the topic of load data is open there
    reports_to: Cells[int]  # [broker] at whom it publishes its load data
    channel_closed: bool  # the channel's topic is not open at its host
    # A migration of the metadata store, an older load manager (bounds ``migrations``, ``old_managers``).
    migrating: bool
    acknowledged: Cells[bool]  # [broker] it is prepared: its ephemeral nodes will be in the other store
    locks: Cells[int]  # [unit] the broker with an older load manager that holds the unit's lock

    # Budgets that are left.
    assigns_left: int
    unloads_left: int
    transfers_left: int
    removals_left: int
    crashes_left: int
    failed_starts_left: int
    expiries_left: int
    pauses_left: int
    slow_closes_left: int
    sheddings_left: int
    channel_losses_left: int
    migrations_left: int
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
    late_handlers_left: int
    recreations_left: int
    compactions_left: int
    failed_writes_left: int
    syncs_left: int

    # Ghosts, set when the channel accepts a record.
    won: Cells[bool]  # [unit, version] a record with this version was accepted
    tainted: Cells[bool]  # [unit] single ownership can no longer be promised (channel.taints)
    leaked: int  # ledgers of compactions that nothing refers to any more
    swallowed: Cells[bool]  # [broker, unit] a compaction swallowed a record that told the broker to stop serving
    missed: Cells[bool]  # [broker, unit] a compaction carried the broker over a tombstone of an entry that it holds
    poisoned: bool  # a handler met a record that it has no case for

    # Ghosts of lookups: the last answer, and of one that is open, what was true since then.
    reply: Cells[Reply]  # [broker, unit]
    named: Cells[bool]  # [broker, other] the broker's view named the other as owner or destination
    registered_then: Cells[bool]  # [broker, other] the other was registered when the lookup was opened

    @classmethod
    def domains_of(cls, bounds: Bounds) -> dict[str, Domain]:
        return domains(bounds)
