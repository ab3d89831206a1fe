"""Laws of the leader's assignments: to which members, with how many warm-ups, and how even and stable in the end."""

from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.state import NOBODY, State, Store, members, tasks
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, sometimes, step_law
from oneowner.spec.kafka.runner_laws import is_at_rest, nobody_lives, runs

KIP = "KIP-441"


def is_assigned(before: State, action: Action, after: State) -> bool:
    return action.name == "assign"


def is_meant_to_run(after: State, member: int, task: int) -> bool:
    """Return whether *member* is to run *task* once all that is withheld is given back."""
    heir = after.heir[task]
    return heir == member or (heir == NOBODY and after.given[member, task] == Role.ACTIVE)


def tells_its_lag(state: State, member: int, task: int) -> bool:
    """
    Return whether the lag of *member* is known to the leader: it runs the task, has no copy, or is not an older one.
    """
    is_older = member > state.bounds.members - state.bounds.older
    runs_it = state.role[member, task] == Role.ACTIVE and state.store[member, task] == Store.CAUGHT_UP
    return runs_it or not is_older or state.store[member, task] == Store.NONE


def is_ready(state: State, member: int, task: int) -> bool:
    """Return whether *member* is in the group, has caught up with *task*, and has reported it."""
    told = state.listed[member] and tells_its_lag(state, member, task)
    return told and state.store[member, task] == Store.CAUGHT_UP


def all_tell(state: State, task: int) -> bool:
    return all(not state.listed[member] or tells_its_lag(state, member, task) for member in members(state))


def someone_is_ready(state: State, task: int) -> bool:
    return any(is_ready(state, member, task) for member in members(state))


def the_ready_run(before: State, after: State, task: int) -> bool:
    return any(is_meant_to_run(after, member, task) and is_ready(before, member, task) for member in members(before))


def some_are_ready(before: State, action: Action, after: State) -> bool:
    return action.name == "assign" and any(someone_is_ready(before, task) for task in tasks(before))


@step_law("ready-clients-run", KIP, when=some_are_ready, status=Status.GUARDED, kind=LawKind.PROTOCOL)
def the_ready_run_if_all_tell(before: State, action: Action, after: State) -> bool:
    """A task with which some client has caught up goes to such a client, if all clients report their lag."""
    return all(
        not someone_is_ready(before, task) or not all_tell(before, task) or the_ready_run(before, after, task)
        for task in tasks(before)
    )


