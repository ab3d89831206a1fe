"""
Laws of steps: when an election, its user and its store may act, and the effect of each answer.

The laws of ``laws.py`` judge where nothing is under way, and most of them are none. These state from another side what
a step does, and call none of the model.
"""

from collections.abc import Callable
from functools import partial

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.enabled import Rule, enabled_law
from oneowner.model.kernel.law import LawKind, Status, step_law
from oneowner.model.leader_election.bounds import Bounds
from oneowner.model.leader_election.state import (
    NOBODY,
    Answer,
    Asked,
    Internal,
    Kind,
    Origin,
    Outcome,
    Request,
    Result,
    Says,
    State,
    brokers,
    numbers,
)

# ---- when an election may go on ----


def may_elect(state: State, broker: int) -> bool:
    is_over = state.elected[broker] != Result.PENDING and state.closed[broker] != Result.PENDING
    return state.elected[broker] == Result.NONE or (is_over and state.again_left > 0)


def may_close(state: State, broker: int) -> bool:
    is_open = state.internal[broker] != Internal.CLOSED and state.closed[broker] != Result.PENDING
    return is_open and state.closes_left > 0


def comes_first(state: State, broker: int) -> bool:
    """Return whether an answer comes before the first notification, or any may be first."""
    notices = state.notices[broker]
    return state.bounds.unordered == 1 or notices.length == 0 or notices[1].after > 0


def is_answered(state: State, broker: int) -> bool:
    return state.answers[broker].length > 0 and comes_first(state, broker)


def fails(state: State, broker: int) -> bool:
    return state.losses_left > 0 and state.sent[broker].length + state.answers[broker].length > 0


def is_notified(state: State, broker: int) -> bool:
    return state.notices[broker].length > 0 and state.notices[broker][1].after == 0


def is_due(state: State, broker: int) -> bool:
    return state.timers[broker] > 0 and state.elected[broker] != Result.NONE


def comes_back(state: State, broker: int) -> bool:
    return not state.live[broker] or state.survivals_left > 0


def is_connected_again(state: State, broker: int) -> bool:
    return state.live[broker] and state.reconnects_left > 0


def is_carried_out(state: State, broker: int) -> bool:
    return state.live[broker] and state.sent[broker].length > 0


def its_session_ends(state: State, broker: int) -> bool:
    return state.live[broker] and state.expiries_left > 0


def has_room(state: State, broker: int) -> bool:
    """Return whether the bounds have room for whatever a step sends, puts off, notifies or waits for."""
    bounds = state.bounds
    under_way = state.sent[broker].length + state.answers[broker].length
    if under_way >= bounds.requests or state.timers[broker] >= bounds.timers or state.handling[broker]:
        return False
    if state.waiters[broker].length >= bounds.requests or state.events[broker] > 0 or bounds.waiting == 0:
        return False
    if state.answers[broker].length > 0 and state.answers[broker][1].request.depth >= bounds.conflicts:
        return False
    return all(state.notices[other].length < bounds.notices for other in brokers(state))


def in_room(action: str, rule: Callable[[State, int], bool]) -> Rule:
    """Return that *action* is enabled only where *rule* allows it, and there if the bounds have room for it."""
    return Rule(action, partial(is_so_with_room, rule=rule), rule)


def is_so_with_room(state: State, broker: int, rule: Callable[[State, int], bool]) -> bool:
    return has_room(state, broker) and rule(state, broker)


def in_any_bounds(bounds: Bounds) -> bool:
    return True


ELECTIONS_GO_ON = enabled_law(
    "elections-go-on",
    "A user elects once, and anew when what it asked for has ended; it closes what is open. An answer is taken in turn"
    " with notifications, in the order in which the store sent them. The store carries out what a broker with a session"
    " has sent, and ends sessions of those that have one.",
    "LeaderElectionImpl.elect, asyncClose; CoordinationServiceImpl.leaderElections",
    in_room("elect", may_elect),
    in_room("close", may_close),
    in_room("answer", is_answered),
    in_room("lose", fails),
    in_room("notify", is_notified),
    in_room("timer", is_due),
    in_room("reestablish", comes_back),
    in_room("reconnect", is_connected_again),
    in_room("carry_out", is_carried_out),
    in_room("expire", its_session_ends),
    where=in_any_bounds,
)


