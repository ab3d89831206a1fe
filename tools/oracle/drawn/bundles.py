"""Random bundles with a broker's reports on them."""

import random
from typing import Final

from tools.oracle.drawn.values import Row, some

NAMESPACES: Final = ("t/n0", "t/n0", "t/n1", "t/n2", "t/n", "public/default")
ODD: Final = ("pulsar/system", "pulsar/host-1:8080", "pulsar/use/host-1:8080", "sla-monitor/use/host-1:8080",
              "sla-monitor/host-1:8080", "t/use/n1", "pulsar/functions", "a/b/c/d")  # fmt: skip
"""Namespaces of the system, and names that a release may refuse."""
STEPS: Final = (0.0, 1.0, 5e4, 99_999.0, 1e5, 100_001.0, 1.5e5, 2e5, 3e5, 1e6)


def top_k(chance: random.Random) -> Row:
    """Return the bundles of a broker; near each other as often as not, so that comparing them is no order."""
    count = chance.choice((0, 1, 2, 3, 5, 10, 12, 30)) if chance.random() < 0.9 else chance.choice((60, 200))
    odd, kind = chance.random() < 0.2, chance.choice(("few", "near", "wide", "tied"))
    bundles = [bundle(chance, number, kind, odd) for number in range(count)]
    namespaces = sorted({one["name"].rpartition("/")[0] for one in bundles})
    conf = {
        "loadBalancerSheddingBundlesWithPoliciesEnabled": chance.random() < 0.3,
        "loadBalancerSheddingExcludedNamespaces": some(chance, namespaces, 0.2),
    }
    most = chance.choice((10, 10, 1, 2, 3, 5, 40, 150, 0))
    groups = dict.fromkeys(some(chance, namespaces, 0.3), "g")
    return {"conf": conf, "k": most, "bundles": bundles, "groups": groups, "policies": some(chance, namespaces, 0.3)}


def bundle(chance: random.Random, number: int, kind: str, odd: bool) -> Row:
    """Return a bundle with its stats."""
    namespace = chance.choice(ODD) if odd and chance.random() < 0.1 else chance.choice(NAMESPACES)
    return {"name": f"{namespace}/0x{number:08x}_0x{number + 1:08x}", **stats(chance, kind)}


def stats(chance: random.Random, kind: str) -> Row:
    """Return the stats of a bundle: of *few* values, *near* each other, *wide*, or *tied* in all but the last."""
    if kind == "tied":
        topics, cache = (
            chance.choice((1, 250, 500, 501, 1000)),
            chance.choice((0, 1, 99_999, 100_000, 100_001, 250_000)),
        )
        return {"topics": topics, "msgThroughputIn": 1.0, "cacheSize": cache, "consumerCount": chance.choice((0, 250))}
    if kind == "few":
        throughput, rate = (
            [chance.choice(STEPS) for _ in range(2)],
            [chance.choice((0.0, 50.0, 100.0, 101.0, 250.0))] * 2,
        )
    else:
        reach = 4e5 if kind == "near" else 1e8
        throughput = [round(chance.random() * reach, 1) if chance.random() < 0.9 else 0.0 for _ in range(2)]
        rate = [round(chance.random() * 300, 1) for _ in range(2)]
    return {
        "topics": chance.randrange(2000),
        "consumerCount": chance.randrange(800),
        "producerCount": chance.randrange(800),
        "msgRateIn": rate[0],
        "msgRateOut": rate[1],
        "msgThroughputIn": throughput[0],
        "msgThroughputOut": throughput[1],
        "cacheSize": chance.randrange(300_000),
    }
