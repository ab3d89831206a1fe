"""The classes of Pulsar and of Kafka that decide, by row of the measured tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.places import PACKAGE


class Product(NamedTuple):
    """The classes of a product that decide."""

    name: str

    artifacts: tuple[str, ...]
    """The first is that of which each release has a jar."""
    elsewhere: Mapping[str, str]
    """By the beginning of a class's name, the artifact that has it, if that is not the first."""
    prefix: str
    """The beginning of the names of its classes."""
    classes: Mapping[str, tuple[str, ...]]
    """
    By row of the table: classes, each with ``#method,method`` if only these decide, and those that they call in the
    classes of the row; ``#=method`` leaves out the calls.
    """
    fields: Mapping[str, tuple[str, str]]
    """By row of the table: a class, and the fields whose initial values decide, as a regular expression."""
    table: Path


BALANCE: Final = "broker.loadbalance."
IMPL, EXTENSIONS, POLICIES = f"{BALANCE}impl.", f"{BALANCE}extensions.", "policies.data.loadbalancer."
NAMING: Final = "common.naming."
CHANNEL: Final = f"{EXTENSIONS}channel."
COORDINATION: Final = "metadata.coordination.impl."
PULSAR: Final = Product(
    "Pulsar",
    ("pulsar-broker", "pulsar-broker-common", "pulsar-common", "pulsar-metadata", "pulsar-client-original"),
    {
        "broker.ServiceConfiguration": "pulsar-broker-common",
        "policies.": "pulsar-common",
        "common.policies.": "pulsar-common",
        "metadata.": "pulsar-metadata",
        "client.": "pulsar-client-original",
    },
    "org.apache.pulsar.",
    {
        "LocalBrokerData": (
            f"{POLICIES}LocalBrokerData#getMaxResourceUsage,getMaxResourceUsageWithWeight,max",
            f"{POLICIES}ResourceUsage#percentUsage",
        ),
        "LoadData": (
            f"{BALANCE}LoadData",
            "broker.namespace.NamespaceService#isSystemServiceNamespace,filterNamespaceForShedding",
        ),
        "OverloadShedder": (f"{IMPL}OverloadShedder",),
        "ThresholdShedder": (f"{IMPL}ThresholdShedder",),
        "UniformLoadShedder": (f"{IMPL}UniformLoadShedder",),
        "AvgShedder": (f"{IMPL}AvgShedder",),
        "TransferShedder": (f"{EXTENSIONS}scheduler.TransferShedder",),
        "LeastLongTermMessageRate": (f"{IMPL}LeastLongTermMessageRate",),
        "LeastResourceUsageWithWeight": (f"{IMPL}LeastResourceUsageWithWeight",),
        "RoundRobinBrokerSelector": (f"{IMPL}RoundRobinBrokerSelector",),
        "BrokerLoadData": (f"{EXTENSIONS}data.BrokerLoadData",),
        "TopKBundles": (f"{EXTENSIONS}models.TopKBundles",),
        "LeastResourceUsageWithWeight of extensions": (f"{EXTENSIONS}strategy.LeastResourceUsageWithWeight",),
        "BundleSplitterTask": (f"{IMPL}BundleSplitterTask",),
        "DefaultNamespaceBundleSplitStrategyImpl": (f"{EXTENSIONS}strategy.DefaultNamespaceBundleSplitStrategyImpl",),
        "split algorithms": tuple(
            f"{NAMING}{name}BundleSplitAlgorithm"
            for name in (
                "RangeEquallyDivide",
                "TopicCountEquallyDivide",
                "SpecifiedPositions",
                "FlowOrQpsEquallyDivide",
            )
        ),
        "NamespaceBundles": (f"{NAMING}NamespaceBundles", f"{NAMING}NamespaceBundleFactory#splitBundles,getHash"),
        "LoadSheddingTask": (f"{BALANCE}LoadSheddingTask", f"{IMPL}ModularLoadManagerImpl#=doLoadShedding"),
        "UnloadScheduler": (f"{EXTENSIONS}scheduler.UnloadScheduler",),
        "selectBroker": (
            f"{IMPL}ModularLoadManagerImpl#selectBrokerForAssignment,selectBroker",
            f"{IMPL}LoadManagerShared#applyNamespacePolicies,removeMostServicingBrokersForNamespace,"
            "filterAntiAffinityGroupOwnedBrokers,filterBrokersWithLargeTopicCount,fillNamespaceToBundlesMap,"
            "filterDomainsNotHavingAntiAffinityGroup,getAntiAffinityNamespaceOwnedBrokers",
            f"{IMPL}SimpleResourceAllocationPolicies",
            f"{IMPL}BrokerVersionFilter",
            f"{IMPL}BrokerLoadManagerClassFilter",
            "common.policies.impl.NamespaceIsolationPolicyImpl",
            "common.policies.impl.NamespaceIsolationPolicies",
        ),
        "channel": (f"{CHANNEL}ServiceUnitStateChannelImpl", f"{CHANNEL}StateChangeListeners"),
        "channel records": (
            f"{CHANNEL}ServiceUnitStateData",
            f"{CHANNEL}ServiceUnitState",
            f"{CHANNEL}ServiceUnitStateDataConflictResolver",
            f"{CHANNEL}ServiceUnitStateCompactionStrategy",
        ),
        "channel topic": (f"{CHANNEL}ServiceUnitStateTableViewBase", f"{CHANNEL}ServiceUnitStateTableViewImpl"),
        "channel store": (f"{CHANNEL}ServiceUnitStateMetadataStoreTableViewImpl",),
        "channel syncer": (f"{CHANNEL}ServiceUnitStateTableViewSyncer",),
        "BrokerRegistryImpl": (f"{EXTENSIONS}BrokerRegistryImpl",),
        "ExtensibleLoadManagerImpl": (f"{EXTENSIONS}ExtensibleLoadManagerImpl", f"{EXTENSIONS}LoadManagerContextImpl"),
        "extensible managers": tuple(
            f"{EXTENSIONS}manager.{name}" for name in ("RedirectManager", "SplitManager", "UnloadManager")
        ),
        "TableViewLoadDataStoreImpl": (f"{EXTENSIONS}store.TableViewLoadDataStoreImpl",),
        "reporters": (
            f"{EXTENSIONS}reporter.BrokerLoadDataReporter",
            f"{EXTENSIONS}reporter.TopBundleLoadDataReporter",
        ),
        "strategic compaction": ("compaction.StrategicTwoPhaseCompactor",),
        "TableViewImpl": ("client.impl.TableViewImpl",),
        "OwnershipCache": ("broker.namespace.OwnershipCache", "broker.namespace.OwnedBundle"),
        "lookups": (
            "broker.namespace.NamespaceService#getBrokerServiceUrlAsync,findBrokerServiceUrl,searchForCandidateBroker,"
            "isServiceUnitActiveAsync,getHeartbeatOrSLAMonitorBrokerId",
        ),
        "unloads and splits": (
            "broker.namespace.NamespaceService#unloadNamespaceBundle,splitAndOwnBundle,updateNamespaceBundles",
        ),
        "roles of the modular manager": (
            f"{IMPL}ModularLoadManagerImpl#checkNamespaceBundleSplit,disableBroker,start,updateBundleData,"
            "writeBrokerDataOnZooKeeper,reapDeadBrokerPreallocations,handleDataNotification,handleMetadataSessionEvent",
        ),
        "starts and stops": (
            "broker.PulsarService#=acquireSLANamespace,startLeaderElectionService,closeLeaderElectionService,closeAsync",
            "broker.namespace.NamespaceService#registerBootstrapNamespaces",
        ),
        "locks": (f"{COORDINATION}ResourceLockImpl", f"{COORDINATION}LockManagerImpl"),
        "LeaderElectionImpl": (f"{COORDINATION}LeaderElectionImpl",),
        "LeaderElectionService": (f"{BALANCE}LeaderElectionService",),
        "CoordinationServiceImpl": (f"{COORDINATION}CoordinationServiceImpl",),
        "MetadataCacheImpl": ("metadata.cache.impl.MetadataCacheImpl",),
        "AbstractMetadataStore": (
            "metadata.impl.AbstractMetadataStore#accept,receivedNotification,receivedSessionEvent,put,delete,get",
        ),
        "MetadataStoreTableViewImpl": ("metadata.tableview.impl.MetadataStoreTableViewImpl",),
        "ZKSessionWatcher": ("metadata.impl.ZKSessionWatcher",),
    },
    {
        "weights": ("broker.ServiceConfiguration", "loadBalancer.*ResourceWeight|loadBalancerHistoryResource.*"),
        "thresholds": (
            "broker.ServiceConfiguration",
            "loadBalancer(BrokerOverloadedThreshold|BrokerThresholdShedder|BundleUnloadMinThroughput).*|"
            "lowerBoundarySheddingEnabled",
        ),
        "UniformLoadShedder's thresholds": (
            "broker.ServiceConfiguration",
            "loadBalancerMsg(RateDifference|ThroughputMultiplier).*|m(ax|in)Unload.*",
        ),
        "AvgShedder's thresholds": ("broker.ServiceConfiguration", "loadBalancerAvgShedder.*"),
        "TransferShedder's thresholds": (
            "broker.ServiceConfiguration",
            "loadBalancer(BrokerLoadTargetStd|SheddingConditionHitCount|MaxNumberOfBrokerShedding|BrokerLoadDataTTL|"
            "TransferEnabled|SheddingBundlesWithPolicies|MaxNumberOfBundlesInBundleLoadReport).*|"
            "loadBalanceSheddingDelayInSeconds",
        ),
        "placement thresholds": ("broker.ServiceConfiguration", "loadBalancerAverageResourceUsageDifference.*"),
        "reports": ("broker.ServiceConfiguration", "loadBalancerReportUpdate.*"),
        "split limits": (
            "broker.ServiceConfiguration",
            "loadBalancerNamespace.*|loadBalancerMaxNumberOfBundlesToSplit.*",
        ),
    },
    PACKAGE / "model" / "pulsar" / "variants.py",
)
ASSIGNMENT: Final = "streams.processor.internals.assignment."
API: Final = "streams.processor.assignment."
STREAMS: Final = "coordinator.group.streams."
KAFKA: Final = Product(
    "Kafka",
    ("kafka-streams", "kafka-group-coordinator"),
    {"coordinator.": "kafka-group-coordinator"},
    "org.apache.kafka.",
    {
        "assignors": tuple(
            f"{ASSIGNMENT}{name}"
            for name in (
                "HighAvailabilityTaskAssignor", "StickyTaskAssignor", "FallbackPriorTaskAssignor", "ClientState",
                "TaskMovement", "ConstrainedPrioritySet", "DefaultStandbyTaskAssignor",
                "ClientTagAwareStandbyTaskAssignor",
                "StandbyTaskAssignorFactory",
            )
        ),
        "racks": tuple(
            f"{ASSIGNMENT}{name}"
            for name in ("RackAwareTaskAssignor", "Graph", "MinTrafficGraphConstructor",
                         "BalanceSubtopologyGraphConstructor",
                         "RackAwareGraphConstructorFactory")
        ),
        "TaskId": ("streams.processor.TaskId",),
        "assignors of the API": (f"{API}assignors.StickyTaskAssignor", f"{API}TaskAssignmentUtils"),
        "StickyTaskAssignor of a streams group": (
            f"{STREAMS}assignor.StickyTaskAssignor", f"{STREAMS}assignor.ProcessState",
        ),
        "CurrentAssignmentBuilder": (f"{STREAMS}CurrentAssignmentBuilder",),
    },
    {},
    PACKAGE / "model" / "kafka" / "variants.py",
)  # fmt: skip
