"""The law of policies: one bundle that no broker can serve does not stop the others of its namespace."""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Run
from oneowner.model.channel.policies import POLICIES
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import NOBODY, owner
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, Status, leads_to


def waits_for_policies(state: State, broker: int) -> bool:
    """
    Return whether *broker* is live, owns by its view another unit than that of the policies, and has not read them.
    """
    if state.run[broker] != Run.UP or state.initialized[broker]:
        return False
    return any(
        unit != POLICIES and owner(entry(state, unit)) == broker and owner(state.view[broker, unit]) == broker
        for unit in units(state)
    )


def some_owner_waits_for_policies(state: State) -> bool:
    """Return whether an owner cannot open its topics, although who owns the unit of the policies lives."""
    holder = owner(entry(state, POLICIES))
    if state.bounds.policies == 0 or holder == NOBODY or state.run[holder] != Run.UP:
        return False
    return any(waits_for_policies(state, broker) for broker in brokers(state))


@leads_to(
    "namespace-not-held-hostage",
    "BrokerService.getTopic, SystemTopicBasedTopicPoliciesService.prepareInitPoliciesCacheAsync",  # bugs.H9
    when=some_owner_waits_for_policies,
    status=Status.HOLE,
    kind=LawKind.PURPOSE,
)
def no_owner_waits_for_policies(state: State) -> bool:
    """
    An owner that has yet to read the policies of the namespace reads them in the end, if the owner of the bundle of
    `__change_events` lives.

    (It does not while that owner keeps the bundle fenced: then no topic of the namespace opens at a broker that had no
    bundle of it before.)
    """
    return not some_owner_waits_for_policies(state)
