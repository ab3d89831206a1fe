"""Random steps of a broker that reports its load: little or much changes, a report is forced, bundles come and go."""

import random

from tools.oracle.drawn.extensible import report
from tools.oracle.drawn.values import Row

STATES = ("Owned", "Releasing", "Splitting", "Assigning", "Free", "Deleted", "Init")
NEAR = (0.0, 1.0, 94.0, 95.1, 100.0, 104.0, 105.0, 105.1, 110.0, 111.0)


def report_modular(chance: random.Random) -> Row:
    """Return steps of the modular manager; the store is away now and then."""
    row = steps(chance)
    for one in row["steps"]:
        one["connected"] = chance.random() < 0.9
    weights = {
        f"loadBalancer{name}ResourceWeight": chance.choice((1.0, 1.0, 0.0, 0.5))
        for name in ("CPU", "DirectMemory", "BandwidthIn", "BandwidthOut")
    }
    row["conf"] |= weights | {key.replace("Bandwidth", "Bandwith"): value for key, value in weights.items()}
    return row


def report_extensible(chance: random.Random) -> Row:
    """Return steps of the extensible manager, some of which are records of the channel, of this broker or another."""
    row = steps(chance)
    for place, one in enumerate(row["steps"]):
        if chance.random() < 0.35:
            event = {"state": chance.choice(STATES), "error": chance.random() < 0.1}
            event |= {side: chance.choice(("b1", "b2")) for side in ("source", "destination")}
            row["steps"][place] = {"after_s": one["after_s"], "event": event}
        row["steps"][place] |= {"fails": chance.random() < 0.1, "newer": chance.random() < 0.7}
    return {**row, "broker": "b1"}


def steps(chance: random.Random) -> Row:
    """Return the settings, and steps that come at once, after seconds, or after what may be too long."""
    conf = {
        "loadBalancerReportUpdateThresholdPercentage": chance.choice((10, 10, 5, 0, 100)),
        "loadBalancerReportUpdateMaxIntervalMinutes": chance.choice((15, 15, 1)),
    }
    told = [report(chance)]
    for _ in range(chance.choice((0, 1, 3, 5))):
        told.append(dict(told[-1]) if chance.random() < 0.5 else report(chance))
        if chance.random() < 0.5:
            told[-1]["cpu"] = [chance.choice(NEAR), 1000.0]
    return {"conf": conf, "steps": [measured(chance, one) for one in told]}


def measured(chance: random.Random, told: Row) -> Row:
    """Return a step with a report, whose traffic and bundles are near those of others."""
    traffic = {f"{one}{way}": chance.choice(NEAR) for one in ("msgRate", "msgThroughput") for way in ("In", "Out")}
    if chance.random() < 0.7:
        traffic = dict.fromkeys(traffic, 100.0) | {chance.choice([*traffic]): chance.choice(NEAR)}
    step = {"after_s": chance.choice((0, 4, 11, 401, 1201)), "force": chance.random() < 0.1}
    return {**step, "report": {**told, **traffic, "bundles": chance.choice((100, 100, 100, 104, 106, 111, 1))}}
