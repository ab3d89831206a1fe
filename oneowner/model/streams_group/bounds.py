"""``Bounds`` hold the numbers of members and tasks, the budgets of failures, and the rules."""

from dataclasses import dataclass
from typing import ClassVar

from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.bounds import Bounds as KernelBounds
from oneowner.model.kernel.bounds import budget, choice, size
from oneowner.model.streams_group.rules import Rules

MOST_TASKS = 2
"""As many as a message of the model can name."""


@dataclass(frozen=True, slots=True)
class Bounds(KernelBounds):
    """The size of a model of a streams group."""

    declared_in: ClassVar[str] = "oneowner.spec.streams_group.system"

    members: int = size(2, "clients, each of which is one member", least=1)
    joined: int = size(1, "members of the group at the start, the first ones; member n runs task n")
    tasks: int = size(1, "tasks, at most 2; what no member runs by its number, the first one runs", least=1)
    sharing: int = size(0, "members, the first ones, that live in the first member's process, beside it")
    epochs: int = size(6, "the last group epoch; at the start it is the number of members", least=1)
    joins: int = budget("a client that was not a member joins")
    refreshes: int = budget("the metadata of topics change, so that a new target is needed")
    leaves: int = budget("a client closes, and leaves the group")
    stalls: int = budget("a client polls too late: it leaves the group, and stops its tasks after that")
    crashes: int = budget("the process of a client ends")
    expiries: int = budget("the session of a client that lives expires")
    timeouts: int = budget("a member is removed since it takes too long to give tasks back")
    losses: int = budget("a request or an answer is lost")
    delays: int = budget("a client gives a request up that is carried out later")
    failovers: int = budget("another broker becomes the coordinator")
    standbys: int = choice("the target may have a standby of the first task")
    warmups: int = choice("the target may have a warm-up of the first task")
    rules: Rules = Rules()

    def __post_init__(self) -> None:
        self.check_ranges()
        for name, value, most in (
            ("joined", self.joined, self.members),
            ("tasks", self.tasks, MOST_TASKS),
            ("sharing", self.sharing, self.members - 1),
            ("the number of members at the start", self.joined, self.epochs),
        ):
            if value > most:
                raise ValueError(f"{name} refused: {value}; at most {most} is allowed")


MEMBER = Sort("member", lambda bounds: bounds.members)
TASK = Sort("task", lambda bounds: bounds.tasks)
OWNER = MEMBER.among(lambda bounds: range(bounds.members + 1))
"""The member that a new target gives the first task; 0 where no new target is needed."""
SECOND_OWNER = MEMBER.among(lambda bounds: range(bounds.members + 1) if bounds.tasks > 1 else None)
STANDBY = MEMBER.among(lambda bounds: range(bounds.members + 1) if bounds.standbys else None)
WARMUP = MEMBER.among(lambda bounds: range(bounds.members + 1) if bounds.warmups else None)
