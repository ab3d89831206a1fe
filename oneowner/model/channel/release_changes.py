"""
``EARLIER`` lists every switch that releases before 4.0.6 have otherwise than that one, and the change behind it.

Those that later ones have otherwise are in ``later_changes.py``.

Two switches are never listed although upstream calls the fix by a release, because what goes wrong needs something that
the model does not have: ``re_election`` (#23516, for elections that were closed everywhere; every release runs again
when the leader's node vanishes) and ``monitor_runs`` (#25132, an old session event). Nor is ``watch_set_again``: every
release before 4.0.11, 4.2.2 and 5.0.0 (#25910, #25913) runs the race, whose good outcome is the default. One is not
listed because the code contradicts its title: ``owned_orphan_by_source`` (#23064; fault ``orphan_by_source``).

What no switch says is as in 4.0.6 under the rules of every release. Known to differ, and left out: before 3.3.3 there
was no Disabled channel, so a broker that shut down went on handling what it read (``broker.handle``); from 3.3.3 to
3.3.9 a Disabled one refused to publish Assigning (``disabled_assigns`` is listed for none of them).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from oneowner.model.kernel.releases import Spans, before, since

__traced__ = False  # facts about releases, concrete before any state exists


class Change(NamedTuple):
    """A switch that some releases have at another value than 4.0.6."""

    switch: str
    value: bool
    spans: Spans
    """The releases that have this value."""
    source: str


_OLD_OVERRIDES: Final = before("3.0.6", "3.2.4", "3.3.1")

EARLY: Final = before("3.0.3", "3.1.3", "3.2.0")

BEFORE_22064: Final = before("3.0.3", "3.1.3", "3.2.1")

EARLIER: Final[tuple[Change, ...]] = (
    Change(
        "override_tells_owner",
        False,
        (before("3.0.1"),),
        "apache/pulsar#20315: 3.0.0 builds the override without a source, and its handleOwnEvent closes nothing",
    ),
    Change(
        "override_names_owner",
        False,
        (_OLD_OVERRIDES,),
        "apache/pulsar#23064: getOverrideInactiveBrokerStateData names the inactive broker",
    ),
    Change(
        "time_out_rolls_back",
        True,
        (_OLD_OVERRIDES,),
        "apache/pulsar#23064: getOverrideInFlightStateData, which names no source either",
    ),
    Change(
        "clean_up_needs_leader",
        False,
        (_OLD_OVERRIDES,),
        "apache/pulsar#22930: doCleanup asks getChannelOwnerAsync first; before, it asked nothing",
    ),
    Change(
        "health_check",
        False,
        (before("3.3.3"),),
        "apache/pulsar#23382: in no 3.0, 3.1 or 3.2 release, in 3.3.3 and in every 4.0",
    ),
    Change(
        "override_when_caught_up",
        False,
        (before("4.0.0"),),
        "apache/pulsar#23301: before ServiceUnitStateTableView.flush, doCleanup only flushed its own producer",
    ),
    Change(
        "re_registration",
        False,
        (since("3.3.2", until="3.3.3"),),
        "apache/pulsar#23298 gave up the lock that renews itself, #23359 registers again: 3.3.2 alone lies between",
    ),
    Change(
        "full_equality",
        False,
        (since("4.0.0", until="4.0.5"),),
        "apache/pulsar#24186: ServiceUnitStateData.equals compared versions only",
    ),
    Change(
        "multi_phase_unload",
        False,
        (before("3.2.0"),),
        "apache/pulsar#20748 (PIP-307): closeServiceUnit(.., false) since 3.2.0; configurable since 3.3.0",
    ),
    Change(
        "unregistered_lookup_fails",
        False,
        (before("4.0.6"),),
        "apache/pulsar#24478: getActiveOwnerAsync returned the owner unchecked in both storages",
    ),
    Change(
        "session_loss_empties_view",
        False,
        (since("4.0.0", until="4.0.6"),),
        "apache/pulsar#24478: MetadataStoreTableViewImpl.handleSessionEvent; before, only the next notification told",
    ),
    Change(
        "batches_stay_whole",
        False,
        (before("3.0.2", "3.1.1"),),
        "apache/pulsar#21091: RawBatchMessageContainerImpl.haveEnoughSpace; before, an entry was full at some size",
    ),
    Change(
        "frees_unplaced",
        False,
        (EARLY,),
        "apache/pulsar#21811: overrideOwnership publishes Free, handleFreeEvent closes; before, the entry is left",
    ),
    Change(
        "tombstone_at_once",
        False,
        (_OLD_OVERRIDES,),
        "apache/pulsar#22743: handleFreeEvent and handleDeleteEvent call tombstoneAsync",
    ),
    Change(
        "tombstones_inactive_only",
        False,
        (EARLY,),
        "apache/pulsar#21721: monitorOwnerships asked for the age alone",
    ),
    Change(
        "redirect_in_flight",
        False,
        (BEFORE_22064,),
        "apache/pulsar#22112: getOwnerAsync gives the destination of an Assigning or Releasing at once",
    ),
    Change(
        "wait_for_registered_owner",
        False,
        (EARLY,),
        "apache/pulsar#21811: getActiveOwnerAsync asks the registry for the owner",
    ),
    Change(
        "free_names_nobody",
        False,
        (since("3.0.6", "3.2.4", "3.3.1", until="3.3.3"),),
        "apache/pulsar#23349: ServiceUnitStateData refuses two blank brokers; earlier ones name the inactive broker",
    ),
    Change(
        "system_units_overridden",
        False,
        (since("3.3.7", until="4.0.0"),),
        "apache/pulsar#24196: doCleanup of #24156 asks the exhausted iterator for the system bundles",
    ),
    Change(
        "selection_looks_again",
        False,
        (BEFORE_22064,),
        "apache/pulsar#22064: deferGetOwnerRequest did not ask for the owner; 3.2.1 has it",
    ),
    Change(
        "waits_in_one_step",
        False,
        (BEFORE_22064,),
        "apache/pulsar#22064: getOwnerAsync looked, deferGetOwnerRequest registered; now under the lock of one key",
    ),
    Change(
        "skipped_informs",
        True,
        (since("3.0.1", until="4.0.0"),),
        "apache/pulsar#20677: handleSkippedEvent, which nobody calls any more since 4.0.0",
    ),
    Change(
        "registry_read_waits",
        False,
        (since("3.0.3", "3.1.3", "3.2.1", until=("3.0.6", "3.2.4", "3.3.1")),),
        "apache/pulsar#22899: lookupAsync(owner).getNow(empty), which came with #22064",
    ),
    Change(
        "one_oracle",
        False,
        (before("3.0.1"),),
        "apache/pulsar#20528: NamespaceService.isServiceUnitOwned asked ownershipCache",
    ),
    Change(
        "unloads_before_closing",
        False,
        (before("3.0.5", "3.2.3"),),
        "apache/pulsar#22573: PulsarService.closeAsync was Closing before unloadNamespaceBundlesGracefully",
    ),
    Change(
        "existing_owned_loaded",
        False,
        (before("3.0.7", "3.3.2"),),
        "apache/pulsar#23152: ServiceUnitStateChannelImpl.handleExisting",
    ),
    Change(
        "start_fails_fast",
        False,
        (before("3.0.7", "3.3.2"),),
        "apache/pulsar#23297: failStarting closed the registry, and kept the exception to itself",
    ),
    Change(
        "drain_at_shutdown",
        False,
        (before("3.0.1"),),
        "apache/pulsar#20315: ExtensibleLoadManagerWrapper.disableBroker of 3.0.0 only unregisters",
    ),
    Change(
        "release_at_shutdown",
        False,
        (before("3.3.7"),),
        "apache/pulsar#23301 in 4.0.0, #24156 in 3.3.7: a graceful override of an Owned entry is Releasing",
    ),
    Change(
        "ephemeral_registration",
        False,
        (since("3.3.2", until=("3.3.5", "4.0.3")),),
        "apache/pulsar#23984: ZKMetadataStore.internalStorePut dropped the options of a put without version (#23298)",
    ),
    Change(
        "follower_closes_topics",
        False,
        (before("3.0.7", "3.3.2"),),
        "apache/pulsar#23144: playFollower calls closeInternalTopics",
    ),
    Change(
        "follower_opens_topics",
        False,
        (EARLY,),
        "apache/pulsar#21764: playFollower calls brokerLoadDataStore.init; before, it closed a table view alone",
    ),
)
