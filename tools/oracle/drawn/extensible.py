"""Random loads and candidates of the extensible load manager."""

import random

from tools.oracle.drawn.values import LOADS, THROUGHPUTS, Row


def least_usage_extensible(chance: random.Random) -> Row:
    """Return candidates, some of them without load data."""
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
