"""
The seam: what every engine knows of the model.

``initial_states`` and ``actions`` of some bounds, and ``step``. An action is a function that changes a
copy of a state or says, by ``require``, why it is not enabled; after every action the state is
normalised by the same step (``channel.forget_first``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from model import broker, lookup, recovery, sessions, split, tombstones
from model.channel import forget_first, is_forgettable
from model.record import OWNED, Record
from model.rules import Storage
from model.state import BROKER, UNIT, Bounds, State

__all__ = [
    "KINDS",
    "STATE_CLASS",
    "Action",
    "Bounds",
    "State",
    "actions",
    "budget",
    "initial_states",
    "needs_normalising",
    "normalise",
    "perturbations",
    "step",
]


@dataclass(frozen=True, slots=True)
class Action:
    """One action with its arguments: ``consume(broker=2)``."""

    name: str
    arguments: tuple[tuple[str, int], ...]
    run: Callable[..., None]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in self.arguments)})"

    def argument(self, name: str) -> int:
        """Return the value of argument *name*."""
        return dict(self.arguments)[name]


def initial_states(bounds: Bounds) -> list[State]:
    """
    Return the states that a run of the model may start in (for now there is one).

    All brokers live and are registered, broker 1 leads. With ``bounds.owner`` that broker owns and
    serves every unit, by an assignment that is over (versions 1 and 2).
    """
    state = State(bounds)
    for number in range(1, bounds.brokers + 1):
        for other in range(1, bounds.brokers + 1):
            state.known[number, other] = True
    state.leader = 1
    state.assigns_left = bounds.assigns
    state.unloads_left = bounds.unloads
    state.transfers_left = bounds.transfers
    state.crashes_left = bounds.crashes
    state.expiries_left = bounds.expiries
    state.tombstones_left = bounds.tombstones
    state.unplaced_left = bounds.unplaced
    state.splits_left = bounds.splits
    state.other_splits_left = bounds.other_splits
    state.resends_left = bounds.resends
    if bounds.owner:
        owned = Record(OWNED, bounds.owner, version=2)
        for unit in range(1, 2 if bounds.splits else bounds.units + 1):  # children are there after a split
            state.base[unit] = owned
            state.serving[bounds.owner, unit] = True
            state.won[unit, 1] = True
            state.won[unit, 2] = True
            for number in range(1, bounds.brokers + 1):
                state.view[number, unit] = owned
    return [state]


def actions(bounds: Bounds) -> list[Action]:
    """Return every action instance that these bounds leave room for, in a fixed order."""
    return list(_actions(bounds))


def _actions(bounds: Bounds) -> Iterator[Action]:
    each = range(1, bounds.brokers + 1)
    unit = range(1, bounds.units + 1)
    if bounds.assigns:
        yield from instances(lookup.look_up, broker=each, unit=unit)
        yield from instances(lookup.assign, broker=each, unit=unit, destination=each)
    if bounds.unloads:
        yield from instances(lookup.unload, broker=each, unit=unit)
    if bounds.transfers:
        yield from instances(lookup.transfer, broker=each, unit=unit, destination=each)
    yield from instances(broker.append, broker=each)
    if bounds.resends:
        yield from instances(broker.append_unacknowledged, broker=each)
    if bounds.storage == Storage.SYSTEM_TOPIC:
        yield from instances(broker.consume, broker=each)
    else:
        yield from instances(broker.notify, broker=each, unit=unit)
    yield from instances(broker.open, broker=each, unit=unit)
    yield from instances(broker.close, broker=each, number=range(1, bounds.closings + 1))
    if bounds.splits:
        yield from instances(split.split, broker=each)
        yield from instances(split.move_boundaries, broker=each)
        yield from instances(split.delete_parent, broker=each)
        yield from instances(split.reload_boundaries, broker=each)
    if bounds.other_splits:
        yield from instances(split.split_elsewhere, broker=each)
    if bounds.crashes:
        yield from instances(sessions.crash, broker=each)
        yield from instances(sessions.lose, broker=each)
    if bounds.crashes and bounds.restarts:
        yield from instances(sessions.restart, broker=each)
    if bounds.crashes or bounds.expiries:
        yield from instances(sessions.expire, broker=each)
        if bounds.expiries or bounds.restarts:
            yield from instances(sessions.register, broker=each)
        yield from instances(sessions.notice, observer=each, broker=each)
        yield from instances(sessions.elect, broker=each)
        yield from instances(recovery.override, broker=each, unit=unit, destination=each)
        if bounds.unplaced:
            yield from instances(recovery.free_orphan, broker=each, unit=unit)
    if bounds.tombstones:
        yield from instances(tombstones.tombstone, broker=each, unit=unit)


KINDS = {"broker": BROKER, "destination": BROKER, "observer": BROKER, "unit": UNIT}
"""What the arguments of actions number."""


def instances(run: Callable[..., None], **ranges: range) -> Iterator[Action]:
    """Yield one action for every combination of arguments."""
    for values in product(*ranges.values()):
        yield Action(run.__name__, tuple(zip(ranges, values, strict=True)), run)


needs_normalising = is_forgettable
normalise = forget_first
"""After every action, while it is needed: states that differ only in what nobody can see become one."""


def step(state: State, action: Action) -> State:
    """Return the state after *action*; raise ``Disabled`` with the guard that refused it."""
    after = state.copy()
    arguments: dict[str, Any] = dict(action.arguments)
    action.run(after, **arguments)
    while needs_normalising(after):
        normalise(after)
    return after


STATE_CLASS = ("base[*].state", "serving[*,*]")
"""The slots by which states are sorted where they are too many to be counted: what every unit is, and who serves it."""


def budget(bounds: Bounds) -> int:
    """Return how many perturbations a run may hold."""
    commands = bounds.assigns + bounds.unloads + bounds.transfers
    commands += bounds.splits + bounds.other_splits
    faults = bounds.crashes + bounds.expiries + bounds.unplaced + bounds.resends
    return commands + faults + bounds.tombstones


def perturbations(state: State) -> int:
    """Return how many perturbations led to *state*: the budgets that are spent."""
    left = state.assigns_left + state.unloads_left + state.transfers_left
    left += state.crashes_left + state.expiries_left + state.resends_left
    left += state.unplaced_left + state.tombstones_left
    left += state.splits_left + state.other_splits_left
    return budget(state.bounds) - left
