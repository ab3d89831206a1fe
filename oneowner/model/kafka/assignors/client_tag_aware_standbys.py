"""Standbys go to clients whose tags no other copy has (KIP-708, ``ClientTagAwareStandbyTaskAssignor``)."""

from collections.abc import Collection, Iterable

from oneowner.model.java.hash_map import listed
from oneowner.model.kafka.assignors.client_state import Clients, ClientState
from oneowner.model.kafka.assignors.constrained_priority_set import ConstrainedPrioritySet
from oneowner.model.kafka.assignors.standby_tasks import assign_least_loaded, least_loaded_without
from oneowner.model.kafka.task import TaskId, combined_hash

Tag = tuple[str, str]


def assign_standbys_by_tags(clients: Clients, tasks: Iterable[TaskId], replicas: int, keys: Collection[str]) -> None:
    """Give each task so many standbys; where no client of new tags is found, the least loaded will do."""
    by_load = least_loaded_without(clients)
    remaining = dict.fromkeys(tasks, replicas)
    for task in tuple(remaining):
        for client in [number for number, one in clients.items() if task in one.active]:
            remaining[task] = assign_to_new_tags(clients, by_load, task, client, replicas, keys)
    by_load.offer_all(clients)
    for task in listed(remaining, combined_hash):
        assign_least_loaded(clients, by_load, task, remaining[task])


def assign_to_new_tags(
    clients: Clients, by_load: ConstrainedPrioritySet, task: TaskId, active: int, replicas: int, keys: Collection[str]
) -> int:
    """Give a task standbys on clients that share no tag with those that have it; return how many are still to give."""
    by_load.offer_all(clients)
    used: dict[Tag, set[int]] = {}
    last, count = active, 1
    while True:
        mark_used(clients, last, count, keys, used)
        found = by_load.poll(task, lambda client: not any(client in those for those in used.values()))
        if found is None:
            return replicas - count + 1
        clients[found].standby.add(task)
        last, count = found, count + 1
        if count > replicas:
            return 0


def mark_used(clients: Clients, last: int, count: int, keys: Collection[str], used: dict[Tag, set[int]]) -> None:
    """
    Mark whoever has a tag of the last client as used.

    A key of which every value may be taken by now counts no more.
    """
    for key, value in clients[last].tags.items():
        if key not in keys:
            continue
        values = {one.tags[key] for one in clients.values() if key in one.tags}
        if len(values) <= count:
            for taken in values:
                used.pop((key, taken), None)
        else:
            used[key, value] = {number for number, one in clients.items() if one.tags.get(key) == value}


def have_same_tags(source: ClientState, destination: ClientState) -> bool:
    """Return whether a standby may move there to even out loads: the destination has each tag of the source."""
    return all(destination.tags.get(key) == value for key, value in source.tags.items())
