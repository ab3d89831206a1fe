"""
``Rules`` holds, as named switches, behaviour that differs between releases, storages and hypothetical bugs.

The defaults are those of Pulsar 4.0.6. A fault of ``spec/channel/faults.yaml`` turns some of them. A switch says what
is so while it is true, and after "else", "before" or "until" what is so otherwise; search for ``rules.`` and its name
to see where it is read. "Until 3.0.2" includes that release, "until #22064" is before that change.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
    """A record whose version is not above the held one is refused (apache/pulsar#19620)."""

    broker_check: bool = True
    """The brokers that an unforced record names must fit the held one (resolver rule R8)."""

    gap_rule: bool = True
    """On the system topic a record after a version gap is accepted unseen (resolver rule R5, since #20110)."""

    close_before_assign: bool = True
    """The source of a transfer closes its topics before it assigns the destination (#19683)."""

    owned_orphan_by_source: bool = False
    """An Owned record whose *source* is gone counts as orphaned (#23064 taken at its word; no release did so)."""

    health_check: bool = True
    """The leader cleans up a broker only if it fails a health check (since #23382)."""

    second_close: bool = True
    """The source of a transfer closes once more when it reads Owned (PIP-307; where its connections are modelled)."""

    force_overrules: bool = True
    """A forced record in its turn is accepted whatever the tables say (resolver rule R6)."""

    monitor_runs: bool = True
    """The leader's clean-ups run; until #25132 a session event of old could keep them from running for ever."""

    re_registration: bool = True
    """A living broker whose registration is gone registers again (#23359)."""

    strategic_compaction: bool = True
    """A compaction keeps what the resolver accepted last, not what was written last (PIP-192; models.S8, E3)."""

    keep_alive: bool = True
    """A connection to a broker that does not answer is closed after twice ``keepAliveIntervalSeconds`` (run.G3)."""

    store_closes_blocking: bool = True
    """A broker that changes its role waits, with the load data's lock, until its reader is closed (until #26243)."""

    re_election: bool = True
    """When the leader's node vanishes, brokers run for the lead again (#23516)."""

    children_first: bool = True
    """A split owns the children before it moves the boundaries (models.H17; PIP-192 gives no order)."""

    deleted_last: bool = True
    """A split deletes the parent once the boundaries are moved; else it may end without moving them (models.H17)."""

    boundaries_compared: bool = True
    """Boundaries are written by compare-and-set (#1428, #9598)."""

    # ---- what differs between releases: ``releases.py`` says which release has what ----

    override_tells_owner: bool = True
    """An override names a former owner as its source, and that broker closes its topics (since #20315)."""

    override_names_owner: bool = True
    """The former owner that an override names is the one of the entry, not the broker found gone (since #23064)."""

    override_when_caught_up: bool = True
    """The leader consumes the whole channel before it overrides (``flush``; since #23301)."""

    clean_up_needs_leader: bool = True
    """A clean-up that fires while nobody leads is skipped, that of a shutdown too (since #22930); else it goes on."""

    flush_applies_last: bool = False
    """A flush ends once the last record is applied, not read alone (#26566)."""

    multi_phase_unload: bool = True
    """The source of a transfer closes with its clients kept, and disconnects them at Owned (since 3.2.0: #20748)."""

    assigning_resolved_at_start: bool = False
    """A broker that starts answers an Assigning that waits for it in the channel (since #25379)."""

    time_out_rolls_back: bool = False
    """A hand-over that took too long goes back to its source while that is Releasing (until #23064)."""

    full_equality: bool = True
    """A view in the metadata store takes every other record, not only one of another version (since #24186)."""

    unregistered_lookup_fails: bool = True
    """In the metadata store a broker that is not registered opens nothing (since #24478)."""

    frees_unplaced: bool = True
    """An override that finds no broker frees the unit by force (since 3.0.3 and 3.1.3); before, it does nothing."""

    tombstone_at_once: bool = True
    """A forced Free and a split's Deleted are followed by a tombstone (since #22743); before, the monitor's alone."""

    tombstones_inactive_only: bool = True
    """The leader's monitor deletes old entries that are not active; until #21721 those of an owner too."""

    session_loss_empties_view: bool = True
    """In the metadata store a view forgets everything when its session is lost, and is filled anew (since #24478)."""

    redirect_in_flight: bool = True
    """A lookup of a unit in flight waits at its destination only; until #22112 it did at every broker."""

    destination_waits: bool = True
    """A lookup of a unit in flight waits at its destination; else that one sends it to the source (models.S33)."""

    bundles_validated: bool = True
    """A lookup is of a bundle by the boundaries that the broker knows; else of a parent as well (models.S34, #821)."""

    wait_for_registered_owner: bool = True
    """A lookup whose owner is not registered waits for the next owner (since #21811)."""

    drain_at_shutdown: bool = True
    """A broker that shuts down gives its units away before it unregisters (since 3.0.1); else it may do so at once."""

    release_at_shutdown: bool = True
    """It does so by Releasing, which makes it close first (since 3.3.7 and 4.0.0); by Owned before."""

    cancel_on_return: bool = True
    """A scheduled clean-up is called off when its broker is registered again and healthy (PIP-192 is silent)."""

    job_removes_itself: bool = False
    """A health check calls off the clean-up that it was asked for alone (since #26146); 4.0.6: whatever is there."""

    session_events_seen: bool = True
    """Every thread sees the last session event; until #25132 one could see SessionLost for ever."""

    unregistered_may_lead: bool = True
    """A broker that is not registered may win the election (4.0.6: run.G2); where roles are modelled."""

    # ---- recovery, shutdown and splits: bugs of before 4.0.6, and of 4.0.6 ----

    free_names_nobody: bool = True
    """A Free record need not name a broker; until #23349 such a one could not be built, so nothing was published."""

    system_units_overridden: bool = True
    """The leader's clean-up comes to the system bundles; in 3.3.7 and 3.3.8 it broke off there (#24196)."""

    disabled_ends_flights: bool = True
    """A leader that shuts down ends hand-overs that take too long, until its election is closed; every release does."""

    shutdown_retries: bool = False
    """A broker that shuts down gives up anew what it owns after its clean-up all the same (since #26520)."""

    shutdown_is_registered: bool = False
    """It also says so in its registration, and leaves once nothing names it (repair of CANDIDATES 13)."""

    system_units_read_again: bool = False
    """Its clean-up reads a system bundle again before it gives it up (#26634, open)."""

    null_accepts_inflight: bool = True
    """On the system topic nothing may be followed by any version, as compaction needs; else by 1 only (bugs.R2)."""

    split_tries_on: bool = False
    """A split whose boundaries were stale seven times tries on (repair that no release has: N4)."""

    split_goes_on: bool = True
    """A split that is begun again goes on where the boundaries are moved already (#19988)."""

    split_begun_again: bool = True
    """The override of Splitting begins the split again; until #19988 it made the parent Owned."""

    # ---- lookups, starts and shutdowns (``requests.py``, ``start``, ``shutdown``) ----

    skipped_informs: bool = False
    """A record that a view refuses ends a lookup that waits for an owner whom it knows (#20677; 4.0.0 lost it)."""

    selection_looks_again: bool = True
    """A lookup that assigns asks the view once more before it waits for an owner (since #22064)."""

    waits_in_one_step: bool = True
    """A lookup looks at the view and begins to wait in one step, in which no record is handled (since #22064)."""

    registry_read_waits: bool = True
    """A lookup waits for what the registry says of an owner; else, not read yet is not registered (#22899)."""

    request_removes_itself: bool = False
    """A lookup's wait that is over takes itself off the list (since #26146); 4.0.6: whatever is there by then."""

    wait_removed_first: bool = False
    """An operator's wait is off its list before its end is told, and takes off no other (since #26363)."""

    one_oracle: bool = True
    """Admin calls ask the channel who owns a unit, not the cache of the load managers before it (#20528)."""

    clean_spares_open: bool = False
    """A broker that has closed a unit takes none of its topics off the list that is open again meanwhile (#26145)."""

    disabled_asks_registry: bool = True
    """A broker that shuts down asks the registry for an owner, and whether it is itself registered (until #24770)."""

    disabled_assigns: bool = True
    """A broker that shuts down publishes what its lookups have selected (until #26520)."""

    unloads_before_closing: bool = True
    """A broker gives its units away before it begins to refuse connections and lookups (since #22573)."""

    drains_unchecked: bool = True
    """A broker that gives its units away does not wait for a health check of itself (#23433 mends #23382)."""

    existing_owned_loaded: bool = True
    """A broker that starts and finds that it owns a unit tells those who listen to that (since #23152)."""

    start_fails_fast: bool = True
    """A broker whose load manager does not start ends; else it lives on and is never registered (#23297)."""

    # ---- sessions, elections and the caches of ZooKeeper: bugs of before, and what 4.0.6 has to this day ----

    put_gives_up: bool = True
    """A put into the metadata store that another one has overtaken is given up, not written over it (#24186)."""

    ephemeral_registration: bool = True
    """A broker's registration goes with its session; until #23984 it was a persistent node."""

    registers_with_session: bool = False
    """A broker whose session is re-established registers in it at once (since #24932); before, when it next looks."""

    hears_of_election: bool = True
    """A broker that has contact again looks who was elected (#23138); else it may lead and not know it (bugs.R43)."""

    foreign_leader_kept: bool = True
    """A candidate leaves another broker's election node alone (#10457); else it deletes it (bugs.R49)."""

    leader_read_from_cache: bool = True
    """The leader is read from a cache of the election's node (until #26000); where that cache is modelled."""

    shedding_asks_again: bool = False
    """A round of shedding asks again before each unload whether its broker leads; 4.0.6 does not (#26253)."""

    recovery_has_its_thread: bool = False
    """A round of shedding waits for its unloads on a thread of its own; no release does (N1)."""

    follower_closes_topics: bool = True
    """A broker that no longer leads closes the topics of load data (#23144); else those who report there stay."""

    follower_opens_topics: bool = True
    """A broker that no longer leads looks for the topics of load data at the elected one, in a loop (since #21764)."""

    channel_served_again: bool = False
    """The leader's monitor opens the channel's topic where nobody serves it; no release does (#25976, #25977)."""

    refresh_before_invalidate: bool = False
    """A refresh of a cache that began before a change may end after its notice, and keep what was (#11202, #14283)."""

    children_miss_cached: bool = False
    """A cached list of children is not looked at again when a node is created (#14177)."""

    migration_awaits_all: bool = True
    """A migration of the metadata store waits until every living broker is prepared (#25989); else for 60 s."""

    syncer_copies_deletions: bool = False
    """The syncer copies a tombstone of the topic to the metadata store (since #25946); 4.0.6 fails to."""

    syncer_compares_values: bool = False
    """A syncer that starts compares what both storages hold, not how many entries; no release does."""

    managers_redirect: bool = True
    """A broker with an older load manager sends lookups to one with the current (#20058)."""

    # ---- compaction: how it went wrong, and what 4.0.6 has not mended (``spec/channel/faults.yaml``) ----

    horizon_before_cursor: bool = True
    """Readers are shown a compaction before it is saved, and the log trimmed by what is saved (#12522)."""

    compactor_reads_kept: bool = True
    """A compaction starts from what the one before kept (#11287)."""

    phase_two_stops: bool = True
    """Phase two ends with the record that phase one read last (#20988)."""

    reconnect_reads_kept: bool = True
    """A reader that reconnects below the horizon goes on with what was kept (#13629)."""

    reads_kept_again: bool = True
    """A reader's second read below the horizon is of what was kept, as its first one was (#12464)."""

    batches_stay_whole: bool = True
    """Kept records that came in one entry are written in one entry (#21091)."""

    tombstone_spares_batch: bool = True
    """A tombstone deletes its own unit, and not what shares its entry (#20980)."""

    tombstone_is_empty: bool = True
    """The compactor knows a tombstone that has an entry for itself; else it keeps it like a record (#25817)."""

    tombstone_is_read: bool = True
    """A view takes a tombstone; else the thread that reads it ends (#15951)."""

    batch_per_attempt: bool = False
    """A compaction begins with an empty batch, whatever one that failed has left in it (#26664, in 5.0.1)."""

    ledger_closed_first: bool = False
    """A compaction closes its ledger before readers are shown it (#26665)."""

    cursor_keeps_properties: bool = False
    """A compaction cursor whose ledger cannot be read keeps its properties (#26512)."""

    reset_keeps_properties: bool = False
    """A reset of the compaction cursor saves the properties of the moment in which it is saved (#25862)."""

    ack_stays_in_ledger: bool = False
    """A reader of what was kept that acknowledges what is trimmed stays where it is (#25998)."""

    seek_keeps_horizon: bool = False
    """A compaction that is interrupted leaves the horizon as it was saved (#25119, in 4.0.9)."""

    original_at_cursor: bool = False
    """A reader below the horizon for which nothing is kept reads the original log (#26190, in 5.0.1)."""

    watch_set_again: bool = True
    """A broker that reconnects after an outage sets its watch again and hears of its session; else never (run.G9)."""

    # ---- what only the design text leaves open ----

    source_returns: bool = True
    """PIP-192: Return is published by the source once it has closed, not by the destination on seeing Transfer."""

    # ---- assumptions and repairs that no release has; ``spec/channel/variants.yaml`` measures what they are worth ----

    tombstone_compares: bool = False
    """A tombstone names the version that it deletes, and is refused by any other entry (models.H6)."""

    lag_below_tombstone_delay: bool = False
    """Timing assumption T1: no living broker lags as long as the tombstone delay (models.H4)."""

    wait_follows_its_record: bool = False
    """The operator of an unload or a split hears the outcome of its own record (repair of run.G5, run.G6)."""

    selection_checks_health: bool = False
    """A lookup selects only a broker that passes a health check (repair of run.G7)."""

    deduplication: bool = False
    """The topic drops a publish that it has taken before (``brokerDeduplicationEnabled``, off there; run.G8)."""

    long_pause_ends_process: bool = False
    """A process that stood still for longer than its session time-out ends by its own clock (repair of run.G1)."""

    channel_follows_election: bool = False
    """The channel's topic moves with the election, whatever the former leader does (repair of run.G3)."""

    lost_unit_is_closed: bool = False
    """A broker that reads of a unit what makes it neither owner nor source closes the topics that it serves there."""

    split_given_together: bool = False
    """A clean-up gives a parent whose split is not over and its children to one broker; it waits until they are its own
    before it moves the boundaries (repair of bugs.H5)."""

    session_loss_empties_list: bool = False
    """A broker whose view is emptied lists no unit as its own either (repair of run.G4, channel.D2)."""

    returned_unit_is_closed: bool = False
    """A source that kept clients of a unit closes it whole once it hands the unit over no more (CANDIDATES 3)."""

    start_replaces_node: bool = False
    """A broker that starts deletes a node that its old process left over, and makes its own (repair of run.G10)."""

    clean_up_needs_flush: bool = False
    """A clean-up whose flush has failed is left to the monitor's next pass; no release does so."""

    clean_up_asks_leader: bool = False
    """A clean-up that fires asks again whether its broker is the elected one (repair of CANDIDATES 9)."""

    clean_up_asks_again: bool = False
    """A clean-up that fires asks again whether its broker leads and is Stable; no release does (models.H9, H10)."""


RELEASE_4_0_6 = Rules()
