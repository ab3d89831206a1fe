"""Random bundles that may be too large, where they are split, and topics in them."""

import random
import zlib
from itertools import pairwise
from typing import Any, Final

from tools.oracle.drawn.values import Row, some

END: Final = 0xFFFFFFFF
MEGABYTES: Final = (100, 100, 1, 2047, 2048, 4096, 4097)
NAMESPACES: Final = ("t/n", "t/n2", "t/other")
"""The first is how the second begins."""


def limits(chance: random.Random) -> Row:
    """Return settings of splits, small ones as often as those by default."""
    return {
        "loadBalancerNamespaceMaximumBundles": chance.choice((128, 128, 2, 3, 5)),
        "loadBalancerNamespaceBundleMaxTopics": chance.choice((1000, 1000, 2, 0)),
        "loadBalancerNamespaceBundleMaxSessions": chance.choice((1000, 1000, 5, 0)),
        "loadBalancerNamespaceBundleMaxMsgRate": chance.choice((30_000, 30_000, 10)),
        "loadBalancerNamespaceBundleMaxBandwidthMbytes": chance.choice(MEGABYTES),
        "loadBalancerNamespaceBundleSplitConditionHitCountThreshold": chance.choice((0, 0, 1, 3, -1)),
        "loadBalancerMaxNumberOfBundlesToSplitPerCycle": chance.choice((10, 10, 1, 2, 0)),
    }


def around(chance: random.Random, limit: float) -> float:
    """Return a value at a limit, or next to it, or far from it."""
    return max(0.0, chance.choice((0.0, limit / 2, limit, limit, limit + 1, limit * 3)))


def traffic(chance: random.Random, conf: Row) -> Row:
    """Return the traffic of a bundle."""
    rate = around(chance, conf["loadBalancerNamespaceBundleMaxMsgRate"])
    throughput = around(chance, conf["loadBalancerNamespaceBundleMaxBandwidthMbytes"] * 2**20)
    shares = chance.choice((0.0, 0.5, 1.0)), chance.choice((0.0, 0.5, 1.0))
    told = {"msgRateIn": rate * shares[0], "msgRateOut": rate * (1 - shares[0])}
    return {**told, "msgThroughputIn": throughput * shares[1], "msgThroughputOut": throughput * (1 - shares[1])}


def stats(chance: random.Random, name: str, conf: Row, light: bool) -> Row:
    """Return a broker's report on a bundle; *light*: it exceeds one limit at most."""
    sessions = int(around(chance, conf["loadBalancerNamespaceBundleMaxSessions"]))
    producers = chance.randint(0, sessions)
    topics = int(around(chance, conf["loadBalancerNamespaceBundleMaxTopics"]))
    told: Row = {
        "topics": topics if chance.random() < 0.8 else chance.choice((0, 1, 2)),
        "producerCount": producers,
        "consumerCount": sessions - producers,
        **traffic(chance, conf),
    }
    if light:
        kept = chance.choice(list(told))
        told = {key: value if key == kept else type(value)(0) for key, value in told.items()} | {"topics": 2}
    return {"name": name, **told}


def names(chance: random.Random) -> list[str]:
    """Return the names of some bundles, some too narrow to be split."""
    found = []
    for namespace in chance.sample(NAMESPACES, chance.randint(1, 3)):
        ends = sorted({0, END, *(chance.choice((1, 2, END - 1, 2**30, 2**31)) for _ in range(chance.randint(0, 3)))})
        found += [f"{namespace}/0x{low:08x}_0x{high:08x}" for low, high in pairwise(ends)]
    return chance.sample(found, len(found))


def counts(chance: random.Random) -> Row:
    """Return how many bundles each namespace has; of some it cannot be had."""
    return {name: chance.choice((1, 2, 4, 127, 128)) for name in NAMESPACES if chance.random() < 0.95}


def split_trigger_modular(chance: random.Random) -> Row:
    """Return a leader's data on brokers and bundles; one may be reported by two."""
    conf, bundles, light = limits(chance), names(chance), chance.random() < 0.5
    brokers = [{"id": f"b{number}", "stats": list[Row]()} for number in range(chance.randint(1, 3))]
    for name in bundles + some(chance, bundles, 0.2):
        listed: Any = chance.choice(brokers)["stats"]
        if name not in [one["name"] for one in listed]:
            listed.append(stats(chance, name, conf, light))
    averages = [{"name": name, "longTerm": traffic(chance, conf)} for name in bundles if chance.random() < 0.8]
    return {"conf": conf, "brokers": brokers, "bundles": averages, "bundle_counts": counts(chance)}


