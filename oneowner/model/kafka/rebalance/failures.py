"""Processes start, leave and crash; the group goes on without a member that it does not hear of."""

from oneowner.model.kafka.rebalance.bounds import MEMBER, TASK
from oneowner.model.kafka.rebalance.members import forget_part
from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.state import State, is_zombie, some_listed
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require


@action(member=MEMBER, budget="starts", fairness=never("Nobody has to start a process."))
def start(state: State, member: int) -> None:
    """
    The process of *member* starts, with the state that is left on its disk.

    Enabled: it does not live, and the group has forgotten it.
    Changes: it lives, and is to join.
    Log: ``Creating consumer client``, ``State transition from CREATED to REBALANCING``
    Mirrors: ``KafkaStreams.start``.
    """
    require(state.starts_left > 0, "the budget allows another start")
    require(not state.up[member] and not state.listed[member], "it does not live, and the group has forgotten it")
    state.starts_left = state.starts_left - 1
    state.up[member] = True


@action(member=MEMBER, budget="leaves", fairness=never("Nobody has to leave."))
def leave(state: State, member: int) -> None:
    """
    *member* closes its tasks, leaves the group and ends.

    Enabled: it lives and is in the group.
    Changes: it is gone, its copies stay; the others prepare a rebalance.
    Log: ``Member .. sending LeaveGroup request to coordinator ..``
    Mirrors: ``KafkaStreams.close`` with ``CloseOptions.leaveGroup(true)`` (KIP-812); without it the coordinator finds
    out when the session ends, as after a crash.
    """
    require(state.leaves_left > 0, "the budget allows another member to leave")
    require(state.up[member] and state.listed[member], "it lives and is in the group")
    state.leaves_left = state.leaves_left - 1
    state.up[member] = False
    drop_tasks(state, member)
    strike_off(state, member)


def drop_tasks(state: State, member: int) -> None:
    """Make *member* close all tasks, and keep their state on disk."""
    for task in range(1, state.bounds.tasks + 1):
        state.role[member, task] = Role.NONE


def strike_off(state: State, member: int) -> None:
    """Take *member* out of the group; the others prepare a rebalance."""
    state.listed[member] = False
    state.joined[member] = False
    state.settled = False
    forget_part(state, member)
    state.preparing = some_listed(state)


@action(member=MEMBER, budget="crashes", fairness=never("Processes need not crash."))
def crash(state: State, member: int) -> None:
    """
    The process of *member* ends; its last report to the group stands until its session ends.

    Enabled: it lives.
    Changes: it does nothing any more, its copies stay on disk.
    Log: none.
    Mirrors: the loss of a process, with a store that is kept (no exactly-once, or a checkpoint was written).
    """
    require(state.crashes_left > 0, "the budget allows another crash")
    require(state.up[member], "it lives")
    state.crashes_left = state.crashes_left - 1
    state.up[member] = False
    if not state.listed[member]:
        drop_tasks(state, member)


@action(
    member=MEMBER,
    when=lambda bounds: bounds.crashes,
    fairness=weak("The session of a member that is gone ends."),
)
def expire(state: State, member: int) -> None:
    """
    The session of *member*, which lives no more, ends.

    Enabled: it does not live, and is in the group.
    Changes: it is not; who is left prepares a rebalance.
    Log: ``Member .. in group .. has failed, removing it from the group``
    Mirrors: ``GroupCoordinator.onExpireHeartbeat``, ``removeMemberAndUpdateGroup``.
    """
    require(not state.up[member] and state.listed[member], "it does not live, and is in the group")
    drop_tasks(state, member)
    strike_off(state, member)


@action(member=MEMBER, budget="timeouts", fairness=never("A member need not be late."))
def time_out(state: State, member: int) -> None:
    """
    *member* lives, but was not heard of in time, and the group goes on without it.

    Enabled: it lives and is in the group.
    Changes: it is not in it, and does not know; it goes on with what it does. Who is left prepares a rebalance.
    Log: ``Member .. in group .. has failed, removing it from the group``
    Mirrors: ``session.timeout.ms`` or ``max.poll.interval.ms`` passes (a long pause, a lost network).
    """
    require(state.timeouts_left > 0, "the budget allows another timeout")
    require(state.up[member] and state.listed[member], "it lives and is in the group")
    state.timeouts_left = state.timeouts_left - 1
    strike_off(state, member)


@action(
    member=MEMBER,
    when=lambda bounds: bounds.timeouts and bounds.rules.drops_lost,
    fairness=weak("A heartbeat is answered."),
)
def hear(state: State, member: int) -> None:
    """
    *member* hears that the group has gone on without it, and drops its tasks.

    Enabled: it lives, is not in the group, and has tasks.
    Changes: it has none; their state stays on its disk.
    Log: ``Giving away all assigned partitions as lost since generation/memberID has been reset``
    Mirrors: ``ConsumerCoordinator.onJoinPrepare``, ``TaskManager.handleLostAll``.
    """
    require(is_zombie(state, member), "it is not in the group, and has tasks")
    drop_tasks(state, member)


@action(member=MEMBER, task=TASK, when=lambda bounds: bounds.timeouts, fairness=never("Offsets need not be committed."))
def commit(state: State, member: int, task: int) -> None:
    """
    *member*, with which the group does not go on, commits an offset of *task*, which it still runs.

    Enabled: it lives, is not in the group, and runs the task.
    Changes: the commit is refused, and it drops its tasks; if the coordinator does not look, the offset is written.
    Log: ``Failing OffsetCommit request since the consumer is not part of an active group``
    Mirrors: ``ConsumerCoordinator.sendOffsetCommitRequest`` (``UNKNOWN_MEMBER_ID``, ``ILLEGAL_GENERATION``); with
    exactly-once ``TransactionManager`` (``FENCED``).
    """
    require(is_zombie(state, member) and state.role[member, task] == Role.ACTIVE, "it is not in the group, and runs it")
    if state.bounds.rules.fences_commits:
        drop_tasks(state, member)
    else:
        state.foreign = True
