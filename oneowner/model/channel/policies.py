"""
The topic policies of a namespace lie in a topic of that namespace, ``__change_events``, and every other waits for them.

``BrokerService.getTopic`` opens no topic before its broker has read the namespace's policies, but for
``__change_events`` itself. The broker keeps what it read as long as it owns a bundle of the namespace. With
``Bounds.policies`` that topic lies in unit 1; with no other every broker knows the policies. Left out: the bundle of
``__change_events`` has other topics, which wait too; a transfer in two phases counts as two bundles that left, so a
broker forgets policies too early. Sources: ``SystemTopicBasedTopicPoliciesService.prepareInitPoliciesCacheAsync``,
``getTopicPoliciesAsync``, ``removeOwnedNamespaceBundleAsync`` (v4.0.6).
"""

from typing import Final

from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import owner
from oneowner.model.channel.state import State

POLICIES: Final = 1
"""The unit in whose range ``__change_events`` lies."""


def has_policies(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* has read what it needs to open topics of *unit*."""
    return state.bounds.policies == 0 or unit == POLICIES or state.initialized[broker]


def owns_some_unit(state: State, broker: int) -> bool:
    """Return whether *broker* owns a unit by its own view."""
    return any(owner(state.view[broker, unit]) == broker for unit in units(state))


def forget_policies(state: State, broker: int) -> None:
    """Let *broker* forget the policies once it owns no unit by its view (``cleanCacheAndCloseReader``)."""
    if state.bounds.policies > 0 and not owns_some_unit(state, broker):
        state.initialized[broker] = False
