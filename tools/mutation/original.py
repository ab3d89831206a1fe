"""
The results of the rows for the model as it is, to compare with: measured once, and kept in the cache.

For every row its lines and its duration; for a traced one also the fingerprints of its parts.
"""

import json
import multiprocessing
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from oneowner.checkers.engines.compile.program import Program, trace
from oneowner.checkers.native_code import cache
from tools.mutation.likeness import Fingerprints, digest
from tools.mutation.mutants import MODEL, ROOT
from tools.mutation.places import Places, noted
from tools.mutation.rows import Row, Sort, asked, asked_of_runs, bounds_of, cost_of, explored, laws_of, rows

WORKERS = 2


@dataclass(frozen=True, slots=True)
class Shown:
    """The results of one row for the model as it is."""

    sort: str
    name: str
    cost: float
    """About how many seconds it takes, by its size: the same on every machine."""
    places: Places
    """The lines that it reaches; not noted of a traced one, whose functions suffice (``reach``)."""
    actions: dict[str, str] = field(default_factory=dict)
    laws: str = ""

    @property
    def row(self) -> Row:
        return Row(Sort(self.sort), self.name)


def shown(row: Row, files: Sequence[str]) -> Shown:
    """Look at one row; raise ValueError if one that is not traced is not as pinned."""
    room, among = MODEL, frozenset(files)
    places: Places = {}
    if row.sort == Sort.LOGS:  # to look at it takes long; it comes by all that the laws of logs call
        places = {file: list(range(1, 1000)) for file in ("compaction.py", "resolver.py") if file in among}
        return Shown(row.sort, row.name, cost_of(row), places)
    if not row.is_traced:
        with noted(room, among, places):
            words = asked(row)
        if words:
            raise ValueError(f"{row} is not as pinned, before any mutant: {words}")
        return Shown(row.sort, row.name, cost_of(row), places)
    laws, witnesses = laws_of(row)
    found = fingerprints(row, trace(bounds_of(row), laws, witnesses))
    return Shown(row.sort, row.name, cost_of(row), {}, *found)


def fingerprints(row: Row, program: Program) -> tuple[dict[str, str], str]:
    """Return the fingerprints of a traced row: of its actions, and of all that is asked of states, steps and runs."""
    of = Fingerprints()
    laws, runs = of.of_laws(program), asked_of_runs(row)
    more = of.of_laws(trace(bounds_of(row), runs, [], like=lambda: program)) if runs else ""
    return of.of_actions(program), digest([laws, more])


def original(files: Sequence[str]) -> list[Shown]:
    """Return the results of every row, the cheapest first; they are kept in the cache."""
    path = kept_at(files)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        known = {one.row for one in read(unfinished)} if unfinished.exists() else set()
        waiting = [row for row in rows() if row not in known]
        context = multiprocessing.get_context("spawn")
        with context.Pool(WORKERS) as pool, unfinished.open("a", encoding="utf-8") as stream:
            for number, one in enumerate(pool.imap_unordered(partial(shown, files=files), waiting), 1):
                stream.write(json.dumps(asdict(one)) + "\n")
                stream.flush()
                sys.stderr.write(f"the model as it is: {number} of {len(waiting)} rows, {one.row}\n")
        unfinished.replace(path)
    return read(path)


def graph_of(row: Row, files: Sequence[str]) -> str:
    """Return the fingerprint of the whole graph of a traced row of the model as it is; it is kept in the cache."""
    path = kept_at(files).with_suffix("") / f"{digest([str(row)])}.txt"
    if not path.exists():
        words, graph = explored(row, trace(bounds_of(row), *laws_of(row)))
        if words:
            raise ValueError(f"{row} is not as pinned, before any mutant: {words}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(graph, encoding="utf-8")
    return path.read_text(encoding="utf-8")


def read(path: Path) -> list[Shown]:
    """Return the kept results, the cheapest row first."""
    found = [Shown(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return sorted(found, key=lambda one: (one.cost, one.name))


def kept_at(files: Sequence[str]) -> Path:
    """Return where it is kept, by all that shapes it."""
    rooms = sorted((ROOT / "oneowner").rglob("*.py"))
    data = [
        path for room in ("oneowner/spec", "traces/counterexamples") for path in sorted((ROOT / room).rglob("*.yaml"))
    ]
    own = [Path(__file__).with_name(name) for name in ("rows.py", "likeness.py", "places.py", "original.py")]
    texts = [path.read_text(encoding="utf-8") for path in (*rooms, *data, *own)]
    return cache() / "mutation" / f"{digest([*files, *texts])}.json"
