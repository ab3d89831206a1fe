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
from oneowner.model.channel.record import OWNED, SPLITTING
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


def is_of_shutdown(group: UnitGroup, part: UnitGroup, place: str) -> bool:
    """
    Say whether the record at *place* may be of a broker that shuts down, if that it leaves lies beyond *part*.

    It gives its units up by forced records before it leaves the registry (``doCleanup`` of ``disable``).
    """
    for at, seen in enumerate(part.timeline):
        if isinstance(seen, Append) and seen.written.place == place and seen.written.record.force:
            own = (one for one in group.timeline[at:] if isinstance(one, RegistryStep))
            then = next((one for one in own if one.broker == seen.written.broker), None)
            return then is not None and then.action == "unregister" and then not in part.timeline
    return False


def step_left_out(group: UnitGroup, place: int, bounds: Bounds) -> str:
    """
    Return which step, that is not modelled, explains the record at *place*; empty if none does.

    A forced one: a return of a broker of which an override knows nothing. A clean-up asks for health once, flushes, and
    overrides (``doCleanup``); the model does all in one step.
    """
    seen = group.timeline[place]
    if not isinstance(seen, Append):
        return ""
    if not seen.written.record.force:
        return _split_left_out(group, place, seen, bounds)
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


def _split_left_out(group: UnitGroup, place: int, seen: Append, bounds: Bounds) -> str:
    """
    Return whether a split was asked while its unit was the broker's own, and published after it was given up.

    ``splitNamespaceBundleAsync`` asks who owns the unit, and ``publishSplitEventAsync`` takes the next version of what
    the view holds when it comes to that; the model does both in one step. Such a record comes too late, and is refused.
    """
    record = seen.written.record
    before = [one.written.record for one in group.timeline[:place] if isinstance(one, Append) and one.unit == seen.unit]
    owned = [one.version for one in before if one.state == OWNED and one.destination == seen.written.broker]
    if record.state != SPLITTING or record.source != seen.written.broker or not owned:
        return ""
    if not max(owned) < record.version <= max(one.version for one in before):
        return ""
    without = replace(group, timeline=(*group.timeline[:place], *group.timeline[place + 1 :]))
    if explain(without, bounds, wide=True).done < place:
        return ""
    return f"split(broker={seen.written.broker}) asked before the unit was given up, and published after it"
