"""Random groups of Kafka Streams, and series of rebalances."""

import random
from typing import Final

from tools.oracle.drawn.values import Row

LAGS: Final = (-2, -3, 0, 1, 99, 100, 101, 500, 5_000, 10_000, 10_001, 2**63 - 1)
ACCEPTABLE: Final = (0, 100, 100, 10_000, 2**63 - 1)
NAMES: Final = ("high_availability", "sticky", "fallback")


def assignors(chance: random.Random) -> Row:
    """Return a group that any of the three assignors is asked about; now and then a large one."""
    large = chance.random() < 0.05
    count = chance.randint(1, 40 if large else 8)
    stateful, stateless = some_tasks(chance, 60 if large else 12)
    lags = chance.choice((LAGS, LAGS[2:], (-2, 0, 100, 101), (0, 500), (200, 300, 400, 20_000)))
    clients = [
        {
            "id": number,
            "capacity": chance.choice((1, 1, 2, 3, 5)),
            "lags": {task: chance.choice(lags) for task in stateful},
            "tags": some_tags(chance),
        }
        for number in sorted(chance.sample(range(1, 4 * count), count))
    ]
    with_history(chance, clients, stateful + stateless)
    return {
        "kind": "single",
        "assignors": list(NAMES),
        "clients": clients,
        "stateful": stateful,
        "stateless": stateless,
        "config": some_config(chance, len(stateful)),
    }


def racks(chance: random.Random) -> Row:
    """Return a group for the two assignors that consider racks; now and then some rack is unknown."""
    row = assignors(chance)
    while len(row["clients"]) > 9 or len(row["stateful"]) + len(row["stateless"]) > 14:
        row = assignors(chance)
    names = [f"r{number}" for number in range(1, chance.randint(2, 5))]
    lacking = 0.02 if chance.random() < 0.15 else 0.0

    def some_racks(tasks: list[str], most: int, copies: int) -> dict[str, list[list[str | None]]]:
        counts = {task.split("_")[0]: chance.randint(1, most) for task in tasks}
        return {
            task: [
                [None if chance.random() < lacking else chance.choice(names) for _ in range(copies)]
                for _ in range(counts[task.split("_")[0]])
            ]
            for task in tasks
            if chance.random() >= lacking / 4
        }

    for client in row["clients"]:
        client["rack"] = None if chance.random() < lacking else chance.choice(names)
    strategy = chance.choice(("min_traffic", "balance_subtopology"))
    copies = chance.choice((1, 1, 2, 3))
    costs = [{}, {}, {"traffic_cost": chance.choice((0, 1, 5, 10)), "non_overlap_cost": chance.choice((0, 1, 5, 10))}]
    told = {f"rack.aware.assignment.{key}": value for key, value in chance.choice(costs).items()}
    return {
        **row,
        "assignors": list(NAMES[:2]),
        "config": {**row["config"], "rack.aware.assignment.strategy": strategy, **told},
        "racks": some_racks([*row["stateful"], *row["stateless"]], 3, copies),
        "changelog_racks": some_racks(row["stateful"], 2, copies),
    }


def series(chance: random.Random) -> Row:
    """Return a group whose members leave, join and come back."""
    count, end = chance.randint(1, 6), chance.choice((50, 150_000))
    stateful, stateless = some_tasks(chance, 10)
    there, gone, events = list(range(1, count + 1)), set[int](), []
    for _ in range(chance.randint(1, 6)):
        leave = chance.sample(there, chance.randint(0, len(there) - 1)) if chance.random() < 0.5 else []
        there = [one for one in there if one not in leave]
        new = max([*there, *gone, *leave]) + 1
        back = [one for one in sorted(gone) if chance.random() < 0.5]
        join = back if chance.random() < 0.5 else [*back, new]
        gone = gone.union(leave) - set(join)
        there = sorted({*there, *join})
        events.append({"leave": leave, "join": join})
    clients = [
        {"id": number, "capacity": chance.choice((1, 1, 2)), "lags": dict.fromkeys(stateful, end)}
        for number in range(1, count + 1)
    ]
    return {
        "kind": "series",
        "assignors": [chance.choice((NAMES[0], *NAMES))],
        "clients": clients,
        "stateful": stateful,
        "stateless": stateless,
        "config": some_config(chance, len(stateful)),
        "rounds": events,
        "end": end,
        "budget": chance.choice((3, 20)),
    }


def some_tasks(chance: random.Random, most: int) -> tuple[list[str], list[str]]:
    """Return stateful and stateless tasks, in any order."""
    partitions = chance.randint(1, 6)
    tasks = [f"{place // partitions}_{place % partitions}" for place in range(chance.randint(1, most))]
    share = chance.choice((1.0, 1.0, 0.7, 0.3))
    stateful = [task for task in tasks if chance.random() < share]
    stateless = [task for task in tasks if task not in stateful]
    for some in (stateful, stateless) if chance.random() < 0.3 else ():
        chance.shuffle(some)
    return stateful, stateless


def some_tags(chance: random.Random) -> dict[str, str]:
    """Return tags of a client, of which one is not always there."""
    tags = {"zone": f"z{chance.randint(1, 3)}", "cluster": f"c{chance.randint(1, 2)}"}
    return {key: value for key, value in tags.items() if chance.random() < 0.95}


def some_config(chance: random.Random, most: int) -> Row:
    """Return settings."""
    tags = chance.choice((["zone"], ["zone", "cluster"], ["cluster", "rack"])) if chance.random() < 0.3 else []
    return {
        "acceptable.recovery.lag": chance.choice(ACCEPTABLE),
        "max.warmup.replicas": chance.choice((1, 2, 2, 3, max(most, 1))),
        "num.standby.replicas": chance.choice((0, 0, 1, 1, 2, 3)),
        "rack.aware.assignment.tags": tags,
    }


def with_history(chance: random.Random, clients: list[Row], tasks: list[str]) -> None:
    """Set the former tasks of clients; now and then two claim that they ran one."""
    for client in clients:
        client["previous_active"], client["previous_standby"] = [], []
    for task in tasks if chance.random() < 0.8 else []:
        for client in chance.sample(clients, min(chance.choice((0, 1, 1, 1, 1, 2)), len(clients))):
            client["previous_active"].append(task)
        for client in clients:
            if task not in client["previous_active"] and chance.random() < 0.25:
                client["previous_standby"].append(task)
