"""One law judges the view that a broker empties when it loses its session (metadata store)."""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import owner
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, Status, always


def some_view_was_emptied(state: State) -> bool:
    """Return whether a broker lists a unit that its view has forgotten, or has yet to read it in its new session."""
    return any(
        state.listed[broker, unit] or state.filling[broker, unit] for broker in brokers(state) for unit in units(state)
    )


@always(
    "listed-is-owned",
    # channel.D2, run.G4
    "ServiceUnitStateTableViewBase.invalidateOwnedServiceUnits; apache/pulsar#24478;"
    " seen in traces/real/zk-partition-metadata",
    when=some_view_was_emptied,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def listed_units_are_owned(state: State) -> bool:
    """
    A broker that has lost its session lists as its own only units that it owned and that no other broker was given
    since.

    (It lists every unit that its view had, whichever broker owns it, until it has read the unit's node again; a unit
    that was deleted meanwhile for ever.)
    """
    return all(
        owner(entry(state, unit)) == broker
        for broker in brokers(state)
        for unit in units(state)
        if state.listed[broker, unit]
    )
