"""Random questions to the modular load manager: the choice of a broker for a bundle."""

import random

from tools.oracle.drawn.filters import MODULAR, anti_affinity, filters, isolation
from tools.oracle.drawn.placements import placement
from tools.oracle.drawn.values import Row


def select_modular(chance: random.Random) -> Row:
    """Return policies, groups, loads and settings of the same brokers; of few enough that filters meet."""
    grouped, policed, filtered, placed = (draw(chance) for draw in (anti_affinity, isolation, filters, placement))
    names = [f"b{number}.x:8080" for number in range(chance.choice((1, 2, 3, 5)))]
    known = [{"version": "4.0.6", "load_manager": MODULAR}, *filtered["brokers"]]
    loads = placed["cycles"][0]["brokers"] or [{"bundles": []}]
    brokers = [
        {"topics": 0, **chance.choice(known), "preallocated": [], **chance.choice(loads), "id": name} for name in names
    ]
    number_of = {f"b{number}:8080": f"b{number % len(names)}.x:8080" for number in range(6)}
    return {
        **policed,
        "groups": grouped["groups"],
        "owned": [{**one, "broker": number_of[one["broker"]]} for one in grouped["owned"]],
        "domains": {number_of[broker]: domain for broker, domain in grouped["domains"].items()},
        "bundle": grouped["bundle"],
        "available": chance.sample(names, len(names)),
        "persistent": [one for one in names if chance.random() < 0.9],
        "non_persistent": [one for one in names if chance.random() < 0.9],
        "brokers": brokers,
        "conf": {
            **placed["conf"],
            **grouped["conf"],
            **filtered["conf"],
            "loadManagerClassName": MODULAR,
            "loadBalancerDistributeBundlesEvenlyEnabled": chance.random() < 0.7,
        },
    }
