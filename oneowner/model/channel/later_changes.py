"""
``LATER`` lists the switches that some later release has otherwise than 4.0.6, and the change behind each.

Lines live side by side from 4.0 on, so a change has a first release in each of them, or none. It has no last release
unless it was reverted.
"""

from __future__ import annotations

from typing import Final

from oneowner.model.channel.release_changes import BEFORE_22064, EARLY, Change
from oneowner.model.kernel.releases import before, since

__traced__ = False  # facts about releases, concrete before any state exists

_SINCE_24932: Final = since("4.0.8", "4.1.2", "4.2.0", "5.0.0")

_SINCE_25119: Final = since("4.0.9", "4.1.3", "4.2.0", "5.0.0")

_SINCE_25379: Final = since("4.0.10", "4.2.0", "5.0.0")

_SINCE_25862: Final = since("4.0.11", "4.2.2", "5.0.0")

_SINCE_26000: Final = since("4.0.12", "4.2.3", "5.0.0")
"""Also of #25946, which is in the same releases."""

_SINCE_26243: Final = since("4.0.13", "4.2.4", "5.0.0")

_SINCE_26520: Final = since("4.0.14", "4.2.5", "5.0.0")


LATER: Final[tuple[Change, ...]] = (
    Change(
        "assigning_resolved_at_start",
        True,
        (_SINCE_25379,),
        "apache/pulsar#25379: handleExisting calls handleAssignEvent",
    ),
    Change(
        "seek_keeps_horizon",
        True,
        (_SINCE_25119,),
        "apache/pulsar#25119: ManagedCursorImpl.internalResetCursor keeps the compaction cursor's mark-delete position",
    ),
    Change(
        "registers_with_session",
        True,
        (before("3.3.2"), _SINCE_24932),
        "apache/pulsar#24932: BrokerRegistryImpl.handleMetadataSessionEvent; until #23298 a lock renewed itself",
    ),
    Change(
        "disabled_asks_registry",
        False,
        (_SINCE_24932,),
        "apache/pulsar#24770: getActiveOwnerAsync of a Disabled or Closed channel goes by the state alone",
    ),
    Change(
        "leader_read_from_cache",
        False,
        (_SINCE_26000,),
        "apache/pulsar#26000: LeaderElectionImpl keeps the leader's value itself",
    ),
    Change(
        "store_closes_blocking",
        False,
        (EARLY, _SINCE_26243),
        "apache/pulsar#26243: TableViewLoadDataStoreImpl.closeTableView calls closeAsync; until #21777 it had no lock",
    ),
    Change(
        "request_removes_itself",
        True,
        (BEFORE_22064, _SINCE_26243),
        "apache/pulsar#26146: dedupeGetOwnerRequest removes key and value; so did deferGetOwnerRequest until #22064",
    ),
    Change(
        "job_removes_itself",
        True,
        (_SINCE_26243,),
        "apache/pulsar#26146: handleBrokerCreationEvent removes key and value",
    ),
    Change(
        "clean_spares_open",
        True,
        (_SINCE_26243,),
        "apache/pulsar#26145: cleanUnloadedTopicFromCache takes fenced topics alone off the list",
    ),
    Change(
        "syncer_copies_deletions",
        True,
        (_SINCE_26000,),
        "apache/pulsar#25946: ServiceUnitStateTableViewSyncer.sync calls delete for a tombstone",
    ),
    Change(
        "migration_awaits_all",
        False,
        (since("4.2.0", until="5.0.0"),),
        "apache/pulsar#25989: MigrationCoordinator.waitForPreparation; PIP-454 came with 4.2.0, so before no migration",
    ),
    Change(
        "shutdown_retries",
        True,
        (_SINCE_26520,),
        "apache/pulsar#26520: waitForCleanups calls overrideOwnership in each of its rounds",
    ),
    Change(
        "disabled_assigns",
        False,
        (_SINCE_26520,),
        "apache/pulsar#26520: publishAssignEventAsync counts what is under way (pendingAssignPublishes)",
    ),
    Change(
        "batch_per_attempt",
        True,
        (since("5.0.1"),),
        "apache/pulsar#26664: StrategicTwoPhaseCompactor hands the batch on, and has no field for it",
    ),
    Change(
        "wait_removed_first",
        True,
        (_SINCE_26520,),
        "apache/pulsar#26363: UnloadManager.complete removes before it completes, waitAsync removes with the value",
    ),
    Change(
        "original_at_cursor",
        True,
        (since("5.0.1"),),
        "apache/pulsar#26190: CompactedTopicUtils.readOriginalLedger",
    ),
    Change(
        "flush_applies_last",
        True,
        (_SINCE_26520,),
        "apache/pulsar#26566: TableViewImpl.handleMessage notes a position when its message is applied",
    ),
    Change(
        "ledger_closed_first",
        True,
        (_SINCE_26520,),
        "apache/pulsar#26665: StrategicTwoPhaseCompactor.runPhaseTwo closes, then acknowledges",
    ),
    Change(
        "cursor_keeps_properties",
        True,
        (_SINCE_26520,),
        "apache/pulsar#26512: ManagedCursorImpl.recoverFromLedger keeps the properties of the cursor",
    ),
    Change(
        "ack_stays_in_ledger",
        True,
        (_SINCE_26000,),
        "apache/pulsar#25998: PersistentSubscription.acknowledgeMessage ignores ledgers that are gone",
    ),
    Change(
        "reset_keeps_properties",
        True,
        (_SINCE_25862,),
        "apache/pulsar#25862: ManagedCursorImpl.internalResetCursor gives no properties of before",
    ),
)
