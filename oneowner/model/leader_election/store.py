"""The store carries requests out, ends sessions, and notifies. Mirrors ``ZKMetadataStore``."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require, require_room
from oneowner.model.kernel.language import Sequence
from oneowner.model.leader_election.bounds import BROKER
from oneowner.model.leader_election.state import (
    NOBODY,
    Answer,
    Asked,
    Kind,
    Notice,
    Outcome,
    Request,
    State,
)


@action(broker=BROKER, fairness=weak("A store that is up carries requests out."))
def carry_out(state: State, broker: int) -> None:
    """
    The store carries out the oldest request of *broker* that it has not carried out, in the broker's present session.

    Enabled: there is one, and the broker has a session; a request of an earlier session is repeated in this one.
    Changes: its answer waits. A put creates the node if there is none, a deletion deletes it, be it whose it may: it
    expects version 0, which every node has, or any; a get says whose it is. Who has a session is notified of a
    deletion, with ``creations`` also of a creation, before the answer.
    Mirrors: ``AbstractMetadataStore.storePut``, ``storeGet``, ``storeDelete``; retries of ``PulsarZooKeeperClient``.
    """
    be_quiet(state)
    require(state.live[broker], "the broker has a session")
    require(state.sent[broker].length > 0, "the broker has sent a request")
    request = state.sent[broker][1]
    state.sent[broker] = state.sent[broker].without(1)
    result = outcome(state, broker, request)
    owner = state.node if request.asked == Asked.CHECK or request.asked == Asked.LOAD else NOBODY
    if result == Outcome.DONE and request.asked == Asked.CREATE:
        state.node = broker
        state.earlier = False
        if state.bounds.creations == 1:
            announce(state, Kind.CREATED)
    elif result == Outcome.DONE:
        state.node = NOBODY
        state.earlier = False
        announce(state, Kind.DELETED)
    state.answers[broker] = state.answers[broker].plus(Answer(request, result, owner))


def outcome(state: State, broker: int, request: Request) -> Outcome:
    """Return the store's answer: every put is to create the node; its owner is found by value and session."""
    if request.asked == Asked.CREATE:
        return Outcome.DONE if state.node == NOBODY else Outcome.BAD_VERSION
    if state.node == NOBODY:
        return Outcome.ABSENT
    if request.asked != Asked.CHECK and request.asked != Asked.LOAD:
        return Outcome.DONE
    if state.node != broker:
        return Outcome.FOREIGN
    return Outcome.EARLIER if state.earlier else Outcome.MINE


def announce(state: State, kind: Kind) -> None:
    """Notify every broker that has a session, whoever it was that changed the node (persistent recursive watch)."""
    for other in range(1, state.bounds.brokers + 1):
        if state.live[other]:
            require_room(state.notices[other].length < state.bounds.notices, "there is room for a notification")
            after = state.answers[other].length if state.bounds.unordered == 0 else 0
            state.notices[other] = state.notices[other].plus(Notice(kind, after))


@action(broker=BROKER, budget="expiries", fairness=never("Sessions need not end."))
def expire(state: State, broker: int) -> None:
    """
    The store ends the session of *broker*, and with it the node if it is of that session; the broker does not know.

    Enabled: the broker has a session.
    Changes: it has none; if the node was its own, that is deleted, and who has a session is notified.
    Mirrors: ZooKeeper's timing of sessions; an ephemeral node.
    """
    be_quiet(state)
    require(state.expiries_left > 0, "the budget allows another expiry")
    require(state.live[broker], "the broker has a session")
    state.expiries_left = state.expiries_left - 1
    state.live[broker] = False
    if state.node == broker and not state.earlier:
        state.node = NOBODY
        announce(state, Kind.DELETED)


@action(when=lambda bounds: bounds.restarts, fairness=weak("The session of a process that has ended ends."))
def expire_earlier(state: State) -> None:
    """
    The store ends the earlier session that the node is of.

    Enabled: the node is of an earlier session of its broker.
    Changes: the node is deleted, and who has a session is notified.
    Mirrors: as ``expire``.
    """
    be_quiet(state)
    require(state.earlier, "the node is of an earlier session")
    state.node = NOBODY
    state.earlier = False
    announce(state, Kind.DELETED)


def be_quiet(state: State) -> None:
    """A step begins: nobody has been told anything in it."""
    if state.bounds.listens == 1:
        for broker in range(1, state.bounds.brokers + 1):
            state.heard[broker] = Sequence()
