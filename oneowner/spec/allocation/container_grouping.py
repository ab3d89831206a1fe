"""``CONTAINER_GROUPING`` judges which tasks each container of Samza runs."""

from typing import Any

from oneowner.model.allocation.allocation_inputs import GroupingSizes, some_grouping
from oneowner.model.allocation.container_grouping import (
    Grouping,
    Groups,
    group_by_container_count,
    previous_groups,
)
from oneowner.model.kernel.decision import Decision, InputLaw, answers, throws
from oneowner.model.kernel.law import LawKind, Status

CLASS = "GroupByContainerCount"
Found = Any
"""Groups, or what is thrown."""


def has_too_few(job: Grouping, found: Found) -> bool:
    return job.tasks < job.containers


def was_grouped(job: Grouping, found: Found) -> bool:
    """Its tasks were in containers 0, 1 and so on, and are grouped."""
    return answers(job, found) and bool(previous_groups(job))


def fuller_come_first(job: Grouping, found: Found) -> bool:
    """As in every group that Samza itself made."""
    sizes = [len(group) for group in previous_groups(job)]
    return was_grouped(job, found) and sizes == sorted(sizes, reverse=True)


def has_as_many_as_before(job: Grouping, found: Found) -> bool:
    return was_grouped(job, found) and job.containers == len(previous_groups(job)) > 1


def has_more_or_fewer(job: Grouping, found: Found) -> bool:
    return answers(job, found) and not has_as_many_as_before(job, found)


def each_is_in_one(job: Grouping, found: Groups) -> bool:
    return len(found) == job.containers and sorted(sum(found, ())) == list(range(job.tasks))


def is_even(job: Grouping, found: Groups) -> bool:
    sizes = [len(group) for group in found]
    return bool(sizes) and max(sizes) - min(sizes) <= 1


def most_that_can_stay(job: Grouping) -> int:
    """Return how many tasks stay in the even grouping that moves the fewest."""
    before = [len(group) for group in previous_groups(job)][: job.containers]
    share, more = divmod(job.tasks, job.containers)
    return sum(min(one, share) for one in before) + min(more, sum(one > share for one in before))


def fewest_move(job: Grouping, found: Groups) -> bool:
    staying = sum(job.previous[task : task + 1] == (number,) for number, group in enumerate(found) for task in group)
    return staying >= most_that_can_stay(job)


def stays_as_it_is(job: Grouping, found: Groups) -> bool:
    return found == previous_groups(job)


CONTAINER_GROUPING = Decision(
    "allocation/container-grouping",
    "Which tasks each container runs (Samza)",
    GroupingSizes,
    some_grouping,
    group_by_container_count,
    (
        InputLaw("each-task-has-one-container", "Each task is in one container, and the number of containers is the "
                                                "requested one.", CLASS, answers, each_is_in_one, kind=LawKind.PURPOSE),
        InputLaw("containers-are-even-after-a-change", "Where the number of containers changes, or is new, no "
                                                       "container has two tasks more than another.",
                                                       CLASS, has_more_or_fewer, is_even, kind=LawKind.PROTOCOL),
        InputLaw("fewest-tasks-move", "Where fuller containers come first, as Samza makes them, no other even grouping"
                 " moves fewer tasks.", CLASS, fuller_come_first, fewest_move, kind=LawKind.PROTOCOL),
        InputLaw("tasks-stay-while-containers-do", "While the number of containers stays, all tasks do.", CLASS,
                 has_as_many_as_before, stays_as_it_is, kind=LawKind.PROTOCOL),
        InputLaw("idle-containers-are-refused", "More containers than tasks are refused.", CLASS, has_too_few,
                 throws, kind=LawKind.PROTOCOL),
        InputLaw("containers-are-even", "No container has two tasks more than another. (This fails: while the number "
                                        "of containers stays, nothing moves, however uneven they are.)",
                                        CLASS, answers, is_even, Status.DOCUMENTED,
                 kind=LawKind.PURPOSE),
        InputLaw("fewest-tasks-move-always", "No other even grouping moves fewer tasks. (This fails: the first "
                                             "containers must have the extra tasks, even if others have them "
                                             "already.)", CLASS, was_grouped, fewest_move, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
    ),
    lambda row: Grouping(row["tasks"], row["containers"], tuple(row.get("previous", ()))),
)  # fmt: skip
