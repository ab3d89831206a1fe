"""Laws of windows: how long a client runs a task that it no longer owns, in steps."""

from __future__ import annotations

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import Status, leads_to, sometimes, step_law
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


def no_window_gets_longer(before: State, action: Action, after: State) -> bool:
    return all(
        not overstays(before, member)
        or not overstays(after, member)
        or steps_left(after, member) <= steps_left(before, member)
        for member in members(before)
    )


WINDOW_SHRINKS = step_law(
    "window-shrinks",
    "A client whose member was removed has five steps at most until it has stopped: it reads an answer of before, asks,"
    " is answered, reads that it is no member, and stops. Nothing but the loss of a message adds to them.",
    "StreamsMembershipManager.onFenced",
    when=some_window_is_open,
    holds=no_window_gets_longer,
)


def nobody_overstays(state: State) -> bool:
    return not somebody_overstays(state)


WINDOW_CLOSES = leads_to(
    "window-closes",
    "A client whose member was removed stops in the end.",
    "StreamsMembershipManager.onFenced",
    from_=somebody_overstays,
    to=nobody_overstays,
)


def somebody_runs_what_was_taken(state: State) -> bool:
    return not nobody_runs_what_was_taken(state)


TAKEN_IS_STOPPED = leads_to(
    "taken-is-stopped",
    "A client that runs what was taken from it, since it said that it does not own it, stops in the end. (It need not:"
    " if the answer that told it so is lost, it runs the task on, says so at the group's epoch, and is not told"
    " otherwise, while another runs the task too.)",
    "GroupMetadataManager.streamsGroupHeartbeat",
    from_=somebody_runs_what_was_taken,
    to=nobody_runs_what_was_taken,
    status=Status.HOLE,
)


def a_window_closes(before: State, action: Action, after: State) -> bool:
    return somebody_overstays(before) and not somebody_overstays(after)


WINDOW_CLOSED = sometimes(
    "window-closed", "A client whose member was removed stops.", "StreamsMembershipManager.onFenced", a_window_closes
)
