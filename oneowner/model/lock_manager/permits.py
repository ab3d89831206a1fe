"""
A broker deals with so many lookups at once, and refuses others. Mirrors the semaphore of lookups in ``BrokerService``.

A lookup holds its permit until its answer is sent, whether or not its client still waits.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import weak
from oneowner.model.kernel.guards import require
from oneowner.model.lock_manager.bounds import CLIENT
from oneowner.model.lock_manager.state import Lookup, State


def arrive(state: State, client: int, broker: int) -> None:
    """The lookup of *client* has come to *broker*, which refuses it without a permit (``ServerCnx.handleLookup``)."""
    has_permit = not state.bounds.permits or held(state, broker, client) < state.bounds.permits
    state.stage[client] = Lookup.ASKED if has_permit else Lookup.FAILED
    state.at[client] = broker


def held(state: State, broker: int, client: int) -> int:
    """Return how many permits of *broker* are held by others than *client*."""
    count = state.stuck[broker]
    for other in range(1, state.bounds.clients + 1):
        if other != client and state.at[other] == broker and is_on(state, other):
            count = count + 1
    return count


def is_on(state: State, client: int) -> bool:
    """Return whether a lookup of *client* is under way."""
    stage = state.stage[client]
    return not (stage == Lookup.NONE or stage == Lookup.TOLD or stage == Lookup.FAILED)


@action(
    client=CLIENT,
    when=lambda bounds: bounds.permits and bounds.starting and not bounds.rules.failure_ends_lookup,
    fairness=weak("A client gives up after its operation timeout."),
)
def give_up(state: State, client: int) -> None:
    """
    *client* waits no longer for a lookup that nobody will complete.

    Enabled: it has joined a future that is never done.
    Changes: its lookup has failed; the broker's permit stays held.
    Mirrors: the operation timeout of a client; ``ServerCnx.handleLookup``, which releases the permit when the future of
    the lookup is done.
    """
    require(state.stage[client] == Lookup.JOINED, "the lookup has joined another's future")
    broker = state.at[client]
    require(state.leaked[broker], "that future is never done")
    state.stage[client] = Lookup.FAILED
    state.stuck[broker] = state.stuck[broker] + 1
