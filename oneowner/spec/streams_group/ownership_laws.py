"""
Laws of task ownership: one owner at the coordinator, one running client, and how long a removed client runs on.

The letters are those of the abstraction that all hand-overs share: O1 one owner, O2 nobody runs what is not its own,
O4 release precedes acquisition, O10 no copy beside another.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, StateLaw, Status, always, sometimes, step_law
from oneowner.model.streams_group.state import (
    Role,
    State,
    members,
    process_of,
    tasks,
)

KIP = "KIP-1071, Reconciliation"


def has(state: State, member: int, task: int, role: Role) -> bool:
    """Return whether *member* is assigned *task* in this role, or has yet to give it back."""
    return state.assigned[member, task] == role or state.pending[member, task] == role


def somebody_has_a_task(state: State) -> bool:
    return any(has(state, member, task, Role.ACTIVE) for member in members(state) for task in tasks(state))


@always(
    "one-owner",
    f"{KIP}; CurrentAssignmentBuilder.computeNextAssignment",
    when=somebody_has_a_task,
    kind=LawKind.PURPOSE,
)
def no_two_have_one(state: State) -> bool:
    """
    In the coordinator's records at most one member holds a task, whether the task is assigned or still to be given back
    (O1).
    """
    return all(
        one == other or not has(state, one, task, Role.ACTIVE) or not has(state, other, task, Role.ACTIVE)
        for task in tasks(state)
        for one in members(state)
        for other in members(state)
    )


def runs(state: State, member: int, task: int) -> bool:
    return state.running[member, task] == Role.ACTIVE


def somebody_runs_a_task(state: State) -> bool:
    return any(runs(state, member, task) for member in members(state) for task in tasks(state))


def is_excused(state: State, member: int, task: int) -> bool:
    """Return whether *member* was removed, or the coordinator had read that it does not own *task*."""
    return state.removed[member] or state.denied[member, task]


@always("one-runner", KIP, when=somebody_runs_a_task, kind=LawKind.PURPOSE)
def no_two_members_run_one(state: State) -> bool:
    """
    At most one client runs a task, apart from clients that have yet to stop it after the coordinator removed their
    member, or after their heartbeat reported that they do not own it (O1).
    """
    return all(
        one == other
        or not runs(state, one, task)
        or not runs(state, other, task)
        or is_excused(state, one, task)
        or is_excused(state, other, task)
        for task in tasks(state)
        for one in members(state)
        for other in members(state)
    )


@always(
    "one-runner-always",
    f"{KIP}; StreamsMembershipManager.onFenced",
    when=somebody_runs_a_task,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def no_two_run_one(state: State) -> bool:
    """
    At most one client runs a task.

    (This fails: a client whose member was removed runs its tasks until it learns of the removal.)
    """
    return all(
        one == other or not runs(state, one, task) or not runs(state, other, task)
        for task in tasks(state)
        for one in members(state)
        for other in members(state)
    )


def somebody_runs_something(state: State) -> bool:
    return any(state.running[member, task] != Role.NONE for member in members(state) for task in tasks(state))


@always("runs-what-is-counted", KIP, when=somebody_runs_something, kind=LawKind.PROTOCOL)
def all_run_what_is_theirs(state: State) -> bool:
    """
    The coordinator counts every task that a client runs, in any role, as that client's until the client reports that it
    does not own the task, or is removed (O2).
    """
    return all(
        state.running[member, task] == Role.NONE
        or has(state, member, task, state.running[member, task])
        or is_excused(state, member, task)
        for member in members(state)
        for task in tasks(state)
    )


def runs_what_was_taken(state: State, member: int, task: int) -> bool:
    """Return whether *member* runs *task*, which was taken because it had reported that it does not own it."""
    return runs(state, member, task) and state.denied[member, task] and not state.removed[member]


def nobody_runs_what_was_taken(state: State) -> bool:
    return not any(runs_what_was_taken(state, member, task) for member in members(state) for task in tasks(state))


TAKEN_IS_NOT_RUN = StateLaw(
    "taken-is-not-run",
    "A client does not run a task that the coordinator took from it because it reported that it does not own the "
    "task. (This fails: the client may have sent that heartbeat before it began to run the task. Then nobody "
    "asked it to give the task back, or the request has not arrived, and another client may run the task before "
    "it does.) (O4)",
    f"{KIP}; CurrentAssignmentBuilder.buildNewMember, HeartbeatState.buildRequestData",
    when=somebody_runs_a_task,
    holds=nobody_runs_what_was_taken,
    status=Status.HOLE,
    kind=LawKind.PURPOSE,
)


def becomes_owner(before: State, after: State, member: int, task: int) -> bool:
    """Return whether *member* is given *task* to run between two states."""
    return before.assigned[member, task] != Role.ACTIVE and after.assigned[member, task] == Role.ACTIVE


def a_task_is_given(before: State, action: Action, after: State) -> bool:
    return any(becomes_owner(before, after, member, task) for member in members(before) for task in tasks(before))


@step_law("release-before-assign", KIP, when=a_task_is_given, kind=LawKind.PROTOCOL)
def nobody_else_runs_it(before: State, action: Action, after: State) -> bool:
    """
    The coordinator assigns a task only after its previous runner has stopped it, was removed, or has reported that it
    does not own it (O4).
    """
    return all(
        one == other
        or not becomes_owner(before, after, one, task)
        or not runs(after, other, task)
        or is_excused(after, other, task)
        for task in tasks(before)
        for one in members(before)
        for other in members(before)
    )


def some_copy_is_kept(state: State) -> bool:
    return any(
        has(state, member, task, Role.STANDBY) or has(state, member, task, Role.WARMUP)
        for member in members(state)
        for task in tasks(state)
    )


def has_any(state: State, member: int, task: int) -> bool:
    return state.assigned[member, task] != Role.NONE or state.pending[member, task] != Role.NONE


def is_in_two_roles(state: State, member: int, task: int) -> bool:
    """Return whether *member* is assigned *task* in one role, and has yet to give it back in another."""
    return state.assigned[member, task] != Role.NONE and state.pending[member, task] != Role.NONE


@always(
    "one-copy-a-process",
    f"{KIP}; CurrentAssignmentBuilder.computeNextAssignment",
    when=some_copy_is_kept,
    kind=LawKind.PROTOCOL,
)
def no_process_has_a_task_twice(state: State) -> bool:
    """
    In the coordinator's records a process has a task at most once: it has no standby or warm-up beside the active task
    or beside another copy (O10).
    """
    return all(
        not is_in_two_roles(state, one, task)
        and (
            one == other
            or process_of(state, one) != process_of(state, other)
            or not has_any(state, one, task)
            or not has_any(state, other, task)
        )
        for task in tasks(state)
        for one in members(state)
        for other in members(state)
    )


@sometimes("task-moves", KIP)
def a_task_moves(before: State, action: Action, after: State) -> bool:
    """A client begins to run a task."""
    return any(
        runs(after, member, task) and not runs(before, member, task)
        for member in members(before)
        for task in tasks(before)
    )
