"""
``Rules`` names the switches of a model and ``Sizes`` its numbers, with their defaults.

A name without a meaning here is declared in the module of its mechanism, as a ``Switch`` or a ``Budget``. Mechanisms
import the state, and read ``bounds.splits`` and ``rules.flush_applies_last`` of it, so the names stand below the state,
where a type checker finds them. A fault of ``spec/channel/faults.yaml`` turns some switches. In their meanings "until
3.0.2" includes that release, and "until #22064" is before that change.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from oneowner.model.kernel.bounds import Bounds, choice, limit, size, word

__traced__ = False  # declares names; no function runs on a state


class Storage(StrEnum):
    """The storage in which the channel lives (``ServiceUnitState.StorageType``; PIP-378)."""

    SYSTEM_TOPIC = "system-topic"
    METADATA_STORE = "metadata-store"


class Dialect(StrEnum):
    """The protocol that the brokers speak: that of every release, or one from before the first (``dialects.py``)."""

    RELEASED = "released"
    """Releasing, then Assigning, then Owned: since 2023-03-03 (#19683), so in every release."""
    GENERATION_1 = "generation-1"
    """Assigning, then Releasing, then Owned: 2023-02-23 (#19546, with the versions of #19620)."""
    GENERATION_0 = "generation-0"
    """The same order with five states and without versions: 2022-11-14 (#18079)."""
    PIP_192 = "pip-192"
    """The four states of the design text: no versions, no rules about brokers."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The switches; ``Rules()`` is release 4.0.6."""

    version_check: bool = True
    broker_check: bool = True
    gap_rule: bool = True
    close_before_assign: bool = True
    owned_orphan_by_source: bool = False
    health_check: bool = True
    second_close: bool = True
    force_overrules: bool = True
    monitor_runs: bool = True
    re_registration: bool = True
    strategic_compaction: bool = True
    keep_alive: bool = True
    store_closes_blocking: bool = True
    re_election: bool = True
    children_first: bool = True
    deleted_last: bool = True
    boundaries_compared: bool = True

    # ---- behaviour that differs between releases ----
    override_tells_owner: bool = True
    override_names_owner: bool = True
    override_when_caught_up: bool = True
    clean_up_needs_leader: bool = True
    flush_applies_last: bool = False
    multi_phase_unload: bool = True
    assigning_resolved_at_start: bool = False
    time_out_rolls_back: bool = False
    full_equality: bool = True
    unregistered_goes_by_view: bool = True
    unregistered_lookup_fails: bool = True
    frees_unplaced: bool = True
    tombstone_at_once: bool = True
    tombstones_inactive_only: bool = True
    session_loss_empties_view: bool = True
    redirect_in_flight: bool = True
    destination_waits: bool = True
    bundles_validated: bool = True
    wait_for_registered_owner: bool = True
    drain_at_shutdown: bool = True
    release_at_shutdown: bool = True
    cancel_on_return: bool = True
    job_removes_itself: bool = False
    session_events_seen: bool = True
    unregistered_may_lead: bool = True

    # ---- recovery, shutdown and splits ----
    free_names_nobody: bool = True
    system_units_overridden: bool = True
    disabled_ends_flights: bool = True
    shutdown_retries: bool = False
    shutdown_is_registered: bool = False
    system_units_read_again: bool = False
    null_accepts_inflight: bool = True
    split_tries_on: bool = False
    split_goes_on: bool = True
    split_begun_again: bool = True
    overrides_again: bool = False

    # ---- lookups, starts and shutdowns ----
    skipped_informs: bool = False
    selection_looks_again: bool = True
    waits_in_one_step: bool = True
    registry_read_waits: bool = True
    request_removes_itself: bool = False
    wait_removed_first: bool = False
    one_oracle: bool = True
    clean_spares_open: bool = False
    disabled_asks_registry: bool = True
    disabled_assigns: bool = True
    unloads_before_closing: bool = True
    drains_unchecked: bool = True
    existing_owned_loaded: bool = True
    start_fails_fast: bool = True
    registers_by_lock: bool = False

    # ---- sessions, elections and the caches of ZooKeeper ----
    put_gives_up: bool = True
    ephemeral_registration: bool = True
    registers_with_session: bool = False
    hears_of_election: bool = True
    foreign_leader_kept: bool = True
    leader_read_from_cache: bool = True
    shedding_asks_again: bool = False
    recovery_has_its_thread: bool = False
    follower_closes_topics: bool = True
    follower_opens_topics: bool = True
    channel_served_again: bool = False
    refresh_before_invalidate: bool = False
    children_miss_cached: bool = False
    migration_awaits_all: bool = True
    syncer_copies_deletions: bool = False
    syncer_compares_values: bool = False
    managers_redirect: bool = True

    # ---- compaction ----
    horizon_before_cursor: bool = True
    compactor_reads_kept: bool = True
    phase_two_stops: bool = True
    reconnect_reads_kept: bool = True
    reads_kept_again: bool = True
    batches_stay_whole: bool = True
    tombstone_spares_batch: bool = True
    tombstone_is_empty: bool = True
    tombstone_is_read: bool = True
    batch_per_attempt: bool = False
    ledger_closed_first: bool = False
    cursor_keeps_properties: bool = False
    reset_keeps_properties: bool = False
    ack_stays_in_ledger: bool = False
    seek_keeps_horizon: bool = False
    original_at_cursor: bool = False
    watch_set_again: bool = True

    # ---- the design text alone ----
    source_returns: bool = True

    # ---- assumptions and repairs that no release has; ``spec/channel/variants.yaml`` measures what they are worth ----
    tombstone_compares: bool = False
    lag_below_tombstone_delay: bool = False
    wait_follows_its_record: bool = False
    selection_checks_health: bool = False
    deduplication: bool = False
    long_pause_ends_process: bool = False
    channel_follows_election: bool = False
    lost_unit_is_closed: bool = False
    split_given_together: bool = False
    session_loss_empties_list: bool = False
    returned_unit_is_closed: bool = False
    unregistered_awaits_owned: bool = False
    start_replaces_node: bool = False
    clean_up_needs_flush: bool = False
    clean_up_asks_leader: bool = False
    clean_up_asks_again: bool = False
    override_awaits_views: bool = False
    unload_awaits_server: bool = False


RELEASE_4_0_6 = Rules()


@dataclass(frozen=True, slots=True)
class Sizes(Bounds):
    """
    The numbers of a model, and the storage of its channel.

    Perturbations (commands of operators and clients, crashes, lost sessions, lost acknowledgements) are budgeted; the
    steps by which the cluster heals itself are not.
    """

    collected_in: ClassVar[str] = "oneowner.model.channel.system"

    brokers: int = size(2, "How many brokers there are", least=1)
    units: int = size(1, "How many service units there are", least=1)
    owner: int = size(0, "The broker that owns and serves every unit at the start; 0: nothing was ever written")
    storage: Storage = word(Storage.SYSTEM_TOPIC, "Where the channel lies")
    assigns: int = 0
    unloads: int = 0
    transfers: int = 0
    removals: int = 0
    crashes: int = 0
    restarts: int = 9
    newcomers: int = 0
    slow_starts: int = 0
    failed_starts: int = 0
    listeners: int = 0
    expiries: int = 0
    tombstones: int = 0
    unplaced: int = 0
    early_flushes: int = 0
    failed_flushes: int = 0
    refused: int = 0
    pauses: int = 0
    channel_host: int = 0
    flight_timer: int = 0
    split_time_outs: int = 0
    slow_closes: int = 0
    late_loads: int = 0
    early_opens: int = 0
    outages: int = 0
    safe_mode: int = 0
    late_call_offs: int = 0
    beliefs: int = 0
    leader_caches: int = 0
    load_topics: int = 0
    sheddings: int = 0
    role_races: int = 0
    channel_losses: int = 0
    migrations: int = 0
    old_managers: int = 0
    multi_phase: int = 0
    policies: int = 0
    splits: int = 0
    nested_splits: int = 0
    other_splits: int = 0
    failed_splits: int = 0
    resends: int = 0
    failed_publishes: int = 0
    sequence_ids: int = 0
    operators: int = 0
    late_callbacks: int = 0
    overtakes: int = 0
    lookups: int = 0
    shutdowns: int = 0
    last_stops: int = 0
    late_handlers: int = 0
    short_waits: int = 0
    short_flushes: int = 0
    system_units: int = 0
    recreations: int = 0
    compactions: int = 0
    failed_writes: int = 0
    failed_closes: int = 0
    lost_cursors: int = 0
    stale_resets: int = 0
    early_acks: int = 0
    trims: int = 0
    window: int = size(3, "How many records the slowest living broker may lag behind (system topic only)", least=1)
    pending: int = size(1, "How many publishes of one broker may be under way", least=1)
    closings: int = limit(
        1, "How many closes of topics may be under way at one broker; 0: a close leaves the search undecided"
    )
    versions: int = size(9, "The highest version; a step that needs a higher one leaves the search undecided", least=1)
    synced: int = 0
    syncs: int = 0
    syncer_gaps: int = 0
    wraps: int = choice(
        "1: the highest version is followed by the lowest, as Long.MAX_VALUE is; a unit is owned at the start with the"
        " version before the highest"
    )
