"""Every scenario by its name, which is also that of its recording."""

from typing import Final

from oneowner.checkers.lab.scenarios import compactions, gated, moves, nemesis, processes, zookeeper
from oneowner.checkers.lab.scenarios.scenario import SESSION, SHORT, STOCK, Scenario

METADATA: Final = "metadata-store"
SHEDS: Final = {
    **SESSION,
    "loadBalancerSheddingEnabled": "true",
    "loadBalancerBrokerLoadTargetStd": 0.01,
    "loadBalancerSheddingConditionHitCountThreshold": 1,
    "loadBalancerSheddingGracePeriodMinutes": 3,
    "loadBalanceSheddingDelayInSeconds": 30,
    "loadBalancerReportUpdateMinIntervalMillis": 2000,
    "loadBalancerReportUpdateThresholdPercentage": 1,
    "statsUpdateFrequencyInSecs": 10,
    "loadBalancerHistoryResourcePercentage": 0.5,
    "loadBalancerCPUResourceWeight": 0.0,
    "loadBalancerMemoryResourceWeight": 1.0,
    "loadBalancerAutoBundleSplitEnabled": "false",
}

LOSES_CONNECTIONS: Final = {
    **SHORT,
    "metadataStoreSessionTimeoutMillis": 20_000,
    "keepAliveIntervalSeconds": 5,
    "statsUpdateFrequencyInSecs": 5,
}
RESTARTS_SOON: Final = {
    **SHORT,
    "metadataStoreSessionTimeoutMillis": 40_000,
    "statsUpdateInitialDelayInSecs": 5,
    "statsUpdateFrequencyInSecs": 5,
}
DELETES_SOON: Final = {
    "metadataStoreSessionTimeoutMillis": 40_000,
    "keepAliveIntervalSeconds": 5,
    "loadBalancerInFlightServiceUnitStateWaitingTimeInMillis": 5_000,
    "loadBalancerServiceUnitStateMonitorIntervalInSeconds": 2,
    "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds": 5,
}
TRIMS: Final = {
    **SHORT,
    "defaultRetentionTimeInMinutes": 0,
    "defaultRetentionSizeInMB": 0,
    "managedLedgerMaxEntriesPerLedger": 30,
    "managedLedgerMinLedgerRolloverTimeMinutes": 0,
}

SCENARIOS: Final[dict[str, Scenario]] = {
    "healthy": Scenario(moves.healthy, SESSION, of_locks=True),
    "healthy-quiet": Scenario(moves.healthy_quiet, STOCK, quiet=True),
    "transfer": Scenario(moves.transfer, STOCK),
    "split": Scenario(moves.split, {"namespaceBundleUnloadingTimeoutMs": 8_000}),
    "shedding": Scenario(moves.shedding, SHEDS),
    "kill-owner": Scenario(processes.kill_owner, SESSION, of_locks=True),
    "kill-mid-transfer": Scenario(processes.kill_mid_transfer, SHORT),
    "resumed-owner": Scenario(processes.resumed_owner, SESSION, of_locks=True),
    "zombie": Scenario(processes.zombie, SHORT),
    "leader-hang": Scenario(processes.leader_hang, SHORT, shows=("role-is-taken",)),
    "graceful-stop": Scenario(processes.graceful_stop, SESSION, of_locks=True),
    "rolling-restart": Scenario(
        processes.rolling_restart, STOCK, quiet=True, shows=("owner-answers", "view-stops", "role-is-taken")
    ),
    "stop-mid-split": Scenario(processes.stop_mid_split, SHORT, shows=("overlapping-owners",)),
    "bookie-hang": Scenario(processes.bookie_hang, SHORT),
    "delete-in-use": Scenario(moves.delete_in_use, {**SHORT, "forceDeleteNamespaceAllowed": "true"}),
    "isolation": Scenario(gated.isolation, SHORT),
    "migration": Scenario(processes.migration, SESSION),
    "shutdown-together": Scenario(
        processes.shutdown_together, SHORT, shows=("given-back-by-force", "unregistered-owns-nothing")
    ),
    "delete-decommission": Scenario(processes.delete_decommission, SHORT),
    "compaction": Scenario(compactions.compaction, SHORT),
    "trimmed": Scenario(compactions.trimmed, TRIMS, shows=("claims-are-owned", "lookup-follows-the-log")),
    "carried-over": Scenario(
        compactions.carried_over, DELETES_SOON, shows=("accepted-is-not-skipped", "accepted-is-handled")
    ),
    "fell-behind": Scenario(compactions.fell_behind, LOSES_CONNECTIONS, shows=("dual-serving", "accepted-is-handled")),
    "metadata-store": Scenario(processes.metadata_store, SHORT, METADATA),
    "fenced-for-good": Scenario(
        processes.fenced_for_good, STOCK, shows=("given-back-by-force", "unit-is-available", "topic-stays-fenced")
    ),
    "zk-restart": Scenario(
        zookeeper.zk_restart,
        SHORT,
        shows=(
            "unit-is-available",
            "live-broker-is-registered",
            "somebody-is-registered",
            "somebody-leads",
            "role-is-taken",
            "view-stops",
        ),
    ),
    "zk-restart-metadata": Scenario(
        zookeeper.zk_restart_metadata,
        SHORT,
        METADATA,
        shows=(
            "claims-are-owned",
            "lookup-follows-the-log",
            "stuck-in-flight",
            "owner-answers",
            "lookups-are-answered",
            "somebody-is-registered",
            "somebody-leads",
            "orphans-are-reassigned",
        ),
    ),
    "zk-partition": Scenario(zookeeper.zk_partition, SHORT, shows=("dual-serving",)),
    "zk-partition-livelock": Scenario(
        zookeeper.zk_partition_livelock,
        SHORT,
        shows=("dual-serving", "live-broker-is-registered", "role-is-taken"),
    ),
    "zk-partition-metadata": Scenario(
        zookeeper.zk_partition_metadata, SHORT, METADATA, shows=("claims-are-owned", "dual-serving")
    ),
    "split-unseen": Scenario(zookeeper.split_unseen, SHORT),
    "notifications-missed": Scenario(zookeeper.notifications_missed, SHORT, METADATA),
    "late-clean-up": Scenario(zookeeper.late_clean_up, SESSION, shows=("owner-answers", "live-broker-is-registered")),
    "clean-up-called-off": Scenario(zookeeper.clean_up_called_off, SESSION),
    "quick-restart": Scenario(
        zookeeper.quick_restart,
        RESTARTS_SOON,
        METADATA,
        shows=("loss-is-noticed", "dual-serving"),
    ),
    "notifications-coalesced": Scenario(
        gated.notifications_coalesced, SHORT, METADATA, gated=True, shows=("loss-is-noticed", "unit-is-available")
    ),
    "nemesis": Scenario(nemesis.nemesis, SHORT, by_chance=True),
    "nemesis-metadata": Scenario(nemesis.nemesis, SHORT, METADATA, by_chance=True),
    "transfer-told-done": Scenario(gated.transfer_told_done, SHORT, gated=True),
    "split-crash": Scenario(gated.split_crash, SHORT, gated=True, shows=("overlapping-owners", "owner-answers")),
    "forced-free": Scenario(gated.forced_free, SHORT, gated=True, shows=("tombstone-of-active", "dual-serving")),
}
