"""Laws of epochs (O3, O4): they rise and fence released tasks; a member that joins or rejoins is admitted."""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, step_law
from oneowner.model.streams_group.state import Kind, Phase, Role, State, members, role_in, tasks

KIP = "KIP-1071, Member epoch and group epoch"


def an_epoch_changes(before: State, action: Action, after: State) -> bool:
    return (
        before.group_epoch != after.group_epoch
        or before.target_epoch != after.target_epoch
        or any(before.epoch[member] != after.epoch[member] for member in members(before))
    )


@step_law("epochs-rise", KIP, when=an_epoch_changes, kind=LawKind.PROTOCOL)
def epochs_rise(before: State, action: Action, after: State) -> bool:
    """
    The epochs of the group, of the target and of members never fall; a member's is at most the target's, and the
    target's at most the group's (O3).
    """
    return (
        before.group_epoch <= after.group_epoch
        and before.target_epoch <= after.target_epoch <= after.group_epoch
        and all(
            not before.member[member]
            or not after.member[member]
            or before.epoch[member] <= after.epoch[member] <= after.target_epoch
            for member in members(before)
        )
    )


def somebody_is_at_the_target(state: State) -> bool:
    return any(is_at_target_epoch(state, member) for member in members(state))


def is_at_target_epoch(state: State, member: int) -> bool:
    return state.member[member] and state.epoch[member] == state.target_epoch


@always(
    "target-epoch-is-revoked",
    f"{KIP}; CurrentAssignmentBuilder.buildNewMember",
    when=somebody_is_at_the_target,
    kind=LawKind.PROTOCOL,
)
def all_at_the_target_have_given_back(state: State) -> bool:
    """A member reaches the target's epoch only after it has given back every task that is not in its target (O4)."""
    return all(
        not is_at_target_epoch(state, member)
        or (
            state.phase[member] != Phase.UNREVOKED
            and state.pending[member, task] == Role.NONE
            and (
                state.assigned[member, task] == Role.NONE or state.assigned[member, task] == state.target[member, task]
            )
        )
        for member in members(state)
        for task in tasks(state)
    )


def is_reconciled(state: State, member: int) -> bool:
    return is_at_target_epoch(state, member) and state.phase[member] == Phase.STABLE


def somebody_is_reconciled(state: State) -> bool:
    return any(is_reconciled(state, member) for member in members(state))


@always("stable-has-target", "StreamsGroupMember.isReconciledTo", when=somebody_is_reconciled, kind=LawKind.PROTOCOL)
def all_reconciled_have_their_target(state: State) -> bool:
    """A member that is STABLE at the target's epoch is assigned its target."""
    return all(
        not is_reconciled(state, member) or state.assigned[member, task] == state.target[member, task]
        for member in members(state)
        for task in tasks(state)
    )


def a_join_is_answered(before: State, action: Action, after: State) -> bool:
    return action.name == "serve" and any(
        before.message[member].kind == Kind.JOIN and after.message[member].kind != Kind.JOIN
        for member in members(before)
    )


@step_law("join-is-accepted", "KAFKA-19233", when=a_join_is_answered, status=Status.DOCUMENTED, kind=LawKind.PURPOSE)
def no_join_is_fenced(before: State, action: Action, after: State) -> bool:
    """
    The coordinator accepts every client that joins.

    (In 4.1.1 it fences a client that was fenced, or whose leave was lost, whenever that client joins again, until its
    session expires.)
    """
    return not any(
        before.message[member].kind == Kind.JOIN and after.message[member].kind == Kind.FENCED
        for member in members(before)
    )


def a_heartbeat_is_answered(before: State, action: Action, after: State) -> bool:
    return action.name == "serve" and any(
        is_heartbeat(before, member) and before.member[member] and not is_heartbeat(after, member)
        for member in members(before)
    )


def is_heartbeat(state: State, member: int) -> bool:
    return state.message[member].kind == Kind.BEAT or state.message[member].kind == Kind.FULL


@step_law(
    "retry-is-accepted",
    "GroupMetadataManager.throwIfStreamsGroupMemberEpochIsInvalid",
    when=a_heartbeat_is_answered,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def no_heartbeat_is_fenced(before: State, action: Action, after: State) -> bool:
    """
    The coordinator fences no heartbeat of a member, even after one message was lost, if it took nothing from the member
    meanwhile.
    """
    return not any(
        is_heartbeat(before, member) and after.message[member].kind == Kind.FENCED for member in members(before)
    )


def is_of_earlier_epoch(before: State, member: int) -> bool:
    """Return whether *member* sends what it owns at an epoch that it has no more; a join is none."""
    return (
        before.member[member]
        and before.message[member].kind == Kind.FULL
        and before.message[member].epoch < before.epoch[member]
    )


def an_earlier_epoch_is_answered(before: State, action: Action, after: State) -> bool:
    return any(
        is_of_earlier_epoch(before, member) and after.message[member].kind != Kind.FULL for member in members(before)
    )


@step_law(
    "earlier-epoch-owns-assigned",
    "GroupMetadataManager.throwIfStreamsGroupMemberEpochIsInvalid",
    when=an_earlier_epoch_is_answered,
    kind=LawKind.PROTOCOL,
)
def accepted_own_what_is_assigned(before: State, action: Action, after: State) -> bool:
    """
    The coordinator accepts a heartbeat of an earlier epoch only if its sender owns only tasks that are assigned to it
    (O2).
    """
    return all(
        not is_of_earlier_epoch(before, member)
        or (after.message[member].kind != Kind.ACCEPTED and after.message[member].kind != Kind.ASSIGNED)
        or role_in(before.message[member], task) == Role.NONE
        or role_in(before.message[member], task) == before.assigned[member, task]
        for member in members(before)
        for task in tasks(before)
    )
