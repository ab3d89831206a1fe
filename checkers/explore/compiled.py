"""
The C engine: a traced model, compiled by the system's compiler, searched in a process of its own.

It visits states in the order of the native search and must find the same. What it cannot do it says: a missing
compiler, a model that cannot be traced, a value outside its domain. Every counterexample is confirmed by the
native interpreter before anyone sees it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from checkers.compile.c import checks_of, emit
from checkers.compile.program import Program, trace
from checkers.explore.exploration import OUT_OF_MEMORY, OUT_OF_TIME, Exploration, LawResult, Progress, beyond_budget
from checkers.explore.native import confirm
from checkers.verdict import EngineError, Misuse
from model.guards import BoundReached
from model.system import Bounds, actions
from spec.property import Law, Witness

ROOT = Path(__file__).resolve().parent.parent.parent
SEARCH = Path(__file__).with_name("search.c")
FLAGS = ("-O1", "-w", "-pthread")
"""-O2 takes twice as long to compile and searches no faster: the time goes to memory."""
HINT = "sudo apt-get install gcc"
SHARE_OF_MEMORY = 0.6
"""How much of the memory that is free a search may take unless the caller says otherwise."""


def compiler() -> str | None:
    """Return the C compiler of this machine, if there is one."""
    return shutil.which(os.environ.get("CC", "cc"))


def explore_compiled(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    max_states: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    max_bytes: int | None = None,
    max_seconds: float | None = None,
    threads: int | None = None,
    max_perturbations: int | None = None,
) -> Exploration:
    """
    Visit every state within *bounds*, as ``native.explore`` does; without limits, memory is the limit.

    What is found does not depend on the number of *threads*: unless told otherwise, one per core.
    """
    program, state_laws, step_checks = built(bounds, laws, witnesses)
    ends = "".join("1" if name in stop_at else "0" for name in (*state_laws, *step_checks))
    perturbations = -1 if max_perturbations is None else max_perturbations
    limits = (max_states or 0, max_bytes or budget_of_memory(), max_seconds or 0, perturbations)
    arguments = [str(program), *map(str, limits), str(threads or cores()), ends]
    found = run(arguments, None if on_progress is None else lambda line: on_progress(_progress(line)))
    return _exploration(bounds, laws, witnesses, [*state_laws, *step_checks], found)


def built(
    bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness], source: Path = SEARCH
) -> tuple[Path, list[str], list[str]]:
    """Return *source* compiled for a model, and the names of its checks; made once and kept in the user's cache."""
    found = compiler()
    if found is None:
        raise Misuse(f"no C compiler is found; {HINT}, or use --engine native")
    folder = _folder(found, bounds, laws, witnesses, source)
    program, names = folder / "search", folder / "names.json"
    if not program.exists():
        model = trace(bounds, laws, witnesses)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _compile(found, model, folder, source)
        except OSError as error:
            raise Misuse(f"{folder}: cannot be written: {error.strerror}; XDG_CACHE_HOME names another place") from None
    state_laws, step_checks = json.loads(names.read_text(encoding="utf-8"))
    return program, state_laws, step_checks


def _compile(by: str, model: Program, folder: Path, source: Path) -> None:
    """Write names.json and search into *folder*, each as a whole: several processes may do so at once."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        header, names, made = (Path(place, name) for name in ("model.h", "names.json", "search"))
        header.write_text(emit(model), encoding="utf-8")
        names.write_text(json.dumps(checks_of(model)), encoding="utf-8")
        command = [by, *FLAGS, f'-DMODEL="{header}"', str(source), "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise EngineError(f"the C compiler refuses the model: {' '.join(done.stderr.split())[:500]}")
        for path in (names, made):  # the program last: it says that all is there
            os.replace(path, folder / path.name)


def is_built(bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness]) -> bool:
    """Say whether the search for a model is compiled already."""
    found = compiler()
    return found is not None and (_folder(found, bounds, laws, witnesses) / "search").exists()


def cache() -> Path:
    """Return the folder where compiled searches are kept; it can be deleted at any time."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "oneowner"


def _folder(
    compiled_by: str, bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness], source: Path = SEARCH
) -> Path:
    """Return the place of a compiled search, named by all that shapes it: our source, the compiler, what is asked."""
    digest = hashlib.sha256()
    sources = [path for room in ("model", "spec", "checkers/compile") for path in sorted((ROOT / room).rglob("*.py"))]
    for path in (*sources, *sorted(source.parent.glob("*.h")), source):
        digest.update(path.read_bytes())
    by = Path(compiled_by).resolve()
    digest.update(f"{by}{by.stat().st_mtime}".encode())
    asked = [(part.name, *map(_identity, _functions(part))) for part in (*laws, *witnesses)]
    digest.update(repr((bounds, asked, FLAGS)).encode())
    return cache() / digest.hexdigest()[:32]


def _functions(part: Law | Witness) -> list[Callable[..., bool]]:
    return [part.reached] if isinstance(part, Witness) else [part.when, part.holds]


def _identity(function: Callable[..., bool]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def budget_of_memory() -> int:
    """Return how many bytes a search may take: a share of what is free."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
    except OSError:  # not Linux
        pass
    return int(free * SHARE_OF_MEMORY)


def run(arguments: list[str], on_line: Callable[[str], None] | None) -> dict[str, Any]:
    """Run a compiled program, pass its lines of progress on; Ctrl-C asks it to end and to say what it saw."""
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


def _exploration(
    bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness], names: list[str], found: dict[str, Any]
) -> Exploration:
    instances = actions(bounds)
    fired = {action.name: 0 for action in instances}
    for action, times in zip(instances, found["fired"], strict=True):
        fired[action.name] += times
    checks = dict(zip(names, found["checks"], strict=True))
    results = {}
    for law in laws:
        row = checks.get(law.name, {"exercised": 0, "steps": None, "perturbations": 0})
        steps = None if row["steps"] is None else tuple(instances[number] for number in row["steps"])
        if steps is not None:
            confirm(bounds, law, steps)
        results[law.name] = LawResult(row["exercised"], steps, row["perturbations"] if steps is not None else 0)
    return Exploration(
        bounds=bounds,
        laws=results,
        fired=fired,
        witnesses={w.name: checks.get(w.name, {"steps": None})["steps"] is not None for w in witnesses},
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
    )


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
