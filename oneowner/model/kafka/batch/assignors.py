"""Lines that ask for the assignments of Kafka Streams' assignors, in one rebalance or in a series."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from oneowner.model.kafka.assignors.group import (
    Assigned,
    Assignment,
    Client,
    Config,
    Group,
    Rules,
    TaskRacks,
    Tasks,
)
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.assignors.rack_aware import BALANCE_SUBTOPOLOGY, MIN_TRAFFIC
from oneowner.model.kafka.assignors.series import Event, rebalances
from oneowner.model.kafka.assignors.sticky import assign_as_before, assign_sticky
from oneowner.model.kafka.task import TaskId, task_of
from oneowner.model.kafka.variants import VARIANTS
from oneowner.model.kernel.batch import Algorithm, InvalidInput, Row
from oneowner.model.kernel.decision import Thrown

NAMED: Final[Mapping[str, Callable[[Group], Assignment | Thrown]]] = {
    "high_availability": assign_highly_available,
    "sticky": assign_sticky,
    "fallback": assign_as_before,
}
CONFIG: Final = {
    "acceptablerecoverylag": "acceptable_recovery_lag",
    "maxwarmupreplicas": "max_warmup_replicas",
    "numstandbyreplicas": "num_standby_replicas",
    "rackawareassignmenttags": "rack_aware_assignment_tags",
    "rackawareassignmentstrategy": "rack_aware_assignment_strategy",
    "rackawareassignmenttrafficcost": "rack_aware_traffic_cost",
    "rackawareassignmentnonoverlapcost": "rack_aware_non_overlap_cost",
}
"""Fields by keys of a configuration without what divides words: ``max.warmup.replicas`` or ``maxWarmupReplicas``."""
STRATEGIES: Final = ("none", MIN_TRAFFIC, BALANCE_SUBTOPOLOGY)
_2_6 = Rules(False, False, False, False, False, False)
_3_2 = Rules(polls_movements=False, racks=False, refuses_no_capacity=False)
_3_3 = Rules(racks=False, refuses_no_capacity=False)
RULES: Final = {
    "2.6.3": _2_6,
    "3.2.3": _3_2,
    "3.3.2": _3_3,
    "3.4.1": Rules(racks=False),
    **dict.fromkeys(("3.7.2", "3.9.1", "4.1.1"), Rules()),
}
"""By release, of which the classes were read."""


def assign(row: Row, rules: Rules) -> dict[str, Any]:
    group = group_of(row, rules)
    return {name: told(assign_(group), names_of(row["clients"])) for name, assign_ in assignors_of(row).items()}


def assign_in_series(row: Row, rules: Rules) -> dict[str, Any]:
    """Return the assignments of one rebalance after another; of several assignors, each under its name."""
    group, names = group_of(row, rules), names_of(row["clients"])
    events = tuple(event_of(event, names) for event in row["rounds"])
    end, budget = int(row["end"]), int(row["budget"])
    found = {
        name: {"rounds": [told(one, names) for one in rebalances(group, events, assign_, end, budget)]}
        for name, assign_ in assignors_of(row).items()
    }
    return found if len(found) > 1 else next(iter(found.values()))


def assignors_of(row: Row) -> dict[str, Callable[[Group], Assignment | Thrown]]:
    """Return the assignors that a line names; of one that does not, the one of KIP-441."""
    names = row.get("assignors", ["high_availability"])
    if not names:
        raise InvalidInput("no assignor is named")
    for name in names:
        if name not in NAMED:
            raise InvalidInput(f"no such assignor: {name}; there are {', '.join(NAMED)}")
    return {name: NAMED[name] for name in names}


def group_of(row: Row, rules: Rules) -> Group:
    clients = tuple(map(client_of, row["clients"]))
    if len({client.number for client in clients}) < len(clients):
        raise InvalidInput("two clients have one id")
    stateful, stateless = (tuple(map(task_of, row.get(name) or ())) for name in ("stateful", "stateless"))
    racks, changelog_racks = (racks_of(row.get(name) or {}) for name in ("racks", "changelog_racks"))
    return Group(clients, stateful, stateless, config_of(row.get("config") or {}), rules, racks, changelog_racks)


def racks_of(told: Row) -> TaskRacks:
    """Return the racks of the replicas of each partition of each task."""
    for task, partitions in told.items():
        if not all(isinstance(racks, list) for racks in partitions):
            raise InvalidInput(f"racks of {task} refused: {partitions}; each partition has a list of racks")
    return tuple((task_of(task), tuple(map(tuple, partitions))) for task, partitions in told.items())


def client_of(told: Row) -> Client:
    """Return a client as a line gives it."""
    capacity = int(told.get("capacity", 1))
    if capacity < 1:
        raise InvalidInput(f"client {told['id']} has {capacity} threads; it has 1 at least")
    return Client(
        number_of(told["id"]),
        capacity,
        lags_of(told.get("lags") or {}),
        tasks_of(told.get("previous_active")),
        tasks_of(told.get("previous_standby")),
        tuple((told.get("tags") or {}).items()),
        told.get("rack"),
    )


def tasks_of(told: Any) -> Tasks:
    """Return tasks as a line gives them."""
    return tuple(map(task_of, told or ()))


def number_of(name: Any) -> int:
    """
    Return the number of a client: its id, the digits at the end of one, or those of its UUID.

    >>> number_of(3), number_of("P12"), number_of("00000000-0000-0000-0000-00000000000a")
    (3, 12, 10)
    """
    text = str(name)
    if text.count("-") == 4:
        return int(text.replace("-", ""), 16)
    digits = text[len(text.rstrip("0123456789")) :]
    if not digits:
        raise InvalidInput(f"{text} is no id of a client: it has no number")
    return int(digits)


def names_of(clients: Any) -> dict[int, str]:
    """Return the ids of clients by number, as they are given."""
    return {number_of(client["id"]): str(client["id"]) for client in clients}


def config_of(told: Row) -> Config:
    """Return settings as a line gives them; ``keys.check`` refuses those that no assignor reads."""
    found: dict[str, Any] = {}
    for key, value in told.items():
        field = CONFIG.get(key.lower().replace(".", "").replace("_", ""))
        if field is not None:
            found[field] = READ.get(field, int)(value)
            if field in LEAST and found[field] < LEAST[field]:
                raise InvalidInput(f"{key} refused: {value}; it is {LEAST[field]} at least (StreamsConfig)")
    return Config(**found)


def strategy_of(value: Any) -> str:
    """Return how racks count; raise InvalidInput for a name that is no such strategy."""
    if value not in STRATEGIES:
        raise InvalidInput(f"rack.aware.assignment.strategy is {value}; there are {', '.join(STRATEGIES)}")
    return str(value)


def tags_of(value: Any) -> tuple[str, ...]:
    """Return the keys of tags, of which a text has commas between them."""
    parts = value.split(",") if isinstance(value, str) else value or ()
    return tuple(part.strip() for part in parts if part.strip())


READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "rack_aware_assignment_tags": tags_of,
    "rack_aware_assignment_strategy": strategy_of,
}
"""Readers of fields that are no numbers."""
LEAST: Final[Mapping[str, int]] = {"acceptable_recovery_lag": 0, "max_warmup_replicas": 1}
"""The least values that ``StreamsConfig`` and KIP-441 allow."""


def event_of(told: Any, names: dict[int, str]) -> Event:
    """Return the events: members that leave, that join or come back, or all of them; and lags that they reported."""
    if not isinstance(told, dict):
        told = {"members": told}
    joining = tuple(joined_of(one, names) for one in told.get("join") or ())
    members = None if told.get("members") is None else tuple(joined_of(one, names) for one in told["members"])
    lags = tuple((number_of(name), lags_of(one)) for name, one in (told.get("lags") or {}).items())
    if unknown := [name for name in told.get("lags") or {} if number_of(name) not in names]:
        raise InvalidInput(f"lags refused: {unknown[0]}; there is no such client")
    return Event(tuple(map(number_of, told.get("leave") or ())), joining, members, lags)


def lags_of(told: Row) -> tuple[tuple[TaskId, int], ...]:
    """Return the lags of a client as a line gives them."""
    return tuple((task_of(task), int(lag)) for task, lag in told.items())


def joined_of(told: Any, names: dict[int, str]) -> Client:
    """Return a client that joins: as a line gives it, or by its id alone; then it has one thread if it is new."""
    client = client_of(told) if isinstance(told, dict) else Client(number_of(told), capacity=0)
    names.setdefault(client.number, str(told["id"] if isinstance(told, dict) else told))
    return client


def told(found: Assignment | Thrown, names: dict[int, str]) -> dict[str, Any]:
    """Return an answer as a file gives it."""
    if isinstance(found, Thrown):
        return {"error": f"{found.exception}: {found.why}" if found.why else found.exception}
    return {"probing": found.probing, "clients": {names[one.client]: tasks_told(one) for one in found.clients}}


def tasks_told(given: Assigned) -> dict[str, list[str]]:
    """Return a client's tasks as a file gives them."""
    return {"active": list(map(str, given.active)), "standby": list(map(str, given.standby))}


EQUAL: Final = VARIANTS.extended(RULES, "assignors", "racks", "TaskId")
ASSIGNORS: Final = Algorithm(assign, EQUAL)
SERIES: Final = Algorithm(assign_in_series, EQUAL)
RACKS: Final = Algorithm(assign, {release: rules for release, rules in EQUAL.items() if rules.racks})
