"""
``assign_learners``: the runner and the learners of each task, by the draft of KIP-441 that Kafka did not build.

A member that is to have a task *learns* it first: it restores the state, and joins anew when it is ready. Only then
the task is taken from its runner. The draft leaves open which of several equally loaded members learns, and which
task: so the caller picks.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from oneowner.model.kafka.learners.group import Learner, LearnerGroup, Share, is_balanced

Pick = Callable[[Sequence[int]], int]
"""Picks one of several members, or tasks, between which the draft leaves the choice open."""


def assign_learners(group: LearnerGroup, pick: Pick = lambda some: some[0]) -> tuple[Share, ...]:
    """Return the tasks that each member is to run and to learn; a group has a member at least."""
    assignor = _Assignor(group, pick)
    assignor.assign_active()
    assignor.keep_learning()
    assignor.relieve_who_leaves()
    assignor.even_out()
    return assignor.shares()


def every_assignment(group: LearnerGroup) -> Iterator[tuple[Share, ...]]:
    """Yield the result of each way of picking; one assignment may result from several."""
    way: list[int] = []
    while True:
        counts: list[int] = []
        yield assign_learners(group, partial(picked, way, counts))
        way += [0] * (len(counts) - len(way))
        while way and way[-1] + 1 == counts[len(way) - 1]:
            way.pop()
        if not way:
            return
        way[-1] += 1


def picked(way: Sequence[int], counts: list[int], some: Sequence[int]) -> int:
    """Return the one that is next on the way, or the first; note among how many it was picked."""
    counts.append(len(some))
    return some[way[len(counts) - 1] if len(counts) <= len(way) else 0]


class _Assignor:
    """One assignment: the runner of each task, and its learner."""

    def __init__(self, group: LearnerGroup, pick: Pick) -> None:
        self.group, self.pick = group, pick
        self.runner: dict[int, int] = {}
        self.learner: dict[int, int] = {}
        self.capacity = {one.number: one.capacity for one in group.members}

    # ---- active tasks ----

    def assign_active(self) -> None:
        """Give each task to a member ready for it, else to its runner, else to its learner; the rest by load."""
        groups: tuple[Iterable[tuple[int, Learner]], ...] = (
            ((task, one) for one in self.group.staying if one.is_ready for task in one.learns),
            ((task, one) for one in self.group.members for task in one.runs),
            ((task, one) for one in self.group.staying for task in one.learns),
        )
        for preferred in groups:
            for task, one in preferred:
                self.runner.setdefault(task, one.number)
        for task in self.group.tasks:
            if task not in self.runner:
                among = self.group.staying or self.group.members
                self.runner[task] = self.least_loaded([one.number for one in among], self.running)

    def running(self, member: int) -> int:
        """The number of tasks that a member runs so far."""
        return sum(one == member for one in self.runner.values())

    # ---- learners ----

    def keep_learning(self) -> None:
        """Continue each member's learning of its tasks."""
        for one in self.group.staying:
            for task in one.learns:
                if self.runner[task] != one.number:
                    self.learner[task] = one.number

    def relieve_who_leaves(self) -> None:
        """Make others learn all tasks of members that leave."""
        staying = [one.number for one in self.group.staying]
        leaving = {one.number for one in self.group.members if one.is_leaving}
        left = [task for task in self.group.tasks if self.runner[task] in leaving and task not in self.learner]
        while staying and left:
            task = self.pick(left)
            left.remove(task)
            self.learner[task] = self.least_loaded(staying, self.load)

    def even_out(self) -> None:
        """Make members of less load learn tasks of those of more, one by one, as long as loads come nearer."""
        staying = [one.number for one in self.group.staying]
        targets = [one.number for one in self.group.staying if one.is_new or not self.group.draft.only_new]
        while targets and not is_balanced(self.group, {number: self.load(number) for number in staying}):
            sources = [number for number in staying if self.unlearned(number)]
            if not sources:
                return
            most = max(map(self.load_of, sources))
            source = self.pick([number for number in sources if self.load_of(number) == most])
            target = self.least_loaded(targets, self.load)
            if self.share(source, self.load(source) - 1) < self.share(target, self.load(target) + 1):
                return
            self.learner[self.pick(self.unlearned(source))] = target

    def load(self, member: int) -> int:
        """The number of tasks that a member runs once all learned ones are handed over."""
        return sum(self.learner.get(task, self.runner[task]) == member for task in self.group.tasks)

    def load_of(self, member: int) -> Fraction:
        """Return that, compared with its capacity."""
        return self.share(member, self.load(member))

    def share(self, member: int, count: int) -> Fraction:
        """Return so many tasks compared with a member's capacity."""
        return Fraction(count, self.capacity[member])

    def unlearned(self, member: int) -> list[int]:
        """Return the tasks that a member runs and nobody learns."""
        return [task for task in self.group.tasks if self.runner[task] == member and task not in self.learner]

    def least_loaded(self, among: list[int], count: Callable[[int], int]) -> int:
        """Return one of the members with the fewest tasks for their capacity."""
        least = min(self.share(number, count(number)) for number in among)
        return self.pick([number for number in among if self.share(number, count(number)) == least])

    # ---- the answer ----

    def shares(self) -> tuple[Share, ...]:
        """Return each member's assignment."""

        def of(owners: dict[int, Any], member: int) -> tuple[int, ...]:
            return tuple(task for task in self.group.tasks if owners.get(task) == member)

        numbers = (one.number for one in self.group.members)
        return tuple(Share(number, of(self.runner, number), of(self.learner, number)) for number in numbers)
