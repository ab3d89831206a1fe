"""Members join, get their part, give back what they have no more, restore, and ask for the next rebalance."""

from oneowner.model.kafka.rebalance.bounds import MEMBER, TASK
from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.state import NOBODY, FollowUp, State, Store, has_tasks
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, strong, weak
from oneowner.model.kernel.guards import require


@action(member=MEMBER, fairness=weak("A member hears of a rebalance by its heartbeat, and joins."))
def join(state: State, member: int) -> None:
    """
    *member* joins the rebalance that is being prepared, or the group.

    Enabled: it lives. If it is in the group, a rebalance is being prepared that it has not joined; if not, it has no
    tasks, or need not drop them.
    Changes: it has joined, with its tasks and its lags as they are; a rebalance is being prepared. A part that was due
    to it is lost. Without KIP-429 it gives back all that it runs.
    Log: ``(Re-)joining group``; at the coordinator ``Preparing to rebalance group .. in state PreparingRebalance``
    Mirrors: ``ConsumerCoordinator.onJoinPrepare``, ``AbstractCoordinator.sendJoinGroupRequest``.
    """
    require(state.up[member], "it lives")
    if state.listed[member]:
        require(state.preparing and not state.joined[member], "a rebalance is being prepared that it has not joined")
    else:
        may_come = not has_tasks(state, member) or not state.bounds.rules.drops_lost
        require(may_come, "it has no tasks, or need not drop them")
        state.listed[member] = True
        state.settled = False
    take_part(state, member)


def take_part(state: State, member: int) -> None:
    """Make *member* join the rebalance, which begins if there is none."""
    state.preparing = True
    state.joined[member] = True
    forget_part(state, member)
    if not state.bounds.rules.cooperative:
        for task in range(1, state.bounds.tasks + 1):
            if state.role[member, task] == Role.ACTIVE:
                state.role[member, task] = Role.NONE


def forget_part(state: State, member: int) -> None:
    """Forget the share that is due to *member*, and the request that it is to make."""
    if state.due[member]:
        state.settled = False
    state.due[member] = False
    state.follow_up[member] = FollowUp.NONE
    for task in range(1, state.bounds.tasks + 1):
        state.given[member, task] = Role.NONE
        if state.bounds.cleanings:
            state.promised[member, task] = False


@action(member=MEMBER, fairness=strong("KAFKA-14382: a member that is late again and again keeps a group in a loop."))
def sync(state: State, member: int) -> None:
    """
    *member* gets its part, gives back the other tasks, and begins with the new ones.

    Enabled: it lives, its part is due, and no other rebalance has begun.
    Changes: it does what it was given. If it gave back a task that it ran, it is to ask for a rebalance at once.
    Log: ``Updating assignment with``, ``need to revoke partitions .. as indicated by the current assignment and
    re-join``
    Mirrors: ``ConsumerCoordinator.onJoinComplete``, ``TaskManager.handleAssignment``.
    """
    require(state.up[member], "it lives")
    require(state.due[member], "its part is due")
    require(not state.preparing, "no other rebalance has begun")
    if gives_back(state, member) and state.bounds.rules.asks_anew:
        state.follow_up[member] = FollowUp.NOW
    for task in range(1, state.bounds.tasks + 1):
        role = state.given[member, task]
        if state.bounds.cleanings:
            if state.promised[member, task] and state.store[member, task] == Store.NONE:
                state.state_lost = True
            state.promised[member, task] = False
        state.role[member, task] = role
        state.given[member, task] = Role.NONE
        if role == Role.ACTIVE and state.heir[task] == member:
            state.giver[task], state.heir[task] = NOBODY, NOBODY
    state.due[member] = False


def gives_back(state: State, member: int) -> bool:
    """Return whether *member* runs a task that is not in its part."""
    found = False
    for task in range(1, state.bounds.tasks + 1):
        if state.role[member, task] == Role.ACTIVE and state.given[member, task] != Role.ACTIVE:
            found = True
    return found


@action(member=MEMBER, fairness=weak("A thread that is to ask for a rebalance at once does so."))
def follow_up(state: State, member: int) -> None:
    """
    *member* asks for a rebalance at once.

    Enabled: it lives, is in the group, has its part, and is to do so; no rebalance is being prepared.
    Changes: one is, and it has joined.
    Log: ``Triggering the followup rebalance scheduled for ..``, ``Request joining group due to: ..``
    Mirrors: ``StreamThread.runLoop``, ``ConsumerCoordinator.requestRejoin``.
    """
    ask(state, member, FollowUp.NOW)


