"""A broker that owns a unit anew notifies its listeners, on the thread that reads the channel."""

from oneowner.model.channel.record import OWNED, Record, is_absent
from oneowner.model.channel.state import State
from oneowner.model.kernel.bounds import Choice
from oneowner.model.kernel.releases import Switch, before

LISTENERS = Choice(
    "listeners",
    "1: a broker notifies listeners of the units that it owns; 0: there are no listeners",
    apart={"in_store shutdowns splits": "not modelled yet"},
)

EXISTING_OWNED_LOADED = Switch(
    "A broker that starts and finds that it owns a unit tells those who listen to that (since #23152).",
    turned=(before("3.0.7", "3.3.2"),),
    source="apache/pulsar#23152: ServiceUnitStateChannelImpl.handleExisting",
)

TOMBSTONE_IS_READ = Switch("A view takes a tombstone; else the thread that reads it ends (#15951).")


def load(state: State, broker: int, unit: int) -> None:
    """
    Notify the listeners that *broker* owns *unit* (``NamespaceBundleOwnershipListener.onLoad``; bound ``listeners``).

    What it keeps for the unit (the group coordinator of a protocol handler, say) is loaded until the unit's topics are
    closed (``unLoad``), or the process ends.
    """
    if state.bounds.listeners:
        state.loaded[broker, unit] = True


def load_existing(state: State, broker: int, unit: int) -> None:
    """Notify the listeners that *broker*, which starts, finds that it owns *unit* (``handleExisting``, #23152)."""
    held = state.view[broker, unit]
    if state.bounds.rules.existing_owned_loaded and held.state == OWNED and held.destination == broker:
        load(state, broker, unit)


def survives(state: State, broker: int, record: Record) -> bool:
    """Return whether the thread that reads *record* goes on: until #15951 a view's map took no null (bugs.R33)."""
    if is_absent(record) and not state.bounds.rules.tombstone_is_read:
        state.held_up[broker] = True
        return False
    return True
