"""A client takes what its store tells it: answers, notifications, session events. Mirrors ``LockManagerImpl``."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require, require_room
from oneowner.model.locks.bounds import CLIENT
from oneowner.model.locks.lock import revalidate, take
from oneowner.model.locks.state import Answer, Event, Notice, Outcome, Stage, State


@action(client=CLIENT, fairness=weak("An answer arrives, or else its failure."))
def answer(state: State, client: int) -> None:
    """
    *client* takes the oldest answer; that of a session which was replaced is a failure (``reestablish``).

    Enabled: an answer waits.
    Changes: it is taken, and the operation that it belongs to goes on (``lock.take``); then session events that waited
    for it are dealt with.
    Mirrors: the callbacks of ``MetadataStore.put``, ``get``, ``delete`` in ``ResourceLockImpl``.
    """
    require(state.answers[client].length > 0, "the store has carried out a request")
    oldest = state.answers[client][1]
    state.answers[client] = state.answers[client].without(1)
    take(state, client, oldest.request, oldest.outcome)
    handle_events(state, client)


@action(client=CLIENT, budget="losses", fairness=never("Connections need not break."))
def lose(state: State, client: int) -> None:
    """
    *client* learns that its oldest request failed with the connection; it may have been carried out or not.

    Enabled: a request is under way.
    Changes: the oldest answer, or else the oldest request, is gone, and its operation goes on as after a failure
    (``lock.take``).
    Mirrors: ``MetadataStoreException``, for a lost connection.
    """
    require(state.losses_left > 0, "the budget allows another loss")
    state.losses_left = state.losses_left - 1
    if state.answers[client].length > 0:
        oldest = state.answers[client][1].request
        state.answers[client] = state.answers[client].without(1)
        take(state, client, oldest, Outcome.LOST)
    else:
        require(state.sent[client].length > 0, "a request is under way")
        unsent = state.sent[client][1]
        state.sent[client] = state.sent[client].without(1)
        take(state, client, unsent, Outcome.LOST)
    handle_events(state, client)


@action(client=CLIENT, fairness=weak("A watch event of a live session arrives."))
def notify(state: State, client: int) -> None:
    """
    *client* takes a notification; was the node deleted, a lock that is registered and Valid is revalidated.

    Enabled: a notification waits.
    Changes: it is taken; if the node was deleted, a lock that is registered and Valid is revalidated.
    Mirrors: ``LockManagerImpl.handleDataNotification``, ``ResourceLockImpl.lockWasInvalidated``.
    """
    require(state.notices[client].length > 0, "a notification has not been taken")
    notice = state.notices[client][1]
    state.notices[client] = state.notices[client].without(1)
    if notice == Notice.DELETED and state.registered[client] and state.stage[client] == Stage.VALID:
        revalidate(state, client, False)
    handle_events(state, client)


@action(client=CLIENT, when=lambda bounds: bounds.expiries or bounds.survivals, fairness=weak("Clients reconnect."))
def reestablish(state: State, client: int) -> None:
    """
    *client* gets another session and hears of it; within a budget, it hears so although its session never ended.

    Its watches miss what happened in between, and answers of the old session do not come any more.

    Enabled: it has no session; or it has one, within the budget ``survivals``.
    Changes: it has a session; unless ``late_answers``, answers that wait are failures. Once the events before it are
    dealt with, a registered lock is revalidated if it is Valid (without ``only_valid`` in any case).
    Mirrors: ``ZKSessionWatcher``, ``LockManagerImpl.handleSessionEvent(SessionReestablished)``.
    """
    if state.live[client]:
        require(state.survivals_left > 0, "the budget allows another survival")
        state.survivals_left = state.survivals_left - 1
    elif state.bounds.late_answers == 0:
        for number in range(1, state.bounds.requests + 1):
            if number <= state.answers[client].length:
                lost = Answer(state.answers[client][1].request, Outcome.LOST)
                state.answers[client] = state.answers[client].without(1).plus(lost)
    state.live[client] = True
    tell(state, client, Event.REESTABLISHED)


@action(client=CLIENT, budget="reconnects", fairness=never("Connections need not break."))
def reconnect(state: State, client: int) -> None:
    """
    *client* hears that it is connected again within its session.

    Enabled: it has a session.
    Changes: once the events before it are dealt with, a registered lock that is ``flagged`` is revalidated if it is
    Valid, and not flagged any more.
    Mirrors: ``LockManagerImpl.handleSessionEvent(Reconnected)``.
    """
    require(state.reconnects_left > 0, "the budget allows another reconnection")
    require(state.live[client], "the client has a session")
    state.reconnects_left = state.reconnects_left - 1
    tell(state, client, Event.RECONNECTED)


def tell(state: State, client: int, event: Event) -> None:
    """Give the client a session event, which waits for those before it."""
    require_room(state.events[client].length < state.bounds.waiting, "there is room for a session event")
    state.events[client] = state.events[client].plus(event)
    handle_events(state, client)


def handle_events(state: State, client: int) -> None:
    """Revalidate a registered lock: after a reconnection only if it is flagged (#17664), and only if Valid (#19844)."""
    for _ in range(state.bounds.waiting):
        if state.events[client].length > 0 and not state.handling[client]:
            event = state.events[client][1]
            state.events[client] = state.events[client].without(1)
            if state.registered[client] and (event == Event.REESTABLISHED or state.flagged[client]):
                if event == Event.RECONNECTED:
                    state.flagged[client] = False
                if state.stage[client] == Stage.VALID or not state.bounds.rules.only_valid:
                    state.handling[client] = True
                    revalidate(state, client, True)
