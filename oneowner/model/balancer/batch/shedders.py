"""Lines that ask what a shedder of the modular load manager unloads: cycles, through which one shedder lives."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from oneowner.model.balancer.batch.extensible import weights
from oneowner.model.balancer.batch.modular import load_data
from oneowner.model.balancer.batch.row import configured, defaults_of
from oneowner.model.balancer.local_broker_data import LOAD_RULES, LoadData, LoadRules, max_usage_with_weight
from oneowner.model.balancer.shedding import avg_shedder, overload_shedder, threshold_shedder, uniform_load_shedder
from oneowner.model.balancer.shedding.load_shedding import Outcome
from oneowner.model.kernel.batch import Algorithm, Row
from oneowner.model.kernel.releases import before, since
from oneowner.model.pulsar.variants import VARIANTS

OVERLOAD: Final = {"loadBalancerBrokerOverloadedThresholdPercentage": "overloaded"}
THRESHOLD: Final = {
    "loadBalancerBrokerThresholdShedderPercentage": "threshold",
    "loadBalancerBundleUnloadMinThroughputThreshold": "least_throughput",
    "lowerBoundarySheddingEnabled": "lower_boundary",
}
COMPARED: Final = {
    "loadBalancerMsgRateDifferenceShedderThreshold": "rate_difference",
    "loadBalancerMsgThroughputMultiplierDifferenceShedderThreshold": "throughput_factor",
}
AMOUNTS: Final = {
    "maxUnloadPercentage": "share",
    "minUnloadMessage": "least_rate",
    "minUnloadMessageThroughput": "least_throughput",
}
AVG: Final = {
    **AMOUNTS,
    "loadBalancerAvgShedderLowThreshold": "low",
    "loadBalancerAvgShedderHighThreshold": "high",
    "loadBalancerAvgShedderHitCountLowThreshold": "low_hits",
    "loadBalancerAvgShedderHitCountHighThreshold": "high_hits",
}


class Shedder(NamedTuple):
    """A shedder as a line asks it."""

    shed: Callable[[LoadData, Row, Row, Any, Any], Outcome]
    """Takes loads, a cycle's other data, the configuration, a release's rules, and the memory or None."""
    remembered: Callable[[Row, Outcome, Any], dict[str, Any]]
    """Returns the printed part of its memory after a cycle."""
    rules: Mapping[str, Any]
    """By release."""
    lacks: Callable[[str], bool] = lambda release: False
    """Returns whether a release is known to have no such class."""
    waited: Callable[[Row, Row, Any], Any] = lambda told, conf, rules: None
    """Returns what it remembers once it has seen often enough what a cycle tells, by configuration and rules."""

    def cycle(self, told: Row, conf: Row, rules: Any, memory: Any) -> Outcome:
        """Return what a cycle of a line decides, after what the cycle before remembers, or None."""
        return self.shed(load_data(told, load_rules(rules)), told, conf, rules, memory)


def load_rules(rules: Any) -> LoadRules:
    """Return by which rules load is reckoned."""
    return rules if isinstance(rules, LoadRules) else rules.load


def overload(loads: LoadData, told: Row, conf: Row, rules: LoadRules, memory: None) -> Outcome:
    """Return what OverloadShedder unloads."""
    settings = configured(overload_shedder.Settings(weights=weights(conf, rules)), conf, OVERLOAD)
    return overload_shedder.shed(loads, settings)


def threshold(
    loads: LoadData, told: Row, conf: Row, rules: threshold_shedder.Rules, memory: Mapping[str, float] | None
) -> Outcome:
    """Return what ThresholdShedder unloads; it forgets brokers that are not *active*."""
    settings = configured(threshold_shedder.Settings(weights=weights(conf, rules.load)), conf, THRESHOLD)
    active = told.get("active")
    before = dict(memory or {})
    if rules.has_lower_boundary and active is not None:
        before = {name: usage for name, usage in before.items() if name in active}
    return threshold_shedder.shed(loads, settings, rules, before)


def uniform(loads: LoadData, told: Row, conf: Row, rules: uniform_load_shedder.Rules, memory: None) -> Outcome:
    """Return what UniformLoadShedder unloads."""
    keys = COMPARED if rules.joint else {**COMPARED, **AMOUNTS, "maxUnloadBundleNumPerShedding": "most_bundles"}
    settings = configured(uniform_load_shedder.Settings(), conf, keys)
    return uniform_load_shedder.shed(loads, settings, rules)


def avg(loads: LoadData, told: Row, conf: Row, rules: avg_shedder.Rules, memory: avg_shedder.Memory | None) -> Outcome:
    """Return what AvgShedder unloads; *score_order* is the order of its own map of brokers."""
    settings = configured(avg_shedder.Settings(weights=weights(conf, rules.load)), conf, AVG)
    return avg_shedder.shed(
        loads, settings, rules, memory or avg_shedder.Memory(), tuple(told.get("score_order") or ())
    )


def averages(told: Row, found: Outcome, rules: threshold_shedder.Rules) -> dict[str, Any]:
    """Return what is told of the memory of ThresholdShedder."""
    return {"brokerAvgResourceUsage": found.memory}


def hits_and_plan(told: Row, found: Outcome, rules: avg_shedder.Rules) -> dict[str, Any]:
    """Return what is told of the memory of AvgShedder; a line's cycle has made its bundles anew."""
    plan, moved = dict(found.memory.plan), {bundle for bundle, _ in found.moves}
    planned = {
        bundle.name: plan.get(avg_shedder.planned(bundle, rules))
        for bundle in load_data(told, rules.load).bundles
        if rules.plans_by_value or bundle.name in moved
    }
    return {
        "score_order": told.get("score_order") or [broker["id"] for broker in told["brokers"]],
        "brokerHitCountForHigh": dict(found.memory.high_hits),
        "brokerHitCountForLow": dict(found.memory.low_hits),
        "plan": {bundle: broker for bundle, broker in planned.items() if broker is not None},
    }