@action(member=MEMBER, fairness=weak("probing.rebalance.interval.ms passes."))
def probe(state: State, member: int) -> None:
    """
    *member* asks for the probing rebalance, whose time has come.

    Enabled: it lives, is in the group, has its part, and is to do so; no rebalance is being prepared.
    Changes: one is, and it has joined.
    Log: ``Triggering the followup rebalance scheduled for ..``
    Mirrors: ``StreamThread.runLoop``.
    """
    ask(state, member, FollowUp.PROBING)


def ask(state: State, member: int, which: FollowUp) -> None:
    """Make *member* begin the rebalance that it is to ask for."""
    require(state.up[member] and state.listed[member], "it lives and is in the group")
    require(not state.due[member] and state.follow_up[member] == which, "it has its part, and is to ask")
    require(not state.preparing, "no rebalance is being prepared")
    take_part(state, member)


@action(member=MEMBER, budget="refreshes", fairness=never("Metadata need not change."))
def refresh(state: State, member: int) -> None:
    """
    *member* joins anew although nothing has changed for the assignor.

    Enabled: it lives, is in the group, and has its part; no rebalance is being prepared.
    Changes: one is, and it has joined.
    Log: ``Request joining group due to: cached metadata has changed``
    Mirrors: ``ConsumerCoordinator.rejoinNeededOrPending``.
    """
    require(state.refreshes_left > 0, "the budget allows it once more")
    require(state.up[member] and state.listed[member], "it lives and is in the group")
    require(not state.due[member] and not state.preparing, "it has its part, and no rebalance is being prepared")
    state.refreshes_left = state.refreshes_left - 1
    take_part(state, member)


@action(member=MEMBER, task=TASK, fairness=weak("A member restores what it runs or keeps a copy of."))
def restore(state: State, member: int, task: int) -> None:
    """
    *member* restores the state of *task* from its changelog, a part of it.

    Enabled: it lives, has a role with the task, and has not caught up.
    Changes: it is less behind. One that is to run the task does so once it has caught up.
    Log: ``Finished restoring changelog ..``
    Mirrors: ``StoreChangelogReader.restore``, ``TaskManager.tryToCompleteRestoration``.
    """
    require(state.up[member], "it lives")
    require(state.role[member, task] != Role.NONE, "it has a role with the task")
    require(state.store[member, task] != Store.CAUGHT_UP, "it has not caught up")
    is_behind = state.store[member, task] == Store.BEHIND
    state.store[member, task] = Store.CAUGHT_UP if is_behind else Store.BEHIND


@action(member=MEMBER, task=TASK, when=lambda bounds: bounds.behind, fairness=never("Nobody has to write."))
def fall_behind(state: State, member: int, task: int) -> None:
    """
    The copy of *task* that *member* has and does nothing with falls behind what another writes.

    Enabled: it has caught up, the member has no role with the task, and another that lives runs it.
    Changes: it is behind by more than ``acceptable.recovery.lag``.
    Log: none.
    Mirrors: the changelog of the task gets longer.
    """
    require(state.store[member, task] == Store.CAUGHT_UP, "the copy has caught up")
    require(state.role[member, task] == Role.NONE, "the member has no role with the task")
    require(runs_elsewhere(state, member, task), "another that lives runs the task")
    state.store[member, task] = Store.BEHIND


def runs_elsewhere(state: State, member: int, task: int) -> bool:
    """Return whether a member beside *member* lives and runs *task*."""
    found = False
    for other in range(1, state.bounds.members + 1):
        runs = state.role[other, task] == Role.ACTIVE and state.store[other, task] == Store.CAUGHT_UP
        if other != member and state.up[other] and runs:
            found = True
    return found


@action(member=MEMBER, task=TASK, budget="cleanings", fairness=never("A directory need not be old."))
def clean(state: State, member: int, task: int) -> None:
    """
    The state cleaner of *member* deletes the copy of *task*.

    Enabled: it lives, has a copy, and no role with the task; the copy's directory is not locked, as it is from a join
    until the part is there, unless locks are not asked for.
    Changes: it has no copy.
    Log: ``Deleting obsolete state directory .. for task ..``
    Mirrors: ``StateDirectory.cleanRemovedTasks``, ``TaskManager.tryToLockAllNonEmptyTaskDirectories``.
    """
    require(state.cleanings_left > 0, "the budget allows another cleaning")
    require(state.up[member], "it lives")
    require(state.store[member, task] != Store.NONE, "it has a copy")
    require(state.role[member, task] == Role.NONE, "it has no role with the task")
    is_locked = (state.joined[member] or state.due[member]) and state.bounds.rules.locks_reported
    require(not is_locked, "the directory is not locked")
    state.cleanings_left = state.cleanings_left - 1
    state.store[member, task] = Store.NONE
