"""A client leaves: it closes, is found to poll too late, or dies (``StreamsMembershipManager.leaveGroup``)."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.streams_group.bounds import MEMBER
from oneowner.model.streams_group.client import drop, end_taking_on, forget, is_in_group
from oneowner.model.streams_group.state import NOTHING, Client, Kind, State, is_request


@action(member=MEMBER, budget="leaves", fairness=never("Nobody has to leave."))
def close(state: State, member: int) -> None:
    """
    *member* closes: it stops its tasks, and then leaves the group.

    Enabled: it takes itself for a member, and awaits no answer.
    Changes: it runs nothing, is gone, and says so.
    Log: ``Member .. with epoch -1 transitioned from PREPARE_LEAVING to LEAVING.``
    Mirrors: ``StreamThread.completeShutdown``, ``StreamsMembershipManager.leaveGroupOnClose``.
    """
    require(state.leaves_left > 0, "the budget allows another to leave")
    state.leaves_left = state.leaves_left - 1
    say_farewell(state, member)
    vanish(state, member)


def say_farewell(state: State, member: int) -> None:
    """The client sends that it leaves the group."""
    require(is_in_group(state, member), "it takes itself for a member")
    require(state.message[member].kind == Kind.NOTHING, "it awaits no answer")
    state.message[member] = NOTHING._replace(kind=Kind.LEAVE)
    state.client_epoch[member] = 0


def vanish(state: State, member: int) -> None:
    """The client is there no more; another that comes has another member id."""
    state.client[member] = Client.GONE
    state.client_epoch[member] = 0
    state.removed[member] = False
    drop(state, member)
    end_taking_on(state, member)
    forget(state, member)


@action(member=MEMBER, budget="stalls", fairness=never("Applications poll in time."))
def stall(state: State, member: int) -> None:
    """
    The application of *member* has not polled for ``max.poll.interval.ms``: its network thread leaves the group.

    Enabled: it takes itself for a member, and awaits no answer.
    Changes: it is stale, and says that it leaves; it gives its tasks up only when the application goes on.
    Log: ``Consumer poll timeout has expired. ..``
    Mirrors: ``StreamsGroupHeartbeatRequestManager.poll``, ``StreamsMembershipManager.onPollTimerExpired``.
    """
    require(state.stalls_left > 0, "the budget allows another late poll")
    state.stalls_left = state.stalls_left - 1
    say_farewell(state, member)
    state.client[member] = Client.STALE
    state.told[member] = False


@action(member=MEMBER, budget="crashes", fairness=never("Processes need not die."))
def crash(state: State, member: int) -> None:
    """
    The process of *member* dies; a request of it may still be carried out.

    Enabled: it is there.
    Changes: it is gone.
    Log: none.
    Mirrors: nothing.
    """
    require(state.crashes_left > 0, "the budget allows another crash")
    state.crashes_left = state.crashes_left - 1
    require(state.client[member] != Client.NEW and state.client[member] != Client.GONE, "it is there")
    if not is_request(state.message[member]):
        state.message[member] = NOTHING
    vanish(state, member)
