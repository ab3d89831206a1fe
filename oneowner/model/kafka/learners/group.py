"""``LearnerGroup``: the leader's input when it assigns by the draft of KIP-441, and ``Share``, its answer."""

from fractions import Fraction
from typing import NamedTuple

Tasks = tuple[int, ...]


class Learner(NamedTuple):
    """A member of the group as it joins; members are ordered by number, and the first leads."""

    number: int
    capacity: int = 1
    """Its capacity compared with others: ``Version 4.0`` of the draft; before, all are alike."""
    runs: Tasks = ()
    learns: Tasks = ()
    """Tasks whose state it restores, to run them later."""
    is_ready: bool = False
    """It has restored all that it learns, and so joined anew."""
    is_new: bool = False
    """The leader did not see it in the rebalance before."""
    is_leaving: bool = False
    """It announced that it is to be scaled down."""


class Draft(NamedTuple):
    """The behaviour that differs by version of the draft; the defaults are those of ``Version 1.0``."""

    only_new: bool = True
    """Only members that are new begin to learn for the sake of even loads; ``Version 4.0`` evens out all."""
    slack: int = 0
    """By how many percent of its share a member may have more or fewer tasks: ``stream.imbalance.percentage``."""


class LearnerGroup(NamedTuple):
    """Members by number, tasks in order, and the version of the draft."""

    members: tuple[Learner, ...]
    tasks: Tasks
    draft: Draft = Draft()

    @property
    def staying(self) -> tuple[Learner, ...]:
        """The learners that are not leaving."""
        return tuple(one for one in self.members if not one.is_leaving)

    @property
    def orphans(self) -> Tasks:
        running = {task for one in self.members for task in one.runs}
        return tuple(task for task in self.tasks if task not in running)


class Share(NamedTuple):
    """The tasks that one member is to run, and to learn, sorted."""

    member: int
    active: Tasks = ()
    learning: Tasks = ()


def fair_share(group: LearnerGroup, member: Learner) -> Fraction:
    """
    Return how many tasks a member that stays should run.

    >>> members = tuple(Learner(number, capacity) for number, capacity in enumerate((5, 10, 10, 15)))
    >>> [int(fair_share(LearnerGroup(members, tuple(range(80))), one)) for one in members]
    [10, 20, 20, 30]
    """
    return Fraction(len(group.tasks) * member.capacity, sum(one.capacity for one in group.staying))


def is_balanced(group: LearnerGroup, loads: dict[int, int]) -> bool:
    """Return whether each member that stays has as many tasks as its share, give or take the slack, bounds included."""
    shares = {one.number: fair_share(group, one) for one in group.staying}
    return all(100 * abs(loads[number] - share) <= group.draft.slack * share for number, share in shares.items())
