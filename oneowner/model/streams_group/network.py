"""Requests and answers are lost, or are carried out when their client has given them up; the coordinator moves."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.streams_group.bounds import MEMBER, OWNER, SECOND_OWNER, STANDBY, WARMUP
from oneowner.model.streams_group.coordinator import answer
from oneowner.model.streams_group.state import NOBODY, NOTHING, Kind, State, is_request, members


@action(member=MEMBER, budget="losses", fairness=never("A network that is up loses nothing."))
def lose(state: State, member: int) -> None:
    """
    The request of *member*, or the answer to it, is lost, and its client hears of a failure.

    Enabled: one is under way.
    Changes: none is, and the client is to say again what it owns.
    Log: ``StreamsGroupHeartbeatRequest failed because of a retriable exception. ..``
    Mirrors: ``StreamsGroupHeartbeatRequestManager.onFailure``.
    """
    require(state.losses_left > 0, "the budget allows another loss")
    state.losses_left = state.losses_left - 1
    require(state.message[member].kind != Kind.NOTHING, "a message is under way")
    fail(state, member)


def fail(state: State, member: int) -> None:
    """There is no answer for *member*, which knows that it has to say again what it owns."""
    state.message[member] = NOTHING
    state.told[member] = False


@action(member=MEMBER, budget="delays", fairness=never("Requests are carried out in time."))
def give_up(state: State, member: int) -> None:
    """
    *member* waits no more for its request, which has reached the coordinator's broker and waits there.

    Enabled: a request is under way, and no other waits so.
    Changes: as ``lose``, but the request may still be carried out.
    Log: ``.. disconnecting from node .. due to request timeout.``
    Mirrors: ``NetworkClient.handleTimedOutRequests``, and the request queue of a broker, which outlives connections.
    """
    require(state.delays_left > 0, "the budget allows another delay")
    state.delays_left = state.delays_left - 1
    require(is_request(state.message[member]), "a request is under way")
    require(state.late.kind == Kind.NOTHING, "no other waits")
    state.late = state.message[member]
    state.late_of = member
    fail(state, member)


@action(
    member=MEMBER,
    owner=OWNER,
    second_owner=SECOND_OWNER,
    standby=STANDBY,
    warmup=WARMUP,
    when=lambda bounds: bounds.delays,
    fairness=never("It may never be."),
)
def serve_late(
    state: State, member: int, owner: int, second_owner: int = NOBODY, standby: int = NOBODY, warmup: int = NOBODY
) -> None:
    """
    The coordinator carries out a request that *member* has given up; nobody reads the answer.

    Enabled: one waits, and it is of this member; of the target as ``serve``.
    Changes: as ``serve``.
    Log: as ``serve``.
    Mirrors: ``GroupMetadataManager.streamsGroupHeartbeat``.
    """
    require(state.late.kind != Kind.NOTHING and state.late_of == member, "a request of it waits")
    request = state.late
    state.late = NOTHING
    state.late_of = NOBODY
    answer(state, member, request, (owner, second_owner, standby, warmup))


@action(budget="failovers", fairness=never("Coordinators need not fail."))
def fail_over(state: State) -> None:
    """
    Another broker becomes the coordinator, and reads the group from the log.

    Enabled: always.
    Changes: every message under way is lost; the group is as it was.
    Log: ``Loaded streams group .. with .. members.``
    Mirrors: ``GroupMetadataManager.onLoaded``.
    """
    require(state.failovers_left > 0, "the budget allows another change of the coordinator")
    state.failovers_left = state.failovers_left - 1
    for member in members(state):
        if state.message[member].kind != Kind.NOTHING:
            fail(state, member)