def split_trigger_extensible(chance: random.Random) -> Row:
    """Return cycles of a broker, whose bundles mostly stay."""
    conf, bundles, light = limits(chance), names(chance), chance.random() < 0.5
    return {"conf": conf, "cycles": [cycle(chance, conf, bundles, light) for _ in range(chance.choice((1, 2, 6)))]}


def cycle(chance: random.Random, conf: Row, bundles: list[str], light: bool) -> Row:
    """Return a cycle of a broker."""
    listed = [name for name in bundles if chance.random() < 0.95]
    everything = [f"{namespace}/{name.rpartition('/')[2]}" for name in bundles for namespace in NAMESPACES]
    return {
        "bundles": [stats(chance, name, conf, light) for name in listed],
        "boundaries": {name: proposed(chance, name) for name in listed if chance.random() < 0.95},
        "not_owned": some(chance, listed, 0.2),
        "splitting": some(chance, everything, 0.1),
        "bundle_counts": counts(chance),
    }


def proposed(chance: random.Random, name: str) -> list[int] | None:
    """Return an algorithm's proposal for a bundle: mostly its middle, sometimes an end of it, several, or none."""
    low, high = (int(end, 16) for end in name.rpartition("/")[2].split("_"))
    middle = low + (high - low) // 2
    if chance.random() < 0.85:
        return [middle]
    return chance.choice((None, [], [low], [high], [middle, middle + 1], [low + 1], [high - 1], [high + 1]))


def split_boundaries(chance: random.Random) -> Row:
    """Return a bundle of a namespace, its topics, and an algorithm to split it by."""
    inner = {chance.choice((1, 2, 3, END - 1, chance.randrange(END))) for _ in range(chance.choice((0, 1, 1, 3)))}
    namespace = sorted({0, END, *(inner - {0})})
    at = chance.randrange(len(namespace) - 1)
    low, high = namespace[at], namespace[at + 1] if chance.random() < 0.9 else namespace[-1]
    here = [low, low + 1, low + 2, (low + high) // 2, high - 1, high, high + 1, chance.randint(low, high)]
    load = chance.choice((1.0, 10.0, 1e4, 3e4))
    topics: list[Any] = [topic(chance, load) for _ in range(chance.choice((0, 1, 2, 2, 3, 10, 40)))]
    if low == 0 and chance.random() < 0.2:  # two of one hash
        topics += [[f"persistent://public/default/{name}", load, 0.0] for name in ("t29685295", "t32060020")]
    return {
        "split_algorithm": chance.choice(ALGORITHMS),
        "boundaries": namespace,
        "bundle": f"0x{low:08x}_0x{high:08x}",
        "topics": [list(one) for one in dict.fromkeys(map(tuple, topics))],
        "positions": [chance.choice(here) for _ in range(chance.choice((0, 1, 2, 3)))],
        "conf": {
            "loadBalancerNamespaceBundleMaxMsgRate": chance.choice((30_000, 10, 1)),
            "loadBalancerNamespaceBundleMaxBandwidthMbytes": chance.choice((100, 1, 4096)),
            "flowOrQpsDifferenceThresholdPercentage": chance.choice((10, 0, 100)),
        },
    }


ALGORITHMS: Final = (
    "range_equally_divide", "topic_count_equally_divide", "specified_positions_divide", "flow_or_qps_equally_divide",
)  # fmt: skip


def topic(chance: random.Random, load: float) -> list[Any]:
    """Return a topic with its messages and bytes a second; wherever its hash lies."""
    name = f"persistent://public/default/{chance.randrange(10**6)}"
    throughput = chance.choice((0.0, 1e5, 1e7, chance.random() * 1e8))
    return [name, chance.choice((0.0, load, chance.random() * load)), throughput]


def topic_bundle(chance: random.Random) -> Row:
    """Return topics, and a namespace by the number of its bundles or by its boundaries."""
    names = [f"{chance.choice(('persistent', 'non-persistent'))}://public/default/{chance.choice(LOCAL)}"
             f"{chance.randrange(10**4)}" for _ in range(chance.choice((1, 3, 10)))]  # fmt: skip
    if chance.random() < 0.3:  # their hash is the last boundary
        names.append(f"persistent://public/default/{chance.choice(('xa-PeL5', 'xmr9f-b'))}")
    if chance.random() < 0.5:
        return {"bundles": chance.choice((1, 2, 3, 4, 5, 7, 16, 100, 1000)), "topics": list(dict.fromkeys(names))}
    inner = {zlib.crc32(one.encode()) for one in names if chance.random() < 0.5} | {chance.randrange(1, END)}
    boundaries = [f"0x{one:08x}" for one in sorted({0, END, *inner})]
    return {"boundaries": boundaries, "topics": list(dict.fromkeys(names))}


LOCAL: Final = ("topic-", "tópico-", "主题", "t-partition-")