# ---- what begins an election, or ends it ----


def asks_now(after: State, broker: int, asked: Asked, origin: Origin, depth: int) -> bool:
    """Return whether such a request of *broker* waits for the store."""
    return any(
        number <= after.sent[broker].length and after.sent[broker][number] == Request(asked, origin, depth)
        for number in numbers(after)
    )


def something_begins(before: State, action: Action, after: State) -> bool:
    of_user = action.name == "elect" or action.name == "close"
    return of_user or action.name == "notify" or action.name == "timer" or action.name == "reestablish"


@step_law(
    "election-is-begun",
    "LeaderElectionImpl.elect, asyncClose, handlePathNotification, handleSessionNotification",
    when=something_begins,
    kind=LawKind.MIRROR,
)
def it_is_begun(before: State, action: Action, after: State) -> bool:
    """
    A user who elects asks whose the node is, unless the election says something already: that is the answer. Who closes
    it deletes the node if it says that it leads, and else does not. A deletion begins an election just where a leader
    was known, who is so no more; a timer and a new session begin one, too.
    """
    broker = action.argument("broker")
    says = before.says[broker]
    if action.name == "elect":
        if after.elected[broker] == Result.PENDING:
            return after.closed[broker] == Result.NONE and asks_now(after, broker, Asked.CHECK, Origin.USER, 0)
        answered = Result.LEADING if says == Says.LEADING else Result.FOLLOWING
        return says != Says.NO_LEADER and after.elected[broker] == answered
    if action.name == "close":
        if after.internal[broker] != Internal.CLOSED:
            return False
        if says == Says.LEADING:
            return after.closed[broker] == Result.PENDING and asks_now(after, broker, Asked.CLOSE, Origin.USER, 0)
        return after.closed[broker] == Result.CLOSED and after.sent[broker] == before.sent[broker]
    if action.name == "timer":
        return asks_now(after, broker, Asked.CHECK, Origin.TIMER, 0)
    if action.name == "reestablish":
        is_heard = before.handling[broker] or before.stopped[broker]
        return after.live[broker] and (is_heard or asks_now(after, broker, Asked.CHECK, Origin.SESSION, 0))
    if before.notices[broker][1].kind == Kind.CREATED or before.internal[broker] != Internal.PRESENT:
        return after.says[broker] == says and after.internal[broker] == before.internal[broker]
    return after.says[broker] == Says.NO_LEADER and asks_now(after, broker, Asked.CHECK, Origin.NOTICE, 0)


def an_answer_is_taken(before: State, action: Action, after: State) -> bool:
    if action.name != "answer" or before.answers[action.argument("broker")].length == 0:
        return False
    return before.answers[action.argument("broker")][1].request.asked != Asked.LOAD


def goes_on(before: State, after: State, broker: int, answer: Answer) -> bool:
    asked, origin, depth = answer.request
    outcome = answer.outcome
    if asked == Asked.CLOSE:
        return after.closed[broker] == (Result.CLOSED if outcome == Outcome.DONE else Result.FAILED)
    if asked == Asked.CREATE:
        if outcome == Outcome.BAD_VERSION:
            is_amid = after.internal[broker] == Internal.IN_PROGRESS
            return is_amid and asks_now(after, broker, Asked.CHECK, origin, depth + 1)
        if outcome == Outcome.DONE and before.internal[broker] != Internal.IN_PROGRESS:
            return asks_now(after, broker, Asked.CLEAN, origin, 0)
        return outcome == Outcome.DONE or has_failed(before, after, broker, origin)
    if asked != Asked.CHECK:
        if asked == Asked.REPLACE and outcome == Outcome.DONE:
            return asks_now(after, broker, Asked.CREATE, origin, depth)
        return has_failed(before, after, broker, origin)
    if outcome == Outcome.LOST or before.elected[broker] == Result.NONE:
        return has_failed(before, after, broker, origin)
    if outcome == Outcome.ABSENT:
        return asks_now(after, broker, Asked.CREATE, origin, depth)
    if outcome == Outcome.EARLIER:
        return asks_now(after, broker, Asked.REPLACE, origin, depth)
    follows = after.says[broker] == Says.FOLLOWING
    is_said = follows or (outcome == Outcome.MINE and after.says[broker] == Says.LEADING)
    is_over = after.internal[broker] == Internal.PRESENT or before.events[broker] > 0  # another may begin at once
    return is_said and is_over


