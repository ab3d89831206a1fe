"""Random cycles of the shedders of the modular load manager."""

import random
from collections.abc import Callable

from tools.oracle.drawn.values import Row, some

RESOURCES = ("cpu", "memory", "directMemory", "bandwidthIn", "bandwidthOut")
WEIGHTS = ("CPU", "Memory", "DirectMemory", "BandwidthIn", "BandwidthOut")
USAGES = (0.0, 5.0, 10.0, 30.0, 40.0, 50.0, 55.0, 60.0, 70.0, 85.0, 90.0, 140.0)
MIB = 1024.0 * 1024.0
BOUND = ("pulsar/{}:8080", "pulsar/c/{}:8080", "sla-monitor/c/{}:8080", "sla-monitor/{}:8080", "pulsar/system")
"""Namespaces of the system, as old and new releases name them."""


def overload(chance: random.Random) -> Row:
    """Return cycles of OverloadShedder."""
    return lived(chance, {"loadBalancerBrokerOverloadedThresholdPercentage": chance.choice((85, 85, 50, 0))}, 2)


def threshold(chance: random.Random) -> Row:
    """Return cycles of ThresholdShedder."""
    conf = {
        "loadBalancerBrokerThresholdShedderPercentage": chance.choice((10, 10, 0, 25)),
        "loadBalancerBundleUnloadMinThroughputThreshold": chance.choice((10, 10, 0, 1.5)),
        "lowerBoundarySheddingEnabled": chance.random() < 0.5,
    }
    return lived(chance, conf, 4)


def uniform(chance: random.Random) -> Row:
    """Return cycles of UniformLoadShedder."""
    conf = {
        "loadBalancerMsgRateDifferenceShedderThreshold": chance.choice((50, 50, 0, 100.0)),
        "loadBalancerMsgThroughputMultiplierDifferenceShedderThreshold": chance.choice((4, 4, 0, 2.0)),
        "maxUnloadBundleNumPerShedding": chance.choice((-1, -1, 0, 1, 2)),
        **amounts(chance),
    }
    return lived(chance, conf, 2)


def avg(chance: random.Random) -> Row:
    """Return cycles of AvgShedder."""
    conf = {
        "loadBalancerAvgShedderLowThreshold": chance.choice((15, 15, 0, 5)),
        "loadBalancerAvgShedderHighThreshold": chance.choice((40, 40, 10, 20)),
        "loadBalancerAvgShedderHitCountLowThreshold": chance.choice((2, 3, 1)),
        "loadBalancerAvgShedderHitCountHighThreshold": chance.choice((2, 2, 0, 3)),
        **amounts(chance),
    }
    return lived(chance, conf, 4, 50)


def amounts(chance: random.Random) -> Row:
    """Return how much is worth while to move, and which share of the difference."""
    return {
        "maxUnloadPercentage": chance.choice((0.2, 0.2, 0.5, 1.0)),
        "minUnloadMessage": chance.choice((1000, 1000, 0)),
        "minUnloadMessageThroughput": chance.choice((1048576, 1048576, 0)),
    }


def lived(chance: random.Random, conf: Row, most_cycles: int, most_brokers: int = 12) -> Row:
    """Return cycles of one cluster, whose loads stay, or are drawn anew."""
    weights = {f"loadBalancer{name}ResourceWeight": chance.choice((1.0, 1.0, 0.0, 0.5)) for name in WEIGHTS}
    weights |= {key.replace("Bandwidth", "Bandwith"): value for key, value in weights.items()}
    history = {"loadBalancerHistoryResourcePercentage": chance.choice((0.9, 0.5, 0.0))}
    names = [
        f"broker-{chance.randrange(1000)}.{number}:8080"
        for number in range(chance.choice((0, 1, 2, 2, 3, 4, 5, 9, most_brokers)))
    ]
    few, scale = chance.random() < 0.5, chance.choice((1.0, 1e3, 1e3, 1e6, 1e9))
    cycles = [cycle(chance, names, few, scale)]
    for _ in range(chance.randint(1, most_cycles) - 1):
        cycles.append(dict(cycles[-1]) if chance.random() < 0.7 else cycle(chance, names, few, scale))
        if chance.random() < 0.2:
            cycles[-1]["active"] = some(chance, names, 0.8)
    return {"conf": {**weights, **history, **conf}, "cycles": cycles}


def cycle(chance: random.Random, names: list[str], few: bool, scale: float) -> Row:
    """Return a cycle; *few*: numbers are drawn from few values."""

    def amount() -> float:
        return scale * (chance.choice((0.0, 0.5, 1.0, 1.0, 2.0, 10.0)) if few else chance.random() * 10)

    near = not few and chance.random() < 0.6  # so near that a comparator of their differences is no order
    told = [broker(chance, name, few, amount, near, small=len(names) < 20) for name in names]
    bundles = [bundle for _, owned in told for bundle in owned]
    every = [bundle["name"] for bundle in bundles]
    known = [bundle for bundle in bundles if chance.random() < 0.97]
    return {"brokers": [one for one, _ in told], "bundles": known, "recent": some(chance, every, 0.2)}


def broker(
    chance: random.Random, name: str, few: bool, amount: Callable[[], float], near: bool, small: bool
) -> tuple[Row, list[Row]]:
    """Return a broker, whose traffic is mostly what its bundles have, and its bundles."""
    usages = {
        resource: [
            chance.choice(USAGES) if few else chance.random() * 110,
            chance.choice((100.0, 100.0, 100.0, 200.0, 0.0)),
        ]
        for resource in RESOURCES
        if chance.random() < 0.6
    }
    if near:
        usages = {"cpu": [chance.choice((5, 48, 48) if small else (48,)) + chance.random() * 3, 100.0]}
    host, bundles = name.partition(":")[0], list[Row]()
    for number in range(chance.choice((0, 1, 2, 2, 3, 5, 11) if small else (0, 1, 2))):
        namespace = chance.choice(BOUND).format(host) if chance.random() < 0.05 else f"t/n{chance.randrange(3)}"
        traffic = {"msgThroughputIn": amount() * 1e3, "msgThroughputOut": amount() * 1e3}
        traffic |= {"msgRateIn": amount(), "msgRateOut": amount()}
        low = chance.randrange(2**32)
        bundles.append({"name": f"{namespace}/0x{low:08x}_0x{number:08x}", "shortTerm": traffic})
    whole = chance.random() < 0.7
    sums = {
        key: sum((bundle["shortTerm"][key] for bundle in bundles), 0.0) if whole else amount() * 5
        for key in ("msgThroughputIn", "msgThroughputOut", "msgRateIn", "msgRateOut")
    }
    if chance.random() < 0.1:
        sums["msgThroughputIn"], sums["msgThroughputOut"] = 100 * MIB, 100 * MIB
    return {"id": name, **usages, **sums, "bundles": [bundle["name"] for bundle in bundles]}, bundles
