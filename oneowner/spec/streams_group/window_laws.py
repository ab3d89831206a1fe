"""Laws of windows: how long a client runs a task that it no longer owns, in steps."""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, LivenessLaw, Status, leads_to, sometimes, step_law
from oneowner.model.streams_group.state import Client, Kind, Role, State, is_refusal, is_request, members, tasks
from oneowner.spec.streams_group.ownership_laws import nobody_runs_what_was_taken


def overstays(state: State, member: int) -> bool:
    """Return whether the client of a member that was removed still runs something."""
    return state.removed[member] and any(state.running[member, task] != Role.NONE for task in tasks(state))


MOST_STEPS = 5
"""It reads an answer of before, asks, is answered, reads that it is no member, and stops."""


def steps_left(state: State, member: int) -> int:
    """Return how many steps a client that was removed has to take until it has stopped."""
    message = state.message[member]
    if state.client[member] == Client.FENCED or state.client[member] == Client.STALE:
        return 1
    if is_refusal(message):
        return 2
    if is_request(message):
        return 3
    return 4 if message.kind == Kind.NOTHING else MOST_STEPS


def somebody_overstays(state: State) -> bool:
    return any(overstays(state, member) for member in members(state))


def some_window_is_open(before: State, action: Action, after: State) -> bool:
    loses = action.name == "lose" or action.name == "give_up" or action.name == "fail_over"
    return somebody_overstays(before) and not loses


@step_law("window-shrinks", "StreamsMembershipManager.onFenced", when=some_window_is_open, kind=LawKind.PROTOCOL)
def no_window_gets_longer(before: State, action: Action, after: State) -> bool:
    """
    A client whose member was removed takes at most five steps until it has stopped: it reads an earlier answer, sends a
    heartbeat, the coordinator answers, the client reads that it is no member, and it stops. Only the loss of a message
    adds steps.
    """
    return all(
        not overstays(before, member)
        or not overstays(after, member)
        or steps_left(after, member) <= steps_left(before, member)
        for member in members(before)
    )


@leads_to("window-closes", "StreamsMembershipManager.onFenced", when=somebody_overstays, kind=LawKind.PURPOSE)
def nobody_overstays(state: State) -> bool:
    """A client whose member was removed eventually stops."""
    return not somebody_overstays(state)


def somebody_runs_what_was_taken(state: State) -> bool:
    return not nobody_runs_what_was_taken(state)


TAKEN_IS_STOPPED = LivenessLaw(
    "taken-is-stopped",
    "A client eventually stops a task that the coordinator took from it because it reported that it does not own "
    "the task. (This can fail: if the answer that takes the task is lost, the client runs the task on, reports it "
    "at the group's epoch, and gets no other answer, while another client runs the task too.)",
    "GroupMetadataManager.streamsGroupHeartbeat",
    when=somebody_runs_what_was_taken,
    good=nobody_runs_what_was_taken,
    status=Status.HOLE,
    kind=LawKind.PURPOSE,
)


@sometimes("window-closed", "StreamsMembershipManager.onFenced")
def a_window_closes(before: State, action: Action, after: State) -> bool:
    """A client whose member was removed stops."""
    return somebody_overstays(before) and not somebody_overstays(after)
