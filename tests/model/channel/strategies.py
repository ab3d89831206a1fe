"""Hypothesis strategies for values, states and runs of the model."""

from hypothesis import settings
from hypothesis import strategies as st

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, step

steadily = settings(deadline=None, derandomize=True, database=None)
"""The same examples on every machine, however slow: a red test is red for everybody."""

SMALL = (
    Bounds(),
    Bounds(brokers=3, units=2, owner=2, transfers=2, unloads=1, pending=2),
    Bounds(brokers=2, owner=1, assigns=2, crashes=1, expiries=1, closings=2, resends=1, window=2),
    Bounds(brokers=3, units=2, storage=Storage.METADATA_STORE, assigns=2, transfers=1, unloads=1),
)


@st.composite
def states(draw: st.DrawFn, bounds: Bounds) -> State:
    """Any state of *bounds*, reachable or not."""
    blank = State(bounds)
    slots = blank.slots()
    drawn = draw(st.binary(min_size=len(slots), max_size=len(slots)))  # at once: a draw for each slot takes long
    return blank.with_codes(tuple(byte % slot.size for byte, slot in zip(drawn, slots, strict=True)))


def choices(most: int) -> st.SearchStrategy[list[int]]:
    """Choices that ``enabled`` turns into a run of at most *most* steps."""
    return st.lists(st.integers(0, 255), min_size=most // 2, max_size=most)


def enabled(state: State) -> list[tuple[Action, State]]:
    """Return every enabled action with the state that it leads to."""
    found = []
    for action in actions(state.bounds):
        try:
            found.append((action, step(state, action)))
        except Disabled:
            continue
    return found
