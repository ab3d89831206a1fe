"""The coordinator answers requests, and removes members (``GroupMetadataManager.streamsGroupHeartbeat``)."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require, require_bound
from oneowner.model.streams_group.bounds import MEMBER, OWNER, SECOND_OWNER, STANDBY, WARMUP
from oneowner.model.streams_group.reconciler import reconcile, says
from oneowner.model.streams_group.state import (
    NOBODY,
    NOTHING,
    Client,
    Kind,
    Message,
    Phase,
    Role,
    State,
    is_request,
    members,
    process_of,
    role_in,
    roles_of,
    tasks,
)


@action(
    member=MEMBER,
    owner=OWNER,
    second_owner=SECOND_OWNER,
    standby=STANDBY,
    warmup=WARMUP,
    fairness=weak("A coordinator that is there answers what it is asked."),
)
def serve(
    state: State, member: int, owner: int, second_owner: int = NOBODY, standby: int = NOBODY, warmup: int = NOBODY
) -> None:
    """
    The coordinator carries the request of *member* out; if it needs a new target, *owner* and the others are its tasks.

    Enabled: a request has come; an owner is named just if a new target is needed, and all who are named are members;
    no copy is in the process of the owner or of another copy.
    Changes: who joins is a member, and the group epoch is one on; there is a target of the group epoch; the member is
    reconciled; it is answered, with its assignment if it joins, or if that has changed. Whoever is no member, or comes
    with an epoch that is not its own, is refused. Who leaves is removed.
    Log: ``[GroupId ..][MemberId ..] Member's new assignment state: epoch=..``
    Mirrors: ``GroupMetadataManager.streamsGroupHeartbeat``, ``streamsGroupLeave``; the target is any that an assignor
    may choose (``TargetAssignmentBuilder``).
    """
    request = state.message[member]
    require(is_request(request), "a request has come")
    plan = (owner, second_owner, standby, warmup)
    state.message[member] = answer(state, member, request, plan)
    if request.kind == Kind.JOIN:
        state.removed[member] = False


Plan = tuple[int, int, int, int]
"""The members that are to have the first task, the second, the standby and the warm-up of the first; 0: nobody."""


def answer(state: State, member: int, request: Message, plan: Plan) -> Message:
    """Carry a request out, and return what is answered."""
    if request.kind == Kind.LEAVE:
        require(is_empty(plan), NOT_NEEDED)
        if state.member[member]:
            remove(state, member)
        return NOTHING
    if request.kind == Kind.JOIN and not state.member[member]:
        admit(state, member)
    elif not state.member[member]:
        require(is_empty(plan), NOT_NEEDED)
        return NOTHING._replace(kind=Kind.UNKNOWN)
    elif is_fenced(state, member, request):
        require(is_empty(plan), NOT_NEEDED)
        return NOTHING._replace(kind=Kind.FENCED)
    if state.target_epoch < state.group_epoch:
        aim(state, plan)
    else:
        require(is_empty(plan), NOT_NEEDED)
    before = roles_of(state, state.assigned, member, Kind.ASSIGNED, 0)
    reconcile(state, member, request)
    after = roles_of(state, state.assigned, member, Kind.ASSIGNED, 0)
    in_full = state.bounds.rules.full_is_answered_in_full and says(request)
    if request.kind == Kind.JOIN or before != after or in_full:
        return after._replace(epoch=state.epoch[member])
    return NOTHING._replace(kind=Kind.ACCEPTED, epoch=state.epoch[member])


NOT_NEEDED = "a target is named just if a new one is needed"


def is_empty(plan: Plan) -> bool:
    return plan == (NOBODY, NOBODY, NOBODY, NOBODY)


def admit(state: State, member: int) -> None:
    """A new member has epoch 0, no tasks, and no target yet (``getOrCreateDefaultMember``)."""
    state.member[member] = True
    state.epoch[member] = 0
    state.previous[member] = 0
    state.phase[member] = Phase.STABLE
    for task in tasks(state):
        state.assigned[member, task] = Role.NONE
        state.pending[member, task] = Role.NONE
    bump(state)


def bump(state: State) -> None:
    """The group epoch is one on: a new target is needed."""
    require_bound(state.group_epoch < state.bounds.epochs, "epochs")
    state.group_epoch = state.group_epoch + 1


def is_fenced(state: State, member: int, request: Message) -> bool:
    """
    Return whether the epoch of a request of a member is refused (``throwIfStreamsGroupMemberEpochIsInvalid``).

    The epoch before is taken if the sender owns nothing but what is assigned, for the answer with the new epoch may
    have been lost.
    """
    rules = state.bounds.rules
    if request.epoch == 0 and rules.rejoin_is_accepted:
        return False
    if request.epoch == state.epoch[member]:
        return False
    if request.epoch > state.epoch[member] or request.epoch != state.previous[member]:
        return True
    if not rules.previous_is_accepted or not says(request):
        return True
    return rules.previous_owns_what_is_assigned and any(
        role_in(request, task) != Role.NONE and role_in(request, task) != state.assigned[member, task]
        for task in tasks(state)
    )


def aim(state: State, plan: Plan) -> None:
    """There is a new target, of the group epoch: *plan*, whatever the owners so far."""
    owner, second_owner, standby, warmup = plan
    require(owner != NOBODY and (state.bounds.tasks == 1 or second_owner != NOBODY), "each task has an owner")
    for one in members(state):
        if one == owner or one == second_owner or one == standby or one == warmup:  # noqa: SIM109 -- can be traced
            require(state.member[one], "all who are named are members")
    require(not is_beside(state, owner, standby), "no standby is in the process of the owner")
    require(not is_beside(state, owner, warmup), "no warm-up is in the process of the owner")
    require(not is_beside(state, standby, warmup), "no warm-up is in the process of a standby")
    for one in members(state):
        state.target[one, 1] = role_of(one, owner, standby, warmup)
        if state.bounds.tasks > 1:
            state.target[one, 2] = Role.ACTIVE if one == second_owner else Role.NONE
    state.target_epoch = state.group_epoch


def is_beside(state: State, one: int, other: int) -> bool:
    """Return whether two of a plan are in one process."""
    return one != NOBODY and other != NOBODY and process_of(state, one) == process_of(state, other)


def role_of(member: int, owner: int, standby: int, warmup: int) -> Role:
    """Return the role in which *member* is to have the first task."""
    if member == owner:
        return Role.ACTIVE
    if member == standby:
        return Role.STANDBY
    return Role.WARMUP if member == warmup else Role.NONE


def remove(state: State, member: int) -> None:
    """*member* is no member any more, and has nothing (``streamsGroupFenceMember``); its client may not know."""
    rules = state.bounds.rules
    state.member[member] = False
    state.epoch[member] = 0
    state.previous[member] = 0
    state.phase[member] = Phase.STABLE
    for task in tasks(state):
        state.target[member, task] = Role.NONE
        state.giver[task] = giver_without(state, member, task)
        if rules.removal_frees_tasks:
            state.assigned[member, task] = Role.NONE
            state.pending[member, task] = Role.NONE
    if rules.removal_bumps_epoch:
        bump(state)
    state.removed[member] = may_run(state, member)


def giver_without(state: State, member: int, task: int) -> int:
    """Return who gave *task* up last, unless that is *member*, which is removed."""
    is_its = state.giver[task] == member or state.assigned[member, task] == Role.ACTIVE
    return NOBODY if is_its else state.giver[task]


def may_run(state: State, member: int) -> bool:
    """Return whether the client of *member* takes itself for a member, or will as soon as it is answered."""
    if state.client[member] == Client.JOINING:
        return state.message[member].kind == Kind.ASSIGNED
    return state.client[member] != Client.NEW and state.client[member] != Client.GONE


@action(member=MEMBER, budget="expiries", fairness=never("A client that lives sends heartbeats in time."))
def expire(state: State, member: int) -> None:
    """
    No heartbeat of *member* came for as long as the session timeout, though its client lives.

    Enabled: it is a member, and its client lives.
    Changes: it is removed, and the group epoch is one on.
    Log: ``[GroupId ..] Streams member .. fenced from the group because the member session expired.``
    Mirrors: ``GroupMetadataManager.scheduleStreamsGroupSessionTimeout``.
    """
    require(state.expiries_left > 0, "the budget allows another expiry")
    state.expiries_left = state.expiries_left - 1
    require(state.member[member], "it is a member")
    require(state.client[member] != Client.GONE, "its client lives")
    remove(state, member)


@action(
    member=MEMBER,
    when=lambda bounds: bounds.crashes or bounds.leaves,
    fairness=weak("The session of a client that is gone expires."),
)
def expire_gone(state: State, member: int) -> None:
    """
    The session of a client that has died, or whose farewell was lost, expires.

    Enabled: it is a member; its client is gone, and no request of it is under way.
    Changes: it is removed, and the group epoch is one on.
    Log: ``[GroupId ..] Streams member .. fenced from the group because the member session expired.``
    Mirrors: ``GroupMetadataManager.scheduleStreamsGroupSessionTimeout``.
    """
    require(state.member[member], "it is a member")
    require(state.client[member] == Client.GONE, "its client is gone")
    require(not is_request(state.message[member]), "no request of it is under way")
    remove(state, member)


@action(member=MEMBER, budget="timeouts", fairness=never("A client gives tasks back in time."))
def time_out(state: State, member: int) -> None:
    """
    *member* was told to give tasks back, and has not within the rebalance timeout.

    Enabled: it has yet to give tasks back.
    Changes: it is removed, and the group epoch is one on.
    Log: ``[GroupId ..] Member .. fenced from the group because it failed to transition from epoch .. within ..ms.``
    Mirrors: ``GroupMetadataManager.scheduleStreamsGroupRebalanceTimeout``.
    """
    require(state.timeouts_left > 0, "the budget allows another timeout")
    state.timeouts_left = state.timeouts_left - 1
    require(state.member[member], "it is a member")
    require(state.phase[member] == Phase.UNREVOKED, "it has yet to give tasks back")
    remove(state, member)


@action(budget="refreshes", fairness=never("Topics need not change."))
def refresh(state: State) -> None:
    """
    The topics that the group reads have changed, so that the next heartbeat needs a new target.

    Enabled: always.
    Changes: the group epoch is one on.
    Log: ``[GroupId ..][MemberId ..] Bumped streams group epoch to .. with metadata hash ..``
    Mirrors: ``GroupMetadataManager.streamsGroupHeartbeat``, which does so in that heartbeat.
    """
    require(state.refreshes_left > 0, "the budget allows another change")
    state.refreshes_left = state.refreshes_left - 1
    bump(state)
