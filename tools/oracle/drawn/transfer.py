"""Random cycles of ``TransferShedder``."""

import random
from typing import Any

from tools.oracle.drawn.values import LOADS, THROUGHPUTS, Row, some


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