@step_law(
    "ready-clients-run-always",
    "KIP-441; apache/kafka#11760",
    when=some_are_ready,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def the_ready_run_always(before: State, action: Action, after: State) -> bool:
    """
    A task with which some client has caught up goes to such a client.

    (This fails where another client's lag is unknown, which counts as less than any.)
    """
    return all(not someone_is_ready(before, task) or the_ready_run(before, after, task) for task in tasks(before))


def lies_behind(state: State, member: int, task: int) -> bool:
    """Return whether *member* is in the group and has reported a part of the state of *task*."""
    has_part = state.store[member, task] == Store.BEHIND and tells_its_lag(state, member, task)
    return state.listed[member] and has_part


def is_restored_in_part(state: State, task: int) -> bool:
    """Return whether no member has caught up with *task*, all report their lag, and some have a part of its state."""
    has_part = any(lies_behind(state, member, task) for member in members(state))
    return has_part and all_tell(state, task) and not someone_is_ready(state, task)


def some_are_restored_in_part(before: State, action: Action, after: State) -> bool:
    return action.name == "assign" and any(is_restored_in_part(before, task) for task in tasks(before))


@step_law("least-behind-restores", "KAFKA-13600", when=some_are_restored_in_part, kind=LawKind.PROTOCOL)
def the_least_behind_restore(before: State, action: Action, after: State) -> bool:
    """
    A task with which no client has caught up goes to a client that is least behind, if all clients report their lag.
    """
    return all(
        not is_restored_in_part(before, task)
        or any(is_meant_to_run(after, member, task) and lies_behind(before, member, task) for member in members(before))
        for task in tasks(before)
    )


def standbys_given(after: State) -> int:
    """Return how many standbys are given, but for those of members that a task is withheld from."""
    given = 0
    for task in range(1, after.bounds.tasks + 1):
        for member in range(1, after.bounds.members + 1):
            if after.given[member, task] == Role.STANDBY and after.heir[task] != member:
                given = given + 1
    return given


def group_size(state: State) -> int:
    size = 0
    for member in range(1, state.bounds.members + 1):
        if state.listed[member]:
            size = size + 1
    return size


def standbys_asked_for(state: State) -> int:
    """Return how many standbys all tasks have where there are enough members."""
    asked = state.bounds.tasks * state.bounds.standbys
    return asked if group_size(state) > state.bounds.standbys else 0


@step_law("warm-ups-are-few", KIP, when=is_assigned, kind=LawKind.PROTOCOL)
def warm_ups_are_few(before: State, action: Action, after: State) -> bool:
    """The leader assigns at most max.warmup.replicas copies beyond the configured standbys."""
    return standbys_given(after) <= standbys_asked_for(before) + before.bounds.warmups


def begins_with_a_promise(before: State, action: Action, after: State) -> bool:
    return action.name == "sync" and any(
        before.promised[member, task] and not after.promised[member, task]
        for member in members(before)
        for task in tasks(before)
    )


@step_law(
    "reported-state-is-kept",
    "KIP-441; TaskManager.tryToLockAllNonEmptyTaskDirectories",
    when=begins_with_a_promise,
    kind=LawKind.PROTOCOL,
)
def state_is_kept(before: State, action: Action, after: State) -> bool:
    """A member that gets a task because of its local state still has that state when it begins the task."""
    return not after.state_lost


# ---- rest ----


def runs_of(state: State, member: int) -> int:
    count = 0
    for task in range(1, state.bounds.tasks + 1):
        if runs(state, member, task):
            count = count + 1
    return count


def rests(state: State) -> bool:
    return is_at_rest(state) and not nobody_lives(state)


@always("even-at-rest", KIP, when=rests, kind=LawKind.PURPOSE)
def is_even(state: State) -> bool:
    """When nobody requests another rebalance, no client runs two tasks more than another."""
    return all(
        not state.listed[one] or not state.listed[other] or runs_of(state, one) <= runs_of(state, other) + 1
        for one in members(state)
        for other in members(state)
    )


def copies_of(state: State, task: int) -> int:
    count = 0
    for member in range(1, state.bounds.members + 1):
        if state.listed[member] and state.role[member, task] != Role.NONE:
            count = count + 1
    return count


@always("copies-at-rest", KIP, when=rests, kind=LawKind.PURPOSE)
def copies_are_those_asked_for(state: State) -> bool:
    """When nobody requests another rebalance, every task has exactly the configured number of copies."""
    asked = 1 + (state.bounds.standbys if group_size(state) > state.bounds.standbys else 0)
    return all(copies_of(state, task) == asked for task in tasks(state))


def has_settled(before: State, action: Action, after: State) -> bool:
    return action.name == "assign" and before.settled


@step_law("settled-stays", KIP, when=has_settled, kind=LawKind.PROTOCOL)
def nothing_changes(before: State, action: Action, after: State) -> bool:
    """After a rebalance that requests no other, another rebalance of the same members changes nothing."""
    return all(after.given[member, task] == before.role[member, task] for member in members(before)
               for task in tasks(before) if before.listed[member])  # fmt: skip


def all_run_evenly(state: State) -> bool:
    """Return whether every task is run by a member of the group that has caught up, and evenly."""
    run = all(
        any(state.listed[member] and runs(state, member, task) and is_ready(state, member, task)
            for member in members(state))
        for task in tasks(state)
    )  # fmt: skip
    return run and is_even(state)


def is_even_already(before: State, action: Action, after: State) -> bool:
    return action.name == "assign" and all_run_evenly(before)


@step_law("even-stays", "KIP-441, requirement 5", when=is_even_already, status=Status.DOCUMENTED, kind=LawKind.PROTOCOL)
def owners_stay(before: State, action: Action, after: State) -> bool:
    """
    Where every task runs on a client that has caught up, and none runs two more than another, no task moves.

    (This fails: the leader deals the tasks anew, whichever clients run them.)
    """
    return all(
        before.role[member, task] != Role.ACTIVE or after.given[member, task] == Role.ACTIVE
        for member in members(before)
        for task in tasks(before)
        if before.listed[member]
    )


@sometimes("warm-up-takes-over", KIP)
def a_warm_up_takes_over(before: State, action: Action, after: State) -> bool:
    """A member that kept a copy of a task's state begins to run the task."""
    return any(
        before.role[member, task] == Role.STANDBY and after.role[member, task] == Role.ACTIVE
        for member in members(before)
        for task in tasks(before)
    )
