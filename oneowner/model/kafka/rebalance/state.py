"""
``State`` holds the members' roles and copies, the coordinator's record of them, and their next roles.

Generations have no numbers. A member is of the present generation if it is listed and no assignment is due; of the one
before, if one is due, which it may miss when the next rebalance begins; of an older one, if it is not listed: a
*zombie*, which works on until it hears of it.
"""

from enum import StrEnum

from oneowner.model.kafka.rebalance.bounds import MEMBER, TASK, Bounds
from oneowner.model.kafka.rebalance.placement import Role, at_start
from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.concrete import concrete
from oneowner.model.kernel.language import BOOLEAN, integers, names
from oneowner.model.kernel.state import State as KernelState
from oneowner.model.kernel.state import cell, left

NOBODY = 0


class Store(StrEnum):
    """The state of a task on a client's disk; ``CAUGHT_UP``: behind by no more than ``acceptable.recovery.lag``."""

    NONE = "none"
    BEHIND = "behind"
    CAUGHT_UP = "caught up"


class FollowUp(StrEnum):
    """The next rebalance that an assignment has its member ask for."""

    NONE = "none"
    PROBING = "probing"
    NOW = "now"


def store_at_start(bounds: Bounds, member: int, task: int) -> Store:
    """Return ``CAUGHT_UP`` for a copy that the member has at the start, else ``NONE``."""
    return Store.NONE if at_start(bounds, member, task) == Role.NONE else Store.CAUGHT_UP


class State(KernelState):
    """One instant of a group."""

    bounds: Bounds

    up: Cells[bool] = cell(BOOLEAN, per=(MEMBER,), first=lambda bounds, member: member <= max(1, bounds.running))
    """Its process lives."""
    listed: Cells[bool] = cell(BOOLEAN, per=(MEMBER,), first=lambda bounds, member: member <= bounds.running)
    """The coordinator has it in the group."""
    role: Cells[Role] = cell(names(Role), per=(MEMBER, TASK), first=at_start)
    """Its role in the task; for a listed member that is gone, the role that it reported when it joined."""
    store: Cells[Store] = cell(names(Store), per=(MEMBER, TASK), first=store_at_start)
    preparing: bool = cell(BOOLEAN)
    """A rebalance is being prepared: the coordinator waits until all that are listed have joined."""
    joined: Cells[bool] = cell(BOOLEAN, per=(MEMBER,))
    """Its JoinGroup is there, with the tasks that it owns and its lags."""
    due: Cells[bool] = cell(BOOLEAN, per=(MEMBER,))
    """The leader has assigned, and it has yet to get its part."""
    given: Cells[Role] = cell(names(Role), per=(MEMBER, TASK))
    """The part that is due."""
    follow_up: Cells[FollowUp] = cell(names(FollowUp), per=(MEMBER,))
    """The rebalance that it is to ask for, once it has its part."""
    giver: Cells[int] = cell(lambda bounds: integers(NOBODY, bounds.members, MEMBER.name), per=(TASK,))
    """The owner of the task when it was taken away; the leader's log shows a hand-over by it and ``heir``."""
    heir: Cells[int] = cell(lambda bounds: integers(NOBODY, bounds.members, MEMBER.name), per=(TASK,))
    """The member that is to run it and does not yet."""
    settled: bool = cell(BOOLEAN, first=True)
    """The last assignment asked for no other; no member has come, gone, or missed its part since."""
    promised: Cells[bool] = cell(BOOLEAN, per=(MEMBER, TASK), when=lambda bounds: bounds.cleanings)
    """It is to run the task because of the copy that it has."""
    state_lost: bool = cell(BOOLEAN, when=lambda bounds: bounds.cleanings)
    """A member began to run a task for its reported copy, which it had no more; kept for a law alone."""
    foreign: bool = cell(BOOLEAN, when=lambda bounds: bounds.timeouts)
    """A member of an older generation has committed an offset; kept for a law alone."""

    starts_left: int = left("starts")
    leaves_left: int = left("leaves")
    crashes_left: int = left("crashes")
    timeouts_left: int = left("timeouts")
    cleanings_left: int = left("cleanings")
    refreshes_left: int = left("refreshes")


members = concrete(MEMBER.numbers)
tasks = concrete(TASK.numbers)


def has_tasks(state: State, member: int) -> bool:
    """Return whether *member* runs a task, or keeps a copy of one."""
    found = False
    for task in range(1, state.bounds.tasks + 1):
        if state.role[member, task] != Role.NONE:
            found = True
    return found


def is_zombie(state: State, member: int) -> bool:
    """Return whether *member* works on although the group has gone on without it."""
    return state.up[member] and not state.listed[member] and has_tasks(state, member)


def owner_beside(state: State, task: int, member: int) -> int:
    """Return another listed member that reported to run *task* (``ownedPartitions``), or nobody."""
    for other in range(1, state.bounds.members + 1):
        if other != member and state.listed[other] and state.role[other, task] == Role.ACTIVE:
            return other
    return NOBODY


def some_listed(state: State) -> bool:
    """Return whether anybody is in the group."""
    found = False
    for member in range(1, state.bounds.members + 1):
        if state.listed[member]:
            found = True
    return found


def leader(state: State) -> int:
    """Return the leader: the first that is listed (the coordinator takes the first that joined), or nobody."""
    for member in range(1, state.bounds.members + 1):
        if state.listed[member]:
            return member
    return NOBODY
