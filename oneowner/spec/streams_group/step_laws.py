"""
Laws of steps: when a client continues, how it applies an answer, and which members the coordinator admits and refuses.

The laws of ownership and of progress judge what comes of it. These state from another side what the model does, and
call none of its steps.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.enabled import enabled_law, exactly
from oneowner.model.kernel.law import LawKind, step_law
from oneowner.model.streams_group.bounds import Bounds
from oneowner.model.streams_group.state import (
    NOTHING,
    Client,
    Kind,
    Message,
    Phase,
    State,
    is_refusal,
    is_request,
    members,
    role_in,
    tasks,
)

# ---- when a client goes on ----


def is_in(state: State, member: int) -> bool:
    """Return whether the client takes itself for a member."""
    client = state.client[member]
    return client == Client.STABLE or client == Client.RECONCILING or client == Client.ACKNOWLEDGING


def is_quiet(state: State, member: int) -> bool:
    return state.message[member].kind == Kind.NOTHING


def may_join(state: State, member: int) -> bool:
    return state.client[member] == Client.NEW and state.joins_left > 0


def sends(state: State, member: int) -> bool:
    return is_quiet(state, member) and (is_in(state, member) or state.client[member] == Client.JOINING)


def has_an_answer(state: State, member: int) -> bool:
    return not is_quiet(state, member) and not is_request(state.message[member])


def begins(state: State, member: int) -> bool:
    is_told = state.client[member] == Client.RECONCILING and state.fresh[member]
    return is_told and not state.taking_on[member]


def ends(state: State, member: int) -> bool:
    return state.taking_on[member] and state.client[member] != Client.GONE


def gives_up_all(state: State, member: int) -> bool:
    return state.client[member] == Client.FENCED or state.client[member] == Client.STALE


def may_close(state: State, member: int) -> bool:
    return is_in(state, member) and is_quiet(state, member) and state.leaves_left > 0


def may_stall(state: State, member: int) -> bool:
    return is_in(state, member) and is_quiet(state, member) and state.stalls_left > 0


def may_die(state: State, member: int) -> bool:
    is_there = state.client[member] != Client.NEW and state.client[member] != Client.GONE
    return is_there and state.crashes_left > 0


def may_be_lost(state: State, member: int) -> bool:
    return not is_quiet(state, member) and state.losses_left > 0


def may_be_late(state: State, member: int) -> bool:
    return is_request(state.message[member]) and state.late.kind == Kind.NOTHING and state.delays_left > 0


def may_expire(state: State, member: int) -> bool:
    return state.member[member] and state.client[member] != Client.GONE and state.expiries_left > 0


def expires(state: State, member: int) -> bool:
    is_gone = state.client[member] == Client.GONE and not is_request(state.message[member])
    return is_gone and state.member[member]


def may_take_too_long(state: State, member: int) -> bool:
    is_told = state.member[member] and state.phase[member] == Phase.UNREVOKED
    return is_told and state.timeouts_left > 0


def in_any_bounds(bounds: Bounds) -> bool:
    return True


CLIENTS_GO_ON = enabled_law(
    "clients-go-on",
    "A client sends a heartbeat while it is joining or a member and awaits no answer, and it reads every answer. "
    "It takes on one assignment at a time, and gives all tasks up when it is fenced or stale. The coordinator "
    "removes members that it has not heard from; for taking too long it removes only members that have tasks to "
    "give back.",
    "StreamsGroupHeartbeatRequestManager.poll; StreamsMembershipManager.maybeReconcile; GroupMetadataManager",
    exactly("join", may_join),
    exactly("send", sends),
    exactly("receive", has_an_answer),
    exactly("revoke", begins),
    exactly("assign", ends),
    exactly("release", gives_up_all),
    exactly("close", may_close),
    exactly("stall", may_stall),
    exactly("crash", may_die),
    exactly("lose", may_be_lost),
    exactly("give_up", may_be_late),
    exactly("expire", may_expire),
    exactly("expire_gone", expires),
    exactly("time_out", may_take_too_long),
    where=in_any_bounds,
)


# ---- what a client makes of it ----


def a_client_goes_on(before: State, action: Action, after: State) -> bool:
    of_messages = action.name == "send" or action.name == "receive" or action.name == "lose"
    return of_messages or action.name == "give_up" or action.name == "assign"


def says_what_is_new(before: State, after: State, member: int) -> bool:
    sent = after.message[member]
    if before.client[member] == Client.JOINING:
        return sent.kind == Kind.JOIN
    kind = Kind.BEAT if before.told[member] else Kind.FULL
    return sent.kind == kind and sent.epoch == before.client_epoch[member] and after.told[member]


def heeds(before: State, after: State, member: int, answer: Message) -> bool:
    if not is_in(before, member) and before.client[member] != Client.JOINING:
        return after.client[member] == before.client[member]
    if is_refusal(answer):
        return after.client[member] == Client.FENCED and after.client_epoch[member] == 0 and not after.told[member]
    if answer.kind != Kind.ASSIGNED:
        return after.client_epoch[member] == answer.epoch
    is_heard = all(after.wanted[member, task] == role_in(answer, task) for task in tasks(after))
    return is_heard and after.client_epoch[member] == answer.epoch


def takes_on(before: State, after: State, member: int) -> bool:
    if before.client[member] != Client.RECONCILING:
        is_as_before = all(after.running[member, task] == before.running[member, task] for task in tasks(after))
        return is_as_before and after.client[member] == before.client[member]
    is_owned = all(after.owned[member, task] == before.goal[member, task] for task in tasks(after))
    return is_owned and after.client[member] == Client.ACKNOWLEDGING


@step_law(
    "client-does-as-told",
    "StreamsMembershipManager.onHeartbeatSuccess, onFenced, maybeAbortReconciliation; buildRequestData",
    when=a_client_goes_on,
    kind=LawKind.MIRROR,
)
def it_does_as_told(before: State, action: Action, after: State) -> bool:
    """
    A client reports its tasks once, and again if no answer came. It adopts the epoch and the assignment of the answer;
    if it is refused, it is fenced and has epoch 0. It owns the tasks that it has taken on, unless it was fenced
    meanwhile.
    """
    member = action.argument("member")
    message = before.message[member]
    if action.name == "send":
        return says_what_is_new(before, after, member)
    if action.name == "receive":
        return heeds(before, after, member, message)
    if action.name == "assign":
        return not after.taking_on[member] and takes_on(before, after, member)
    return after.message[member] == NOTHING and not after.told[member]


# ---- whom the coordinator admits and refuses ----


def a_request_is_carried_out(before: State, action: Action, after: State) -> bool:
    return action.name == "serve" and is_request(before.message[action.argument("member")])


@step_law(
    "admitted-or-refused",
    "GroupMetadataManager.streamsGroupHeartbeat, throwIfStreamsGroupMemberEpochIsInvalid",
    when=a_request_is_carried_out,
    kind=LawKind.MIRROR,
)
def it_is_admitted_or_refused(before: State, action: Action, after: State) -> bool:
    """
    A client that joins becomes a member, which raises the group's epoch, and gets its assignment; a client that leaves
    is no member. The coordinator refuses a client that is no member, or whose epoch is neither the member's nor the
    previous one; it sends others their epoch.
    """
    member = action.argument("member")
    request, answer = before.message[member], after.message[member]
    if request.kind == Kind.LEAVE:
        return not after.member[member] and answer == NOTHING
    if request.kind == Kind.JOIN:
        is_new = not before.member[member]
        if is_new and after.group_epoch != before.group_epoch + 1:
            return False
        return after.member[member] and (not is_new or answer.kind == Kind.ASSIGNED)
    if not before.member[member]:
        return answer.kind == Kind.UNKNOWN
    if request.epoch != before.epoch[member] and request.epoch != before.previous[member]:
        return answer.kind == Kind.FENCED
    return answer.kind == Kind.FENCED or answer.epoch == after.epoch[member]


def an_epoch_rises(before: State, action: Action, after: State) -> bool:
    return any(after.epoch[member] > before.epoch[member] for member in members(before))


@step_law(
    "epoch-before-is-known", "StreamsGroupMember.Builder.updateMemberEpoch", when=an_epoch_rises, kind=LawKind.MIRROR
)
def the_one_before_is_known(before: State, action: Action, after: State) -> bool:
    """The coordinator records the previous epoch of each member to which it gives an epoch."""
    return all(
        after.previous[member] == before.epoch[member]
        for member in members(before)
        if after.epoch[member] > before.epoch[member]
    )


def a_late_request_is_carried_out(before: State, action: Action, after: State) -> bool:
    return action.name == "serve_late"


@step_law(
    "late-request-is-carried-out-once",
    "NetworkClient.handleTimedOutRequests",
    when=a_late_request_is_carried_out,
    kind=LawKind.MIRROR,
)
def it_is_so_once(before: State, action: Action, after: State) -> bool:
    """The coordinator carries out a request that its client has given up once, and nobody reads the answer."""
    is_unread = all(after.message[member] == before.message[member] for member in members(before))
    return after.late == NOTHING and is_unread
