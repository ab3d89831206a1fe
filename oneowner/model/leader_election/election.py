"""
A broker elects: it asks whose the node is, and creates it if it is nobody's. Mirrors ``LeaderElectionImpl``.

An election sends one request at a time and goes on when its answer is taken (``take``). Nothing keeps two elections of
one broker apart: one that a notification begins, one of the user, of a timer, of a session event.
"""

from oneowner.model.kernel.guards import require_room
from oneowner.model.leader_election.cache import invalidate, join, load, loaded, send, written
from oneowner.model.leader_election.state import (
    ENDED,
    FAILED,
    NOBODY,
    Answer,
    Asked,
    Cached,
    Internal,
    Origin,
    Outcome,
    Result,
    Says,
    State,
    brokers,
    numbers,
)


def begin(state: State, broker: int, origin: Origin, depth: int) -> None:
    """An election begins, even a closed one: the private ``elect()`` asks for nothing."""
    state.internal[broker] = Internal.IN_PROGRESS
    send(state, broker, Asked.CHECK, origin, depth)


def take(state: State, broker: int, answer: Answer) -> None:
    """The election that *answer* belongs to goes on."""
    asked, origin, depth = answer.request
    if asked == Asked.LOAD:
        loaded(state, broker, answer.owner, answer.outcome == Outcome.LOST)
    elif asked == Asked.CHECK:
        checked(state, broker, answer)
    elif asked == Asked.CREATE:
        create_answered(state, broker, answer)
    elif asked == Asked.CLOSE:
        close_answered(state, broker, answer.outcome)
    else:
        if answer.outcome == Outcome.DONE:
            invalidate(state, broker)
        if asked == Asked.REPLACE and answer.outcome == Outcome.DONE:
            send(state, broker, Asked.CREATE, origin, depth)
        else:
            fail(state, broker, origin)


def checked(state: State, broker: int, answer: Answer) -> None:
    """Take the owner of the node (``elect``, ``handleExistingLeaderValue``); it fails without a proposal."""
    _, origin, depth = answer.request
    if answer.outcome == Outcome.LOST or state.elected[broker] == Result.NONE:
        fail(state, broker, origin)
    elif answer.outcome == Outcome.ABSENT:
        send(state, broker, Asked.CREATE, origin, depth)
    elif answer.outcome == Outcome.EARLIER:
        send(state, broker, Asked.REPLACE, origin, depth)
    else:
        is_mine = answer.outcome == Outcome.MINE
        know(state, broker, answer.owner)
        state.internal[broker] = Internal.PRESENT
        if is_mine:
            say(state, broker, Says.LEADING)
        if is_mine and state.bounds.rules.leading_stays:
            finish(state, broker, origin, depth, True)
        else:
            say(state, broker, Says.FOLLOWING)
            finish(state, broker, origin, depth, False)


def create_answered(state: State, broker: int, answer: Answer) -> None:
    """The node was created, or another was faster: then an election begins within this one (``tryToBecomeLeader``)."""
    _, origin, depth = answer.request
    if answer.outcome == Outcome.DONE:
        if state.bounds.rules.cached:
            written(state, broker)
        if state.internal[broker] != Internal.IN_PROGRESS:
            send(state, broker, Asked.CLEAN, origin, 0)
        elif state.bounds.rules.cached:
            join(state, broker, True, origin, depth, True)
        else:
            lead(state, broker, origin, depth)
    elif answer.outcome == Outcome.BAD_VERSION:
        if not state.bounds.rules.refreshes:
            invalidate(state, broker)
        require_room(depth < state.bounds.conflicts, "there is room for an election within this one")
        begin(state, broker, origin, depth + 1)
    else:
        fail(state, broker, origin)


def lead(state: State, broker: int, origin: Origin, depth: int) -> None:
    """The node is its own: it leads, even if it was closed since it created the node."""
    state.internal[broker] = Internal.PRESENT
    know(state, broker, broker)
    say(state, broker, Says.LEADING)
    finish(state, broker, origin, depth, True)


def finish(state: State, broker: int, origin: Origin, depth: int, is_leader: bool) -> None:
    """The last of an election is to have the value in the cache; in 2.9.1 a value that is there will do."""
    if state.bounds.rules.cached and state.bounds.rules.refreshes:
        load(state, broker)
    if not state.bounds.rules.cached or state.cached[broker] == Cached.READY:
        succeed(state, broker, origin, is_leader)
    else:
        join(state, broker, False, origin, depth, is_leader)


def somebody_goes_on(state: State) -> bool:
    """Return whether a step has ended a read that an election awaits, or an election that a session event awaits."""
    return any(read_has_ended(state, broker) or event_is_next(state, broker) for broker in brokers(state))


