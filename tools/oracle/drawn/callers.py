"""Random answers of shedders, and their callers' view: brokers, policies, recent unloads."""

import random

from tools.oracle.drawn.filters import RANGES, anti_affinity, isolation
from tools.oracle.drawn.values import Row, some


def unload_scheduler(chance: random.Random) -> Row:
    """Return a run of the extensible manager: most of its gates are open, and some of its neighbours do not answer."""
    brokers = [f"b{number}:8080" for number in range(chance.choice((0, 1, 2, 2, 3, 5)))]
    row = run(chance, brokers, [f"t/n{number}/{one}" for number in range(3) for one in RANGES])
    named = [bundle for bundles in (row["unload"] or {}).values() for bundle in bundles]
    return {
        **row,
        "owner": chance.choice((True, True, True, True, True, False, None)),
        "available": None if chance.random() < 0.05 else brokers,
        "late": some(chance, [one for one in named if one not in row["refused"]], 0.3),
    }


def load_shedding_task(chance: random.Random) -> Row:
    """Return a run of the modular manager, of brokers few enough that policies and groups leave one or none."""
    grouped, policed = anti_affinity(chance), isolation(chance)
    brokers = [one for one in policed["available"] if ":" in one]
    bundles = sorted({one["bundle"] for one in grouped["owned"]} | {policed["bundle"]})
    row = run(chance, brokers, bundles)
    places = [*brokers, None]
    return {
        **policed,
        "groups": grouped["groups"],
        "owned": [{**one, "broker": chance.choice(brokers)} for one in grouped["owned"]] if brokers else [],
        **row,
        "selected": {bundle: chance.choice(places) for bundle in bundles},
        "cancelled": chance.random() < 0.05,
        "metadata_available": chance.random() < 0.9,
        "conf": {
            **row["conf"],
            "loadBalancerSheddingExcludedNamespaces": some(chance, [f"t/n{number}" for number in range(3)], 0.2),
        },
    }


def run(chance: random.Random, brokers: list[str], bundles: list[str]) -> Row:
    """Return the settings, the shedder's choices, and the earlier unloads, half a minute off the grace period."""
    grace = chance.choice((30, 30, 1, 0))
    named: dict[str, list[str]] = {broker: [] for broker in brokers}
    for bundle in bundles:
        if named and chance.random() < 0.5:
            named[chance.choice(brokers)].append(bundle)
    unload = {broker: names for broker, names in named.items() if names}
    return {
        "conf": {
            "loadBalancerEnabled": chance.random() < 0.95,
            "loadBalancerSheddingEnabled": chance.random() < 0.95,
            "loadBalancerSheddingGracePeriodMinutes": grace,
        },
        "unload": None if chance.random() < 0.05 else unload if chance.random() < 0.9 else {},
        "recent": {name: grace + chance.choice((-20.5, -0.5, 0.5, 90)) for name in some(chance, bundles, 0.5)},
        "refused": some(chance, bundles, 0.3),
    }
