"""Small groups of the draft: the runner and the learner of each task; members that are ready, new, or leaving."""

from dataclasses import dataclass

from oneowner.model.kafka.learners.group import Learner, LearnerGroup
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose


@dataclass(frozen=True, slots=True)
class LearnerSizes(Bounds):
    """The size of a group."""

    members: int = size(2, "how many members there are at most", least=1)
    tasks: int = size(2, "how many tasks there are at most")


def some_learners(choose: Choose, sizes: LearnerSizes) -> LearnerGroup:
    """Return a group each of whose tasks runs on a member or on none, and is learned by another or by none."""
    count, tasks = choose(1, sizes.members), tuple(range(1, choose(0, sizes.tasks) + 1))
    numbers = range(1, count + 1)
    runner, learner = dict[int, int](), dict[int, int]()
    for task in tasks:
        runner[task] = choose(0, count)
        others = [number for number in numbers if number != runner[task]]
        place = choose(0, len(others))
        learner[task] = others[place - 1] if place else 0
    members = tuple(some_member(choose, number, runner, learner) for number in numbers)
    return LearnerGroup(members, tasks)


def some_member(choose: Choose, number: int, runner: dict[int, int], learner: dict[int, int]) -> Learner:
    """Return a member; one that learns may be ready, one that has nothing may be new, and any may be leaving."""
    runs = tuple(task for task, one in runner.items() if one == number)
    learns = tuple(task for task, one in learner.items() if one == number)
    is_ready = bool(learns) and choose(0, 1) == 1
    status = choose(0, 1 if runs or learns else 2)
    return Learner(number, 1, runs, learns, is_ready, is_new=status == 2, is_leaving=status == 1)
