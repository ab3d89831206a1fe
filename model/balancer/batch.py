"""
Inputs of decisions in files: one JSON object a line, as ``decide --batch`` takes them, and the answers to them.

Lists of brokers and bundles are in the order of the original's maps. Keys of ``conf`` are those of broker.conf; a key
that a decision does not read is passed over, as the original does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from oneowner.model.balancer.least_usage import Candidates, least_usage
from oneowner.model.balancer.load_data import Report, Reports, Usage, Weights, features_of_all
from oneowner.model.balancer.transfer_cycle import Broker, Bundle, Cycle, Outcome, Rules, Settings
from oneowner.model.balancer.transfer_shedder import shed

__traced__ = False  # inputs of decisions, concrete

Row = Mapping[str, Any]
T = TypeVar("T", bound=tuple[Any, ...])

SETTINGS: Final = {
    "loadBalancerBrokerLoadTargetStd": "target_deviation",
    "loadBalancerBrokerOverloadedThresholdPercentage": "overloaded",
    "loadBalancerSheddingConditionHitCountThreshold": "hits",
    "loadBalancerMaxNumberOfBrokerSheddingPerCycle": "most_brokers",
    "loadBalancerBrokerLoadDataTTLInSeconds": "time_to_live",
    "loadBalanceSheddingDelayInSeconds": "delay",
    "loadBalancerTransferEnabled": "transfers",
    "loadBalancerSheddingBundlesWithPoliciesEnabled": "with_policies",
    "loadBalancerDebugModeEnabled": "debug",
    "loadBalancerSheddingExcludedNamespaces": "excluded",
}
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
RELEASES: Final = {
    "3.0.0": Rules(idle_bundles_stay=False, compares_throughput=False),
    "3.0.7": Rules(idle_bundles_stay=False),
    **dict.fromkeys(("3.3.6", "4.0.6", "4.0.7", "4.0.8"), Rules()),
    **dict.fromkeys(("4.2.4", "5.0.0-M1"), Rules(excludes_namespaces=True)),
}
"""The rules of every release of which the class was read."""


def configured(default: T, conf: Row, keys: Mapping[str, str]) -> T:
    """Return settings with what *conf* says of them; it may have texts, as broker.conf has."""
    told = {field: value_like(getattr(default, field), conf[key]) for key, field in keys.items() if key in conf}
    return type(default)(**{**default._asdict(), **told})  # type: ignore[attr-defined]


def value_like(default: Any, value: Any) -> Any:
    """
    Return a value of broker.conf as one of the kind that *default* is of.

    >>> value_like(True, "false"), value_like(3, "7"), sorted(value_like(frozenset(), "a/b, c/d"))
    (False, 7.0, ['a/b', 'c/d'])
    """
    if isinstance(default, bool):
        return str(value).strip().lower() == "true"
    if isinstance(default, frozenset):
        parts = value.split(",") if isinstance(value, str) else value
        return frozenset(part.strip() for part in parts if part.strip())
    return float(value)


# ---- TransferShedder ----


def transfer(row: Row, rules: Rules) -> dict[str, Any]:
    """Return what TransferShedder decides in one cycle after another."""
    settings = configured(Settings(), row.get("conf", {}), SETTINGS)
    answers, before = [], Outcome((), None, 0, 0.0, 0.0, 0.0)
    for told in row["cycles"]:
        before = shed(cycle_of(told, settings, rules), before)
        answers.append(outcome_of(told, before))
    return {"cycles": answers}


def cycle_of(told: Row, settings: Settings, rules: Rules) -> Cycle:
    """Return a cycle as a file gives it."""
    brokers: Sequence[Row] = told["brokers"]
    return Cycle(
        brokers=tuple(broker_of(one) for one in brokers if one.get("load") is not None),
        available=tuple(one["id"] for one in brokers if one.get("available", True)),
        bundles=tuple(
            (broker, tuple(Bundle(name, taken_in + given_out) for name, taken_in, given_out in bundles))
            for broker, bundles in (told.get("top_bundles") or {}).items()
        ),
        settings=settings,
        rules=rules,
        unloaded_bundles=frozenset(told.get("recent_bundles") or ()),
        unloaded_brokers=tuple((told.get("recent_brokers") or {}).items()),
        not_owned=frozenset(told.get("not_owned") or ()),
        with_policies=frozenset([*(told.get("isolated") or ()), *(told.get("anti_affine") or ())]),
        barred=tuple((bundle, frozenset(barred)) for bundle, barred in (told.get("barred") or {}).items()),
        filters_fail=bool(told.get("filter_fails")),
    )


def broker_of(told: Row) -> Broker:
    """Return a broker's report as a file gives it."""
    throughput = told.get("throughput_in", 0.0) + told.get("throughput_out", 0.0)
    return Broker(told["id"], told["load"], told.get("throughput_ema", 0.0), throughput, told.get("age_s", 0))


def outcome_of(told: Row, found: Outcome) -> dict[str, Any]:
    """Return what a cycle decided as a file gives it."""
    moves = [
        {"bundle": one.bundle, "source": one.source, "destination": one.destination or None, "reason": str(one.reason)}
        for one in found.moves
    ]
    return {
        "decisions": moves,
        "counted": {f"Skip/{found.skipped}": 1} if found.skipped is not None else {},
        "hits": found.hits,
        "avg": found.average,
        "std": found.deviation,
        "std_after": found.deviation_after,
        "recent_brokers_left": sorted(set(told.get("recent_brokers") or ()) - found.forgotten),
    }


# ---- the others ----


def least_usage_extensible(row: Row, rules: Rules) -> dict[str, Any]:
    """Return who may be drawn of the candidates."""
    conf = {"loadBalancerAverageResourceUsageDifferenceThresholdPercentage": "difference"}
    loads = tuple((name, row["loads"].get(name)) for name in row["candidates"])
    return {"admissible": list(least_usage(configured(Candidates(loads), row.get("conf", {}), conf)))}


def broker_load(row: Row, rules: Rules) -> dict[str, Any]:
    """Return the features of a broker's reports, one after another."""
    reports = tuple(report_of(told) for told in row["reports"])
    found = features_of_all(Reports(reports, configured(Weights(), row.get("conf", {}), WEIGHTS)))
    return {
        "features": [
            {
                "maxResourceUsage": one.max_usage,
                "weightedMaxEMA": one.weighted_max,
                "msgThroughputEMA": one.throughput,
            }
            for one in found
        ]
    }


def report_of(told: Row) -> Report:
    """Return a report as a file gives it."""
    names = {"cpu": "cpu", "memory": "memory", "directMemory": "direct_memory"}
    names |= {"bandwidthIn": "bandwidth_in", "bandwidthOut": "bandwidth_out"}
    usages = {field: Usage(*told[name]) for name, field in names.items() if name in told}
    return Report(
        **usages, throughput_in=told.get("msgThroughputIn", 0), throughput_out=told.get("msgThroughputOut", 0)
    )


ALGORITHMS: Final[Mapping[str, Callable[[Row, Rules], dict[str, Any]]]] = {
    "transfer": transfer,
    "least_usage_extensible": least_usage_extensible,
    "broker_load": broker_load,
}
"""What a line of a batch may ask for, by its ``algorithm``."""
