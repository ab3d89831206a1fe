"""
Nodes leave the cluster and come back; the copies that left with them are delayed (``DelayedAllocationService``).

A node that the master has removed may live, and take itself for the primary until it notices.
"""

from oneowner.model.elasticsearch.allocation import some_delay_is
from oneowner.model.elasticsearch.bounds import NODE, comes_back
from oneowner.model.elasticsearch.routing import fail_copy, publish
from oneowner.model.elasticsearch.state import Delay, Mode, Request, Role, Stage, State, Tracked, nodes, writes
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.state import end_cells


@action(node=NODE, budget="cuts", fairness=never("A network need not fail."))
def cut(state: State, node: int) -> None:
    """
    The master loses contact with *node*, which lives, and removes it; nobody tells the node.

    Enabled: it lives and is a member.
    Changes: as ``remove``.
    Log: ``node-left[..]``
    Mirrors: ``FollowersChecker``, ``NodeRemovalClusterStateTaskExecutor``, ``AllocationService.disassociateDeadNodes``.
    """
    require(state.cuts_left > 0, "the budget allows another failure of the network")
    state.cuts_left = state.cuts_left - 1
    require(state.up[node] and state.member[node], "the node lives and is a member")
    leave(state, node)


@action(
    node=NODE,
    when=lambda bounds: bounds.crashes or bounds.stops,
    fairness=weak("The master checks its followers."),
)
def remove(state: State, node: int) -> None:
    """
    The master notices that the process of *node* has ended, and removes it.

    Enabled: it lives no more and is a member.
    Changes: it is no member; its copy goes out of the table, and stays in sync until a write fails to reach it. What it
    had as a replica, or what is promoted for its primary, leaves a replica to be assigned, which is delayed.
    Log: ``node-left[..]``
    Mirrors: as ``cut``; #20023 (a copy is not stale because its node leaves, 5.0.0-beta1).
    """
    require(not state.up[node] and state.member[node], "the node lives no more and is a member")
    leave(state, node)


def leave(state: State, node: int) -> None:
    """Remove *node* from the cluster."""
    state.member[node] = False
    role = state.role[node]
    fail_copy(state, node)
    publish(state)
    if state.bounds.delays and leaves_replica(state, role):
        state.delay[node] = Delay.RUNNING
        state.scheduled = True


def leaves_replica(state: State, role: Role) -> bool:
    """Return whether a copy of *role* that left is a replica now: a primary is, if another copy is promoted."""
    if role == Role.PRIMARY:
        return any(state.role[node] == Role.PRIMARY for node in nodes(state))
    return role == Role.REPLICA or role == Role.INITIALIZING


@action(node=NODE, when=lambda bounds: bounds.cuts, fairness=weak("A node checks its master."))
def notice(state: State, node: int) -> None:
    """
    *node* notices that it has no master, and blocks writes.

    Enabled: it lives, is no member, and accepts writes as the primary or hands over.
    Changes: it accepts none. Writes that it has accepted wait for a master.
    Log: ``master node changed {previous [..], current []}``
    Mirrors: ``LeaderChecker``, ``Coordinator.becomeCandidate``, ``NoMasterBlockService``.
    """
    require(state.up[node] and not state.member[node], "the node lives, and is no member")
    mode = state.mode[node]
    require(mode != Mode.CLOSED and mode != Mode.COPY, "it accepts writes, or hands over")
    close_copy(state, node)


def close_copy(state: State, node: int) -> None:
    """The copy on *node* serves nobody any more."""
    state.mode[node] = Mode.CLOSED
    state.copy_term[node] = 0
    forget_group(state, node)


def forget_group(state: State, node: int) -> None:
    """*node* knows no other copies (``ReplicationTracker`` in replica mode)."""
    for other in nodes(state):
        state.tracks[node, other] = Tracked.NONE


@action(node=NODE, when=comes_back, fairness=weak("A node looks for a master until it has one."))
def join(state: State, node: int) -> None:
    """
    *node*, which lives, joins the cluster.

    Enabled: it lives, and is no member.
    Changes: it is one.
    Log: ``node-join[..]``
    Mirrors: ``JoinHelper``, ``NodeJoinExecutor``.
    """
    require(state.up[node] and not state.member[node], "the node lives, and is no member")
    state.member[node] = True
    publish(state)


