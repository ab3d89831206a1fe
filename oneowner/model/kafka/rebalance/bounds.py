"""``Bounds`` hold the size of a group, the budgets of failures, and the rules of a release."""

from dataclasses import dataclass
from typing import ClassVar

from oneowner.model.kafka.rebalance.rules import Rules
from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.bounds import Bounds as KernelBounds
from oneowner.model.kernel.bounds import budget, choice, size


@dataclass(frozen=True, slots=True)
class Bounds(KernelBounds):
    """The size of a model of a group: one thread a client, stateful tasks of one subtopology."""

    declared_in: ClassVar[str] = "oneowner.spec.kafka.system"

    members: int = size(2, "clients, each with one thread", least=1)
    tasks: int = size(2, "stateful tasks, of one subtopology", least=1)
    running: int = size(1, "members that are in the group at the start, and run all tasks")
    standbys: int = size(0, "num.standby.replicas")
    warmups: int = size(1, "max.warmup.replicas", least=1)
    older: int = size(0, "members, the last ones, that do not tell the lag of a standby: subscription before version 7")
    starts: int = budget("a process starts that is not in the group")
    leaves: int = budget("a member leaves in good order")
    crashes: int = budget("a process crashes")
    timeouts: int = budget("a member that lives does not answer in time, and the group goes on without it")
    cleanings: int = budget("the state cleaner deletes a copy that has no role")
    refreshes: int = budget("a member asks for a rebalance although nothing has changed for the assignor")
    behind: int = choice("a copy that has no role falls behind while the task runs elsewhere")
    rules: Rules = Rules()

    def __post_init__(self) -> None:
        self.check_ranges()
        if self.members > 3 or self.tasks > 2 or self.standbys > 1:
            raise ValueError(
                f"sizes refused: members {self.members}, tasks {self.tasks}, standbys {self.standbys};"
                " at most 3 members, 2 tasks and 1 standby are allowed: the leader's choice is traced for these"
            )
        if self.running > self.members:
            raise ValueError(f"running refused: {self.running}; there are {self.members} members")


MEMBER = Sort("member", lambda bounds: bounds.members)
TASK = Sort("task", lambda bounds: bounds.tasks)
SECOND = MEMBER.among(lambda bounds: range(1, bounds.members + 1) if bounds.tasks > 1 else None)
"""The member that a leader chooses for the second task, if there is one."""
