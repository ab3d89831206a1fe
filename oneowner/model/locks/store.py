"""The store carries requests out, ends sessions, and notifies of deletions. Mirrors ``ZKMetadataStore``."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require, require_room
from oneowner.model.locks.bounds import CLIENT
from oneowner.model.locks.state import NO_VERSION, NOBODY, Answer, Kind, Notice, Outcome, Request, State


@action(client=CLIENT, fairness=weak("A store that is up carries requests out."))
def carry_out(state: State, client: int) -> None:
    """
    The store carries out the oldest request of *client* that it has not carried out, in the client's present session.

    Enabled: there is one, and the client has a session; a request of an earlier session is repeated in this one.
    Changes: its answer waits. A put creates the node if there is none, a deletion deletes it, a get says whose it is;
    who has a session is notified of a deletion, with ``creations`` also of a creation.
    Mirrors: ``AbstractBatchedMetadataStore.storePut``, ``storeGet``, ``storeDelete``; retries of
    ``PulsarZooKeeperClient``.
    """
    require(state.live[client], "the client has a session")
    require(state.sent[client].length > 0, "the client has sent a request")
    request = state.sent[client][1]
    result = outcome(state, client, request)
    state.sent[client] = state.sent[client].without(1)
    state.answers[client] = state.answers[client].plus(Answer(request, result))
    if result == Outcome.DONE and request.kind == Kind.DELETE:
        state.node = NOBODY
        announce(state, Notice.DELETED)
    elif result == Outcome.DONE:
        state.node = client
        if state.bounds.creations == 1:
            announce(state, Notice.CREATED)


def outcome(state: State, client: int, request: Request) -> Outcome:
    """
    Return what the store answers to *request*: every put is to create the node, a deletion names the version it saw.

    A get tells whether the node has the client's value, and is of its present session (``ZKMetadataStore.getStat``).
    """
    if request.kind == Kind.PUT:
        return Outcome.DONE if state.node == NOBODY else Outcome.BAD_VERSION
    if state.node == NOBODY:
        return Outcome.ABSENT
    if request.kind == Kind.DELETE:
        return Outcome.BAD_VERSION if request.version == NO_VERSION else Outcome.DONE
    if state.node == client:
        return Outcome.MINE
    return Outcome.TWIN if state.bounds.twins == 1 else Outcome.FOREIGN


def announce(state: State, notice: Notice) -> None:
    """Notify every client that has a session, whoever it was that changed the node (persistent recursive watch)."""
    for other in range(1, state.bounds.clients + 1):
        if state.live[other]:
            require_room(state.notices[other].length < state.bounds.notices, "there is room for a notification")
            state.notices[other] = state.notices[other].plus(notice)


@action(client=CLIENT, budget="expiries", fairness=never("Sessions need not end."))
def expire(state: State, client: int) -> None:
    """
    The store ends the session of *client*, and with it the node if it is of that session; the client does not know.

    Enabled: the client has a session.
    Changes: it has none; if the node was its own, that is deleted, and who has a session is notified.
    Mirrors: ZooKeeper's timing of sessions; an ephemeral node.
    """
    require(state.expiries_left > 0, "the budget allows another expiry")
    require(state.live[client], "the client has a session")
    state.expiries_left = state.expiries_left - 1
    state.live[client] = False
    if state.node == client:
        state.node = NOBODY
        announce(state, Notice.DELETED)
