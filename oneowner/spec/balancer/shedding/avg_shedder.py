"""``AVG_SHEDDER`` judges the bundles that the busiest brokers unload, and the idle brokers planned for them."""

from typing import Any

from oneowner.model.balancer.batch.extensible import weights
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.shedders import AVG
from oneowner.model.balancer.local_broker_data import LoadRules, max_usage_with_weight
from oneowner.model.balancer.shedding.avg_shedder import Memory, Pair, Rules, Settings, by_score, planned, shed
from oneowner.model.balancer.shedding.load_shedding import Outcome
from oneowner.model.balancer.shedding.modular_inputs import (
    MIB,
    Given,
    ModularSizes,
    decide_avg,
    of_throughput,
    some_cycle,
)
from oneowner.model.kernel.decision import Choose, Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.balancer.shedding.shedding_laws import loads_told, shedding_laws, told, unloads
from oneowner.spec.balancer.shedding.taken import Taken, movable, within

CLASS = "AvgShedder.findBundlesForUnloading"
AT_ONCE = Settings(low_hits=1, high_hits=1)
LATER = Settings(low=45.0, high=50.0, low_hits=2, high_hits=2, least_rate=0.0, least_throughput=9 * MIB)
"""Differences meet both thresholds, a fifth of them what is worth while, and messages, which are none, the least."""
HIT = Memory(high_hits=(("b1", 1),), low_hits=(("b1", 1), ("b9", 3)))
"""The first broker was hit once; another, which has gone, more often."""


def draw(choose: Choose, sizes: ModularSizes) -> Given:
    return some_cycle(choose, sizes, of_throughput(5, 50, 50.5), (AT_ONCE, Memory()), (LATER, HIT))


def plan(given: Given, found: Outcome) -> dict[str, str]:
    """Return which broker is planned for each bundle of the cycle."""
    known = dict(found.memory.plan)
    every = {bundle.name: known.get(planned(bundle, Rules())) for bundle in given.loads.bundles}
    return {bundle: broker for bundle, broker in every.items() if broker is not None}


def plans_what_is_unloaded(given: Given, found: Outcome) -> bool:
    return set(plan(given, found)) >= {bundle for bundle, _ in found.moves}


def plans_nothing_else(given: Given, found: Outcome) -> bool:
    return set(plan(given, found)) <= {bundle for bundle, _ in found.moves}


def plans_for_somebody_else(given: Given, found: Outcome) -> bool:
    return all(plan(given, found).get(bundle) != broker for bundle, broker in found.moves)


def has_three(given: Given, found: Outcome) -> bool:
    return len(given.loads.brokers) > 2


def decides_as_with_an_order(given: Given, found: Outcome) -> bool:
    return shed(given.loads, given.settings, Rules(cuts_differences=False), given.memory).moves == found.moves


# ---- what the class says of hits and of bundles ----

Hits = dict[str, int]


