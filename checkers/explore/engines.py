"""
Which engine searches: the native interpreter, or the model compiled to C. Both find the same, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

from checkers.explore import compiled
from checkers.explore.search import DEFAULT_MAX_STATES, Exploration, Progress, explore
from checkers.verdict import Misuse
from model.system import Bounds
from spec.property import Law, Witness

ENGINES = ("auto", "native", "c")

NATIVE_FIRST = 5_000
"""States up to which compiling would take longer than the search: ``auto`` tries them natively first."""

REFEREED = 300_000
"""States up to which the gate asks both engines."""


def explore_by(
    engine: str,
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    max_states: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> tuple[Exploration, str]:
    """Visit every state within *bounds* by the wanted engine; return what it found, and which one it was and why."""
    if engine == "native":
        return explore(
            bounds, laws, witnesses, stop_at, max_states or DEFAULT_MAX_STATES, on_progress
        ), "native (as asked)"
    if engine == "c":
        return compiled.explore_compiled(bounds, laws, witnesses, stop_at, max_states, on_progress), "C (as asked)"
    why = ""
    if compiled.compiler() is None:
        why = f"no C compiler is found; {compiled.HINT}"
    elif not compiled.is_built(bounds, laws, witnesses):
        first = min(NATIVE_FIRST, max_states or NATIVE_FIRST)
        found = explore(bounds, laws, witnesses, stop_at, first, on_progress)
        if found.finished or first == max_states or not found.is_cut_short:
            return found, "native (a small model)"
        try:
            compiled.built(bounds, laws, witnesses)
        except Misuse as error:
            why = str(error)
    if why:
        limit = max_states or DEFAULT_MAX_STATES
        return explore(bounds, laws, witnesses, stop_at, limit, on_progress), f"native ({why})"
    return compiled.explore_compiled(bounds, laws, witnesses, stop_at, max_states, on_progress), "C"


def disagreement(one: Exploration, other: Exploration) -> str:
    """Return in what two explorations of the same model differ, or an empty string."""
    parts = [field.name for field in fields(Exploration) if field.name != "seconds"]
    different = [name for name in parts if getattr(one, name) != getattr(other, name)]
    return ", ".join(f"{name}: {getattr(one, name)} and {getattr(other, name)}"[:200] for name in different)
