"""These laws require that listeners have loaded their state of a unit while their broker owns it."""

from oneowner.model.channel.parts import Run
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import Excuse, LawKind, StateLaw, Status, Unguarded, guarded
from oneowner.spec.channel.brokers import is_owner


def somebody_owns(state: State) -> bool:
    if state.bounds.listeners == 0:
        return False
    return any(
        state.run[broker] == Run.UP and is_owner(state.view[broker, unit], broker)
        for broker in brokers(state)
        for unit in units(state)
    )


def is_unloaded(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* owns *unit* by its own view, and its listeners have not been notified."""
    owns = state.run[broker] == Run.UP and is_owner(state.view[broker, unit], broker)
    return owns and not state.loaded[broker, unit]


def is_tainted(state: State, broker: int, unit: int) -> bool:
    return state.tainted[unit]


@guarded(
    "owner-is-loaded",
    "NamespaceService.onNamespaceBundleOwned; apache/pulsar#23152",  # bugs.S12, bugs.R17
    form=StateLaw,
    when=somebody_owns,
    unless=is_tainted,
    always=Unguarded(
        "A broker that owns a unit by its own view has notified its listeners of that. (It does not hold: the source"
        " of a transfer gets the unit back by force while it still closes; its listeners are notified that it owns the"
        " unit, and then, when the close ends, that it does not.)",
        # bugs.S12, bugs.R17
        "ServiceUnitStateChannelImpl.closeServiceUnit, NamespaceService.onNamespaceBundleUnload; apache/pulsar#23152",
        Status.HOLE,
    ),
    kind=LawKind.PURPOSE,
)
def owners_are_loaded(state: State, unless: Excuse) -> bool:
    """A broker that owns a unit by its own view has notified its listeners of that, unless the unit is tainted."""
    return all(
        not is_unloaded(state, broker, unit) or unless(state, broker, unit)
        for broker in brokers(state)
        for unit in units(state)
    )
