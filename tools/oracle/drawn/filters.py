"""Random brokers, bundles and policies, for the filters of either manager."""

import random
from typing import Final

from tools.oracle.drawn.values import Row, some

RANGES: Final = ("0x00000000_0x7fffffff", "0x7fffffff_0xffffffff")
STATES: Final = ("Owned",) * 6 + ("Assigning", "Releasing", "Splitting", "Free")
VERSIONS: Final = (
    "4.0.6", "4.0.6", "4.0.7", "4.0.10", "4.0.7-SNAPSHOT", "4.0.7-rc.2", "4.0.7-rc.10", "4.0.7-rc.1a", "4.0.7-2.x",
    "4.0.7+1", "4.0.7+2", "4.0.7+b.1", "4.0.7-rc.2+5",
)  # fmt: skip
MODULAR: Final = "org.apache.pulsar.broker.loadbalance.impl.ModularLoadManagerImpl"
EXTENSIBLE: Final = "org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl"


def anti_affinity(chance: random.Random) -> Row:
    """Return bundles of namespaces, most of one group, at brokers, most in domains."""
    brokers = [f"b{number}:8080" for number in range(chance.choice((1, 2, 3, 4, 6)))]
    namespaces = [f"t/n{number}" for number in range(chance.choice((1, 2, 3, 5)))]
    groups = {name: chance.choice(("g", "g", "g", "G", "h", " ")) for name in namespaces if chance.random() < 0.9}
    bundles = [f"{namespace}/{one}" for namespace in namespaces for one in RANGES]
    owned = [
        {"bundle": bundle, "broker": chance.choice(brokers), "state": chance.choice(STATES)}
        for bundle in bundles
        if chance.random() < 0.7
    ]
    domains = {broker: chance.choice(("d0", "d1", "d2")) for broker in brokers if chance.random() < 0.8}
    return {
        "conf": {"failureDomainsEnabled": chance.random() < 0.8},
        "groups": groups,
        "owned": owned,
        "domains": domains if chance.random() < 0.7 else {},
        "candidates": [one for one in chance.sample(brokers, len(brokers)) if chance.random() < 0.9],
        "bundle": chance.choice(bundles),
        "current": chance.choice(brokers),
    }


def isolation(chance: random.Random) -> Row:
    """Return policies, whose patterns match one broker or many, and brokers that take topics of one kind or both."""
    brokers = [f"b{number}.x:8080" for number in range(chance.choice((1, 2, 3, 5)))]
    brokers += ["b9"] if chance.random() < 0.1 else []
    hosts = [broker.partition(":")[0] for broker in brokers]
    patterns = [*hosts, "b[0-2]\\.x", "b.*", ".*", "b", "b1.x|b2.x"]
    policies = {
        f"p{number}": {
            "namespaces": chance.sample(["t/n0", "t/n1", "t/.*", "t/n", "u/.*"], chance.choice((1, 2))),
            "primary": chance.sample(patterns, chance.choice((1, 1, 2))),
            "secondary": chance.sample(patterns, chance.choice((0, 1, 2))),
            "auto_failover_policy": {
                "policy_type": "min_available",
                "parameters": {"min_limit": str(chance.choice((0, 1, 2, 3))), "usage_threshold": "80"},
            },
        }
        for number in range(chance.choice((0, 1, 1, 2)))
    }
    return {
        "policies": None if chance.random() < 0.03 else policies,
        "bundle": f"t/n{chance.randrange(3)}/{RANGES[0]}",
        "has_non_persistent": chance.random() < 0.3,
        "available": chance.sample(brokers, len(brokers)),
        "persistent": [one for one in brokers if chance.random() < 0.8],
        "non_persistent": [one for one in brokers if chance.random() < 0.8],
    }


def filters(chance: random.Random) -> Row:
    """Return brokers around the greatest number of topics, of like versions, most of them with some data."""
    names = [f"b{number}" for number in range(chance.choice((0, 1, 2, 3, 5)))]
    return {
        "conf": {
            "loadBalancerBrokerMaxTopics": chance.choice((0, 10, 10)),
            "preferLaterVersions": chance.random() < 0.7,
            "loadManagerClassName": chance.choice((MODULAR, EXTENSIBLE)),
        },
        "brokers": [broker(chance, name) for name in names if chance.random() < 0.95],
        "candidates": [one for one in chance.sample(names, len(names)) if chance.random() < 0.9],
    }


def broker(chance: random.Random, name: str) -> Row:
    """Return the data on a broker."""
    told: Row = {"id": name, "topics": chance.choice((0, 9, 10, 11))}
    told["preallocated"] = [chance.choice((0, 1, 2)) for _ in some(chance, ["x", "y"], 0.7)]
    versions = VERSIONS if chance.random() < 0.98 else ("", "xxx", "4.0", "4.00.6", None)
    told["version"] = chance.choice(versions)
    told["load_manager"] = chance.choice((MODULAR, MODULAR, EXTENSIBLE, None))
    return told
