"""
Which engine searches: the native interpreter, generated Python, or the model compiled to C. All find the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

from checkers.explore import compiled
from checkers.explore.building import HINT, Build, compiler
from checkers.explore.exploration import Exploration, Limits, Progress
from checkers.explore.generated import explore_generated
from checkers.explore.native import DEFAULT_MAX_STATES, explore
from checkers.verdict import Misuse
from model.system import Bounds
from spec.property import Law, Witness

ENGINES = ("auto", "native", "python", "c")

NATIVE_FIRST = 5_000
"""States up to which compiling would take longer than the search: ``auto`` tries them natively first."""

MOST_IN_PYTHON = 10_000_000
"""States that generated Python visits unless asked for more: about 4 GiB."""

REFEREED = 300_000
"""States up to which the gate asks both engines."""


def explore_by(
    engine: str,
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    limits: Limits = Limits(),  # noqa: B008 - it cannot change
    on_progress: Callable[[Progress], None] | None = None,
    threads: int | None = None,
    symmetry: tuple[str, ...] = (),
) -> tuple[Exploration, str]:
    """
    Visit every state within *bounds* by the wanted engine; return what it found, and which one it was and why.

    Only the C engine has more than one of *threads*, and *symmetry*.
    """

    def natively(states: int) -> Exploration:
        return explore(bounds, laws, witnesses, stop_at, states, on_progress, *limits[1:])

    def by_python() -> Exploration:
        most = limits._replace(states=limits.states or MOST_IN_PYTHON)
        return explore_generated(bounds, laws, witnesses, stop_at, most, on_progress)

    def by_c() -> Exploration:
        most = limits.states
        return compiled.explore_compiled(
            bounds,
            laws,
            witnesses,
            stop_at,
            most,
            on_progress,
            limits.bytes,
            limits.seconds,
            threads,
            limits.perturbations,
            symmetry,
        )

    if symmetry:
        return by_c(), "c, one state of each orbit"

    if engine != "auto":
        run = {"native": lambda: natively(limits.states or DEFAULT_MAX_STATES), "python": by_python, "c": by_c}[engine]
        return run(), f"{engine} (as asked)"
    has_compiler = compiler() is not None
    if not has_compiler or not Build(bounds, laws, witnesses).is_made:
        found = natively(min(NATIVE_FIRST, limits.states or NATIVE_FIRST))
        if not found.is_cut_short or found.distinct == limits.states:
            return found, "native (a small model)"
    try:
        if has_compiler:
            return by_c(), "c"
        return by_python(), f"python (no C compiler is found; {HINT})"
    except Misuse as error:  # it cannot be traced
        return natively(limits.states or DEFAULT_MAX_STATES), f"native ({error})"


def disagreement(one: Exploration, other: Exploration) -> str:
    """Return in what two explorations of the same model differ, or an empty string."""
    parts = [field.name for field in fields(Exploration) if field.name not in ("seconds", "memory", "missed")]
    different = [name for name in parts if getattr(one, name) != getattr(other, name)]
    return ", ".join(f"{name}: {getattr(one, name)} and {getattr(other, name)}"[:200] for name in different)
