"""
What the model leaves out is told apart here from what it refuses: bounds that it does not combine, and steps it lacks.

It leaves out no more than the named step: the search must get past the record with it, and with all else as modelled.
"""

from __future__ import annotations

from dataclasses import replace

from oneowner.checkers.recordings.explain.recording import Recording, RegistryStep
from oneowner.checkers.recordings.explain.search_result import steps_of
from oneowner.checkers.recordings.explain.sizing import NotCombined, bounds_of
from oneowner.checkers.recordings.explain.state_set_search import explain
from oneowner.checkers.recordings.explain.unit_groups import UnitGroup
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.flights import end_flight
from oneowner.model.channel.rules import Rules

FLUSH = 5_000
"""Milliseconds that a clean-up, which has asked for health, waits at most for the channel before it overrides."""


def combined(recording: Recording, group: UnitGroup, rules: Rules) -> tuple[UnitGroup, str]:
    """Return as much of *group*, from its beginning, as the model combines, and why it is not all."""
    why = ""
    for count in range(len(group.timeline), 0, -1):
        part = replace(group, timeline=group.timeline[:count], is_cut=group.is_cut or why != "")
        try:
            bounds_of(recording, part, rules)
        except NotCombined as refused:
            why = str(refused)
        else:
            return part, why
    return replace(group, timeline=(), is_cut=True), why


def step_left_out(group: UnitGroup, place: int, bounds: Bounds, untimed: str) -> str:
    """
    Return which step, that is not modelled in *bounds*, explains what was seen at *place*; empty if none does.

    Only a forced record may be explained so. *untimed* says why no hand-over takes too long in these bounds; empty:
    it may.
    """
    seen = group.timeline[place]
    if isinstance(seen, RegistryStep) or not seen.written.record.force:
        return ""
    if untimed:
        further = explain(group, bounds, wide=True, beyond=True)
        if further.done > place:
            step = next(one for one in steps_of(further.nodes[0]) if one.startswith(end_flight.__name__))
            return f"{step}: {untimed}"
    return _asked_before(group, place, seen.written.time, bounds)


def _asked_before(group: UnitGroup, place: int, time: int, bounds: Bounds) -> str:
    """
    Return which return of a broker an override at *place* knows nothing of, if it is explained by that.

    A clean-up asks for health once, flushes, and overrides (``doCleanup``); the model does all in one step.
    """
    for index, back in enumerate(group.timeline[:place]):
        if not isinstance(back, RegistryStep) or back.action not in ("register", "restart"):
            continue
        if 0 <= time - back.time <= FLUSH:
            before, between = group.timeline[:index], group.timeline[index + 1 : place + 1]
            moved = replace(group, timeline=(*before, *between, back, *group.timeline[place + 1 :]))
            if explain(moved, bounds, wide=True).done >= place:
                return (
                    f"override {time - back.time} ms after {back.action}(broker={back.broker}): health was asked before"
                )
    return ""
