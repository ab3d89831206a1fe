"""
What crafted states and steps are made of: a real state, with one thing changed by hand.

``crafted_log``, ``crafted_winners``, ``crafted_ownership`` and ``crafted_silent`` list them; ``test_laws`` shows
them to the laws.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from oneowner.checkers.scenarios.scenario import find_action
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Message, Publish
from oneowner.model.channel.record import ASSIGNING, OWNED, RELEASING, Record
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.language import Sequence
from oneowner.model.kernel.system import initial_states, step

MS = Storage.METADATA_STORE
OWNED_1 = Record(OWNED, 1, version=2)  # what the channel and every view hold at the start if broker 1 is the owner
RELEASING_1 = Record(RELEASING, 2, 1, version=3)
ASSIGNING_2 = Record(ASSIGNING, 2, 1, version=4)
OWNED_2 = Record(OWNED, 2, 1, version=3)


class Crafted(NamedTuple):
    """A step (or, with before and after the same, a state) and what a law must say of it."""

    after: State
    before: State
    action: Action


Make = Callable[[], Crafted]
Made = defaultdict[str, dict[str, Make]]
"""By law, what happens, in words, and how it is made."""

BROKEN: Made = defaultdict(dict)
"""What breaks a law."""

KEPT: Made = defaultdict(dict)
"""What exercises a law and keeps it."""

SILENT: Made = defaultdict(dict)
"""What gives a law no occasion to fail."""


def breaks(law: str) -> Callable[[Make], Make]:
    def note(make: Make) -> Make:
        BROKEN[law][make.__name__.replace("_", " ")] = make
        return make

    return note


def keeps(law: str) -> Callable[[Make], Make]:
    def note(make: Make) -> Make:
        KEPT[law][make.__name__.replace("_", " ")] = make
        return make

    return note


def gives_no_occasion(law: str) -> Callable[[Make], Make]:
    def note(make: Make) -> Make:
        SILENT[law][make.__name__.replace("_", " ")] = make
        return make

    return note


def cluster(**bounds: Any) -> State:
    """Return the initial state in which broker 1 owns and serves the unit, unless told otherwise."""
    return initial_states(Bounds(**{"owner": 1, **bounds}))[0]


def state(at: State) -> Crafted:
    return Crafted(at, at, find_action(at.bounds, "append(broker=1)"))


def edited(before: State, words: str, edit: Callable[[State], None]) -> Crafted:
    """Return a step whose state after was made by *edit*, whatever the model would do."""
    after = before.copy()
    edit(after)
    return Crafted(after, before, find_action(before.bounds, words))


def taken(before: State, words: str) -> Crafted:
    """Return a step that the model takes."""
    action = find_action(before.bounds, words)
    return Crafted(step(before, action), before, action)


def publishing(record: Record, basis: Record = OWNED_1, **bounds: Any) -> State:
    """Return a cluster in which broker 2 is about to append *record*."""
    at = cluster(**bounds)
    at.outbox[2] = Sequence([Publish(1, record, basis)])
    return at


def logged(*records: Record, **bounds: Any) -> State:
    """Return a cluster whose log holds *records*, consumed by nobody."""
    at = cluster(**bounds)
    at.log = Sequence(Message(1, record) for record in records)
    return at


def both_serve(**bounds: Any) -> State:
    at = cluster(**bounds)
    at.serving[1, 1] = at.serving[2, 1] = True
    return at


def sets(**cells: Any) -> Callable[[State], None]:
    """Return an edit that sets some cells: ``base`` and the like for unit 1, ``log`` as a whole."""

    def edit(after: State) -> None:
        for name, value in cells.items():
            if name == "log":
                after.log = Sequence(value)
            elif name == "outbox":
                after.outbox[2] = value
            else:
                getattr(after, name)[1] = value

    return edit


def every(made: Made) -> list[Any]:
    """Return (law, how to make it) of each, as parameters named by what happens."""
    return [pytest.param(law, make, id=f"{law}: {what}") for law, cases in made.items() for what, make in cases.items()]
