"""``State`` holds who has each bundle, who is to have it, what the leader has read of that, and what it remembers."""

from oneowner.model.closed_loop.bounds import BROKER, BUNDLE, Bounds, Shedder
from oneowner.model.closed_loop.table import table_of
from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.concrete import concrete
from oneowner.model.kernel.language import BOOLEAN, integers
from oneowner.model.kernel.state import State as KernelState
from oneowner.model.kernel.state import cell, left

NOBODY = 0


class State(KernelState):
    """One instant of a closed loop."""

    bounds: Bounds

    placed: int = cell(lambda bounds: integers(0, bounds.bundles))
    """How many bundles have been placed; a run begins when all are."""
    heavies: int = cell(lambda bounds: integers(0, bounds.heavies))
    """How many bundles, the first ones, are heavy."""
    owner: Cells[int] = cell(lambda bounds: integers(1, bounds.brokers, BROKER.name), per=(BUNDLE,))
    may: Cells[bool] = cell(BOOLEAN, per=(BUNDLE, BROKER))
    """The bundle is in flight, and this broker is one of those that it may be handed to; none: it is not in flight."""
    again: Cells[bool] = cell(BOOLEAN, per=(BUNDLE, BROKER), when=lambda bounds: bounds.races)
    """The bundle is in flight, and a second lookup of it may be sent to this broker."""
    seen: Cells[int] = cell(
        lambda bounds: integers(1, bounds.brokers, BROKER.name), per=(BUNDLE,), when=lambda bounds: bounds.lag
    )
    """Its owner, as the leader has read it; without lag that is the owner."""
    behind: int = cell(lambda bounds: integers(0, bounds.lag))
    """Cycles in a row in which the leader decided by reports that are not those of now."""
    rest: Cells[int] = cell(lambda bounds: integers(0, bounds.grace), per=(BUNDLE,))
    """Cycles in which the bundle stays, because it was unloaded (``recentlyUnloadedBundles``)."""
    wait: int = cell(lambda bounds: integers(0, bounds.delay if bounds.shedder == Shedder.TRANSFER else 0))
    """Cycles that TransferShedder waits for, because it has moved something (``recentlyUnloadedBrokers``)."""
    memory: int = cell(lambda bounds: integers(0, len(table_of(bounds).memories) - 1))
    """The shedder's memory, as a number: ``table_of(bounds).memories`` has it."""
    races_left: int = left("races")
    left: Cells[int] = cell(
        lambda bounds: integers(NOBODY, bounds.brokers, BROKER.name), per=(BUNDLE,), when=lambda bounds: bounds.window
    )
    """Which broker the bundle was at before, as long as that is within the window. Nothing but laws asks for it."""
    ago: Cells[int] = cell(lambda bounds: integers(0, bounds.window), per=(BUNDLE,))
    """How many cycles ago it left that broker. Nothing but laws asks for it."""
    cycles: int = cell(lambda bounds: integers(0, bounds.horizon))
    """How many cycles there have been, up to the horizon. Nothing but laws asks for it."""


brokers = concrete(BROKER.numbers)
bundles = concrete(BUNDLE.numbers)


@concrete
def values(state: State, at: int) -> tuple[int, ...]:
    """Return the numbers that lead on from a node of the table."""
    return table_of(state.bounds).values(at)


def is_in_flight(state: State, bundle: int) -> bool:
    """Return whether a bundle has been unloaded, or is to be, and has yet to be handed over."""
    return any(state.may[bundle, broker] for broker in brokers(state))


def some_in_flight(state: State) -> bool:
    return any(is_in_flight(state, bundle) for bundle in bundles(state))


def is_as_seen(state: State) -> bool:
    """Return whether the leader has the present owner of each bundle."""
    if state.bounds.lag == 0:
        return True
    return all(state.seen[bundle] == state.owner[bundle] for bundle in bundles(state))


def seen_owner(state: State, bundle: int) -> int:
    """Return who has a bundle, as the leader has read it."""
    return state.seen[bundle] if state.bounds.lag else state.owner[bundle]
