"""
Laws of progress: an assignment is delivered (O6), each task eventually runs (V1), and the group settles (V2, V4).

V2: the assignments of the coordinator, the client and the target become the same; V4: they stay so.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, LivenessLaw, Status, any_state, sometimes
from oneowner.model.streams_group.state import Client, Phase, Role, State, members, tasks
from oneowner.spec.streams_group.epoch_laws import is_reconciled

KIP = "KIP-1071, Reconciliation"


def is_in_group(state: State, member: int) -> bool:
    """Return whether the client takes itself for a member, and is one."""
    client = state.client[member]
    believes = client == Client.RECONCILING or client == Client.ACKNOWLEDGING or client == Client.STABLE
    return believes and state.member[member] and not state.removed[member]


def knows(state: State, member: int) -> bool:
    """Return whether the client of a member wants what is assigned to it."""
    return not is_in_group(state, member) or all(
        state.wanted[member, task] == state.assigned[member, task] for task in tasks(state)
    )


def all_know(state: State) -> bool:
    return all(knows(state, member) for member in members(state))


def somebody_does_not_know(state: State) -> bool:
    return not all_know(state)


ASSIGNED_IS_TOLD = LivenessLaw(
    "assigned-is-told",
    "A client eventually learns its assignment. (This can fail: if an answer is lost, the coordinator does not "
    "send its assignment again, for the next heartbeat changes nothing.) (O6)",
    "GroupMetadataManager.streamsGroupHeartbeat; KAFKA-16367 for consumer groups",
    when=somebody_does_not_know,
    good=all_know,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)


def somebody_lives(state: State) -> bool:
    return any(state.client[member] != Client.NEW and state.client[member] != Client.GONE for member in members(state))


def is_run(state: State, task: int) -> bool:
    return any(state.running[member, task] == Role.ACTIVE for member in members(state))


def all_tasks_are_run(state: State) -> bool:
    return all(is_run(state, task) for task in tasks(state))


def some_task_rests(state: State) -> bool:
    return somebody_lives(state) and not all_tasks_are_run(state)


def no_task_rests(state: State) -> bool:
    return not some_task_rests(state)


TASK_IS_RUN = LivenessLaw(
    "task-is-run",
    "While there is a client, each task eventually runs. (This can fail: a client that is to give back a task "
    "which it has not taken on yet owns the same tasks before and after, reports no change, and keeps the others "
    "waiting until a timeout; and the coordinator does not send the assignment in a lost answer again.) (V1)",
    f"{KIP}; HeartbeatState.buildRequestData; KAFKA-16185 for consumers",
    when=some_task_rests,
    good=no_task_rests,
    status=Status.HOLE,
    kind=LawKind.PURPOSE,
)


def is_settled(state: State) -> bool:
    """Return whether all members have their target, run it, and the target is of the group epoch."""
    return state.target_epoch == state.group_epoch and all(
        not state.member[member]
        or (
            is_reconciled(state, member)
            and state.client[member] == Client.STABLE
            and state.running[member, task] == state.target[member, task]
        )
        for member in members(state)
        for task in tasks(state)
    )


def is_settled_or_empty(state: State) -> bool:
    return is_settled(state) or not somebody_lives(state)


GROUP_SETTLES = LivenessLaw(
    "group-settles",
    "Eventually each member runs its target, at the epoch of the group, and stays so. (This can fail, for the "
    "reasons for which a task may never run.) (V2, V4)",
    f"{KIP}; HeartbeatState.buildRequestData; KAFKA-16185 for consumers",
    when=any_state,
    good=is_settled_or_empty,
    status=Status.HOLE,
    stays=True,
    kind=LawKind.PURPOSE,
)


@sometimes("given-back", KIP)
def somebody_gives_back(before: State, action: Action, after: State) -> bool:
    """A member has given back the tasks that it had to give back, and becomes STABLE."""
    return any(
        before.phase[member] == Phase.UNREVOKED and after.phase[member] == Phase.STABLE and after.member[member]
        for member in members(before)
    )


@sometimes("waited-for", KIP)
def somebody_was_waited_for(before: State, action: Action, after: State) -> bool:
    """A member gets a task that another member had to give back first, and becomes STABLE."""
    return any(
        before.phase[member] == Phase.UNRELEASED and after.phase[member] == Phase.STABLE and after.member[member]
        for member in members(before)
    )
