"""
A broker that is not registered takes itself for the owner of a unit that is in flight to it, and opens its topics.

Asked for the owner, the destination of an Assigning or Releasing waits for the Owned. One that finds itself
unregistered names itself at once: ``getActiveOwnerAsync`` answers with the broker that it was given, and asks neither
for the state nor for the registry (since #23382). In a transfer the source may serve then, or have yet to close. Other
brokers send clients to the destination as soon as the hand-over begins. Sources: ``ServiceUnitStateChannelImpl``,
``NamespaceService.checkTopicOwnership`` (v4.0.6).
"""

from oneowner.model.channel.answers import answers_by_view, finds_itself_unregistered
from oneowner.model.channel.record import ASSIGNING, RELEASING, Record, owner
from oneowner.model.channel.state import State
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch

EARLY_OPENS = Budget(
    "early_opens",
    "How many clients may open topics of a unit in flight at its destination, which is not registered",
    needs={"crashes|shutdowns|failed_starts": "without one of these every broker is registered"},
    apart={"speaks_dialect": "not modelled"},
)

UNREGISTERED_AWAITS_OWNED = Switch(
    "A broker that is not registered waits for the Owned of a unit in flight to it, as any other (candidate 18).",
)


def names_itself(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker*, asked for the owner of *unit*, takes itself for it by its view (``getOwnerAsync``)."""
    held = state.view[broker, unit]
    return owner(held) == broker or (is_handed_to(held, broker) and names_itself_early(state, broker))


def is_handed_to(held: Record, broker: int) -> bool:
    """Return whether *held* says that *broker* shall own the unit and does not yet."""
    return (held.state == ASSIGNING or held.state == RELEASING) and held.destination == broker


def names_itself_early(state: State, broker: int) -> bool:
    """Return whether *broker* does not wait for an Owned: not registered, it asks for no state, unless shut down."""
    if state.bounds.rules.unregistered_awaits_owned:
        return False
    return finds_itself_unregistered(state, broker) and not answers_by_view(state, broker)


def spend_early_open(state: State, broker: int, unit: int) -> None:
    """Spend ``early_opens`` if *broker*, which opens *unit*, does not own it by its view."""
    if owner(state.view[broker, unit]) != broker:
        require(state.early_opens_left > 0, "the budget allows another unregistered broker to open early")
        state.early_opens_left = state.early_opens_left - 1
