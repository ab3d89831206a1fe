"""
Laws of fenced topics require that a fence falls: the broker that is to serve a unit becomes able to.

A topic that was closed with its clients kept is fenced, and ``BrokerService.getTopic`` returns it to every client. So a
broker that gets the unit back before it has read the ownership of another one can serve no client: it does not close as
the owner (``handleOwnEvent``), and cannot open a topic whose fenced object remains. Restarting clients heals nothing;
an unload does.
"""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Run, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import owner
from oneowner.model.channel.state import State
from oneowner.model.channel.topics import is_left_fenced
from oneowner.model.kernel.law import LawKind, Status, always, leads_to
from oneowner.spec.channel.connections import some_connections_are_kept
from oneowner.spec.channel.ownership import some_unit_is_served


@always(
    "fenced-while-closing",
    "PersistentTopic.close, ServiceUnitStateChannelImpl.handleOwnEvent",  # bugs.H9
    when=some_connections_are_kept,
    status=Status.HOLE,
    kind=LawKind.PURPOSE,
)
def fences_fall(state: State) -> bool:
    """
    Topics whose clients stay connected are fenced only while their broker hands the unit over, disconnects the clients
    or shuts down.

    (A unit that returns to the broker that closed it, by force or because a notification skipped its new owner, stays
    fenced.)
    """
    return not any(
        is_left_fenced(state, broker, unit)
        for broker in brokers(state)
        for unit in units(state)
        if state.stage[broker] == Stage.RUNNING
    )


def topics_load_late(state: State) -> bool:
    return state.bounds.late_loads > 0 and some_unit_is_served(state)


@always(
    "topics-are-listed",
    "BrokerService.cleanUnloadedTopicFromCache, unloadServiceUnit; apache/pulsar#26145",  # channel.D14
    when=topics_load_late,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def none_is_dropped(state: State) -> bool:
    """
    A topic that is open is in `BrokerService.topics`.

    (When a close ends, it removes topics that have loaded meanwhile from that list; no later close finds them there, so
    they stay open when the unit moves on.)
    """
    return not any(state.dropped[broker, unit] for broker in brokers(state) for unit in units(state))


def some_owner_is_fenced(state: State) -> bool:
    """Return whether an owner lives, has read that it owns the unit, and can open none of its topics."""
    return any(
        state.kept[broker, unit] and owner(entry(state, unit)) == broker
        for broker in brokers(state)
        for unit in units(state)
        if state.run[broker] == Run.UP and owner(state.view[broker, unit]) == broker
    )


@leads_to(
    "owner-can-serve",
    "BrokerService.getTopic, ServiceUnitStateChannelImpl.handleOwnEvent",  # bugs.H9
    when=some_owner_is_fenced,
    status=Status.HOLE,
    kind=LawKind.PURPOSE,
)
def no_owner_is_fenced(state: State) -> bool:
    """
    A living owner whose view names it can open the topics of its unit in the end, or another owner can.

    (It cannot if it had closed them for a transfer, and the unit is given back to it by force.)
    """
    return not some_owner_is_fenced(state)
