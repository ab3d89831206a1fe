"""``UNIFORM_LOAD_SHEDDER`` judges what the broker unloads that has most messages or bytes a second."""

from __future__ import annotations

from typing import Any

from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.shedders import AMOUNTS, COMPARED
from oneowner.model.balancer.local_broker_data import Traffic
from oneowner.model.balancer.shedding.load_shedding import Outcome
from oneowner.model.balancer.shedding.modular_inputs import Given, ModularSizes, decide_uniform, some_cycle
from oneowner.model.balancer.shedding.uniform_load_shedder import Settings
from oneowner.model.kernel.decision import Choose, Decision, InputLaw
from oneowner.model.kernel.law import Status
from oneowner.spec.balancer.shedding.shedding_laws import loads_told, shedding_laws, told

__traced__ = False  # laws of decisions, concrete

CLASS = "UniformLoadShedder.findBundlesForUnloading"
LEVELS = (
    Traffic(throughput_in=1e6, rate_in=2.0),
    Traffic(throughput_in=1e7, rate_in=20_000.0),
    Traffic(throughput_in=1.0735e10, rate_in=2.0),
)
"""A fifth of the last one is nearly the largest int of 32 bits; with the second one it is more."""


def draw(choose: Choose, sizes: ModularSizes) -> Given:
    settings = (Settings(), Settings(rate_difference=0.0), Settings(least_rate=0.0))
    return some_cycle(choose, sizes, LEVELS, *((one, ()) for one in settings))


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
        InputLaw("equal-brokers-keep-all", "Nothing is unloaded while all brokers have the same traffic. (It is: with"
                 " more bytes a second than an int holds, the least that a broker has is taken for the largest int.)",
                 CLASS, all_are_equal, sheds_nothing, Status.DOCUMENTED),
        InputLaw("bundle-within-the-share-goes", "While bytes alone are compared, and one bundle is within the share"
                 " that should go, something is unloaded. (It is not from a share of 2^31 - 1,001 bytes a second on:"
                 " the sum with 1,000 wraps, and is negative.)", CLASS, compares_bytes_alone, sheds, Status.DOCUMENTED),
        InputLaw("few-messages-hide-no-bytes", "While bytes differ enough, and one bundle is within the share that"
                 " should go, something is unloaded. (It is not if messages differ by half, and be it one a second from"
                 " two: then bytes are not looked at.)", CLASS, one_fits, sheds, Status.DOCUMENTED),
    ),
    read,
    told=told,
)  # fmt: skip
