"""
Laws of running tasks: one member at a time, released before it starts elsewhere, and running somewhere in the end.

The coordinator tracks the members of a generation. A removed member runs on until it is notified; for that while two
may run one task, and none of the offsets that it commits is written.
"""

from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.state import NOBODY, FollowUp, State, Store, is_zombie, members, tasks
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, eventually_always, leads_to, sometimes, step_law

KIP_429 = "KIP-429; StreamsPartitionAssignor.populateActiveTaskAndPartitionsLists"


def runs(state: State, member: int, task: int) -> bool:
    """Return whether *member* lives and has *task* active, be it that it still restores its state."""
    return state.up[member] and state.role[member, task] == Role.ACTIVE


def some_task_runs(state: State) -> bool:
    return any(runs(state, member, task) for member in members(state) for task in tasks(state))


@always("single-runner", KIP_429, when=some_task_runs, status=Status.GUARDED, kind=LawKind.PURPOSE)
def one_of_the_group_runs(state: State) -> bool:
    """
    At most one member of the group runs a task as active; a client that was removed from the group does not count.
    """
    return all(
        one == other or not (state.listed[one] and runs(state, one, task)) or not state.listed[other]
        or not runs(state, other, task)
        for task in tasks(state)
        for one in members(state)
        for other in members(state)
    )  # fmt: skip


@always(
    "single-runner-always",
    "KIP-429; TaskManager.handleLostAll",
    when=some_task_runs,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def one_runs(state: State) -> bool:
    """
    At most one client runs a task as active.

    (This fails: a client that was removed from the group runs its tasks until it learns of the removal.)
    """
    return all(
        one == other or not runs(state, one, task) or not runs(state, other, task)
        for task in tasks(state)
        for one in members(state)
        for other in members(state)
    )


def some_zombie(state: State) -> bool:
    return any(is_zombie(state, member) for member in members(state))


@always(
    "zombie-commits-nothing",
    "ConsumerCoordinator.sendOffsetCommitRequest; KIP-447",
    when=some_zombie,
    kind=LawKind.PURPOSE,
)
def none_is_foreign(state: State) -> bool:
    """The coordinator writes no offset that comes from a member outside the group's current generation."""
    return not state.foreign


@leads_to("zombie-is-fenced", "ConsumerCoordinator.onJoinPrepare; KAFKA-8179", when=some_zombie, kind=LawKind.PURPOSE)
def no_zombie(state: State) -> bool:
    """A client that is outside the group's current generation eventually drops its tasks, or ends."""
    return not some_zombie(state)


def begins(before: State, after: State, member: int, task: int) -> bool:
    """Return whether *member* begins to run *task* between two states."""
    return before.role[member, task] != Role.ACTIVE and after.role[member, task] == Role.ACTIVE


def some_task_begins(before: State, action: Action, after: State) -> bool:
    return any(begins(before, after, member, task) for member in members(before) for task in tasks(before))


def is_given_back(state: State, member: int, task: int) -> bool:
    """Return whether nobody else of the group that lives runs *task*."""
    return not any(other != member and state.listed[other] and runs(state, other, task) for other in members(state))


@step_law("revoked-before-assigned", KIP_429, when=some_task_begins, kind=LawKind.PROTOCOL)
def what_begins_was_given_back(before: State, action: Action, after: State) -> bool:
    """A member begins to run a task only after the member that ran it has given it back."""
    return all(
        is_given_back(before, member, task)
        for member in members(before)
        for task in tasks(before)
        if begins(before, after, member, task)
    )


def ends(before: State, after: State, member: int, task: int) -> bool:
    """Return whether *member* stops running *task* between two states, and lives on in the group."""
    lives = before.listed[member] and after.listed[member] and after.up[member]
    return lives and before.role[member, task] == Role.ACTIVE and after.role[member, task] != Role.ACTIVE


def some_task_ends(before: State, action: Action, after: State) -> bool:
    return any(ends(before, after, member, task) for member in members(before) for task in tasks(before))


@step_law("running-is-not-stopped", "KIP-429", when=some_task_ends, kind=LawKind.PROTOCOL)
def what_ends_was_taken(before: State, action: Action, after: State) -> bool:
    """A member of the group stops a task only because its assignment omits it: a rebalance alone stops nothing."""
    return all(
        before.due[member] and before.given[member, task] != Role.ACTIVE
        for member in members(before)
        for task in tasks(before)
        if ends(before, after, member, task)
    )


def is_quiet(state: State) -> bool:
    """Return whether somebody is in the group, all that are live, and neither a rebalance nor a part of one is due."""
    return any(state.listed[member] for member in members(state)) and not (
        state.preparing or any(is_busy(state, member) for member in members(state))
    )


def is_busy(state: State, member: int) -> bool:
    """Return whether something is still to happen to *member* before the group is quiet."""
    is_apart = state.up[member] != state.listed[member]
    return is_apart or state.due[member] or state.follow_up[member] == FollowUp.NOW


@always("task-has-a-runner", "KIP-441", when=is_quiet, kind=LawKind.PURPOSE)
def every_task_is_run(state: State) -> bool:
    """When no rebalance is under way, some member of the group runs or restores every task."""
    return all(
        any(state.listed[member] and runs(state, member, task) for member in members(state)) for task in tasks(state)
    )


def nobody_lives(state: State) -> bool:
    return not any(state.up[member] for member in members(state))


def some_task_waits(state: State) -> bool:
    return not every_task_serves(state)


@leads_to("task-runs-again", "KIP-441", when=some_task_waits, kind=LawKind.PURPOSE)
def every_task_serves(state: State) -> bool:
    """A task that no member of the group runs eventually runs again, if a client lives."""
    served = all(
        any(
            state.listed[member] and runs(state, member, task) and state.store[member, task] == Store.CAUGHT_UP
            for member in members(state)
        )
        for task in tasks(state)
    )
    return served or nobody_lives(state)


@eventually_always("group-comes-to-rest", "KIP-441; KAFKA-14382", kind=LawKind.PURPOSE)
def is_at_rest(state: State) -> bool:
    """Eventually nobody requests another rebalance."""
    asks = any(state.follow_up[member] != FollowUp.NONE for member in members(state))
    return nobody_lives(state) or (is_quiet(state) and not asks)


@sometimes("task-is-handed-over", "KIP-429")
def a_hand_over_ends(before: State, action: Action, after: State) -> bool:
    """A member begins a task that was withheld from it until another member gave it back."""
    return any(before.giver[task] != NOBODY and after.heir[task] == NOBODY for task in tasks(before))
