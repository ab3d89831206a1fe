"""Lines of the extensible load manager: loads, brokers that may be given a bundle; weights of either manager."""

from typing import Any, Final

from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.load_data import Report, Reports, Usage, Weights, features_of_all
from oneowner.model.balancer.local_broker_data import LOAD_RULES, LoadRules
from oneowner.model.balancer.placement.least_usage_extensible import Candidates, least_usage
from oneowner.model.kernel.batch import Algorithm, Row
from oneowner.model.pulsar.variants import VARIANTS

WEIGHTS: Final = {
    "loadBalancerCPUResourceWeight": "cpu",
    "loadBalancerMemoryResourceWeight": "memory",
    "loadBalancerDirectMemoryResourceWeight": "direct_memory",
    "loadBalancerBandwidthInResourceWeight": "bandwidth_in",
    "loadBalancerBandwithInResourceWeight": "bandwidth_in",
    "loadBalancerBandwidthOutResourceWeight": "bandwidth_out",
    "loadBalancerBandwithOutResourceWeight": "bandwidth_out",
    "loadBalancerHistoryResourcePercentage": "history",
}
READ: Final = dict.fromkeys(("3.0.0", "3.0.7", "3.3.6", "4.0.6", "4.0.7", "4.0.8", "4.2.4", "5.0.0-M1"))
"""The releases of which the classes were read; but for weights by default all have the same rules."""


def least_usage_extensible(row: Row, rules: None) -> dict[str, Any]:
    """Return who may be drawn of the candidates."""
    conf = {"loadBalancerAverageResourceUsageDifferenceThresholdPercentage": "difference"}
    loads = tuple((name, row["loads"].get(name)) for name in row["candidates"])
    return {"admissible": list(least_usage(configured(Candidates(loads), row.get("conf", {}), conf)))}


def broker_load(row: Row, rules: LoadRules) -> dict[str, Any]:
    """Return the features of a broker's reports, one after another."""
    reports = tuple(report_of(told) for told in row["reports"])
    found = features_of_all(Reports(reports, weights(row.get("conf") or {}, rules)))
    return {
        "features": [
            {"maxResourceUsage": one.max_usage, "weightedMaxEMA": one.weighted_max, "msgThroughputEMA": one.throughput}
            for one in found
        ]
    }


def weights(conf: Row, rules: LoadRules) -> Weights:
    """Return the weights of a line's configuration; of its two spellings of bandwidth a release reads one or both."""
    told = dict(conf)
    for way in ("In", "Out"):
        old = told.pop(f"loadBalancerBandwith{way}ResourceWeight", 1.0)
        if rules.old_spelling or float(told.get(f"loadBalancerBandwidth{way}ResourceWeight", 1.0)) == 1.0:
            told[f"loadBalancerBandwidth{way}ResourceWeight"] = old
    return configured(rules.weights, told, WEIGHTS)


def report_of(told: Row) -> Report:
    """Return a report as a file gives it."""
    return Report(
        **usages_of(told), throughput_in=told.get("msgThroughputIn", 0), throughput_out=told.get("msgThroughputOut", 0)
    )


def usages_of(told: Row) -> dict[str, Usage]:
    """Return what is told of a broker's resources, by field."""
    names = {"cpu": "cpu", "memory": "memory", "directMemory": "direct_memory"}
    names |= {"bandwidthIn": "bandwidth_in", "bandwidthOut": "bandwidth_out"}
    return {field: Usage(*told[name]) for name, field in names.items() if name in told}


ROW: Final = "LeastResourceUsageWithWeight of extensions"
LEAST_USAGE_EXTENSIBLE: Final = Algorithm(
    least_usage_extensible,
    VARIANTS.extended(READ, ROW, "placement thresholds"),
    lambda release: VARIANTS.lacks(release, ROW),
)
NEAR: Final = {"3.0.0": "3.0.7", "4.0.7": "4.0.6", "5.0.0-M1": "4.2.4"}
"""A release with the weights of another by default."""
BROKER_LOAD: Final = Algorithm(
    broker_load,
    VARIANTS.extended(
        {release: LOAD_RULES[NEAR.get(release, release)] for release in READ},
        "BrokerLoadData",
        "LocalBrokerData",
        "weights",
    ),
    lambda release: VARIANTS.lacks(release, "BrokerLoadData"),
)
