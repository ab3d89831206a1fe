"""
The C engine compiles a traced model with the system's compiler, and searches it in a process of its own.

It visits states in the order of the native search and must find the same. It reports what it cannot do: a missing
compiler, a model that cannot be traced, a value outside its domain. Every counterexample is confirmed by the
native interpreter before anyone sees it.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any

from oneowner.checkers.engines.compile.program import Traced
from oneowner.checkers.engines.compile.watched import OUT_OF_MEMORY, OUT_OF_TIME, Stopped
from oneowner.checkers.engines.explore.building import Build
from oneowner.checkers.engines.explore.exploration import (
    NO_LIMITS,
    Exploration,
    LawResult,
    Limits,
    Progress,
    beyond_budget,
    budget_of_memory,
    preparing,
)
from oneowner.checkers.engines.explore.native import confirm
from oneowner.checkers.verdict import EngineError
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached
from oneowner.model.kernel.law import Law, Witness
from oneowner.model.kernel.system import actions

NONE = -1
"""The search's number for no limit."""


def explore_compiled(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    limits: Limits = NO_LIMITS,
    on_progress: Callable[[Progress], None] | None = None,
    threads: int | None = None,
    symmetry: tuple[str, ...] = (),
) -> Exploration:
    """
    Visit every state within *bounds*, as ``native.explore`` does; without limits, memory is the limit.

    The result does not depend on the number of *threads*, by default one per core. With *symmetry* of
    some kinds of things one state of each orbit is visited; raise Misuse if their symmetry cannot be proved.
    """
    return explore_build(Build(bounds, laws, witnesses, symmetry), stop_at, limits, on_progress, threads)


def explore_build(
    build: Build,
    stop_at: frozenset[str] = frozenset(),
    limits: Limits = NO_LIMITS,
    on_progress: Callable[[Progress], None] | None = None,
    threads: int | None = None,
    traced: Traced | None = None,
) -> Exploration:
    """Visit every state of a model as ``explore_compiled`` does; compile it from *traced* if it is not compiled yet."""
    started = time.monotonic()
    try:
        with preparing(limits, on_progress) as at:
            build.make(at, traced)
    except Stopped as budget:
        seconds = time.monotonic() - started
        return Exploration.unbegun(build.bounds, build.laws, build.witnesses, str(budget), seconds)
    state_laws, step_checks = build.checks
    ends = "".join("1" if name in stop_at else "0" for name in (*state_laws, *step_checks))
    within = limits.left(started)
    within = within._replace(bytes=budget_of_memory()) if limits.bytes is None else within
    numbers = [str(NONE if limit is None else limit) for limit in within]
    arguments = [str(build.program), *numbers, str(threads or cores()), ends]
    found = run(arguments, None if on_progress is None else lambda line: on_progress(_progress(line)))
    return _exploration(build, found)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(arguments: list[str], on_line: Callable[[str], None] | None) -> dict[str, Any]:
    """Run a compiled program and pass its lines of progress on; Ctrl-C makes it end and print its results."""
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        words = ""
        while True:
            try:
                for line in child.stderr:
                    if not line[:1].isdigit():
                        words = f": {line.strip()}"
                    elif on_line is not None:
                        on_line(line)
                out = child.stdout.read()
                break
            except KeyboardInterrupt:
                child.send_signal(signal.SIGINT)
            except BaseException:
                child.kill()
                raise
    if child.returncode:
        raise EngineError(f"the compiled search ended with code {child.returncode}{words}")
    found: dict[str, Any] = json.loads(out)
    return found


def _progress(line: str) -> Progress:
    distinct, transitions, depth, left, following, seconds, memory, rest = line.split()
    counts = (int(distinct), int(transitions), int(depth), int(left), int(following))
    return Progress(*counts, float(seconds), int(memory), float(rest))


def _exploration(build: Build, found: dict[str, Any]) -> Exploration:
    instances = actions(build.bounds)
    fired = {action.name: 0 for action in instances}
    for action, times in zip(instances, found["fired"], strict=True):
        fired[action.name] += times
    state_laws, step_checks = build.checks
    checks = dict(zip([*state_laws, *step_checks], found["checks"], strict=True))
    results = {}
    for law in build.laws:
        row = checks.get(law.name, {"exercised": 0, "steps": None, "perturbations": 0})
        steps = None if row["steps"] is None else _steps(build, instances, row)
        if steps is not None:
            confirm(build.bounds, law, steps)
        results[law.name] = LawResult(row["exercised"], steps, row["perturbations"] if steps is not None else 0)
    return Exploration(
        bounds=build.bounds,
        laws=results,
        fired=fired,
        witnesses={w.name: checks.get(w.name, {"steps": None})["steps"] is not None for w in build.witnesses},
        distinct=found["distinct"],
        transitions=found["transitions"],
        depth=found["depth"],
        terminal=found["terminal"],
        seconds=found["seconds"],
        finished=found["finished"] and not found["bound"],
        stopped=stopped(found),
        is_cut_short=found["stopped"] == "states",
        memory=found["peak"],
        missed=0.0 if found["exact"] else found["distinct"] ** 2 / 2.0**65,
        represented=found["represented"] if build.classes else None,
    )


def _steps(build: Build, instances: Sequence[Action], row: dict[str, Any]) -> tuple[Action, ...]:
    """Return the steps of a counterexample, by the names that things have in its first state."""
    named = {(action.name, action.arguments): action for action in instances}
    called = [list(same.members) for same in build.classes]
    sorts = build.bounds.system.sorts
    steps = []
    for at, number in enumerate(row["steps"]):
        action = instances[number]
        for same, names in zip(build.classes, called, strict=True):
            real = dict(zip(same.members, names, strict=True))
            arguments = [(key, real.get(value, value) if sorts.get(key) == same.kind else value)
                         for key, value in action.arguments]  # fmt: skip
            action = named[action.name, tuple(arguments)]
        steps.append(action)
        if build.classes:
            called = [[names[old] for old in new] for names, new in zip(called, row["names"][at], strict=True)]
    return tuple(steps)


def stopped(found: dict[str, Any]) -> str:
    """Return why a search did not visit everything, in words."""
    if found["stopped"] == "states":
        return beyond_budget(found["distinct"])
    if found["stopped"]:
        return _STOPPED[found["stopped"]]
    return f"{BoundReached(found['bound'])} at step {found['bound step']}" if found["bound"] else ""


_STOPPED = {
    "memory": OUT_OF_MEMORY,
    "time": OUT_OF_TIME,
    "interrupted": "interrupted",
    "domain": "a value leaves its domain, which compiled states cannot hold; --engine native shows it",
}
