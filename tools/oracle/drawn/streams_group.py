"""Random streams groups, and members of them."""

import random
from typing import Final

from tools.oracle.drawn.values import Row

ROLES: Final = ("active", "standby", "warmup")
STATES: Final = (
    "STABLE", "STABLE", "UNREVOKED_TASKS", "UNREVOKED_TASKS", "UNRELEASED_TASKS", "UNRELEASED_TASKS", "UNKNOWN",
)  # fmt: skip


def reconcile(chance: random.Random) -> Row:
    """Return a member, its target, its reported tasks, and the owners of each task."""
    tasks = [f"s{name}_{number}" for name in range(chance.randint(1, 3)) for number in range(chance.randint(1, 4))]
    assigned = some_tuple(chance, tasks, 0.4)
    pending = some_tuple(chance, tasks, chance.choice((0, 0.3)))
    target = chance.choice((assigned, some_tuple(chance, tasks, 0.4), some_tuple(chance, tasks, 0.7)))
    epoch = chance.randint(1, 3)
    owned = chance.choice((None, {}, assigned, pending, some_tuple(chance, tasks, 0.3)))
    holders: Row = {
        "active": {task: f"p{chance.randint(1, 3)}" for task in tasks if chance.random() < 0.3},
        **{
            role: {task: [f"p{one}" for one in (1, 2, 3) if chance.random() < 0.2] for task in tasks}
            for role in ROLES[1:]
        },
    }
    return {
        "kind": "reconcile",
        "member": {
            "process": "p1",
            "state": chance.choice(STATES),
            "epoch": epoch,
            "assigned": assigned,
            "pending": pending,
        },
        "target": {"epoch": epoch + chance.choice((0, 1, 1, 2)), **target},
        "owned": owned,
        "holders": holders if chance.random() < 0.8 else {},
    }


def sticky(chance: random.Random) -> Row:
    """Return a group, of whose tasks members may have had some."""
    subtopologies = {
        f"s{name}": {"partitions": chance.randint(1, 5), "stateful": chance.random() < 0.7}
        for name in range(chance.randint(1, 3))
    }
    tasks = [f"{name}_{number}" for name, one in subtopologies.items() for number in range(one["partitions"])]
    count, processes = chance.randint(1, 6), chance.randint(1, 4)
    members: list[Row] = [
        {"id": f"m{number}", "process": f"p{chance.randint(1, processes)}", "active": {}, "standby": {}}
        for number in range(count)
    ]
    for task in tasks if chance.random() < 0.8 else ():
        name, number = task.split("_")
        had = chance.sample(members, min(count, chance.randint(0, 3)))
        for role, member in zip(("active", "standby", "standby"), had, strict=False):
            member[role].setdefault(name, []).append(int(number))
    return {
        "kind": "sticky",
        "members": members,
        "subtopologies": subtopologies,
        "num.standby.replicas": chance.choice((0, 0, 1, 1, 2)),
    }


def some_tuple(chance: random.Random, tasks: list[str], share: float) -> dict[str, dict[str, list[int]]]:
    """Return tasks by role: partitions by subtopology."""
    found: dict[str, dict[str, list[int]]] = {role: {} for role in ROLES}
    for role in ROLES:
        for task in tasks:
            if chance.random() < share:
                name, number = task.split("_")
                found[role].setdefault(name, []).append(int(number))
    return found
