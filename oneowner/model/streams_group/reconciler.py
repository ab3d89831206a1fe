"""
The coordinator leads a member from its assignment to its target (``CurrentAssignmentBuilder``).

This is ``oneowner.model.kafka.streams_group.reconciler`` once more, over the cells of a state, so that it can be
traced; a test holds that both decide alike wherever a state can express that function's input.
"""

from oneowner.model.streams_group.state import (
    NOBODY,
    Kind,
    Message,
    Phase,
    Role,
    State,
    is_counted,
    members,
    process_of,
    role_in,
    tasks,
    will_run,
)


def reconcile(state: State, member: int, request: Message) -> None:
    """Bring *member* as near to its target as its own report and the tasks of others allow."""
    if state.phase[member] == Phase.STABLE:
        if state.epoch[member] != state.target_epoch:
            lead_on(state, member, request, state.epoch[member])
    elif state.phase[member] == Phase.UNRELEASED:
        lead_on(state, member, request, state.epoch[member])
    elif not owns_pending(state, member, request):
        lead_on(state, member, request, state.epoch[member] + 1)


def owns_pending(state: State, member: int, request: Message) -> bool:
    """Return whether *member* has yet to give back what it was told to."""
    if not says(request):
        return state.bounds.rules.silence_is_no_release
    return any(
        state.pending[member, task] != Role.NONE and role_in(request, task) == state.pending[member, task]
        for task in tasks(state)
    )


def says(request: Message) -> bool:
    """Return whether a request lists its sender's tasks; a member that joins owns none, and reports so."""
    return request.kind == Kind.FULL or request.kind == Kind.JOIN


def lead_on(state: State, member: int, request: Message, epoch: int) -> None:
    """Take away what is not in the target; or else give of the target what is free (``computeNextAssignment``)."""
    if has_to_give_back(state, member, request):
        for task in tasks(state):
            kept, revoked = kept_of(state, member, task), revoked_of(state, member, task)
            note(state, member, task, request, kept, state.pending[member, task] != Role.NONE)
            state.pending[member, task] = revoked
            state.assigned[member, task] = kept
        state.phase[member] = Phase.UNREVOKED
        set_epoch(state, member, epoch if state.bounds.rules.revocation_keeps_epoch else state.target_epoch)
    else:
        state.phase[member] = Phase.UNRELEASED if has_to_wait(state, member) else Phase.STABLE
        for task in tasks(state):
            given = given_of(state, member, task)
            note(state, member, task, request, given, loses(state, member, task))
            state.pending[member, task] = Role.NONE
            state.assigned[member, task] = given
        set_epoch(state, member, state.target_epoch)


def kept_of(state: State, member: int, task: int) -> Role:
    """Return the role in which *member* goes on to have *task*: that of its target, if it has it so."""
    is_wanted = state.assigned[member, task] == state.target[member, task]
    return state.assigned[member, task] if is_wanted else Role.NONE


def revoked_of(state: State, member: int, task: int) -> Role:
    """Return the role in which *member* has *task* and is not to."""
    is_wanted = state.assigned[member, task] == state.target[member, task]
    return Role.NONE if is_wanted else state.assigned[member, task]


def given_of(state: State, member: int, task: int) -> Role:
    """Return the role in which *member* has *task* from now on: that of its target, if the task is free."""
    has = state.assigned[member, task] == state.target[member, task]
    return state.target[member, task] if has or is_free(state, member, task) else Role.NONE


def loses(state: State, member: int, task: int) -> bool:
    """Return whether *member* had *task* to give back, or had it and is not to."""
    return state.pending[member, task] != Role.NONE or revoked_of(state, member, task) != Role.NONE


def note(state: State, member: int, task: int, request: Message, role: Role, is_taken: bool) -> None:
    """Keep for laws and observers who gave *task* up, and that it is taken from a client that is to run it."""
    state.denied[member, task] = is_denied(state, member, task, request, role, is_taken)
    state.giver[task] = giver_of(state, member, task, role)


def is_denied(state: State, member: int, task: int, request: Message, role: Role, is_taken: bool) -> bool:
    """Return whether *task* is taken since *request* says that its sender does not own it, though that is to run it."""
    if role != Role.NONE and role != state.assigned[member, task]:
        return False
    return state.denied[member, task] or (is_taken and says(request) and will_run(state, member, task))


def giver_of(state: State, member: int, task: int, role: Role) -> int:
    """Return who gave the active *task* up last, if nobody has been given it since."""
    if role == Role.ACTIVE:
        return NOBODY
    return member if state.assigned[member, task] == Role.ACTIVE else state.giver[task]


def set_epoch(state: State, member: int, epoch: int) -> None:
    """Give *member* an epoch; that which it had is the previous one, even if it is the same (``updateMemberEpoch``)."""
    state.previous[member] = state.epoch[member]
    state.epoch[member] = epoch


def has_to_give_back(state: State, member: int, request: Message) -> bool:
    """Return whether *member* has what its target has not, and does not deny that it owns some of it."""
    return any(
        state.assigned[member, task] != Role.NONE
        and state.assigned[member, task] != state.target[member, task]
        and (not says(request) or role_in(request, task) == state.assigned[member, task])
        for task in tasks(state)
    )


def has_to_wait(state: State, member: int) -> bool:
    """Return whether something of its target cannot be given to *member* yet."""
    return any(
        state.target[member, task] != Role.NONE
        and state.assigned[member, task] != state.target[member, task]
        and not is_free(state, member, task)
        for task in tasks(state)
    )


def is_free(state: State, member: int, task: int) -> bool:
    """
    Return whether *member* can be given *task* in the role of its target.

    An active task waits for whoever has it, perhaps the member itself; and no task is given to a process that has it in
    another role.
    """
    wants_to_run = state.target[member, task] == Role.ACTIVE
    return not any(stands_in_the_way(state, other, member, task, wants_to_run) for other in members(state))


def stands_in_the_way(state: State, other: int, member: int, task: int, wants_to_run: bool) -> bool:
    """Return whether what *other* has of *task* keeps *member* from getting it."""
    runs = is_counted(state, other, task, Role.ACTIVE)
    if process_of(state, other) == process_of(state, member):
        has_copy = is_counted(state, other, task, Role.STANDBY) or is_counted(state, other, task, Role.WARMUP)
        copy_hinders = has_copy and state.bounds.rules.copies_are_waited_for
        if wants_to_run:
            return (runs and state.bounds.rules.release_is_waited_for) or copy_hinders
        return (runs and state.bounds.rules.copies_are_waited_for) or copy_hinders
    return runs and wants_to_run and state.bounds.rules.release_is_waited_for