@action(node=NODE, budget="crashes", fairness=never("A process need not fail."))
def crash(state: State, node: int) -> None:
    """
    The process of *node* ends.

    Enabled: it lives.
    Changes: its copy is closed; it stays on its disk. Writes that it had accepted fail; requests on their way arrive.
    Log: none.
    Mirrors: kill -9.
    """
    require(state.crashes_left > 0, "the budget allows another crash")
    state.crashes_left = state.crashes_left - 1
    require(state.up[node], "the node lives")
    end_process(state, node)


def end_process(state: State, node: int) -> None:
    """The process of *node* ends, and with it the writes that it has accepted."""
    state.up[node] = False
    end_cells(state, node)
    for write in writes(state):
        if state.author[write] == node:
            end_write(state, write)


def end_write(state: State, write: int) -> None:
    """An open write fails; the master does not hear of it, and the messages that were sent arrive."""
    state.stage[write] = after_failure(state.stage[write])
    for node in nodes(state):
        state.request[write, node] = on_the_way(state.request[write, node])


def after_failure(stage: Stage) -> Stage:
    """Return the stage of a write whose author fails."""
    if stage == Stage.OPEN:
        return Stage.FAILED
    return stage


def on_the_way(request: Request) -> Request:
    """Return a request if it was sent, else none."""
    if request == Request.SENT:
        return Request.SENT
    return Request.NONE


@action(node=NODE, budget="stops", fairness=never("Nobody has to stop a node."))
def shut_down(state: State, node: int) -> None:
    """
    *node* begins to shut down: it talks to the master no more, and takes no new writes.

    Enabled: it lives and does not shut down.
    Changes: it is closing.
    Log: ``stopping ...``
    Mirrors: ``Node.stop``, ``ClusterService.doClose`` (``NodeClosedException``).
    """
    require(state.stops_left > 0, "the budget allows another shutdown")
    state.stops_left = state.stops_left - 1
    require(state.up[node] and not state.closing[node], "the node lives and does not shut down")
    state.closing[node] = True


@action(node=NODE, when=lambda bounds: bounds.stops, fairness=weak("A node that shuts down ends."))
def end_shutdown(state: State, node: int) -> None:
    """
    *node* has shut down.

    Enabled: it is closing.
    Changes: as ``crash``.
    Log: ``closed``
    Mirrors: ``Node.close``.
    """
    require(state.closing[node], "the node is closing")
    end_process(state, node)


@action(node=NODE, budget="restarts", fairness=never("Nobody has to start a node."))
def restart(state: State, node: int) -> None:
    """
    *node* starts again, with the copy that is on its disk.

    Enabled: it does not live, and is no member.
    Changes: it lives.
    Log: ``started``
    Mirrors: ``Node.start``; who starts before it was removed is removed first (another ephemeral id).
    """
    require(state.restarts_left > 0, "the budget allows another start")
    state.restarts_left = state.restarts_left - 1
    require(not state.up[node] and not state.member[node], "the node does not live, and is no member")
    state.up[node] = True


@action(node=NODE, when=lambda bounds: bounds.delays, fairness=weak("Time passes."))
def time_out(state: State, node: int) -> None:
    """
    The copy that left with *node* has been gone for ``index.unassigned.node_left.delayed_timeout``.

    Enabled: its delay is running.
    Changes: it is over, and the next reroute does without it.
    Log: none.
    Mirrors: ``UnassignedInfo.getRemainingDelay``.
    """
    require(state.delay[node] == Delay.RUNNING, "its delay is running")
    state.delay[node] = Delay.DUE


@action(when=lambda bounds: bounds.delays, fairness=weak("A task that is scheduled is run."))
def reroute(state: State) -> None:
    """
    The reroute that was scheduled for delayed copies is run.

    Enabled: it is scheduled, and a delay is over.
    Changes: copies whose delay is over are delayed no more; if others are, the next reroute is scheduled.
    Log: ``scheduling reroute for delayed shards in [..] (.. delayed shards)``
    Mirrors: ``DelayedAllocationService.DelayedRerouteTask.execute``, ``DelayedAllocationService.scheduleIfNeeded``.
    """
    require(state.scheduled and some_delay_is(state, Delay.DUE), "a reroute is scheduled, and a delay is over")
    publish(state)
    state.scheduled = state.bounds.rules.delay_is_rescheduled and some_delay_is(state, Delay.RUNNING)
