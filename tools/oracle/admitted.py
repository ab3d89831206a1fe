"""``admitted`` decides whether an answer is one of those that a decision allows which leaves something open."""

from functools import partial
from typing import Final

from oneowner.model.kafka.batch.streams_group import group_of, targets_told
from oneowner.model.kafka.streams_group.reconciler import Task
from oneowner.model.kafka.streams_group.sticky import StreamsGroup, assign_to_members
from tools.oracle.drawn.values import Row

TRIES: Final = 2000
"""So many ways of taking one are followed; an answer found in none of them counts as not allowed."""


Owners = dict[str, set[tuple[Task, str]]]
"""By role: the owners of each task, members and their processes."""


def admitted(row: Row, answer: Row) -> bool:
    """True if a target of a streams group follows from some way of taking one of several owners for a task."""
    return "members" in answer and (is_found(row, answer, narrow=True) or is_found(row, answer, narrow=False))


def is_found(row: Row, answer: Row, narrow: bool) -> bool:
    """
    Follow ways of taking owners, each a list of places among those that may be taken.

    Those that have the task in the answer come first; *narrow* takes no others where there are such.
    """
    group = group_of(row)
    owners = {role: owners_in(group, answer, role) for role in ("active", "standby")}
    way: list[int] = []
    for _ in range(TRIES):
        choices: list[int] = []
        found = targets_told(assign_to_members(group, partial(pick, owners, way, choices, narrow)))
        if found == answer:
            return True
        way += [0] * (len(choices) - len(way))
        while way and way[-1] + 1 == choices[len(way) - 1]:
            way.pop()
        if not way:
            return False
        way[-1] += 1
    return False


def owners_in(group: StreamsGroup, answer: Row, role: str) -> set[tuple[Task, str]]:
    """Return the owners of each task in an answer, members and their processes."""
    return {
        ((name, number), owner)
        for member in group.members
        for name, numbers in answer["members"][member.name][role].items()
        for number in numbers
        for owner in (member.process, member.name)
    }


def pick(
    owners: dict[str, set[tuple[Task, str]]],
    way: list[int],
    choices: list[int],
    narrow: bool,
    task: Task,
    tied: list[str],
) -> str:
    """Return the owner that is next on the way, or the first; note among how many it was taken."""
    groups = [[one for one in tied if (task, one) in owners[role]] for role in ("active", "standby")]
    some = next((one for one in groups if one), tied)
    if not narrow:
        some = [*some, *(one for one in tied if one not in some)]
    choices.append(len(some))
    return some[way[len(choices) - 1] if len(choices) <= len(way) else 0]
