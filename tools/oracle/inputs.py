"""
Random inputs of decisions, in the form of ``decide --batch``: of every size, and often exactly at a threshold.

Numbers are drawn from few values as often as from many, so that ties, zeros and equal sums happen.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

Row = dict[str, Any]
LOADS: Final = (0.0, 0.05, 0.1, 0.25, 0.5, 0.55, 0.85, 0.9, 1.0, 1.2)
THROUGHPUTS: Final = (0.0, 1.0, 100.0, 1e6, 2e6, 5e6)


def inputs(algorithm: str, count: int, seed: int) -> Iterator[Row]:
    """Yield *count* inputs of an algorithm."""
    chance = random.Random(f"{algorithm} {seed}")
    for number in range(count):
        yield {"id": f"{algorithm}-{seed}-{number}", "algorithm": algorithm, **DRAWN[algorithm](chance)}


def transfer(chance: random.Random) -> Row:
    """Return cycles of TransferShedder in one cluster, whose loads move a little."""
    brokers = [f"b{number}" for number in range(chance.choice((1, 2, 2, 3, 4, 6, 9)))]
    few = chance.random() < 0.5
    conf = {
        "loadBalancerDebugModeEnabled": chance.random() < 0.5,
        "loadBalancerSheddingConditionHitCountThreshold": chance.choice((0, 0, 0, 1, 3)),
        "loadBalancerBrokerLoadTargetStd": chance.choice((0.25, 0.25, 0.1, 0.0, 1.5)),
        "loadBalancerMaxNumberOfBrokerSheddingPerCycle": chance.choice((3, 3, 1, 10)),
        "loadBalancerTransferEnabled": chance.random() < 0.8,
        "loadBalancerSheddingBundlesWithPoliciesEnabled": chance.random() < 0.3,
        "loadBalancerBrokerOverloadedThresholdPercentage": chance.choice((85, 85, 50)),
    }
    return {"conf": conf, "cycles": [cycle(chance, brokers, few) for _ in range(chance.choice((1, 1, 2, 5)))]}


def cycle(chance: random.Random, names: list[str], few: bool) -> Row:
    """Return a cycle; *few*: numbers are drawn from few values."""
    order = chance.sample(names, len(names))
    bundles = {name: top_bundles(chance, name, few) for name in names if chance.random() < 0.95}
    every = [bundle[0] for listed in bundles.values() for bundle in listed]
    namespaces = sorted({name.rpartition("/")[0] for name in every})
    told: Row = {
        "brokers": [broker(chance, name, bundles.get(name, []), few) for name in order],
        "top_bundles": bundles,
    }
    told["recent_bundles"] = some(chance, every, 0.1)
    told["recent_brokers"] = {name: chance.choice((10, 179, 180, 400)) for name in some(chance, names, 0.1)}
    told["not_owned"] = some(chance, every, 0.1)
    told["isolated"] = some(chance, namespaces, 0.1)
    told["anti_affine"] = some(chance, namespaces, 0.1)
    told["barred"] = {name: some(chance, names, 0.5) for name in some(chance, every, 0.1)}
    told["filter_fails"] = chance.random() < 0.03
    return told


def some(chance: random.Random, of: list[str], share: float) -> list[str]:
    """Return some, in most inputs none."""
    return [one for one in of if chance.random() < share] if chance.random() < 0.4 else []


def broker(chance: random.Random, name: str, bundles: list[list[Any]], few: bool) -> Row:
    """Return a broker, whose throughput is mostly what its bundles have."""
    told: Row = {"id": name, "available": chance.random() < 0.95}
    if chance.random() < 0.97:
        told["load"] = chance.choice(LOADS) if few else chance.random() * 1.1
        told["throughput_in"] = sum((bundle[1] for bundle in bundles), 0.0)
        told["throughput_out"] = sum((bundle[2] for bundle in bundles), 0.0) + chance.choice((0.0, 0.0, 1e5))
        told["throughput_ema"] = (told["throughput_in"] + told["throughput_out"]) * chance.choice((1.0, 0.01, 0.5))
        told["age_s"] = chance.choice((0,) * 12 + (1700, 1900))
    return told


def top_bundles(chance: random.Random, broker: str, few: bool) -> list[list[Any]]:
    """Return a broker's top bundles, the lightest first, or in any order."""
    listed = []
    for number in range(chance.choice((0, 1, 2, 2, 3, 5, 10))):
        taken_in, given_out = ((chance.choice(THROUGHPUTS) if few else chance.random() * 1e7) for _ in range(2))
        listed.append([f"t/n{chance.randrange(4)}/0x{broker[1:]:0>2}{number:06d}_0xffffffff", taken_in, given_out])
    return sorted(listed, key=lambda one: one[1] + one[2]) if chance.random() < 0.8 else listed


def least_usage_extensible(chance: random.Random) -> Row:
    """Return candidates, of whom some have no load data."""
    names = [f"b{number}" for number in range(chance.choice((0, 1, 2, 3, 5, 20)))]
    few = chance.random() < 0.5
    loads = {name: chance.choice(LOADS) if few else chance.random() for name in names if chance.random() < 0.9}
    difference = {"loadBalancerAverageResourceUsageDifferenceThresholdPercentage": chance.choice((10, 10, 0, 25))}
    return {"conf": difference, "loads": loads, "candidates": chance.sample(names, len(names))}


def broker_load(chance: random.Random) -> Row:
    """Return the reports of a broker."""
    weights = {
        f"loadBalancer{name}ResourceWeight": chance.choice((1.0, 1.0, 0.0, 0.5, 2.0))
        for name in ("CPU", "Memory", "DirectMemory", "BandwidthIn", "BandwidthOut")
    }
    weights |= {
        key.replace("Bandwidth", "Bandwith"): value for key, value in weights.items()
    }  # as old releases spell it
    conf = {**weights, "loadBalancerHistoryResourcePercentage": chance.choice((0.9, 0.9, 0.0, 1.0, 0.75))}
    return {"conf": conf, "reports": [report(chance) for _ in range(chance.choice((1, 2, 5)))]}


def report(chance: random.Random) -> Row:
    """Return a report of a broker."""
    usages = {
        name: [chance.random() * 300, chance.choice((0.0, 100.0, 200.0, 1e9, 3.3))]
        for name in ("cpu", "memory", "directMemory", "bandwidthIn", "bandwidthOut")
        if chance.random() < 0.9
    }
    return {**usages, **{f"msgThroughput{way}": chance.choice(THROUGHPUTS) for way in ("In", "Out")}}


DRAWN: Final[Mapping[str, Callable[[random.Random], Row]]] = {
    "transfer": transfer,
    "least_usage_extensible": least_usage_extensible,
    "broker_load": broker_load,
}
