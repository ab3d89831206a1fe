"""
Results of referees for a family are kept in the user's cache, so that an interrupted run can continue.

A row counts only while nothing changed that it depends on: the traced program, the pins, the sources of its engine
or export, and the TLC or Spin in use. Disagreements and unknown results are computed again. The native interpreter
alone runs the functions of the model themselves: its row records if they were others of the same program.
"""

import ast
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from functools import cache as cached
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.ledger import spin, tlc
from oneowner.checkers.ledger.program_digest import digest_of_program
from oneowner.checkers.native_code import cache
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.system import System

CHECKERS = PACKAGE / "checkers"
ALIKE = [
    CHECKERS / name
    for name in (
        "engines/explore/engine_choice.py",
        "ledger/family_export.py",
        "ledger/program_digest.py",
        "ledger/referee.py",
    )
]
"""The dependencies of all rows."""
RUN_BY = {
    engine: [CHECKERS / f"{name}.py" for name in names]
    for engine, names in {
        "c": ["engines/explore/compiled"],
        "python": ["engines/explore/generated"],
        "native": ["engines/explore/native"],
        "tlc": ["engines/compile/tla", "ledger/tlc"],
        "spin": ["engines/compile/promela", "ledger/spin"],
    }.items()
}
"""The modules that run an engine, or write a model for it."""
VERSIONS = {"tlc": tlc.version, "spin": spin.version}
"""Foreign programs by the functions that return their versions."""


class Row(NamedTuple):
    """The result of one engine for one family, and its agreement with the ledger's pin."""

    family: str
    engine: str
    distinct: int
    transitions: int
    depth: int | None
    """None for a search that is not breadth first."""
    seconds: float
    verdict: Verdict
    words: str = ""
    is_kept: bool = False
    """True if it was found before."""
    has_other_sources: bool = False
    """True if the sources of model and laws were others then, though the program was the same."""

    def as_json(self) -> dict[str, Any]:
        """Return the keys of ``result.schema.json``."""
        return {
            "kind": "referee",
            "name": f"{self.family} by {self.engine}",
            "expected": Verdict.VALID.value,
            "verdict": self.verdict.value,
            "ok": self.verdict == Verdict.VALID,
            "seconds": round(self.seconds, 1),
        }


def kept_row(family: Family, engine: str) -> Row | None:
    """Return the kept result of a family by an engine, if there is one."""
    try:
        found = json.loads(_place(family, engine).read_text(encoding="utf-8"))
        row = Row(*found["row"])
        is_other = _engine(engine) == "native" and found["sources"] != _of_model(family.system)
        return row._replace(verdict=Verdict(row.verdict), is_kept=True, has_other_sources=is_other)
    except (OSError, ValueError, TypeError, KeyError):  # not there, or not whole
        return None


def keep(family: Family, row: Row) -> None:
    """Keep what an engine found of a family, if it agrees; a cache that cannot be used is none."""
    if row.verdict != Verdict.VALID:
        return
    path = _place(family, row.engine)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump({"sources": _of_model(family.system), "row": row}, stream)
        os.replace(temporary, path)  # as a whole: several processes may do so at once
    except OSError:
        pass


def _engine(name: str) -> str:
    """
    Return which engine it is, however much it visits.

    >>> _engine("c, 2 threads"), _engine("tlc")
    ('c', 'tlc')
    """
    return name.split(",", maxsplit=1)[0]


def _place(family: Family, engine: str) -> Path:
    counts = family.full_name, family.states, family.transitions, family.depth
    verdicts = sorted((law, verdict.value) for law, verdict in family.laws.items())
    version = VERSIONS[_engine(engine)]() if _engine(engine) in VERSIONS else ""
    by = repr((engine, counts, verdicts)), _program_of(family.bounds), of_engine(_engine(engine)), version
    return cache() / "referee" / f"{_number(*by)[:32]}.json"


@lru_cache(maxsize=1)  # one engine is asked after the other
def _program_of(bounds: Bounds) -> str:
    """Return a number of the program that all engines but the native interpreter are given."""
    return digest_of_program(trace(bounds, bounds.system.laws, bounds.system.witnesses))


@cached
def _of_model(system: System) -> str:
    """Return a digest of the sources of a model and its laws, which the native interpreter runs."""
    return _number(*(Path(str(module.__file__)).read_text(encoding="utf-8") for module in system.modules))


@cached
def of_engine(engine: str) -> str:
    """Return a number of the sources of an engine, or of an export: its module, and all of ours that it imports."""
    modules = {*ALIKE, *imported(RUN_BY[engine])}
    programs = sorted((CHECKERS / "engines" / "explore").glob("*.[ch]")) if engine == "c" else []
    return _number(*(path.read_text(encoding="utf-8") for path in (*sorted(modules), *programs)))


def imported(paths: Iterable[Path]) -> set[Path]:
    """Return these modules with all of ours that they import, and that those import."""
    found: set[Path] = set()
    waiting = list(paths)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("oneowner."):
                names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
                places = [PACKAGE / Path(*name.split(".")[1:]) for name in names]
                waiting += [
                    at for place in places for at in (place.with_suffix(".py"), place / "__init__.py") if at.is_file()
                ]
    return found


def _number(*texts: str) -> str:
    """Return a number of these texts, in hexadecimal digits."""
    return hashlib.sha256(repr(texts).encode()).hexdigest()
