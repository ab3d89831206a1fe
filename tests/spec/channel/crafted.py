"""
Parts of crafted states and steps: a real state, with one thing changed by hand.

The files ``crafted_*`` list them, law by law, each by its event in words and a function that makes it; ``test_laws``
shows them to the laws.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from oneowner.checkers.scenarios.scenario import find_action
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Message, Publish
from oneowner.model.channel.record import ASSIGNING, FREE, OWNED, RELEASING, Record
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.system import initial_states, step
from tests.cells import where

MS = Storage.METADATA_STORE
OWNED_1 = Record(OWNED, 1, version=2)  # what the channel and every view hold at the start if broker 1 is the owner
UNLOADED_1 = Record(RELEASING, 0, 1, version=3)
FREE_1 = Record(FREE, 0, 1, version=4)
RELEASING_1 = Record(RELEASING, 2, 1, version=3)
ASSIGNING_2 = Record(ASSIGNING, 2, 1, version=4)
HANDED_OVER = Record(OWNED, 2, 1, version=5)
OWNED_2 = Record(OWNED, 2, 1, version=3)
FORCED_2 = Record(OWNED, 2, 1, True, 3)
FIRST_2 = Record(ASSIGNING, 2, version=1)  # what a unit begins with


class Crafted(NamedTuple):
    """A step (or, with before and after the same, a state) and the expected result of a law."""

    after: State
    before: State
    action: Action


Make = Callable[[], Crafted]
Made = defaultdict[str, dict[str, Make]]
"""By law and event, in words, the function that makes it."""

BROKEN: Made = defaultdict(dict)
"""Steps that break a law."""

KEPT: Made = defaultdict(dict)
"""Steps that exercise a law and keep it."""

SILENT: Made = defaultdict(dict)
"""Steps that give a law no occasion to fail: they must not count as exercised."""


def cluster(**bounds: Any) -> State:
    """Return the initial state in which broker 1 owns and serves the unit, changed as asked."""
    return initial_states(Bounds(**{"owner": 1, **bounds}))[0]


def after(at: State, *steps: str) -> State:
    """Return the state after *steps* of the model."""
    for words in steps:
        at = step(at, find_action(at.bounds, words))
    return at


def state(at: State, **cells: Any) -> Crafted:
    """Return a state with some cells set, in which no step is looked at."""
    at = where(at, **cells)
    return Crafted(at, at, find_action(at.bounds, "append(broker=1)"))


def edited(before: State, words: str, **cells: Any) -> Crafted:
    """Return a step that sets *cells* and nothing else, whatever the model would do."""
    return Crafted(where(before, **cells), before, find_action(before.bounds, words))


def model_step(before: State, words: str) -> Crafted:
    """Return a step that the model takes."""
    return Crafted(after(before, words), before, find_action(before.bounds, words))


def publishing(record: Record, basis: Record = OWNED_1, **bounds: Any) -> State:
    """Return a cluster in which broker 2 is about to append *record*."""
    return where(cluster(**bounds), outbox={2: [Publish(1, record, basis)]})


def appended(record: Record, basis: Record = OWNED_1, **bounds: Any) -> Crafted:
    """Return the step by which broker 2 appends *record*."""
    return model_step(publishing(record, basis, **bounds), "append(broker=2)")


def logged(*records: Record, **bounds: Any) -> State:
    """Return a cluster whose log holds *records*, consumed by nobody."""
    return where(cluster(**bounds), log=[Message(1, record) for record in records])


def both_serve(**bounds: Any) -> State:
    return where(cluster(**bounds), serving={(1, 1): True, (2, 1): True})


def every(made: Made) -> list[Any]:
    """Return (law, its maker) of each, as parameters named by the event."""
    return [pytest.param(law, make, id=f"{law}: {what}") for law, cases in made.items() for what, make in cases.items()]
