"""``Edges`` holds the graph of a model, or its first part, as arrays; it grows breadth first by the traced model."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.explore.generated import BATCH
from oneowner.checkers.engines.explore.known_states import KnownStates
from oneowner.checkers.engines.explore.model_cache import kept
from oneowner.checkers.engines.explore.state_columns import Model
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.system import actions

Numbers = NDArray[np.int64]


class Edges(NamedTuple):
    """Edge e leads from state sources[e] to state targets[e] by actions[labels[e]]; state 0 is the initial one."""

    actions: tuple[Action, ...]
    sources: Numbers
    labels: Numbers
    targets: Numbers
    codes: list[bytes]
    """The flat form of each state."""
    is_whole: bool
    """False if states were left without their edges, for there are more than were allowed."""
    beyond: str
    """A bound that some step would need to be larger; empty if none does."""


def edges_within(bounds: Bounds, most: int, on_progress: Callable[[str], None] | None = None) -> Edges:
    """Return the edges of the states within *bounds*, until there are *most* states; that level is not expanded."""
    written = kept(bounds, (), lambda: trace(bounds, (), ()))
    model = Model(written)
    known = KnownStates(model.words)
    known.add(model.initial())
    sources, labels, targets = [], [], []
    first, narrow = 0, ""
    while first < known.count < most:
        end = known.count
        for at in range(first, end, BATCH):
            found, beyond = model.expand(known.states[at : min(at + BATCH, end)])
            narrow = narrow or (min(beyond)[2] if beyond else "")
            sources.append(found.rows + at)
            labels.append(found.places)
            targets.append(known.add(found.packed)[0])
        first = end
        if on_progress is not None:
            on_progress(f"{known.count:,} states")
    columns = model.unpacked(known.states)
    rows = np.stack([columns[slot] for slot in range(len(written.places))], axis=1).astype(np.uint8)
    return Edges(
        actions=tuple(actions(bounds)),
        sources=np.concatenate(sources),
        labels=np.concatenate(labels),
        targets=np.concatenate(targets),
        codes=[row.tobytes() for row in rows],
        is_whole=first == known.count,
        beyond=narrow,
    )
