"""
What the model leaves out is told apart here from what it refuses: bounds that it does not combine, and steps it lacks.

It leaves out no more than the named step: the search must get past the record with it, and with all else as modelled.
"""

from __future__ import annotations

from dataclasses import replace

from oneowner.checkers.recordings.explain.recording import Recording, RegistryStep
from oneowner.checkers.recordings.explain.sizing import NotCombined, bounds_of
from oneowner.checkers.recordings.explain.state_set_search import explain
from oneowner.checkers.recordings.explain.unit_groups import Append, UnitGroup
from oneowner.model.channel.bounds import Bounds
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


def step_left_out(group: UnitGroup, place: int, bounds: Bounds) -> str:
    """
    Return which step, that is not modelled, explains the forced record at *place*; empty if none does.

    That is a return of a broker of which an override knows nothing. A clean-up asks for health once, flushes, and
    overrides (``doCleanup``); the model does all in one step.
    """
    seen = group.timeline[place]
    if not isinstance(seen, Append) or not seen.written.record.force:
        return ""
    time = seen.written.time
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
