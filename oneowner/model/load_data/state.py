"""``State`` holds who lives, who is registered, who leads, and what each broker has read of the others' load."""

from enum import StrEnum

from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.concrete import concrete
from oneowner.model.kernel.language import BOOLEAN, integers, names
from oneowner.model.kernel.state import State as KernelState
from oneowner.model.kernel.state import cell, left
from oneowner.model.load_data.bounds import BROKER, Bounds

NOBODY = 0


class Report(StrEnum):
    """A broker's row in the table view of another; OLD: beyond ``loadBalancerBrokerLoadDataTTLInSeconds``."""

    NONE = "none"
    FRESH = "fresh"
    OLD = "old"


class CleanUp(StrEnum):
    """The progress of the clean-up of a broker that has gone, at the broker that does it."""

    NONE = "none"
    BEGUN = "begun"
    UNITS_GIVEN = "units given"


class State(KernelState):
    """One instant of a cluster, as far as load data is concerned."""

    bounds: Bounds

    up: Cells[bool] = cell(BOOLEAN, per=(BROKER,), first=True)
    """Its process lives."""
    registered: Cells[bool] = cell(BOOLEAN, per=(BROKER,), first=True)
    """The registry has it."""
    owns: Cells[bool] = cell(BOOLEAN, per=(BROKER,), first=True)
    """The channel says that it owns units."""
    leader: int = cell(lambda bounds: integers(NOBODY, bounds.brokers, BROKER.name), first=1)
    leaving: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.shutdowns, ends=True)
    """It shuts down."""
    view: Cells[Report] = cell(names(Report), per=(BROKER, BROKER), ends=True)
    """The first broker's copy of the second's load (``TableViewLoadDataStoreImpl``)."""
    told: Cells[bool] = cell(BOOLEAN, per=(BROKER, BROKER), ends=True)
    """The first has yet to hear that the second is registered no more."""
    role_due: Cells[bool] = cell(BOOLEAN, per=(BROKER,), ends=True)
    """There was an election, and it has yet to play the role that it has now."""
    cleaning: Cells[CleanUp] = cell(names(CleanUp), per=(BROKER, BROKER), ends=True)
    """The first one's progress in the clean-up of the second."""

    crashes_left: int = left("crashes")
    shutdowns_left: int = left("shutdowns")
    losses_left: int = left("losses")


brokers = concrete(BROKER.numbers)


def leads(state: State, broker: int) -> bool:
    """Return whether *broker* lives, leads, and has taken up that role."""
    return state.up[broker] and state.leader == broker and not state.role_due[broker]


def is_sorted(state: State, observer: int, broker: int) -> bool:
    """
    Return whether *observer*, if it leads, sorts *broker* among those that a bundle may be moved to.

    ``LoadStats.setLoadDataStore`` sorts every row of the table view: that of a broker that has gone, and one that
    ``LoadStats.update`` passes over because it is old (``TransferShedder``).
    """
    has_row = state.view[observer, broker] != Report.NONE
    if state.bounds.rules.sorts_registered:
        return has_row and state.registered[broker]
    return has_row
