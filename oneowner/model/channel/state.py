"""
``State`` declares every cell of the model, once.

A state is a cluster at one instant: the channel, every broker's view of it and unfinished work,
the registry in ZooKeeper and what each broker believes about it, the budgets that are left, and
ghosts: history that no broker can see and that only the laws read.
"""

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.domains import (
    broker_or_nobody,
    job_domain,
    message_domain,
    order_domain,
    place_in_log,
    publish_domain,
    record_domain,
    reply_domain,
    request_domain,
    ring_domain,
    run_domain,
)
from oneowner.model.channel.parts import (
    HealthCheck,
    Message,
    Metadata,
    Node,
    Older,
    Order,
    Phase,
    Publish,
    Reply,
    Request,
    Ring,
    Run,
    SplitJob,
    Stage,
    SyncerStart,
    Wait,
)
from oneowner.model.channel.record import Record
from oneowner.model.channel.sorts import BROKER, UNIT, VERSION
from oneowner.model.kernel import state as kernel
from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.language import BOOLEAN, Sequence, SequenceOf, integers, names
from oneowner.model.kernel.state import cell, left

__traced__ = False  # declares cells; no function runs on a state


class State(kernel.State):
    """One instant of a cluster."""

    bounds: Bounds

    # The channel.
    base: Cells[Record] = cell(record_domain, per=(UNIT,))
    """On the topic, the fold of everything before ``log``; in the metadata store, the node of the unit."""
    log: Sequence[Message] = cell(lambda bounds: SequenceOf(bounds.longest_log, message_domain(bounds)))
    """The suffix of the topic that some living broker has not consumed."""
    cursor: Cells[int] = cell(place_in_log, per=(BROKER,), ends=True)
    """The number of records of ``log`` that the broker has consumed."""
    changed: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.has_nodes, ends=True)
    """A notification that the broker has not taken yet."""

    # Brokers and what they publish.
    run: Cells[Run] = cell(run_domain, per=(BROKER,), ends_as=Run.DOWN)
    view: Cells[Record] = cell(record_domain, per=(BROKER, UNIT), ends=True)
    outbox: Cells[Sequence[Publish]] = cell(
        lambda bounds: SequenceOf(bounds.pending, publish_domain(bounds)), per=(BROKER,)
    )
    """Published, outcome unknown to the broker; on its way also when the process is gone."""
    resent: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.sequence_ids)
    """The topic has the first of its outbox already."""

    # Topics that are open or being closed, and what waits at a broker.
    closing: Cells[Sequence[Message]] = cell(
        lambda bounds: SequenceOf(bounds.closings, message_domain(bounds)), per=(BROKER,), ends=True
    )
    """Handlers that still close topics."""
    held_up: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.may_stop_reading, ends=True)
    """The thread that reads the channel has ended, or waits for the load manager's (``load_store.deadlock``)."""
    lingering: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.slow_closes, ends=True)
    """Its topics are still being closed after the close has timed out."""
    asking: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), ends=True)
    """A lookup found no owner and selects a broker."""
    serving: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), ends=True)
    """Its topics are open to clients."""
    dropped: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.late_loads, ends=True)
    """Topics are open that are not in ``BrokerService.topics`` any more."""
    loaded: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.listeners, ends=True)
    """The listeners have heard that the broker owns the unit."""
    kept: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.multi_phase, ends=True)
    """Its topics are closed, their clients still connected."""
    initialized: Cells[bool] = cell(
        BOOLEAN,
        per=(BROKER,),
        when=lambda bounds: bounds.policies,
        first=lambda bounds, broker: broker == bounds.owner,
        ends_as=False,
    )
    """It has read the topic policies of the namespace."""

    # Splits.
    ring: Ring = cell(ring_domain)
    boundaries: Cells[Ring] = cell(ring_domain, per=(BROKER,), there=lambda bounds: bounds.splits, ends=True)
    """The broker's copy of ``ring``."""
    splitting: Cells[Sequence[SplitJob]] = cell(
        lambda bounds: SequenceOf(bounds.splits_at_once, job_domain(bounds)),
        per=(BROKER,),
        there=lambda bounds: bounds.splits,
        ends=True,
    )
    """The splits that the broker has begun."""

    # What operators asked for.
    unloading: Cells[Order] = cell(order_domain, per=(BROKER, UNIT), when=lambda bounds: bounds.operators)
    """An unload or a transfer that the broker serves."""
    dividing: Cells[Order] = cell(order_domain, per=(BROKER, UNIT), when=lambda bounds: bounds.operators)
    """A split that it serves."""
    older: Cells[Older] = cell(
        names(Older), per=(BROKER, UNIT), when=lambda bounds: bounds.operators and bounds.late_callbacks
    )
    """The remains of an operator's wait for an unload or a transfer that is over."""

    # Sessions, the registry, the election; of two brokers the first is who observes, or leads.
    node: Cells[Node] = cell(names(Node), per=(BROKER,))
    known: Cells[bool] = cell(BOOLEAN, per=(BROKER, BROKER), first=True, ends_as=False)
    """The observer's registry cache lists the other."""
    unregistered: Cells[bool] = cell(
        BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.crashes or bounds.shutdowns, ends=True
    )
    """It takes itself for unregistered: the state of its ``BrokerRegistryImpl`` is not ``Registered``."""
    cold: Cells[bool] = cell(
        BOOLEAN,
        per=(BROKER, BROKER),
        when=lambda bounds: bounds.reads_registry_at_once,
        first=lambda bounds, observer, broker: observer != broker,
        ends=True,
    )
    """The cache has yet to read the entry (``Rules.registry_read_waits``)."""
    unregistrable: Cells[bool] = cell(
        BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.may_live_unregistered, ends=True
    )
    """Its load manager did not start (``Rules.start_fails_fast``)."""
    leader: int = cell(broker_or_nobody, first=1)
    host: int = cell(broker_or_nobody, when=lambda bounds: bounds.channel_host, first=1)
    """The host of the channel's topic, as everybody's connections have it."""
    zookeeper_down: bool = cell(BOOLEAN, when=lambda bounds: bounds.outages)
    session_ended: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.live_sessions_end, ends=True)
    """ZooKeeper has ended its session, and it has not heard of it."""
    unreached: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.outages, ends=True)
    """Ghost: an outage has ended, and it has had no session since."""
    metadata: Cells[Metadata] = cell(names(Metadata), per=(BROKER,), when=lambda bounds: bounds.safe_mode, ends=True)
    flushed: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.lags_after_flush, ends=True)
    """The flush before its next override has ended, although its view lags."""
    cleaning: Cells[bool] = cell(BOOLEAN, per=(BROKER, BROKER), when=lambda bounds: bounds.safe_mode, ends=True)
    """A clean-up of the other is scheduled at the first, who led."""
    checking: Cells[HealthCheck] = cell(
        names(HealthCheck), per=(BROKER, BROKER), when=lambda bounds: bounds.late_call_offs, ends=True
    )
    """The other is back, and the first has asked for its health."""
    believes: Cells[bool] = cell(
        BOOLEAN,
        per=(BROKER,),
        when=lambda bounds: bounds.beliefs,
        first=lambda bounds, broker: broker == 1,
        ends_as=False,
    )
    """It plays the leader."""

    # Who leads, as brokers read or hear it, what goes wrong there, and topics of the load manager.
    leader_read: Cells[int] = cell(broker_or_nobody, per=(BROKER,), when=lambda bounds: bounds.leader_caches, first=1)
    """Its cache of the election's node."""
    unaware: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: not bounds.rules.hears_of_election)
    """It was elected and has not heard of it."""
    running_for_lead: Cells[bool] = cell(
        BOOLEAN, per=(BROKER,), when=lambda bounds: not bounds.rules.foreign_leader_kept
    )
    """Its election runs again."""
    misled: Cells[bool] = cell(
        BOOLEAN, per=(BROKER, BROKER), when=lambda bounds: bounds.rules.refresh_before_invalidate
    )
    """The observer's registry cache of the other is old, and no notice is to come."""
    shedding: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.sheddings, ends=True)
    """It is in the middle of a round of shedding, whose unloads are not published yet."""
    waits_for: Cells[Wait] = cell(
        names(Wait), per=(BROKER,), when=lambda bounds: bounds.sheddings or bounds.role_races, ends=True
    )
    """The event that its load manager's thread waits for."""
    role_due: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.role_races, ends=True)
    """There was an election, and it has yet to play the role that it has now."""
    load_open: Cells[bool] = cell(
        BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.load_topics, first=lambda bounds, broker: broker == 1
    )
    """The topic of load data is open there."""
    reports_to: Cells[int] = cell(broker_or_nobody, per=(BROKER,), when=lambda bounds: bounds.load_topics, first=1)
    """At whom it publishes its load data."""
    channel_closed: bool = cell(BOOLEAN, when=lambda bounds: bounds.channel_losses)
    """The channel's topic is not open at its host."""

    # A migration of the metadata store, and an older load manager.
    migrating: bool = cell(BOOLEAN, when=lambda bounds: bounds.migrations)
    acknowledged: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.migrations)
    """It is prepared: its ephemeral nodes will be in the other store."""
    locks: Cells[int] = cell(broker_or_nobody, per=(UNIT,), when=lambda bounds: bounds.old_managers)
    """The broker with an older load manager that holds the unit's lock."""

    # The metadata store's views when a session is lost (``invalidation.py``).
    filling: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.empties_views, ends=True)
    """It has yet to read the node in its new session."""
    listed: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.empties_views, ends=True)
    """It lists the unit as its own, because it knew it when its session was lost."""

    # The syncer between the storages: ``base`` and ``log`` are the topic then.
    nodes: Cells[Record] = cell(record_domain, per=(UNIT,), there=lambda bounds: bounds.synced)
    """The entry in the metadata store."""
    noticed: Cells[bool] = cell(BOOLEAN, per=(UNIT,), there=lambda bounds: bounds.synced)
    """The syncer was told that the node changed."""
    copied: int = cell(place_in_log, when=lambda bounds: bounds.synced)
    """The number of records of ``log`` that the syncer has read."""
    cleaned: bool = cell(BOOLEAN, when=lambda bounds: bounds.syncs)
    """A syncer that starts has deleted the nodes."""
    starting: SyncerStart = cell(names(SyncerStart), when=lambda bounds: bounds.syncer_gaps)
    """How far it is after that."""

    # Lookups that are followed to their answer; from ``reply`` on the cells are ghosts.
    request: Cells[Request] = cell(request_domain, per=(BROKER, UNIT), when=lambda bounds: bounds.lookups, ends=True)
    ending: Cells[bool] = cell(
        BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.lookups and bounds.late_callbacks, ends=True
    )
    """The end of an older wait has yet to take it off the list of those that records complete."""
    unlisted: Cells[bool] = cell(
        BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.lookups and bounds.late_callbacks, ends=True
    )
    """The lookup that waits is not on that list."""
    reply: Cells[Reply] = cell(reply_domain, per=(BROKER, UNIT), when=lambda bounds: bounds.lookups)
    """The last answer."""
    named: Cells[bool] = cell(BOOLEAN, per=(BROKER, BROKER), when=lambda bounds: bounds.lookups, ends=True)
    """Since the lookup was opened, the first broker's view named the other as owner or destination."""
    registered_then: Cells[bool] = cell(BOOLEAN, per=(BROKER, BROKER), when=lambda bounds: bounds.lookups, ends=True)
    """The other was registered when the first broker's lookup was opened."""

    # Graceful shutdown.
    stage: Cells[Stage] = cell(names(Stage), per=(BROKER,), when=lambda bounds: bounds.shutdowns, ends=True)
    cut_off: Cells[bool] = cell(
        BOOLEAN,
        per=(BROKER,),
        when=lambda bounds: bounds.shutdowns and not bounds.rules.unloads_before_closing,
        ends=True,
    )
    """It refuses the look-ups of its own producer."""
    drained: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.shutdowns, ends=True)
    """The shutdown of the broker has dealt with the unit."""
    hurried: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.late_handlers, ends=True)
    """Its clean-up scans although a handler's publish is under way."""
    set_aside: Cells[Record] = cell(
        record_domain, per=(BROKER,), there=lambda bounds: bounds.shutdowns and bounds.system_units, ends=True
    )
    """The entry of the system bundle that its clean-up has read; it comes to that bundle last."""

    # The compaction of the topic.
    phase: Phase = cell(names(Phase), when=lambda bounds: bounds.compactions)
    read_to: int = cell(place_in_log, when=lambda bounds: bounds.compactions)
    """The number of records that the compaction under way has read."""
    result: Cells[Record] = cell(record_domain, per=(UNIT,), there=lambda bounds: bounds.compactions)
    """The records that it keeps."""
    horizon: int = cell(place_in_log, when=lambda bounds: bounds.compactions)
    """The number of records that the ledger given to readers represents."""
    ledger: Cells[Record] = cell(record_domain, per=(UNIT,), there=lambda bounds: bounds.compactions)
    """The records that they are given."""
    saved_horizon: int = cell(place_in_log, when=lambda bounds: bounds.compactions)
    """The same, for a host that comes after."""
    saved_ledger: Cells[Record] = cell(record_domain, per=(UNIT,), there=lambda bounds: bounds.compactions)
    swallowed: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), there=lambda bounds: bounds.compactions)
    """Ghost: a compaction swallowed a record that told the broker to stop serving."""
    leaked: int = cell(lambda bounds: integers(0, bounds.compactions))
    """Ghost: ledgers of compactions that nothing refers to any more."""
    missed: Cells[bool] = cell(BOOLEAN, per=(BROKER, UNIT), when=lambda bounds: bounds.swallows_tombstones, ends=True)
    """Ghost: a compaction carried the broker over a tombstone of an entry that it holds."""
    lost_ledger: bool = cell(BOOLEAN, when=lambda bounds: bounds.failed_closes)
    """The ledger that readers are given is deleted."""
    stale: Cells[Record] = cell(record_domain, per=(UNIT,), there=lambda bounds: bounds.failed_writes)
    """The records that a failed compaction has left in the batch that it was writing."""
    trimmed: int = cell(place_in_log, when=lambda bounds: bounds.trims)
    """The number of records of the original log that are gone."""

    # Ghosts, set when the channel accepts a record.
    won: Cells[bool] = cell(BOOLEAN, per=(UNIT, VERSION))
    """A record with this version was accepted."""
    tainted: Cells[bool] = cell(BOOLEAN, per=(UNIT,))
    """Single ownership can no longer be promised (``channel.taints``)."""
    poisoned: bool = cell(BOOLEAN)
    """A handler met a record that it has no case for."""

    # What is left of every budget, in the order of the bounds.
    assigns_left: int = left("assigns")
    unloads_left: int = left("unloads")
    transfers_left: int = left("transfers")
    removals_left: int = left("removals")
    lookups_left: int = left("lookups")
    splits_left: int = left("splits")
    nested_splits_left: int = left("nested_splits")
    other_splits_left: int = left("other_splits")
    failed_splits_left: int = left("failed_splits")
    shutdowns_left: int = left("shutdowns")
    recreations_left: int = left("recreations")
    compactions_left: int = left("compactions")
    failed_writes_left: int = left("failed_writes")
    failed_closes_left: int = left("failed_closes")
    lost_cursors_left: int = left("lost_cursors")
    stale_resets_left: int = left("stale_resets")
    early_acks_left: int = left("early_acks")
    syncs_left: int = left("syncs")
    crashes_left: int = left("crashes")
    slow_starts_left: int = left("slow_starts")
    failed_starts_left: int = left("failed_starts")
    expiries_left: int = left("expiries")
    pauses_left: int = left("pauses")
    outages_left: int = left("outages")
    resends_left: int = left("resends")
    failed_publishes_left: int = left("failed_publishes")
    overtakes_left: int = left("overtakes")
    split_time_outs_left: int = left("split_time_outs")
    slow_closes_left: int = left("slow_closes")
    late_loads_left: int = left("late_loads")
    early_opens_left: int = left("early_opens")
    late_handlers_left: int = left("late_handlers")
    short_waits_left: int = left("short_waits")
    short_flushes_left: int = left("short_flushes")
    sheddings_left: int = left("sheddings")
    role_races_left: int = left("role_races")
    channel_losses_left: int = left("channel_losses")
    migrations_left: int = left("migrations")
    tombstones_left: int = left("tombstones")
    unplaced_left: int = left("unplaced")
    early_flushes_left: int = left("early_flushes")
    failed_flushes_left: int = left("failed_flushes")
