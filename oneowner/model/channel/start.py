"""``initial_states`` says how a run begins: with ``bounds.owner`` every unit that is there has long been assigned."""

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import stamped
from oneowner.model.channel.dialects import has_versions
from oneowner.model.channel.parts import Node
from oneowner.model.channel.record import OWNED, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.state import end_cells

__traced__ = False  # builds a concrete state


def initial_states(bounds: Bounds) -> list[State]:
    """
    Return the states that a run of the model may start in (for now there is one).

    All brokers live and are registered, broker 1 leads: so the cells are declared. With ``bounds.owner`` that broker
    owns and serves every unit (with ``bounds.splits`` the parent alone), by an assignment that is over (versions 1 and
    2). The last ``bounds.newcomers`` brokers are down, were never registered, and nobody knows them.
    """
    state = State(bounds)
    if bounds.owner:
        version = bounds.owned_version
        owned = stamped(state, Record(OWNED, bounds.owner, version=version))
        for unit in range(1, 2 if bounds.splits else bounds.units + 1):  # children are there after a split
            state.base[unit] = owned
            state.serving[bounds.owner, unit] = True
            if bounds.listeners:
                state.loaded[bounds.owner, unit] = True
            state.won[unit, version - 1] = state.won[unit, version] = has_versions(bounds.dialect)
            if bounds.synced:
                state.nodes[unit] = owned
            for number in range(1, bounds.brokers + 1):
                state.view[number, unit] = owned
    for newcomer in range(bounds.brokers - bounds.newcomers + 1, bounds.brokers + 1):
        end_cells(state, newcomer)
        state.node[newcomer] = Node.ABSENT
        for observer in range(1, bounds.brokers + 1):
            state.known[observer, newcomer] = False
    return [state]