def has_failed(before: State, after: State, broker: int, origin: Origin) -> bool:
    """Return whether who began an election has heard that it failed; one of a notification is to be tried once more."""
    if origin == Origin.USER:
        return after.elected[broker] == Result.FAILED
    if origin == Origin.SESSION:
        return not after.handling[broker] or before.events[broker] > 0
    if origin == Origin.TIMER or before.internal[broker] == Internal.CLOSED or before.stopped[broker]:
        return after.timers[broker] == before.timers[broker]
    return after.timers[broker] == before.timers[broker] + 1


@step_law(
    "election-goes-on",
    "LeaderElectionImpl.elect, handleExistingLeaderValue, tryToBecomeLeader, handlePathNotification",
    when=an_answer_is_taken,
    kind=LawKind.MIRROR,
)
def its_election_goes_on(before: State, action: Action, after: State) -> bool:
    """
    Who finds no node creates one, and elects anew if another was faster. Who finds a node of its earlier session
    deletes it first, and who creates one for an election that was closed meanwhile deletes that. Who finds another's
    follows. One that fails tells its user, or is tried again by a timer if a notification began it.
    """
    broker = action.argument("broker")
    return goes_on(before, after, broker, before.answers[broker][1])


# ---- what the store does, and what a user is told ----


def the_store_acts(before: State, action: Action, after: State) -> bool:
    return action.name == "carry_out" or action.name == "expire"


@step_law(
    "store-carries-out",
    "AbstractMetadataStore.storePut, storeDelete; ephemeral nodes of ZooKeeper, persistent recursive watches",
    when=the_store_acts,
    kind=LawKind.MIRROR,
)
def the_node_is_as_asked(before: State, action: Action, after: State) -> bool:
    """
    The store creates the node on request while there is none, deletes it on request, and ends it with its session; it
    notifies all that have a session of a deletion.
    """
    broker = action.argument("broker")
    is_gone = before.node != NOBODY and after.node == NOBODY
    for other in brokers(after):
        if is_gone and after.live[other] and after.notices[other].length <= before.notices[other].length:
            return False
    if action.name == "expire":
        is_own = before.node == broker and not before.earlier
        return not after.live[broker] and after.node == (NOBODY if is_own else before.node)
    asked = before.sent[broker][1].asked
    if asked == Asked.CREATE:
        return after.node == (broker if before.node == NOBODY else before.node)
    if asked == Asked.CHECK or asked == Asked.LOAD:
        return after.node == before.node
    return after.node == NOBODY


def a_user_is_answered(before: State, action: Action, after: State) -> bool:
    return any(is_answered_now(before, after, broker) for broker in brokers(before)) and action.name != "elect"


def is_answered_now(before: State, after: State, broker: int) -> bool:
    result = after.elected[broker]
    return before.elected[broker] == Result.PENDING and (result == Result.LEADING or result == Result.FOLLOWING)


@step_law(
    "answered-as-said",
    "apache/pulsar#23125, #23138: LeaderElectionImpl.handleExistingLeaderValue",
    when=a_user_is_answered,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def as_the_election_says(before: State, action: Action, after: State) -> bool:
    """No user gets the answer that its broker follows while the election says that it leads; from #23138 on."""
    return all(
        after.elected[broker] == Result.LEADING or after.says[broker] != Says.LEADING
        for broker in brokers(before)
        if is_answered_now(before, after, broker)
    )
