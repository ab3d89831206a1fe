"""
A client joins, sends heartbeats, takes assignments on, and gives everything up when it is fenced.

Mirrors ``StreamsMembershipManager`` and ``StreamsGroupHeartbeatRequestManager``. The client's network thread sends and
receives; its tasks are revoked and assigned by the thread of the application, which takes its time.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.streams_group.bounds import MEMBER
from oneowner.model.streams_group.state import (
    NOTHING,
    Client,
    Kind,
    Message,
    Role,
    State,
    is_refusal,
    is_request,
    role_in,
    roles_of,
    tasks,
    will_run,
)


@action(member=MEMBER, budget="joins", fairness=never("Nobody has to join."))
def join(state: State, member: int) -> None:
    """
    *member* subscribes for the first time.

    Enabled: it has not yet.
    Changes: it is joining.
    Log: ``Member .. with epoch 0 transitioned from UNSUBSCRIBED to JOINING.``
    Mirrors: ``StreamsMembershipManager.onConsumerPoll``.
    """
    require(state.joins_left > 0, "the budget allows another member")
    state.joins_left = state.joins_left - 1
    require(state.client[member] == Client.NEW, "it has not subscribed yet")
    state.client[member] = Client.JOINING


@action(member=MEMBER, fairness=weak("A client sends heartbeats."))
def send(state: State, member: int) -> None:
    """
    *member* sends a heartbeat, or asks to join.

    Enabled: it is in the group, or joining, and awaits no answer.
    Changes: a request is under way, with what it owns unless it has said so; what it had to acknowledge is.
    Log: none.
    Mirrors: ``StreamsGroupHeartbeatRequestManager.HeartbeatState.buildRequestData``,
    ``StreamsMembershipManager.onHeartbeatRequestGenerated``.
    """
    require(state.client[member] == Client.JOINING or is_in_group(state, member), "it is in the group, or joining")
    require(state.message[member].kind == Kind.NOTHING, "it awaits no answer")
    if state.client[member] == Client.JOINING:
        state.message[member] = NOTHING._replace(kind=Kind.JOIN)
    elif state.told[member]:
        state.message[member] = NOTHING._replace(kind=Kind.BEAT, epoch=state.client_epoch[member])
    else:
        epoch = state.client_epoch[member]
        message = roles_of(state, state.owned, member, Kind.FULL, epoch)
        if state.bounds.rules.tells_what_it_takes_on:
            message = completed(message, roles_of(state, state.goal, member, Kind.FULL, epoch))
            message = completed(message, roles_of(state, state.wanted, member, Kind.FULL, epoch))
        state.message[member] = message
        state.told[member] = True
    if state.client[member] == Client.ACKNOWLEDGING:
        state.client[member] = Client.RECONCILING if state.fresh[member] else Client.STABLE


def completed(message: Message, other: Message) -> Message:
    """Return *message*, with the entries of *other* for tasks that it does not name."""
    return message._replace(
        first=other.first if message.first == Role.NONE else message.first,
        second=other.second if message.second == Role.NONE else message.second,
    )


def is_in_group(state: State, member: int) -> bool:
    """Return whether the client takes itself for a member."""
    client = state.client[member]
    return client == Client.RECONCILING or client == Client.ACKNOWLEDGING or client == Client.STABLE


@action(member=MEMBER, fairness=weak("A client reads what it is answered."))
def receive(state: State, member: int) -> None:
    """
    *member* reads an answer.

    Enabled: there is one.
    Changes: it has the epoch of the answer, and an assignment to take on, if that is a new one; or, refused, it is
    fenced, and has epoch 0.
    Log: ``Member .. with epoch .. transitioned from .. to RECONCILING.``, or ``.. to FENCED.``
    Mirrors: ``StreamsMembershipManager.onHeartbeatSuccess``, ``processAssignmentReceived``, ``onFenced``.
    """
    message = state.message[member]
    require(message.kind != Kind.NOTHING and not is_request(message), "there is an answer")
    state.message[member] = NOTHING
    if state.client[member] == Client.JOINING or is_in_group(state, member):
        if is_refusal(message):
            state.client[member] = Client.FENCED
            state.client_epoch[member] = 0
            state.told[member] = False
        else:
            state.client_epoch[member] = message.epoch
            if message.kind == Kind.ASSIGNED:
                hear(state, member, message)


def hear(state: State, member: int, message: Message) -> None:
    """The client is told its assignment; it takes on one that is another than the last, or the first, even empty."""
    is_same = wants_as_told(state, member, message)
    if state.bounds.rules.tells_what_it_takes_on:
        state.told[member] = state.told[member] and is_same
    if state.client[member] == Client.JOINING or not is_same:
        state.fresh[member] = True
        state.client[member] = Client.RECONCILING
    for task in tasks(state):
        state.wanted[member, task] = role_in(message, task)
    forget(state, member)


def wants_as_told(state: State, member: int, message: Message) -> bool:
    return all(state.wanted[member, task] == role_in(message, task) for task in tasks(state))


def forget(state: State, member: int) -> None:
    """The client has stopped a task that it neither runs nor is to run, whether it was asked to or not."""
    for task in tasks(state):
        state.denied[member, task] = state.denied[member, task] and will_run(state, member, task)


@action(member=MEMBER, fairness=weak("Tasks that are revoked are closed."))
def revoke(state: State, member: int) -> None:
    """
    *member* begins to take on the assignment that it was told, and stops the active tasks that are not in it.

    Enabled: it has one to take on, and takes on no other.
    Changes: these tasks do not run.
    Log: ``Revoking active tasks ..``
    Mirrors: ``StreamsMembershipManager.maybeReconcile``, ``DefaultStreamsRebalanceListener.onTasksRevoked``.
    """
    require(state.client[member] == Client.RECONCILING and state.fresh[member], "it has an assignment to take on")
    require(not state.taking_on[member], "it takes on no other")
    state.fresh[member] = False
    state.taking_on[member] = True
    for task in tasks(state):
        state.goal[member, task] = state.wanted[member, task]
        if state.bounds.rules.client_revokes_first:
            state.running[member, task] = still_run(state, member, task)
    forget(state, member)


def still_run(state: State, member: int, task: int) -> Role:
    """Return the role in which *task* runs once the active tasks that are not in the new assignment are stopped."""
    is_lost = state.running[member, task] == Role.ACTIVE and state.goal[member, task] != Role.ACTIVE
    return Role.NONE if is_lost else state.running[member, task]


@action(member=MEMBER, fairness=weak("Tasks that are assigned are made."))
def assign(state: State, member: int) -> None:
    """
    *member* runs the assignment that it has begun to take on; if it was fenced meanwhile, it does not.

    Enabled: it has begun.
    Changes: it runs just these tasks, and is to say so at once.
    Log: ``Processing new assignment .. from Streams Rebalance Protocol``
    Mirrors: ``StreamsMembershipManager.assignTasks``, ``maybeAbortReconciliation``,
    ``DefaultStreamsRebalanceListener.onTasksAssigned``.
    """
    require(state.taking_on[member], "it has begun to take an assignment on")
    if state.client[member] == Client.RECONCILING:
        rules = state.bounds.rules
        is_silent = owns_goal(state, member) and not rules.acknowledges_each and not rules.tells_what_it_takes_on
        state.told[member] = state.told[member] and is_silent
        for task in tasks(state):
            state.owned[member, task] = state.goal[member, task]
            state.running[member, task] = next_run(state, member, task)
        state.client[member] = Client.ACKNOWLEDGING
    end_taking_on(state, member)
    forget(state, member)


def owns_goal(state: State, member: int) -> bool:
    return all(state.owned[member, task] == state.goal[member, task] for task in tasks(state))


def next_run(state: State, member: int, task: int) -> Role:
    """Return the role in which *task* runs when the assignment is taken on; nothing active is stopped so late."""
    is_kept = state.running[member, task] == Role.ACTIVE and state.goal[member, task] != Role.ACTIVE
    return state.running[member, task] if is_kept else state.goal[member, task]


def end_taking_on(state: State, member: int) -> None:
    state.taking_on[member] = False
    for task in tasks(state):
        state.goal[member, task] = Role.NONE


@action(
    member=MEMBER,
    when=lambda bounds: (
        bounds.expiries or bounds.timeouts or bounds.stalls or bounds.losses or bounds.delays or bounds.failovers
    ),
    fairness=weak("Tasks that are lost are closed."),
)
def release(state: State, member: int) -> None:
    """
    *member*, which was fenced or polled too late, gives up all that it has, and is to join anew.

    Enabled: it is fenced, or stale.
    Changes: it runs nothing, owns nothing, and is joining.
    Log: ``Member .. with epoch 0 transitioned from FENCED to JOINING.``
    Mirrors: ``StreamsMembershipManager.onFenced``, ``transitionToStale``, ``maybeRejoinStaleMember``,
    ``DefaultStreamsRebalanceListener.onAllTasksLost``.
    """
    require(state.client[member] == Client.FENCED or state.client[member] == Client.STALE, "it is fenced, or stale")
    state.client[member] = Client.JOINING
    state.removed[member] = False
    drop(state, member)
    if state.bounds.rules.rejoin_ends_reconciliation:
        end_taking_on(state, member)
    forget(state, member)


def drop(state: State, member: int) -> None:
    """The client runs nothing, and owns and wants nothing."""
    for task in tasks(state):
        state.running[member, task] = Role.NONE
        state.owned[member, task] = Role.NONE
        state.wanted[member, task] = Role.NONE
    state.told[member] = False
    state.fresh[member] = False
