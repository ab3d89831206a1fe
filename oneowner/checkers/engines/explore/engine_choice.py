"""``explore_by`` chooses the engine: native interpreter, generated Python, or C. All find the same."""

import time
from collections.abc import Callable, Sequence
from dataclasses import fields, replace

from oneowner.checkers.engines.compile.program import MOST_SLOTS
from oneowner.checkers.engines.explore.building import Build
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.engines.explore.exploration import NO_LIMITS, Exploration, Limits, Progress
from oneowner.checkers.engines.explore.generated import explore_generated
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.native_code import HINT, compiler
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.law import Law, Witness
from oneowner.model.kernel.system import domains

NATIVE_FIRST = 500
"""States up to which compiling would take longer than the search: ``auto`` tries them natively first."""

REFEREED = 300_000
"""States up to which the gate asks both engines."""


def explore_by(
    engine: str,
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    limits: Limits = NO_LIMITS,
    on_progress: Callable[[Progress], None] | None = None,
    threads: int | None = None,
    symmetry: tuple[str, ...] = (),
) -> tuple[Exploration, str]:
    """
    Visit every state within *bounds* by the wanted engine; return what it found, and which one it was and why.

    Only the C engine has more than one of *threads*, and *symmetry*.
    """
    asked = (bounds, laws, witnesses, stop_at)
    started = time.monotonic()

    def by_c() -> Exploration:
        return explore_compiled(*asked, limits.left(started), on_progress, threads, symmetry)

    if symmetry:
        return by_c(), "c, one state of each orbit"
    if engine == "c":
        return by_c(), "c (as asked)"
    if engine != "auto":
        run = {"native": explore, "python": explore_generated}[engine]
        return run(*asked, limits, on_progress), f"{engine} (as asked)"
    refuse_endless(bounds, limits)
    has_compiler = compiler() is not None
    first: Exploration | None = None
    if not has_compiler or not Build(bounds, laws, witnesses).is_made:
        few = min(NATIVE_FIRST, limits.states or NATIVE_FIRST)
        first = explore(*asked, limits._replace(states=few), on_progress)
        if not first.is_cut_short or first.distinct == limits.states:
            return first, "native (a small model)"
    try:
        if has_compiler:
            found, which = by_c(), "c"
        else:
            found = explore_generated(*asked, limits.left(started), on_progress)
            which = f"python (no C compiler is found; {HINT})"
    except Misuse as error:  # it cannot be traced
        return explore(*asked, limits.left(started), on_progress), f"native ({error})"
    if first is not None and found.stopped and not found.distinct:  # what was seen before is true all the same
        return replace(first, stopped=found.stopped, is_cut_short=False), f"native, until {which} would be ready"
    return found, which


def refuse_endless(bounds: Bounds, limits: Limits) -> None:
    """Raise Misuse for a model that only the interpreter could search, for hours, unless a budget ends it."""
    slots = sum(1 for name, domain in domains(bounds).items() for _ in domain.slots(name))
    if slots > MOST_SLOTS and limits.states is None and limits.seconds is None:
        raise Misuse(
            f"bounds refused: a state of {slots:,} slots cannot be compiled, {MOST_SLOTS:,} are the most; with"
            " --max-time, --max-states or --engine native it is interpreted, hundreds of times slower"
        )


def disagreement(one: Exploration, other: Exploration) -> str:
    """Return the differences of two explorations of the same model, or an empty string."""
    parts = [field.name for field in fields(Exploration) if field.name not in ("seconds", "memory", "missed")]
    different = [name for name in parts if getattr(one, name) != getattr(other, name)]
    return ", ".join(f"{name}: {getattr(one, name)} and {getattr(other, name)}"[:200] for name in different)
