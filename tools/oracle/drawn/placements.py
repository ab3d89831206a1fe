"""Random cycles of the placement strategies of the modular load manager."""

import random
from typing import Final

from tools.oracle.drawn.values import Row, some

RESOURCES: Final = ("cpu", "memory", "directMemory", "bandwidthIn", "bandwidthOut")
SHARES: Final = (0.1, 0.2, 0.3, 0.4, 0.7, 1.1, 1.3)
"""Rates whose sum depends on their order, in the last bit."""
USAGES: Final = (0.0, 5.0, 10.0, 30.0, 60.0, 85.0, 90.0, 140.0)


def placement(chance: random.Random) -> Row:
    """Return cycles of one cluster, whose candidates and loads change now and then."""
    weights: Row = {
        f"loadBalancer{name}ResourceWeight": chance.choice((1.0, 1.0, 0.0, 0.5))
        for name in ("CPU", "Memory", "DirectMemory", "BandwidthIn", "BandwidthOut")
    }
    weights |= {key.replace("Bandwidth", "Bandwith"): value for key, value in weights.items()}
    conf = {
        "loadBalancerHistoryResourcePercentage": chance.choice((0.9, 0.5, 0.0)),
        "loadBalancerBrokerOverloadedThresholdPercentage": chance.choice((85, 85, 60, 5)),
        "loadBalancerAverageResourceUsageDifferenceThresholdPercentage": chance.choice((10, 10, 0, 25)),
    }
    names = [f"broker-{chance.randrange(1000)}.{number}:8080" for number in range(chance.choice((0, 1, 2, 3, 5, 12)))]
    few = chance.random() < 0.5
    cycles = [cycle(chance, names, few)]
    for _ in range(chance.choice((0, 0, 3, 8))):
        cycles.append(dict(cycles[-1]) if chance.random() < 0.6 else cycle(chance, names, few))
        if chance.random() < 0.2:
            cycles[-1]["active"] = some(chance, names, 0.8)
    return {"conf": {**weights, **conf}, "cycles": cycles}


def turns(chance: random.Random) -> Row:
    """Return the same, without reports of brokers."""
    told = placement(chance)
    cycles = [{"brokers": [], "candidates": one["candidates"]} for one in told["cycles"]]
    return {"conf": told["conf"], "cycles": cycles}


def cycle(chance: random.Random, names: list[str], few: bool) -> Row:
    """Return brokers and candidates, one of them perhaps unknown; *few*: numbers are drawn from few values."""
    known = names if chance.random() < 0.95 else names[1:]
    candidates = [one for one in chance.sample(names, len(names)) if chance.random() < 0.9]
    return {"brokers": [broker(chance, name, few) for name in known], "candidates": candidates}


def broker(chance: random.Random, name: str, few: bool) -> Row:
    """Return a broker, with its intended load."""

    def rate() -> float:
        return chance.choice((0.0, 0.1, 0.1, 0.2, 0.7)) if few else round(chance.random() * 1e4, 2)

    usages = {
        one: [
            chance.choice(USAGES) if few else round(chance.random() * 110, 1),
            chance.choice((100.0, 100.0, 200.0, 0.0)),
        ]
        for one in RESOURCES
        if chance.random() < 0.5
    }
    rates = [(rate(), rate()) for _ in range(chance.choice((0, 0, 0, 1, 2, 5, 13)))]
    if few and chance.random() < 0.4:
        rates = [(one, 0.0) for one in chance.sample(SHARES, len(SHARES))]
    preallocated = [
        {
            "name": f"t/n{chance.randrange(3)}/0x{chance.randrange(2**32):08x}_0x{number:08x}",
            "longTerm": {"msgRateIn": taken_in, "msgRateOut": given_out},
        }
        for number, (taken_in, given_out) in enumerate(rates)
    ]
    return {
        "id": name,
        **usages,
        **({"msgRateIn": rate(), "msgRateOut": rate()} if chance.random() < 0.8 else {}),
        "bundles": ["t/n/0x00000000_0xffffffff"] if chance.random() < 0.8 else [],
        "timeAverage": {"longTermMsgRateIn": rate(), "longTermMsgRateOut": rate()},
        "preallocated": preallocated,
    }


def avg_placement(chance: random.Random) -> Row:
    """Return a bundle, few candidates, and a plan for bundles of which some have the same traffic."""
    brokers = [f"b{number}:8080" for number in range(4)]
    bundles = [
        {
            "name": f"t/n/{number}",
            **{term: {"msgRateIn": chance.choice((0.0, 1.0))} for term in ("shortTerm", "longTerm")},
        }
        for number in range(3)
    ]
    plan = [{**one, "broker": chance.choice(brokers)} for one in bundles if chance.random() < 0.6]
    candidates = chance.sample(brokers, chance.choice((0, 1, 2, 3, 4)))
    return {"candidates": candidates, "bundle": chance.choice(bundles), "plan": plan}


def select_extensible(chance: random.Random) -> Row:
    """Return brokers, and filters that answer in any order; few of them fail."""
    brokers = [f"b{number}:8080" for number in range(chance.choice((0, 1, 2, 3, 5)))]
    count = chance.choice((0, 1, 2, 3, 5))
    places = chance.sample(range(1, count + 1), count)
    filters: list[Row] = []
    for place in places:
        one: Row = {"answers": place if chance.random() < 0.6 else 0, "fails": chance.random() < 0.15}
        if chance.random() < 0.6:
            one["keeps"] = [broker for broker in brokers if chance.random() < 0.7]
        if chance.random() < 0.5:
            one["counts"] = {broker: chance.choice((0, 1, 2)) for broker in brokers if chance.random() < 0.8}
        filters.append(one)
    return {"available": brokers, "excluded": some(chance, brokers, 0.3), "filters": filters}