def settled(told: Row, conf: Row, rules: threshold_shedder.Rules) -> dict[str, float] | None:
    """Return the averages of a leader that has seen these usages for long; where they begin with them, none."""
    if not rules.starts_at_zero:
        return None
    counted = weights(conf, rules.load)
    brokers = load_data(told, rules.load).brokers
    return {one.name: max_usage_with_weight(one, counted, rules.load) for one in brokers}


def hit_often(told: Row, conf: Row, rules: avg_shedder.Rules) -> avg_shedder.Memory:
    """Return what AvgShedder remembers of brokers that differed in more cycles than it ever waits for."""
    hits = tuple((broker["id"], 2**31 - 2) for broker in told["brokers"])
    return avg_shedder.Memory(hits, hits)


SINCE_3: Final = since("3.0.0")
LOADS: Final = VARIANTS.extended(LOAD_RULES, "LocalBrokerData", "LoadData", "weights")
MEASURED: Final = {
    "overload": ("OverloadShedder", "thresholds"),
    "threshold": ("ThresholdShedder", "thresholds"),
    "uniform": ("UniformLoadShedder", "UniformLoadShedder's thresholds"),
    "avg": ("AvgShedder", "AvgShedder's thresholds", "UniformLoadShedder's thresholds"),
}
"""The rows of the measured table by which a shedder decides beside load, its own class first."""


def by_release(name: str, rules_of: Callable[[LoadRules, str], Any], read: Iterable[str]) -> Mapping[str, Any]:
    """Return a shedder's rules by release: of those *read*, and of those with equal classes and known load."""
    equal = {one: VARIANTS.equal_to(one, read, *MEASURED[name]) for one in LOADS}
    return {release: rules_of(LOADS[release], by) for release, by in equal.items() if by is not None}


def lacks(name: str) -> Callable[[str], bool]:
    """Return the test whether a release is known to have no class of a shedder."""
    return lambda release: VARIANTS.lacks(release, MEASURED[name][0])


def threshold_rules(load: LoadRules, release: str) -> threshold_shedder.Rules:
    """Return the rules of ThresholdShedder in a release that was read, for loads of this kind."""
    return threshold_shedder.Rules(
        load, starts_at_zero=release in before("2.9.2"), has_lower_boundary=release in SINCE_3
    )


def uniform_rules(load: LoadRules, release: str) -> uniform_load_shedder.Rules:
    """Return the rules of UniformLoadShedder in a release that was read, for loads of this kind."""
    return uniform_load_shedder.Rules(load, 0 if release in since("4.2.4") else 1000, joint=release not in SINCE_3)


def avg_rules(load: LoadRules, release: str) -> avg_shedder.Rules:
    """Return the rules of AvgShedder in a release that was read, for loads of this kind."""
    return avg_shedder.Rules(
        load, cuts_differences=release in before("4.0.8", "4.2.4"), plans_by_value=release in since("4.0.6")
    )


def nothing(told: Row, found: Outcome, rules: Any) -> dict[str, Any]:
    """Return nothing: what is told of the memory of a shedder without one."""
    return {}


SHEDDERS: Final = {
    "overload": Shedder(
        overload, nothing, by_release("overload", lambda load, release: load, LOAD_RULES), lacks("overload")
    ),
    "threshold": Shedder(
        threshold, averages, by_release("threshold", threshold_rules, LOAD_RULES), lacks("threshold"), settled
    ),
    "uniform": Shedder(
        uniform,
        nothing,
        by_release("uniform", uniform_rules, [one for one in LOAD_RULES if one in since("2.10.5")]),
        lacks("uniform"),
    ),
    "avg": Shedder(
        avg,
        hits_and_plan,
        by_release("avg", avg_rules, [one for one in LOAD_RULES if one in SINCE_3]),
        lacks("avg"),
        hit_often,
    ),
}


KEYS: Final = {
    "overload": defaults_of(overload_shedder.Settings(), OVERLOAD),
    "threshold": defaults_of(threshold_shedder.Settings(), THRESHOLD),
    "uniform": defaults_of(uniform_load_shedder.Settings(), {**COMPARED, **AMOUNTS}),
    "avg": defaults_of(avg_shedder.Settings(), AVG),
}
"""The keys of broker.conf that each shedder reads, but for the weights of resources, with their defaults."""


def algorithm_of(shedder: Shedder) -> Algorithm:
    """Return what a line may ask of a shedder."""

    def answer(row: Row, rules: Any) -> dict[str, Any]:
        memory, answers = None, list[dict[str, Any]]()
        for told in row["cycles"]:
            found = shedder.cycle(told, row.get("conf") or {}, rules, memory)
            memory = found.memory
            if found.thrown:
                answers.append({"error": found.thrown})
                continue
            unloaded = {broker: list(bundles) for broker, bundles in found.unload}
            orders = {"broker_order": [one["id"] for one in told["brokers"]], "bundle_order": orderly(told, rules)}
            answers.append({"unload": unloaded, **orders, **shedder.remembered(told, found, rules)})
        return {"cycles": answers}

    return Algorithm(answer, shedder.rules, shedder.lacks)


def orderly(told: Row, rules: Any) -> list[str]:
    """Return the bundles of a cycle that may move, in their order."""
    return [bundle.name for bundle in load_data(told, load_rules(rules)).bundles_for_shedding()]
