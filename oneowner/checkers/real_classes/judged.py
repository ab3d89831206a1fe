"""
``laws_there`` judges the state that real objects show where they differ from the model, by the model's laws.

The parts that differ are put into the model's state; the rest of it agrees. A part whose words do not give its value
back leaves nothing to judge.
"""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import product
from typing import Any, Final

from oneowner.checkers.real_classes.projection import shown
from oneowner.model.channel.parts import Publish
from oneowner.model.channel.record import Record
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.language import Array, Fields, Finite, Sequence
from oneowner.model.kernel.law import StateLaw
from oneowner.model.kernel.state import State, put
from oneowner.model.kernel.system import domains, initial_states, step

_CLOSES: Final = re.compile(r"broker (\d+), units that it closes")
_PUBLISHES: Final = re.compile(r"broker (\d+), publishes under way")


def laws_there(bounds: Any, path: tuple[Action, ...], real: Iterable[tuple[str, str]]) -> list[str] | None:
    """
    Return the laws that fail after a run of the model if some parts, by name, are as *real* objects show them.

    Laws that fail in the model's own state are left out. None: a part cannot be put into a state.
    """
    before = initial_states(bounds)[0]
    try:
        for action in path[:-1]:
            before = step(before, action)
        model = step(before, path[-1])
    except (Disabled, BoundReached):  # the shortest path to an edge is a run; this one is not
        return None
    state = model.copy()
    if not all(_put(state, name, words) for name, words in real):
        return None
    known = set(_failing(before, path[-1], model))
    return [name for name in _failing(before, path[-1], state) if name not in known]


def _failing(before: State, action: Action, after: State) -> list[str]:
    found = []
    for law in after.bounds.system.laws:
        if isinstance(law, StateLaw):
            fails = law.when(after) and not law.holds(after)
        else:
            fails = law.when(before, action, after) and not law.holds(before, action, after)
        if fails:
            found.append(law.name)
    return found


def _put(state: State, name: str, words: str) -> bool:
    """Put a part into a state; return whether that can be done."""
    if match := _CLOSES.fullmatch(name):
        return _put_closes(state, int(match[1]), words.split())
    if match := _PUBLISHES.fullmatch(name):
        return _put_publishes(state, int(match[1]), words.split("; ") if words else [])
    if (found := shown(state.bounds).read_back(name, words)) is None:
        return False
    (cell, numbers), value = found
    put(state, cell, numbers, value)
    return True


def _put_closes(state: Any, broker: int, units: list[str]) -> bool:
    """Leave those closes under way whose units there are; no words give the record of another one."""
    made = []
    for close in state.closing[broker]:
        if units and str(close.unit) == units[0]:
            made.append(close)
            del units[0]
    if units:
        return False
    put(state, "closing", (broker,), Sequence(made))
    return True


def _put_publishes(state: Any, broker: int, words: Collection[str]) -> bool:
    """Put publishes under way into a state; those of the model keep all that the words do not show."""
    own: list[Publish] = list(state.outbox[broker])
    made = []
    for publish, text in zip(own, words, strict=False):
        unit, _, record = text.partition(":")
        if (value := _records(state.bounds).get(record)) is None:
            return False
        made.append(publish._replace(unit=int(unit), record=value))
    if len(own) != len(words):
        return False
    put(state, "outbox", (broker,), Sequence(made))
    return True


@lru_cache(maxsize=1)  # a walk has one model
def _records(bounds: Any) -> dict[str, Record]:
    """Return the records within some bounds, by their words."""
    view = domains(bounds)["view"]
    assert isinstance(view, Array)
    domain = view.element
    assert isinstance(domain, Fields)
    values = [part.values if isinstance(part, Finite) else (part.first(),) for part in domain.fields.values()]
    records = (domain.record(*each) for each in product(*values))
    return {str(record): record for record in records}
