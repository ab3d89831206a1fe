"""
``walk_by`` takes random walks by the engine that is asked for, or in C.

All engines take the same walks from the same seed. The compiled one estimates how many distinct states it met
(HyperLogLog, Flajolet et al., AofA 2007); the others count them.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import log
from pathlib import Path
from typing import Any

from oneowner.checkers.engines.compile.c_layout import Layout
from oneowner.checkers.engines.compile.program import Place
from oneowner.checkers.engines.compile.watched import OUT_OF_TIME, At, Doing, Stopped, watched
from oneowner.checkers.engines.explore.building import Build
from oneowner.checkers.engines.explore.compiled import run
from oneowner.checkers.engines.explore.exploration import budget_of_memory
from oneowner.checkers.engines.walks.plan import OUTSIDE, Broken, Pace, Plan, Walks, beyond, class_slots
from oneowner.checkers.engines.walks.python_walks import walk
from oneowner.checkers.engines.walks.stepping import Generated, Native
from oneowner.checkers.engines.walks.swarm import names_of
from oneowner.checkers.native_code import HINT, compiler
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.law import Law, Witness
from oneowner.model.kernel.system import actions, initial_states

SOURCE = Path(__file__).with_name("walk.c")


def walk_by(
    engine: str,
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness],
    stop_at: frozenset[str],
    plan: Plan,
    on_progress: Callable[[Pace], None] | None = None,
) -> tuple[Walks, str]:
    """Take random walks by the wanted engine; return what they met, and which engine it was and why."""

    def natively() -> Walks:
        return walk(Native(bounds, laws, witnesses), bounds, stop_at, plan, on_progress)

    def by_python() -> Walks:
        started = time.monotonic()
        with preparing(plan, on_progress) as at:
            model = Generated(bounds, laws, witnesses, at)
        return walk(model, bounds, stop_at, plan.left(started), on_progress)

    def by_c() -> Walks:
        return walk_compiled(bounds, laws, witnesses, stop_at, plan, on_progress)

    which = engine if engine != "auto" else "c" if compiler() is not None else "python"
    why = "as asked" if engine != "auto" else f"no C compiler is found; {HINT}"
    named = "c" if (engine, which) == ("auto", "c") else f"{which} ({why})"
    started = time.monotonic()
    try:
        return {"native": natively, "python": by_python, "c": by_c}[which](), named
    except Stopped as budget:
        return unbegun(bounds, laws, witnesses, plan, str(budget)), named
    except Misuse as error:  # it cannot be traced
        if engine != "auto":
            raise
        native = Native(bounds, laws, witnesses)
        return walk(native, bounds, stop_at, plan.left(started), on_progress), f"native ({error})"


def preparing(plan: Plan, on_progress: Callable[[Pace], None] | None) -> AbstractContextManager[At]:
    """Return a context that keeps tracing and compiling within the time of the walks, and reports progress."""

    def tell(doing: Doing) -> None:
        assert on_progress is not None
        on_progress(Pace(0, 0, doing.seconds, str(doing)))

    return watched(plan.seconds, budget_of_memory(), tell if on_progress else None)


def unbegun(bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness], plan: Plan, stopped: str) -> Walks:
    """Return what is known where no walk was taken."""
    names = [action.name for action in actions(bounds)]
    return Walks(
        plan,
        fired=dict.fromkeys(names, 0),
        pairs=dict.fromkeys(names, 0),
        exercised={law.name: 0 for law in laws},
        witnesses={witness.name: False for witness in witnesses},
        stopped=stopped,
    )


def walk_compiled(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness],
    stop_at: frozenset[str],
    plan: Plan,
    on_progress: Callable[[Pace], None] | None = None,
) -> Walks:
    """Take random walks in a process of its own, as ``walk`` does; raise Stopped if there is no time for the first."""
    started = time.monotonic()
    build = Build(bounds, laws, witnesses, source=SOURCE)
    with preparing(plan, on_progress) as at:
        build.make(at)
    plan = plan.left(started)
    names = [name for part in build.checks for name in part]
    numbers = ",".join(map(str, names_of(actions(bounds))))
    ends = "".join("1" if name in stop_at else "0" for name in names)
    chosen = (plan.first, plan.walks, plan.depth, plan.seed, plan.seconds or 0, numbers, ends, int(plan.goes_on))
    masks = [f"{mask:x}" for mask in class_masks(bounds)]
    on_line = None if on_progress is None else lambda line: on_progress(_pace(line))
    found = run([str(build.program), *map(str, chosen), *masks], on_line)
    return _walks(bounds, laws, witnesses, plan, dict(zip(names, found["checks"], strict=True)), found)


def class_masks(bounds: Bounds) -> list[int]:
    """Return, for each word of a packed state, the bits that distinguish classes of states."""
    layout = _layout(bounds)
    masks = [0] * layout.words
    for slot in class_slots(initial_states(bounds)[0].slots(), bounds.system.state_class):
        if slot in layout.index:
            word, first, width = layout.bits(slot)
            masks[word] |= ((1 << width) - 1) << first
    return masks


def unpacked(bounds: Bounds, words: Sequence[int]) -> bytes:
    """Return the codes of a packed state."""
    layout = _layout(bounds)
    codes = bytearray(len(initial_states(bounds)[0].slots()))
    for slot in layout.index:
        word, first, width = layout.bits(slot)
        codes[slot] = words[word] >> first & (1 << width) - 1
    return bytes(codes)


def _layout(bounds: Bounds) -> Layout:
    return Layout(tuple(Place(slot.name, 0, slot.size) for slot in initial_states(bounds)[0].slots()))


def estimated(ranks: Sequence[int]) -> int:
    """
    Return how many distinct states left this number of registers at each rank.

    >>> estimated([16384]), estimated([16383, 1])
    (0, 1)
    """
    registers = sum(ranks)
    raw = (
        0.7213 / (1 + 1.079 / registers) * registers * registers / sum(n / (1 << rank) for rank, n in enumerate(ranks))
    )
    if raw <= 2.5 * registers and ranks[0]:  # few states: count the registers that none has hit
        raw = registers * log(registers / ranks[0])
    return round(raw)


def _pace(line: str) -> Pace:
    walk, steps, seconds = line.split()
    return Pace(int(walk), int(steps), float(seconds))


def _walks(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness],
    plan: Plan,
    checks: dict[str, dict[str, Any]],
    found: dict[str, Any],
) -> Walks:
    instances = actions(bounds)
    fired = {action.name: 0 for action in instances}
    for action, times in zip(instances, found["fired"], strict=True):
        fired[action.name] += times
    broken = {
        law.name: Broken(row["walk"], tuple(instances[number] for number in row["steps"]))
        for law in laws
        if (row := checks.get(law.name)) is not None and row["steps"] is not None
    }
    return Walks(
        plan,
        walks=found["walks"],
        steps=found["steps"],
        longest=found["longest"],
        terminal=found["terminal"],
        distinct=estimated(found["ranks"]),
        is_estimate=True,
        classes=found["classes"],
        are_classes_full=found["are classes full"],
        fired=fired,
        pairs=dict(zip(fired, found["pairs"], strict=True)),
        exercised={law.name: checks[law.name]["exercised"] if law.name in checks else 0 for law in laws},
        broken=broken,
        witnesses={w.name: w.name in checks and checks[w.name]["steps"] is not None for w in witnesses},
        last=tuple(instances[number] for number in found["last"]),
        state=unpacked(bounds, [int(word, 16) for word in found["state"]]),
        stopped=_stopped(found),
        seconds=found["seconds"],
        memory=found["peak"],
    )


def _stopped(found: dict[str, Any]) -> str:
    if found["stopped"]:
        return {"time": OUT_OF_TIME, "interrupted": "interrupted", "domain": OUTSIDE}[found["stopped"]]
    return beyond(found["bound"], found["bound step"]) if found["bound"] else ""
