"""
The present runner of each task: the leader's choice (KIP-441), from a plan that names the runner of each task.

``HighAvailabilityTaskAssignor`` and ``TaskMovement`` as questions: is this the runner that they would choose, and which
role does each member then get? ``tests/kafka`` holds the answers to the assignor itself on the groups that
the sizes here allow. The sizes matter in one place: of three members and one standby, at most one is without a copy.
"""

from typing import Final

from oneowner.model.kafka.rebalance.placement import Placement, Role, placements_of
from oneowner.model.kafka.rebalance.state import State, Store
from oneowner.model.kernel.concrete import concrete

Plan = tuple[int, int]
"""The runner of the first task, and of the second."""

UNKNOWN: Final = 0
RUNNING: Final = 1
CAUGHT_UP: Final = 2
BEHIND: Final = 3
NOTHING: Final = 4
"""Lags in the order of their numbers: ``UNKNOWN_OFFSET_SUM`` -3, ``LATEST_OFFSET`` -2, then records to restore."""


@concrete
def placements(state: State) -> tuple[Placement, ...]:
    """Return where each set of members is meant to have what."""
    return placements_of(state.bounds.members, state.bounds.tasks, state.bounds.standbys)


def is_group(state: State, placement: Placement) -> bool:
    """Return whether just the members of *placement* are in the group."""
    same = True
    for member in range(1, state.bounds.members + 1):
        if state.listed[member] != placement.has(member):
            same = False
    return same


def meant(state: State, member: int, task: int) -> Role:
    """Return the intended role of *member* for *task*, regardless of its state."""
    for placement in placements(state):
        if is_group(state, placement):
            return placement.role(member, task)
    return Role.NONE


def lag(state: State, member: int, task: int) -> int:
    """Return the lag of *task* that *member* reported, as one of the five above."""
    role, store = state.role[member, task], state.store[member, task]
    if role == Role.ACTIVE and store == Store.CAUGHT_UP:
        return RUNNING
    if member > state.bounds.members - state.bounds.older and store != Store.NONE:
        return UNKNOWN if state.bounds.rules.unknown_is_least else NOTHING
    if store == Store.CAUGHT_UP:
        return CAUGHT_UP
    if store == Store.BEHIND:
        return BEHIND
    return NOTHING


def is_ready(state: State, member: int, task: int) -> bool:
    """Return whether *member* is in the group and has caught up with *task*, as far as is known."""
    told = lag(state, member, task)
    return state.listed[member] and UNKNOWN < told < BEHIND


def ready_count(state: State, task: int) -> int:
    """Return how many have caught up with *task*."""
    count = 0
    for member in range(1, state.bounds.members + 1):
        if is_ready(state, member, task):
            count = count + 1
    return count


def must_move(state: State, member: int, task: int) -> bool:
    """Return whether *member* is not ready for *task*, and another is more so (``TaskMovement``)."""
    if is_ready(state, member, task):
        return False
    if not state.bounds.rules.least_lag:
        return ready_count(state, task) > 0
    found = False
    for other in range(1, state.bounds.members + 1):
        if state.listed[other] and lag(state, other, task) < lag(state, member, task):
            found = True
    return found


# ---- active tasks ----


def moves(state: State, task: int) -> bool:
    """Return whether *task* must not go to the member that is meant to run it, not yet."""
    found = False
    for member in range(1, state.bounds.members + 1):
        if meant(state, member, task) == Role.ACTIVE and must_move(state, member, task):
            found = True
    return found


def is_swap(state: State, task: int, plan: Plan) -> bool:
    """Return whether the runner is one that is meant to keep a standby: the two change roles."""
    return moves(state, task) and meant(state, plan[task - 1], task) == Role.STANDBY


def wants_warm_up(state: State, task: int, plan: Plan) -> bool:
    """Return whether the intended runner of *task* is to warm up."""
    return moves(state, task) and not is_swap(state, task, plan)


def comes_before(state: State, one: int, other: int) -> bool:
    """Return whether a movement of task *one* is dealt with before one of *other*: fewer have caught up with it."""
    count, count_of_other = ready_count(state, one), ready_count(state, other)
    return count < count_of_other or (count == count_of_other and one < other)


def is_warming_up(state: State, member: int, task: int, plan: Plan) -> bool:
    """Return whether *member*, the intended runner of *task*, warms up: some of ``max.warmup.replicas`` are left."""
    if meant(state, member, task) != Role.ACTIVE or not wants_warm_up(state, task, plan):
        return False
    used = 0
    for other in range(1, state.bounds.tasks + 1):
        if wants_warm_up(state, other, plan) and comes_before(state, other, task):
            used = used + 1
    return used < state.bounds.warmups or not state.bounds.rules.limits_warm_ups


