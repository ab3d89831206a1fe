"""``THRESHOLD_SHEDDER`` judges the bundles unloaded by brokers whose usage is clearly above the average."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.balancer.batch.extensible import weights
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.shedders import THRESHOLD
from oneowner.model.balancer.local_broker_data import BrokerData, LoadRules, max_usage_with_weight
from oneowner.model.balancer.shedding.load_shedding import Outcome
from oneowner.model.balancer.shedding.modular_inputs import (
    Given,
    ModularSizes,
    decide_threshold,
    of_throughput,
    settled,
    some_cycle,
)
from oneowner.model.balancer.shedding.threshold_shedder import Rules, Settings, updated
from oneowner.model.kernel.decision import Choose, Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.balancer.shedding.shedding_laws import loads_told, shedding_laws, told, unloads_steadily
from oneowner.spec.balancer.shedding.taken import Taken, total, until_enough

CLASS = "ThresholdShedder.findBundlesForUnloading"
IDLE = tuple((f"b{number}", 0.0) for number in (1, 2, 3))
"""The remembered averages of idle brokers."""


def draw(choose: Choose, sizes: ModularSizes) -> Given:
    # Of a broker of 10 and 30 MiB/s just as much should go as is worth while; of one of 10 and 10, half of that.
    with_boundary = Settings(threshold=5.0, lower_boundary=True, least_throughput=1.0)
    levels = of_throughput(10, 30, 90)
    return some_cycle(choose, sizes, levels, (Settings(), ()), (with_boundary, ()), (with_boundary, IDLE))


def averages(given: Given) -> tuple[dict[str, float], float]:
    """Return the usage of each broker, and the average, as the cycle finds them."""
    return updated(given.loads, given.settings, Rules(), dict(given.memory))


def all_are_equal(given: Given, found: Outcome) -> bool:
    return len({broker.traffic for broker in given.loads.brokers}) == 1 and any(
        broker.bundles for broker in given.loads.brokers
    )


def sheds_nothing(given: Given, found: Outcome) -> bool:
    return not found.unload


def one_is_idle(given: Given, found: Outcome) -> bool:
    """Return whether one broker is clearly below the average, and another above it has two bundles that may go."""
    usages, average = averages(given)
    return any(usage < average - given.settings.threshold / 100 for usage in usages.values()) and any(
        usages[broker.name] > average and len(broker.bundles) > 1 and not given.loads.recent
        for broker in given.loads.brokers
    )


def sheds(given: Given, found: Outcome) -> bool:
    return bool(found.unload)


def relieved_broker_keeps_the_rest(given: Given, found: Outcome) -> bool:
    """Return whether the next cycle spares a broker that is no longer above the new average of all usages."""
    loads = settled(given.loads, found)
    after = decide_threshold(given._replace(loads=loads, memory=found.memory))
    usages, average = updated(loads, given.settings, Rules(), {})
    above = {name for name, usage in usages.items() if usage > average}
    return set(dict(after.unload)) & set(dict(found.unload)) <= above


def usage_is_averaged_once(given: Given, found: Outcome) -> bool:
    return dict(found.memory) == averages(given)[0]


# ---- what the class says, cycle by cycle ----


def moved_on(given: Given, before: Mapping[str, float]) -> dict[str, float]:
    """
    Return the average usage of each broker after one more cycle: nine tenths of the previous one, if there was one.
    """
    past, found = given.settings.weights.history, dict(before)
    for broker in given.loads.brokers:
        usage = max_usage_with_weight(broker, given.settings.weights, given.loads.rules)
        found[broker.name] = before[broker.name] * past + (1 - past) * usage if broker.name in before else usage
    return found


def mean(given: Given, usages: Mapping[str, float]) -> float:
    return total(usages[broker.name] for broker in given.loads.brokers) / len(given.loads.brokers)


def worth_while(given: Given, needs: Mapping[BrokerData, float]) -> Taken:
    """Return the bundles unloaded to reach each broker's target; a broker with one bundle keeps it."""
    least = given.settings.least_throughput * 2**20
    taken = {one.name: until_enough(given, one, need) for one, need in needs.items() if need >= least}
    return {one.name: taken[one.name] for one in needs if len(one.bundles) > 1 and taken.get(one.name)}


