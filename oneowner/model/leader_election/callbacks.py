"""The calls of a user and of the store on an election: requests, answers, notifications, session events, timers."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require, require_room
from oneowner.model.kernel.language import Sequence
from oneowner.model.kernel.state import end_cells
from oneowner.model.leader_election.bounds import BROKER, Bounds
from oneowner.model.leader_election.cache import created, invalidate, send
from oneowner.model.leader_election.election import begin, forget, read, take
from oneowner.model.leader_election.state import (
    NOBODY,
    Answer,
    Asked,
    Internal,
    Kind,
    Notice,
    Origin,
    Outcome,
    Result,
    Says,
    State,
)
from oneowner.model.leader_election.store import be_quiet


@action(broker=BROKER, fairness=never("A broker may never want to lead."))
def elect(state: State, broker: int) -> None:
    """
    The user of *broker* asks for an election, with the broker's value.

    Enabled: it has not asked yet; or, within the budget ``again``, what it asked for last has ended.
    Changes: an election that says something else than NoLeader answers that at once; else one begins, and a get is
    sent. With ``reopens`` one that is closed begins as if it said NoLeader.
    Mirrors: ``LeaderElectionImpl.elect``; ``CoordinationServiceImpl.leaderElections`` keeps one election a path.
    """
    be_quiet(state)
    if state.elected[broker] != Result.NONE:
        require(state.again_left > 0, "the budget allows another election")
        state.again_left = state.again_left - 1
        require(state.elected[broker] != Result.PENDING, "the election before has ended")
        require(state.closed[broker] != Result.PENDING, "no close is under way")
    state.closed[broker] = Result.NONE
    if state.bounds.rules.reopens and state.internal[broker] == Internal.CLOSED:
        state.says[broker] = Says.NO_LEADER
        forget(state, broker)
    if state.says[broker] == Says.NO_LEADER:
        state.elected[broker] = Result.PENDING
        begin(state, broker, Origin.USER, 0)
    else:
        state.elected[broker] = Result.LEADING if state.says[broker] == Says.LEADING else Result.FOLLOWING


@action(broker=BROKER, budget="closes", fairness=never("A broker may go on."))
def close(state: State, broker: int) -> None:
    """
    The user of *broker* closes its election.

    Enabled: it is not closed, and no close is under way.
    Changes: it is closed; if it leads, a deletion of the node is sent, of any version. Unless ``closes_alone``, timers
    and session events that wait are gone, and there will be no more of either.
    Mirrors: ``LeaderElectionImpl.asyncClose``; the field ``version`` is never set.
    """
    be_quiet(state)
    require(state.closes_left > 0, "the budget allows another close")
    require(state.internal[broker] != Internal.CLOSED, "the election is not closed")
    require(state.closed[broker] != Result.PENDING, "no close is under way")
    state.closes_left = state.closes_left - 1
    state.internal[broker] = Internal.CLOSED
    if not state.bounds.rules.closes_alone:
        state.stopped[broker] = True
        state.timers[broker] = 0
        state.events[broker] = 0
        state.handling[broker] = False
    if state.says[broker] == Says.LEADING:
        state.closed[broker] = Result.PENDING
        send(state, broker, Asked.CLOSE)
    else:
        state.closed[broker] = Result.CLOSED


@action(
    broker=BROKER,
    when=lambda bounds: bounds.reads and bounds.rules.cached,
    fairness=never("Nobody need read the value."),
)
def read_value(state: State, broker: int) -> None:
    """
    *broker* reads the leader's value, as it does by itself every five minutes in 2.10.5 and later.

    Enabled: the budget allows it.
    Changes: a get is sent if the cache has nothing.
    Mirrors: ``LeaderElectionImpl.getLeaderValue``, ``updateCachedValueFuture`` (#17401).
    """
    be_quiet(state)
    require(state.reads_left > 0, "the budget allows another read")
    state.reads_left = state.reads_left - 1
    read(state, broker)


@action(broker=BROKER, fairness=weak("An answer arrives, or else its failure."))
def answer(state: State, broker: int) -> None:
    """
    *broker* takes the oldest answer; that of a session which was replaced is a failure (``reestablish``).

    Enabled: an answer waits, and unless ``unordered`` no notification that came before it.
    Changes: it is taken, and the election that it belongs to goes on (``election.take``); then session events that
    waited for it are dealt with.
    Mirrors: the callbacks of ``store.get``, ``put``, ``delete`` in ``LeaderElectionImpl`` and ``MetadataCacheImpl``.
    """
    be_quiet(state)
    require(state.answers[broker].length > 0, "the store has carried out a request")
    is_next = state.notices[broker].length == 0 or state.notices[broker][1].after > 0
    require(state.bounds.unordered == 1 or is_next, "no notification came before it")
    oldest = state.answers[broker][1]
    take_away(state, broker)
    take(state, broker, oldest)


def take_away(state: State, broker: int) -> None:
    """The oldest answer is taken: one less comes before the notifications behind it."""
    state.answers[broker] = state.answers[broker].without(1)
    state.notices[broker] = counted_down(state.notices[broker], state.bounds.notices)


def counted_down(notices: Sequence[Notice], most: int) -> Sequence[Notice]:
    for number in range(1, most + 1):
        if number <= notices.length:
            after = one_less(notices[1].after)
            notices = notices.without(1).plus(Notice(notices[1].kind, after))
    return notices


def one_less(count: int) -> int:
    return count - 1 if count > 0 else 0


@action(broker=BROKER, budget="losses", fairness=never("Connections need not break."))
def lose(state: State, broker: int) -> None:
    """
    *broker* learns that its oldest request failed with the connection; it may have been carried out or not.

    Enabled: a request is under way.
    Changes: the oldest answer, or else the oldest request, is gone, and its election goes on as after a failure
    (``election.take``).
    Mirrors: ``MetadataStoreException``, for a lost connection.
    """
    be_quiet(state)
    require(state.losses_left > 0, "the budget allows another loss")
    state.losses_left = state.losses_left - 1
    if state.answers[broker].length > 0:
        request = state.answers[broker][1].request
        take_away(state, broker)
        take(state, broker, Answer(request, Outcome.LOST, NOBODY))
    else:
        require(state.sent[broker].length > 0, "a request is under way")
        unsent = state.sent[broker][1]
        state.sent[broker] = state.sent[broker].without(1)
        take(state, broker, Answer(unsent, Outcome.LOST, NOBODY))


def is_disturbed(bounds: Bounds) -> bool:
    """Return whether a node may be deleted, or its creation be told."""
    return sum((bounds.expiries, bounds.closes, bounds.restarts, bounds.losses, bounds.creations)) > 0


@action(broker=BROKER, when=is_disturbed, fairness=weak("A watch event of a live session arrives."))
def notify(state: State, broker: int) -> None:
    """
    *broker* takes a notification; was the node deleted while it knew of a leader, it elects.

    Enabled: a notification waits, and unless ``unordered`` no answer that came before it.
    Changes: it is taken. Of a deletion: the cache has nothing; if ``internalState`` is LeaderIsPresent, the election
    says NoLeader and tells nobody, and another one begins. Of a creation: the cache may read the node.
    Mirrors: ``LeaderElectionImpl.handlePathNotification``, after ``MetadataCacheImpl.accept``.
    """
    be_quiet(state)
    require(state.notices[broker].length > 0, "a notification has not been taken")
    notice = state.notices[broker][1]
    require(notice.after == 0, "no answer came before it")
    state.notices[broker] = state.notices[broker].without(1)
    if notice.kind == Kind.CREATED:
        created(state, broker)
    else:
        invalidate(state, broker)
        if state.internal[broker] == Internal.PRESENT:
            state.says[broker] = Says.NO_LEADER
            forget(state, broker)
            begin(state, broker, Origin.NOTICE, 0)


@action(broker=BROKER, when=lambda bounds: bounds.timers, fairness=weak("Timers go off."))
def timer(state: State, broker: int) -> None:
    """
    A timer of *broker* goes off: it elects once more, closed or not.

    Enabled: a timer is set; without ``waits_aside`` no election of a session event is under way, on whose thread it is.
    Changes: one less is set; an election begins, and a get is sent.
    Mirrors: ``executor.schedule`` in ``LeaderElectionImpl.handlePathNotification``; five seconds.
    """
    be_quiet(state)
    require(state.timers[broker] > 0, "a timer is set")
    require(state.bounds.rules.waits_aside or not state.handling[broker], "the thread of the executor is free")
    state.timers[broker] = state.timers[broker] - 1
    begin(state, broker, Origin.TIMER, 0)


@action(broker=BROKER, when=lambda bounds: bounds.expiries or bounds.survivals, fairness=weak("Brokers reconnect."))
def reestablish(state: State, broker: int) -> None:
    """
    *broker* gets another session and hears of it; within a budget, it hears so although its session never ended.

    Its watches miss what happened in between, and answers of the old session do not come any more.

    Enabled: it has no session; or it has one, within the budget ``survivals``.
    Changes: it has a session; answers that wait are failures. It is told ``Reconnected`` (as in ``reconnect``) and
    ``SessionReestablished``: if nothing is before it an election begins, and a get is sent.
    Mirrors: ``ZKSessionWatcher.checkState``, ``LeaderElectionImpl.handleSessionNotification``.
    """
    be_quiet(state)
    if state.live[broker]:
        require(state.survivals_left > 0, "the budget allows another survival")
        state.survivals_left = state.survivals_left - 1
    else:
        state.answers[broker] = all_lost(state.answers[broker], state.bounds.requests)
    state.live[broker] = True
    hear(state, broker, state.bounds.rules.hears_reconnection)
    hear(state, broker, True)


@action(broker=BROKER, budget="reconnects", fairness=never("Connections need not break."))
def reconnect(state: State, broker: int) -> None:
    """
    *broker* hears that it is connected again within its session.

    Enabled: it has a session.
    Changes: with ``clears_cache`` the cache has nothing; with ``hears_reconnection`` an election begins once the events
    before it are dealt with.
    Mirrors: ``LeaderElectionImpl.handleSessionNotification`` (#23138), ``AbstractMetadataStore.receivedSessionEvent``.
    """
    be_quiet(state)
    require(state.reconnects_left > 0, "the budget allows another reconnection")
    require(state.live[broker], "the broker has a session")
    state.reconnects_left = state.reconnects_left - 1
    hear(state, broker, state.bounds.rules.hears_reconnection)


def all_lost(answers: Sequence[Answer], most: int) -> Sequence[Answer]:
    for number in range(1, most + 1):
        if number <= answers.length:
            answers = answers.without(1).plus(Answer(answers[1].request, Outcome.LOST, NOBODY))
    return answers


def hear(state: State, broker: int, elects: bool) -> None:
    """A session event comes, and waits for those before it; an executor that is shut down takes none."""
    if state.bounds.rules.clears_cache:
        invalidate(state, broker)
    if elects and not state.stopped[broker]:
        if state.handling[broker]:
            require_room(state.events[broker] < state.bounds.waiting, "there is room for a session event")
            state.events[broker] = state.events[broker] + 1
        else:
            state.handling[broker] = True
            begin(state, broker, Origin.SESSION, 0)


@action(broker=BROKER, budget="restarts", fairness=never("Processes need not end."))
def restart(state: State, broker: int) -> None:
    """
    The process of *broker* ends and gives nothing back; another one begins, with the same value and another session.

    Enabled: the budget allows it.
    Changes: the broker has a session and has asked for nothing; the node, if it was its own, is of an earlier session.
    Mirrors: a broker that is killed and comes back under its address.
    """
    be_quiet(state)
    require(state.restarts_left > 0, "the budget allows another restart")
    state.restarts_left = state.restarts_left - 1
    end_cells(state, broker)
    state.live[broker] = True
    if state.node == broker:
        state.earlier = True
