"""The step tables of KIP-441's draft, as inputs of its rule; the shipped assignor's answers to the same events."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final, NamedTuple

from oneowner.checkers.documents import read_document
from oneowner.checkers.places import TOP
from oneowner.model.kafka.assignors.group import RUNNING, Assignment, Client, Group
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.learners.group import Draft, Learner, LearnerGroup, Share
from oneowner.model.kafka.learners.rebalances import Event, Told, after, told_at_join
from oneowner.model.kafka.task import TaskId

DOCUMENT: Final = read_document(TOP / "tests/vectors/kafka/kip-441-tables.yaml").data
DRAFT: Final[Mapping[str, Any]] = DOCUMENT["draft"]
END: Final = 20_000
"""The lag of a member without a copy: above ``acceptable.recovery.lag``."""


class Step(NamedTuple):
    """A row of a table: the group as it joins, the events before it, the text's reports and assignments."""

    group: LearnerGroup
    event: Event
    told: tuple[Told, ...]
    gives: tuple[Share, ...]


def steps_of(name: str) -> Iterator[Step]:
    """Yield the steps of a table, each from the text's assignment in the one before."""
    table = DRAFT[name]
    given = shares_of(table["start"])
    tasks = tuple(table.get("tasks") or sorted(task for one in given for task in one.active))
    group = LearnerGroup(tuple(Learner(one.member) for one in given), tasks)
    for row in table["steps"]:
        event = event_of(row)
        group = after(group, given, event)
        given = shares_of(row["gives"])
        yield Step(group, event, lags_of(row.get("told", {}), told_at_join(group)), given)


def shares_of(row: Mapping[str, Any]) -> tuple[Share, ...]:
    return tuple(
        Share(number(name), tuple(one.get("A", ())), tuple(one.get("L", ()))) for name, one in sorted(row.items())
    )


def lags_of(row: Mapping[str, Any], ours: tuple[Told, ...]) -> tuple[Told, ...]:
    """The members' reports in the text; members left out report what ours do."""
    lags = {
        number(name): (tuple(one.get("A", ())), tuple(one.get("R", ())), tuple(one.get("L", ())))
        for name, one in row.items()
    }
    return tuple(Told(one.member, *lags[one.member]) if one.member in lags else one for one in ours)


def event_of(row: Mapping[str, Any]) -> Event:
    return Event(**{field: tuple(map(number, row.get(field, ()))) for field in Event._fields})


def number(name: str) -> int:
    return int(name.removeprefix("S"))


def balancing() -> tuple[LearnerGroup, tuple[Share, ...]]:
    """The group of the draft's balancing factor, each of whose members may learn, and its running tasks."""
    table = DOCUMENT["balance"]["S7 balancing factor"]
    numbers, given = iter(range(1, table["tasks"] + 1)), []
    for member, count in enumerate(table["stable"], 1):
        given.append(Share(member, tuple(next(numbers) for _ in range(count))))
    members = zip(given, table["capacities"], strict=True)
    return LearnerGroup(
        tuple(Learner(one.member, capacity, one.active) for one, capacity in members),
        tuple(range(1, table["tasks"] + 1)),
        Draft(only_new=False, slack=table["percent"]),
    ), tuple(given)


class Seen(NamedTuple):
    """The results of a run of rebalances."""

    rebalances: int
    moved: int
    """The number of times that a task is given to another member."""
    unready: int
    """The number of times that it goes to a member that has not restored it."""
    at_once: int
    """The number of copies restored for a move at once, at most."""
    loads: tuple[int, ...]
    """The running tasks of members in the end, without members that are to leave."""


Runs = tuple[dict[int, int], set[tuple[int, int]], set[tuple[int, int]]]
"""After a rebalance: by task who runs it; members with tasks that they restore for a move; and that they have ready."""


def of_draft(name: str) -> Seen:
    """The text's assignment, and so the rule's."""
    table = DRAFT[name]
    found: list[Runs] = [runs_of(shares_of(table["start"]), set())]
    for step in steps_of(name):
        ready = {(one.number, task) for one in step.group.members if one.is_ready for task in one.learns}
        found.append(runs_of(step.gives, ready))
    staying = {one.number for one in step.group.staying}
    return seen(found, staying)


def runs_of(given: Iterable[Share], ready: set[tuple[int, int]]) -> Runs:
    owners = {task: one.member for one in given for task in one.active}
    return owners, {(one.member, task) for one in given for task in one.learning}, ready


def of_shipped(name: str) -> Seen:
    """The assignments of 4.1.1 for the same events, and on until it asks for no rebalance."""
    table = DRAFT[name]
    given = shares_of(table["start"])
    tasks = tuple(table.get("tasks") or sorted(task for one in given for task in one.active))
    return shipped(given, tasks, [event_of(row) for row in table["steps"]], {})


def shipped(given: tuple[Share, ...], numbers: tuple[int, ...], events: list[Event], threads: dict[int, int]) -> Seen:
    """
    Follow the assignor from the members' running tasks, through events, until it asks for no rebalance.

    A member that is ready has caught up with all its copies, and in the end all have. It has restored its running
    tasks by the next rebalance. No member announces that it is to leave: it is gone at once.
    """
    tasks = tuple(TaskId(0, task) for task in numbers)
    lags = {(one.member, TaskId(0, task)): RUNNING for one in given for task in one.active}
    there, left, probing = {one.member for one in given}, list(events), True
    found: list[Runs] = [runs_of(given, set())]
    while left or probing:
        event = left.pop(0) if left else Event(ready=tuple(there))
        there = (there | set(event.joins)) - set(event.crashes) - set(event.leaves)
        lags = {key: 0 if key[0] in event.ready else lag for key, lag in lags.items()}
        clients = tuple(
            Client(one, threads.get(one, 1), tuple((task, lags.get((one, task), END)) for task in tasks))
            for one in sorted(there)
        )
        answer = assign_highly_available(Group(clients, tasks))
        assert isinstance(answer, Assignment)
        probing = answer.probing
        ready = {(one, task.partition) for (one, task), lag in lags.items() if lag < END}
        shares = [
            Share(one.client, *(tuple(task.partition for task in some) for some in (one.active, one.standby)))
            for one in answer.clients
        ]
        found.append(runs_of(shares, ready))
        lags = {(one.client, task): lags.get((one.client, task), END) for one in answer.clients for task in one.standby}
        lags |= {(one.client, task): RUNNING for one in answer.clients for task in one.active}
    return seen(found, there)


def seen(found: list[Runs], staying: set[int]) -> Seen:
    moved, unready = 0, 0
    for (before, _, _), (owners, _, ready) in pairwise(found):
        for task, owner in owners.items():
            if task in before and before[task] != owner:
                moved += 1
                unready += (owner, task) not in ready
    last = found[-1][0]
    return Seen(
        len(found) - 1,
        moved,
        unready,
        max(len(learning) for _, learning, _ in found),
        tuple(sum(owner == one for owner in last.values()) for one in sorted(staying)),
    )