def of_the_used(given: Given, usages: Mapping[str, float]) -> Taken:
    """Return what goes of brokers that are above the average by the threshold, or just there."""
    average, threshold = mean(given, usages), given.settings.threshold / 100
    return worth_while(given, {
        broker: broker.traffic.throughput * (usages[broker.name] - average - threshold + 0.05)
        for broker in given.loads.brokers
        if average > 0 and usages[broker.name] >= average + threshold
    })  # fmt: skip


def of_the_most_used(given: Given, usages: Mapping[str, float]) -> Taken:
    """Return what goes where a broker is below the average by more than the threshold: half of that of one broker."""
    threshold = given.settings.threshold / 100
    low, brokers = mean(given, usages) - threshold, given.loads.brokers
    able = [broker for broker in brokers if len(broker.bundles) > 1 and usages[broker.name] > low]
    if not able or all(usages[broker.name] >= low for broker in brokers):
        return {}
    source = max(able, key=lambda broker: usages[broker.name])
    return worth_while(given, {source: source.traffic.throughput * threshold * 0.5})


def goes_as_the_class_says(given: Given, found: Outcome) -> bool:
    usages = moved_on(given, dict(given.memory))
    taken = of_the_used(given, usages)
    if not taken and given.settings.lower_boundary and mean(given, usages) > 0:
        usages = moved_on(given, usages)
        taken = of_the_most_used(given, usages)
    return dict(found.unload) == taken and dict(found.memory) == usages


def read(row: dict[str, Any]) -> Given:
    """Return the input that a fact gives as ``conf`` and a cycle of a batch."""
    conf = row.get("conf") or {}
    return Given(loads_told(row), configured(Settings(weights=weights(conf, LoadRules())), conf, THRESHOLD))


BROKEN = {
    "a-bundle-stays": "It may have none: what should go may be more than all but one have, and more than all in a"
    " burst, since it is reckoned of present traffic, and what bundles have is an average.",
    "spread-is-no-larger": "It may: the heaviest bundle goes first, however little should go.",
    "bundle-stays-where-it-goes": "It comes back: the heaviest bundle makes its new broker the one above the average,"
    " #20822.",
    "order-decides-nothing": "It does: at a limit the last bit of the sum of usages, and of equal brokers with a lower"
    " boundary the first one sheds.",
}

THRESHOLD_SHEDDER = Decision(
    "balancer/threshold-shedder",
    "Which bundles a broker unloads that is above the average (ThresholdShedder)",
    ModularSizes,
    draw,
    decide_threshold,
    (
        *shedding_laws(CLASS, decide_threshold, BROKEN),
        InputLaw("equal-brokers-keep-all", "Nothing is unloaded while all brokers have the same traffic.", CLASS,
                 all_are_equal, sheds_nothing, kind=LawKind.PURPOSE),
        InputLaw("what-is-above-goes", "Of each broker at average and threshold, or above, the heaviest bundles go, one"
                 " at least, until they have the share of its traffic by which it is above, and 5 %. If there is none,"
                 " with a lower boundary half the threshold goes of the most used, for one that is clearly below.",
                 "ThresholdShedder.findBundlesForUnloading, tryLowerBoundaryShedding", always, goes_as_the_class_says,
                 kind=LawKind.MIRROR),
        InputLaw("idle-broker-is-used", "Something is unloaded while one broker is clearly below the average, and one"
                 " above it has two bundles. (It is not: nobody need be as far above, and too few bytes stay where they"
                 " are, PIP-220.)", CLASS, one_is_idle, sheds, Status.DOCUMENTED, kind=LawKind.PURPOSE),
        InputLaw("relieved-broker-keeps-the-rest", "Who has unloaded bundles, and is not above the average any more,"
                 " does not unload others in the next cycle. (It does: the average over time, nine tenths of which are"
                 " the past, has not noticed, #17692.)", "ThresholdShedder.updateAvgResourceUsage", unloads_steadily,
                 relieved_broker_keeps_the_rest, Status.DOCUMENTED, kind=LawKind.PURPOSE),
        InputLaw("usage-is-averaged-once", "A cycle adds each usage to its average once. (With a lower boundary it does"
                 " so twice, unless it sheds.)", "ThresholdShedder.tryLowerBoundaryShedding", always,
                 usage_is_averaged_once, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