def load(state: State, member: int, task: int, plan: Plan) -> int:
    """Return how many tasks *member* has when *task* is dealt with."""
    count = 0
    for other in range(1, state.bounds.tasks + 1):
        role = meant(state, member, other)
        if comes_before(state, other, task) and wants_warm_up(state, other, plan):
            if plan[other - 1] == member or is_warming_up(state, member, other, plan):
                count = count + 1
        elif role != Role.NONE:
            count = count + 1
    return count


def preference(state: State, member: int, task: int) -> int:
    """Return which choice *member* is: a standby that has caught up, any that has, any other."""
    if not is_ready(state, member, task):
        return 3
    return 1 if meant(state, member, task) == Role.STANDBY else 2


def is_preferred(state: State, one: int, other: int, task: int, plan: Plan) -> bool:
    """Return whether *task* rather goes to *one* than to *other*: by choice, then by load or lag, then by number."""
    choice, choice_of_other = preference(state, one, task), preference(state, other, task)
    if choice != choice_of_other:
        return choice < choice_of_other
    first, second = load(state, one, task, plan), load(state, other, task, plan)
    if choice == 3:
        first, second = lag(state, one, task), lag(state, other, task)
    return first < second or (first == second and one < other)


def is_runner(state: State, task: int, plan: Plan) -> bool:
    """Return whether the assignor gives *task* to the member that the plan names."""
    runner = plan[task - 1]
    if not moves(state, task):
        return meant(state, runner, task) == Role.ACTIVE
    is_first = state.listed[runner]
    for other in range(1, state.bounds.members + 1):
        if other != runner and state.listed[other] and is_preferred(state, other, runner, task, plan):
            is_first = False
    return is_first


def is_choice(state: State, plan: Plan) -> bool:
    """Return whether the plan is the one that the assignor makes."""
    found = True
    for task in range(1, state.bounds.tasks + 1):
        if not is_runner(state, task, plan):
            found = False
    return found


# ---- standbys ----


def is_standby(state: State, member: int, task: int, plan: Plan) -> bool:
    """Return whether *member* has a standby that is asked for, once active tasks are dealt with."""
    role = meant(state, member, task)
    if role == Role.ACTIVE:
        return is_swap(state, task, plan)
    return role == Role.STANDBY and plan[task - 1] != member


def has_copy(state: State, member: int, task: int, plan: Plan) -> bool:
    """Return whether *member* has *task* in any role, once active tasks are dealt with."""
    has = is_standby(state, member, task, plan) or is_warming_up(state, member, task, plan)
    return plan[task - 1] == member or has


def may_stand_by(state: State, member: int, destination: int, task: int, plan: Plan) -> bool:
    """Return whether *member* may be standby where *destination* is meant to, and is not ready."""
    if not state.listed[member] or has_copy(state, member, task, plan):
        return False
    told, other = lag(state, member, task), lag(state, destination, task)
    is_nearer = told < other or (told == other and member < destination)
    return is_ready(state, member, task) or (state.bounds.rules.least_lag and is_nearer)


def stands_in(state: State, member: int, task: int, plan: Plan) -> bool:
    """Return whether *member* is standby for a member that is meant to be, and is not ready."""
    found = False
    for destination in range(1, state.bounds.members + 1):
        if is_standby(state, destination, task, plan) and must_move(state, destination, task):
            if may_stand_by(state, member, destination, task, plan):
                found = True
    return found


def has_stand_in(state: State, task: int, plan: Plan) -> bool:
    """Return whether some member is standby for another."""
    found = False
    for member in range(1, state.bounds.members + 1):
        if stands_in(state, member, task, plan):
            found = True
    return found


def keeps_standby(state: State, task: int, plan: Plan) -> bool:
    """Return whether a runner with a stand-in keeps its copy, as a warm-up: some are left."""
    used = 0
    for other in range(1, state.bounds.tasks + 1):
        if wants_warm_up(state, other, plan):
            used = used + 1
        if other != task and comes_before(state, other, task) and has_stand_in(state, other, plan):
            used = used + 1
    return used < state.bounds.warmups or not state.bounds.rules.limits_warm_ups


def planned_role(state: State, member: int, task: int, plan: Plan) -> Role:
    """Return the assignment of *member*, before the task's present owner is considered."""
    if plan[task - 1] == member:
        return Role.ACTIVE
    if is_warming_up(state, member, task, plan) or stands_in(state, member, task, plan):
        return Role.STANDBY
    if not is_standby(state, member, task, plan):
        return Role.NONE
    is_lost = must_move(state, member, task) and has_stand_in(state, task, plan)
    return Role.NONE if is_lost and not keeps_standby(state, task, plan) else Role.STANDBY


def is_probing(state: State, plan: Plan) -> bool:
    """Return whether a copy is not yet where it is meant to be: a probing rebalance is asked for."""
    found = False
    for task in range(1, state.bounds.tasks + 1):
        if moves(state, task) or has_stand_in(state, task, plan):
            found = True
    return found
