"""The leader assigns: it plans who runs what, and takes out what another member has to give back first."""

from oneowner.model.kafka.rebalance.bounds import MEMBER, SECOND
from oneowner.model.kafka.rebalance.movement import Plan, is_choice, is_probing, planned_role
from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.state import NOBODY, FollowUp, State, Store, leader, owner_beside
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import weak
from oneowner.model.kernel.guards import require


def all_joined(state: State) -> bool:
    found = True
    for member in range(1, state.bounds.members + 1):
        if state.listed[member] and not state.joined[member]:
            found = False
    return found


def leader_lives(state: State) -> bool:
    first = leader(state)
    return first != NOBODY and state.up[first]


def is_withheld(state: State, task: int, plan: Plan) -> bool:
    """Return whether *task* is new to its runner while another member of the group owns it."""
    runner = plan[task - 1]
    is_owned = state.role[runner, task] != Role.ACTIVE and owner_beside(state, task, runner) != NOBODY
    return state.bounds.rules.revokes_first and is_owned


def waits(state: State, member: int, plan: Plan) -> bool:
    """Return whether a task of *member* is withheld."""
    found = False
    for task in range(1, state.bounds.tasks + 1):
        if plan[task - 1] == member and is_withheld(state, task, plan):
            found = True
    return found


def some_wait(state: State, plan: Plan) -> bool:
    """Return whether a task is withheld from anybody."""
    found = False
    for task in range(1, state.bounds.tasks + 1):
        if is_withheld(state, task, plan):
            found = True
    return found


def given_role(state: State, member: int, task: int, plan: Plan) -> Role:
    """Return the assignment of *member*; of a task that is withheld, a standby for now if it has a copy."""
    role = planned_role(state, member, task, plan)
    if role == Role.ACTIVE and is_withheld(state, task, plan):
        return Role.NONE if state.store[member, task] == Store.NONE else Role.STANDBY
    return role


def next_rebalance(state: State, member: int, plan: Plan) -> FollowUp:
    """Return the rebalance that *member* is to ask for: one at once if it waits, else the leader may probe."""
    if waits(state, member, plan):
        return FollowUp.NOW if state.bounds.rules.asks_anew else FollowUp.NONE
    is_due = leader(state) == member and is_probing(state, plan)
    return FollowUp.PROBING if is_due and state.bounds.rules.asks_for_probing else FollowUp.NONE


def giver_of(state: State, task: int, plan: Plan) -> int:
    """Return the member that gives *task* away: its owner beside its runner, else the one that gave it away before."""
    runner = plan[task - 1]
    if state.role[runner, task] == Role.ACTIVE:
        return NOBODY
    owner = owner_beside(state, task, runner)
    return state.giver[task] if owner == NOBODY else owner


def heir_of(state: State, task: int, plan: Plan) -> int:
    """Return the member that is to run *task* and does not yet, or nobody."""
    runner = plan[task - 1]
    return NOBODY if state.role[runner, task] == Role.ACTIVE else runner


@action(first=MEMBER, second=SECOND, fairness=weak("A leader that lives assigns."))
def assign(state: State, first: int, second: int = NOBODY) -> None:
    """
    The leader assigns; *first* is who runs the first task once all that is withheld is given back, *second* the second.

    Enabled: a rebalance is being prepared, all that are in the group have joined, who leads lives, and the assignor
    chooses these two.
    Changes: a new generation begins, and each member's part is due to it. Of a task that another member owns its runner
    gets nothing, or a standby if it has a copy, and is to ask for a rebalance at once.
    Log: ``Assigned tasks ..``, ``Removing task .. from .. active assignment until it is safely revoked in followup
    rebalance``, ``Requesting followup rebalance be scheduled ..``
    Mirrors: ``StreamsPartitionAssignor.assign``, ``addClientAssignments``, ``populateActiveTaskAndPartitionsLists``,
    ``buildStandbyTaskMap``.
    """
    plan = (first, second)
    require(state.preparing, "a rebalance is being prepared")
    require(all_joined(state), "all that are in the group have joined")
    require(leader_lives(state), "who leads lives")
    require(is_choice(state, plan), "the assignor chooses these two")
    for task in range(1, state.bounds.tasks + 1):
        giver, heir = giver_of(state, task, plan), heir_of(state, task, plan)
        for member in range(1, state.bounds.members + 1):
            role = given_role(state, member, task, plan)
            state.given[member, task] = role
            if state.bounds.cleanings:
                is_new = role == Role.ACTIVE and state.role[member, task] != Role.ACTIVE
                state.promised[member, task] = is_new and state.store[member, task] != Store.NONE
        state.giver[task], state.heir[task] = giver, heir
    for member in range(1, state.bounds.members + 1):
        state.follow_up[member] = next_rebalance(state, member, plan)
    state.settled = not is_probing(state, plan) and not some_wait(state, plan)
    for member in range(1, state.bounds.members + 1):
        state.due[member] = state.listed[member]
        state.joined[member] = False
    state.preparing = False
