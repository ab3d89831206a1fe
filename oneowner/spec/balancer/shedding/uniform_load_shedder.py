"""``UNIFORM_LOAD_SHEDDER`` judges the bundles unloaded by the broker with the highest message or byte rate."""

from typing import Any

from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.shedders import AMOUNTS, COMPARED
from oneowner.model.balancer.local_broker_data import BrokerData, Traffic
from oneowner.model.balancer.shedding.load_shedding import Measure, Outcome
from oneowner.model.balancer.shedding.modular_inputs import Given, ModularSizes, decide_uniform, some_cycle
from oneowner.model.balancer.shedding.uniform_load_shedder import Settings
from oneowner.model.java.arithmetic import whole, wrapped
from oneowner.model.kernel.decision import Choose, Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.balancer.shedding.shedding_laws import loads_told, shedding_laws, told
from oneowner.spec.balancer.shedding.taken import Taken, movable

CLASS = "UniformLoadShedder.findBundlesForUnloading"
LEVELS = (
    Traffic(throughput_in=1e6, rate_in=2.0),
    Traffic(throughput_in=1e7, rate_in=20_000.0),
    Traffic(throughput_in=1.0735e10, rate_in=2.0),
)
"""A fifth of the last one is nearly the largest int of 32 bits; with the second one it is more."""
ASKED = (
    Settings(),
    Settings(rate_difference=0.0, least_throughput=2e6),
    Settings(least_rate=0.0),
    Settings(rate_difference=0.0, throughput_factor=11.0),
)
"""The last one, and the bytes of the second, are met exactly where the first level is beside the first and second."""


def draw(choose: Choose, sizes: ModularSizes) -> Given:
    return some_cycle(choose, sizes, LEVELS, *((one, ()) for one in ASKED))


def all_are_equal(given: Given, found: Outcome) -> bool:
    return len({broker.traffic for broker in given.loads.brokers}) == 1 < len(given.loads.brokers)


def sheds_nothing(given: Given, found: Outcome) -> bool:
    return not found.unload


def fitting(given: Given) -> set[str]:
    """Return the bundles of the broker with most bytes that are within the share of the difference that should go."""
    throughputs = [broker.traffic.throughput for broker in given.loads.brokers]
    most, least, settings = max(throughputs), min(throughputs), given.settings
    budget = (most - least) * settings.share
    if most < settings.throughput_factor * max(least, 1.0) * 1.01 or budget < settings.least_throughput + 1:
        return set()
    busiest = given.loads.brokers[throughputs.index(most)]
    data = {bundle.name: bundle.short_term.throughput for bundle in given.loads.bundles}
    return {
        bundle
        for bundle in busiest.bundles
        if len(busiest.bundles) > 1 and bundle not in given.loads.recent and data[bundle] < budget
    }


def one_fits(given: Given, found: Outcome) -> bool:
    return bool(fitting(given))


def sheds(given: Given, found: Outcome) -> bool:
    return bool(found.unload)


def compares_bytes_alone(given: Given, found: Outcome) -> bool:
    return bool(fitting(given)) and given.settings.rate_difference == 0


def range_of(given: Given, measure: Measure) -> tuple[BrokerData, float, float]:
    """Return who has the most, the first of equals, how much, and the least, from which an int of 0 is kept away."""
    amounts = [measure(broker.traffic) for broker in given.loads.brokers]
    most, least = max(amounts), min(*amounts, 2.0**31 - 1)
    return given.loads.brokers[amounts.index(most)], most, 1.0 if abs(least) <= 1e-6 else least


def within_the_share(given: Given) -> Taken:
    settings: Settings = given.settings
    by_rate: Measure = lambda traffic: traffic.rate  # noqa: E731
    by_bytes: Measure = lambda traffic: traffic.throughput  # noqa: E731
    _, most, least = range_of(given, by_rate)
    differs_by_rate = 0 < settings.rate_difference < (most - least) * 100 / least
    measure, enough = (by_rate, settings.least_rate) if differs_by_rate else (by_bytes, settings.least_throughput)
    busiest, most, least = range_of(given, measure)
    budget = whole((most - least) * settings.share)
    differs = differs_by_rate or 0 < settings.throughput_factor < most / least
    taken = list[str]()
    for name, amount in movable(given, busiest, measure) if differs and len(busiest.bundles) > 1 else ():
        if budget >= enough or taken:
            if amount <= wrapped(budget + 1000):
                taken.append(name)
                budget = wrapped(budget + whole(-amount))
    return {busiest.name: tuple(taken)} if taken else {}


def goes_within_the_share(given: Given, found: Outcome) -> bool:
    return dict(found.unload) == within_the_share(given)


def read(row: dict[str, Any]) -> Given:
    """Return the input that a fact gives as ``conf`` and a cycle of a batch."""
    keys = {**COMPARED, **AMOUNTS, "maxUnloadBundleNumPerShedding": "most_bundles"}
    return Given(loads_told(row), configured(Settings(), row.get("conf") or {}, keys))


BROKEN = {
    "a-bundle-stays": "It may have none: what all have on average may be within what should go, to which 1,000 are"
    " added, #21905; #21906 takes them away after 4.0.",
    "spread-is-no-larger": "It may: where messages differ, bytes are not looked at.",
    "bundle-stays-where-it-goes": "It may go on: a bundle of few messages is within what anybody should unload.",
    "order-decides-nothing": "It does: of equal brokers the first one sheds.",
}

UNIFORM_LOAD_SHEDDER = Decision(
    "balancer/uniform-load-shedder",
    "Which bundles the busiest broker unloads (UniformLoadShedder)",
    ModularSizes,
    draw,
    decide_uniform,
    (
        *shedding_laws(CLASS, decide_uniform, BROKEN),
        InputLaw("what-fits-the-share-goes", "Of who has the most messages, or else bytes, the heaviest bundles go that"
                 " fit one after another, by 1,000 more, into a fifth of the difference to the least, if messages"
                 " differ by more than half, bytes by more than factor 4, and the fifth is enough.", CLASS, always,
                 goes_within_the_share, kind=LawKind.MIRROR),
        InputLaw("equal-brokers-keep-all", "Nothing is unloaded while all brokers have the same traffic. (It is: with"
                 " more bytes a second than an int holds, the least that a broker has is taken for the largest int.)",
                 CLASS, all_are_equal, sheds_nothing, Status.DOCUMENTED, kind=LawKind.PURPOSE),
        InputLaw("bundle-within-the-share-goes", "While bytes alone are compared, and one bundle is within the share"
                 " that should go, something is unloaded. (It is not from a share of 2^31 - 1,001 bytes a second on:"
                 " the sum with 1,000 wraps, and is negative.)", CLASS, compares_bytes_alone, sheds, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("few-messages-hide-no-bytes", "While bytes differ enough, and one bundle is within the share that"
                 " should go, something is unloaded. (It is not if messages differ by half, and be it one a second from"
                 " two: then bytes are not looked at.)", CLASS, one_fits, sheds, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