def paired(given: Given) -> list[Pair]:
    """Return the brokers, the idlest with the busiest, and so on; of an odd number one is paired with itself."""
    rules, weights = given.loads.rules, given.settings.weights
    scores = {one.name: max_usage_with_weight(one, weights, rules) * 100 for one in given.loads.brokers}
    names = by_score(list(scores), scores, Rules())
    both = list(zip(names, names[::-1], strict=True))[: (len(names) + 1) // 2]
    return [Pair(idle, busy, scores[busy] - scores[idle]) for idle, busy in both]


def counted(given: Given) -> tuple[Hits, Hits]:
    """Return high and low hits: one more for both of a pair that differs so much, else none; none if no pair does."""
    pairs, settings = paired(given), given.settings
    if all(pair.difference < settings.low for pair in pairs):
        return {}, {}
    found = dict(given.memory.high_hits), dict(given.memory.low_hits)
    for pair in pairs:
        for hits, least in zip(found, (max(settings.low, settings.high), settings.low), strict=True):
            for name in {pair.idle, pair.busy}:
                hits[name] = hits.get(name, 0) + 1 if pair.difference >= least else 0
    return found


def is_due(pair: Pair, high: Hits, low: Hits, settings: Settings) -> bool:
    """Return whether one of a pair that differs was hit often enough."""
    both = (pair.idle, pair.busy)
    often = max(high.get(one, 0) for one in both) >= settings.high_hits
    return pair.difference >= settings.low and (often or max(low.get(one, 0) for one in both) >= settings.low_hits)


def share_goes(given: Given, pair: Pair) -> Taken:
    """Return what fits into the share of the difference of messages, or else of bytes, if that is more than enough."""
    settings, brokers = given.settings, {broker.name: broker for broker in given.loads.brokers}
    busy, idle = brokers[pair.busy], brokers[pair.idle]
    rate = (busy.traffic.rate - idle.traffic.rate) * settings.share
    throughput = (busy.traffic.throughput - idle.traffic.throughput) * settings.share
    taken: tuple[str, ...] = ()
    if rate > settings.least_rate:
        taken = within(movable(given, busy, lambda traffic: traffic.rate), rate)
    elif throughput > settings.least_throughput:
        taken = within(movable(given, busy, lambda traffic: traffic.throughput), throughput)
    return {pair.busy: taken} if taken else {}


def goes_as_the_class_says(given: Given, found: Outcome) -> bool:
    taken, (high, low) = Taken(), counted(given)
    due = [pair for pair in paired(given) if is_due(pair, high, low, given.settings)]
    for pair in due:
        taken |= share_goes(given, pair)
    over = {name for pair in due for name in pair[:2]}
    left = [{name: hit for name, hit in hits.items() if hit and name not in over} for hits in (high, low)]
    told = [{name: hit for name, hit in hits if hit} for hits in (found.memory.high_hits, found.memory.low_hits)]
    return dict(found.unload) == taken and told == left


def read(row: dict[str, Any]) -> Given:
    """Return the input that a fact gives as ``conf`` and a cycle of a batch."""
    conf = row.get("conf") or {}
    settings = configured(Settings(weights=weights(conf, LoadRules())), conf, AVG)
    return Given(loads_told(row), settings, Memory())


BROKEN = {
    "a-bundle-stays": "It may have none: the only one goes, if its average is within what should go.",
    "order-decides-nothing": "It does: of brokers whose scores differ by less than 1, the last one sheds.",
}

AVG_SHEDDER = Decision(
    "balancer/avg-shedder",
    "Which bundles busy brokers unload for idle ones (AvgShedder)",
    ModularSizes,
    draw,
    decide_avg,
    (
        *shedding_laws(CLASS, decide_avg, BROKEN),
        InputLaw("what-is-due-goes", "Both of a pair that differs by the low threshold are hit, by the high one twice;"
                 " if one was hit in as many cycles in a row as it takes, what fits into a fifth of the difference goes"
                 " from the busy one, the heaviest first, and both have no hits.", CLASS, always,
                 goes_as_the_class_says, kind=LawKind.MIRROR),
        InputLaw("unloaded-bundle-is-planned", "A broker is planned for each bundle that is unloaded.",
                 "AvgShedder.selectBundleForUnloading", unloads, plans_what_is_unloaded, kind=LawKind.PROTOCOL),
        InputLaw("plan-is-for-another", "No bundle is planned for the broker that unloads it.",
                 "AvgShedder.selectBundleForUnloading", unloads, plans_for_somebody_else, kind=LawKind.PROTOCOL),
        InputLaw("nothing-else-is-planned", "No bundle has a plan but those that are unloaded. (Others have: a bundle"
                 " of the same traffic is the same to the plan, #26246.)", "AvgShedder.selectBundleForUnloading",
                 unloads, plans_nothing_else, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("scores-are-put-in-order", "The busiest broker is paired with the idlest. (It need not be: scores that"
                 " differ by less than 1 count as equal, which is no order; of 32 brokers Java may throw. #24954 mends"
                 " it in 4.0.8.)", "AvgShedder.calculateScoresAndSort", has_three, decides_as_with_an_order,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
