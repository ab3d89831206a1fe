"""
``rebalances`` follows a group through rebalances: members leave, join and come back, and probing ones follow.

As in Kafka's own ``TaskAssignorConvergenceTest``: by the next rebalance each copy has caught up, and a member has no
state of a task without a copy. One that comes back has its state of when it left. Lags that members really reported
take the place of these.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from oneowner.model.kafka.assignors.group import Assigned, Assignment, Client, Group
from oneowner.model.kafka.task import TaskId
from oneowner.model.kernel.decision import Thrown


class Event(NamedTuple):
    """A change of the group before a rebalance."""

    leaves: tuple[int, ...] = ()
    joins: tuple[Client, ...] = ()
    """Those that come back may be given by number alone, without threads."""
    members: tuple[Client, ...] | None = None
    """All members that are there then, instead of those that leave and join."""
    lags: tuple[tuple[int, tuple[tuple[TaskId, int], ...]], ...] = ()
    """By member, what it reported of tasks; then one rebalance follows, and no probing one."""


def rebalances(
    group: Group,
    events: Iterable[Event],
    assign: Callable[[Group], Assignment | Thrown],
    end: int,
    budget: int,
) -> Iterator[Assignment | Thrown]:
    """
    Yield the assignment of every rebalance: of the group as it is, and after each event.

    After each there are up to *budget*, until none is asked for. *end* is the lag of a member without a copy.
    """
    seen: dict[int, Client] = {}
    for event in (Event(), *events):
        group, seen = after(group, event, seen, end)
        for _ in range(1 if event.lags else budget):
            found = assign(group)
            yield found
            if isinstance(found, Thrown):
                return
            group = caught_up(group, found, end)
            if not found.probing:
                break


def after(group: Group, event: Event, seen: dict[int, Client], end: int) -> tuple[Group, dict[int, Client]]:
    """Return the group after an event, and all its members so far."""
    there = {client.number: client for client in group.clients}
    seen = seen | there
    if event.members is not None:
        event = Event(tuple(there.keys() - {one.number for one in event.members}), event.members)
    for number in event.leaves:
        del there[number]
    for client in event.joins:
        if client.number not in there:
            there[client.number] = seen.get(client.number) or new(client, group, end)
    for number, lags in event.lags:
        told = dict(lags)
        kept = tuple((task, told.pop(task, lag)) for task, lag in there[number].lags)
        there[number] = there[number]._replace(lags=(*kept, *told.items()))
    return group._replace(clients=tuple(sorted(there.values()))), seen


def new(client: Client, group: Group, end: int) -> Client:
    """Return a member that was never there: by default with one thread, and without copies."""
    lags = client.lags or tuple((task, end) for task in group.stateful)
    return client._replace(capacity=max(client.capacity, 1), lags=lags)


def caught_up(group: Group, found: Assignment, end: int) -> Group:
    """Return the group by the next rebalance."""
    given = {one.client: one for one in found.clients}
    clients = []
    for client in group.clients:
        one = given.get(client.number, Assigned(client.number))
        lags = tuple((task, 0 if task in one.active or task in one.standby else end) for task in group.stateful)
        clients.append(client._replace(lags=lags, previous_active=one.active, previous_standby=one.standby))
    return group._replace(clients=tuple(clients))