def read_has_ended(state: State, broker: int) -> bool:
    return has_room(state, broker) and any(has_ended(state, broker, number) for number in numbers(state))


def has_room(state: State, broker: int) -> bool:
    """Return whether the bounds have room for a request and a timer."""
    under_way = state.sent[broker].length + state.answers[broker].length
    has_timer = state.bounds.timers == 0 or state.timers[broker] < state.bounds.timers
    return under_way < state.bounds.requests and has_timer


def has_ended(state: State, broker: int, number: int) -> bool:
    return number <= state.waiters[broker].length and state.waiters[broker][number].load <= ENDED


def event_is_next(state: State, broker: int) -> bool:
    return state.events[broker] > 0 and not state.handling[broker] and has_room(state, broker)


def go_on(state: State) -> None:
    """After a step, one that waits goes on: of those for a read the last that came (``CompletableFuture``), first."""
    for broker in range(1, state.bounds.brokers + 1):
        if read_has_ended(state, broker):
            wake(state, broker)
            return
        if event_is_next(state, broker):
            state.events[broker] = state.events[broker] - 1
            state.handling[broker] = True
            begin(state, broker, Origin.SESSION, 0)
            return


def wake(state: State, broker: int) -> None:
    """An election goes on after a read of the cache; those that it is within read it again, one after another."""
    for number in range(state.bounds.requests, 0, -1):
        if has_ended(state, broker, number):
            creating, origin, depth, is_leader, load_ = state.waiters[broker][number]
            state.waiters[broker] = state.waiters[broker].without(number)
            if creating and load_ == FAILED:
                send(state, broker, Asked.CLEAN, origin, 0)
            elif creating:
                lead(state, broker, origin, depth)
            elif load_ == FAILED:
                fail(state, broker, origin)
            elif depth > 0:
                finish(state, broker, origin, depth - 1, is_leader)
            else:
                succeed(state, broker, origin, is_leader)
            return


def succeed(state: State, broker: int, origin: Origin, is_leader: bool) -> None:
    """An election has ended; only a user asks what came of it."""
    result = Result.LEADING if is_leader else Result.FOLLOWING
    state.elected[broker] = elected_after(state.elected[broker], origin, result)
    state.handling[broker] = state.handling[broker] and origin != Origin.SESSION


def elected_after(elected: Result, origin: Origin, result: Result) -> Result:
    return result if origin == Origin.USER else elected


def fail(state: State, broker: int, origin: Origin) -> None:
    """An election has failed: one of a notification is tried once more, by a timer; the others never are."""
    state.elected[broker] = elected_after(state.elected[broker], origin, Result.FAILED)
    state.handling[broker] = state.handling[broker] and origin != Origin.SESSION
    if origin == Origin.NOTICE:
        tell(state, broker)
        if state.internal[broker] != Internal.CLOSED and not state.stopped[broker]:
            require_room(state.timers[broker] < state.bounds.timers, "there is room for a timer")
            state.timers[broker] = state.timers[broker] + 1


def close_answered(state: State, broker: int, outcome: Outcome) -> None:
    """A close has deleted the node, or could not; from 3.0.7 on it then says NoLeader, and tells nobody."""
    if outcome == Outcome.DONE:
        invalidate(state, broker)
        state.closed[broker] = Result.CLOSED
        if state.bounds.rules.close_resets:
            state.says[broker] = Says.NO_LEADER
        forget(state, broker)
    else:
        state.closed[broker] = Result.FAILED


def say(state: State, broker: int, says: Says) -> None:
    """Change the state of the election, and notify the listener."""
    is_other = state.says[broker] != says
    state.told[broker] = told_after(state.told[broker], is_other, says)
    state.says[broker] = says
    if state.bounds.listens == 1 and is_other:
        state.heard[broker] = state.heard[broker].plus(says)


def told_after(told: Says, is_other: bool, says: Says) -> Says:
    return says if is_other else told


def tell(state: State, broker: int) -> None:
    """Call ``stateChangesListener``, though what it is told may be what it was told before."""
    state.told[broker] = state.says[broker]
    if state.bounds.listens == 1:
        state.heard[broker] = state.heard[broker].plus(state.says[broker])


def know(state: State, broker: int, leader: int) -> None:
    """``leaderKnown``: from #26000 on the election keeps the leader's value itself."""
    if not state.bounds.rules.cached:
        state.cached[broker] = Cached.READY
        state.value[broker] = leader


def forget(state: State, broker: int) -> None:
    """Name no leader (``leaderUnknown``)."""
    if not state.bounds.rules.cached:
        state.cached[broker] = Cached.ABSENT
        state.value[broker] = NOBODY


def read(state: State, broker: int) -> None:
    """Read the value through the cache (``getLeaderValue``)."""
    if state.cached[broker] == Cached.ABSENT:
        load(state, broker)
