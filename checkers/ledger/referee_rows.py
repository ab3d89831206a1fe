"""
What referees found of a family is kept in the user's cache: whoever was stopped goes on where that was.

It counts only while nothing changed that it depends on: the traced program, our engines and exports, what is pinned,
and which TLC and Spin there are. What did not agree, or could not be said, is found anew. The native interpreter alone
runs the functions of the model themselves: rows that were found by other sources of the same program say so.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from functools import cache as cached
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from oneowner.checkers import engines
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.explore.building import cache
from oneowner.checkers.ledger.program_digest import digest_of_program
from oneowner.checkers.verdict import Verdict
from oneowner.model import kernel
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.system import System


class Row(NamedTuple):
    """What one engine found of one family, and whether that is what the ledger pins."""

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
    """Whether it was found before."""
    has_other_sources: bool = False
    """Whether the sources of model and laws were others then, though the program was the same."""

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


def kept_rows(family: Family, referees: Sequence[str]) -> tuple[Row, ...]:
    """Return what is kept of a family; nothing if there is none. *referees* names the programs that are not ours."""
    try:
        found = json.loads(_place(family, referees).read_text(encoding="utf-8"))
        is_other = found["sources"] != _of_sources(family.system)
        rows = [Row(*row)._replace(is_kept=True, has_other_sources=is_other) for row in found["rows"]]
        return tuple(row._replace(verdict=Verdict(row.verdict)) for row in rows)
    except (OSError, ValueError, TypeError, KeyError):  # not there, or not whole
        return ()


def keep(family: Family, referees: Sequence[str], rows: Sequence[Row]) -> None:
    """Keep what was found of a family, if all agree; a cache that cannot be used is none."""
    if any(row.verdict != Verdict.VALID for row in rows):
        return
    path = _place(family, referees)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump({"sources": _of_sources(family.system), "rows": rows}, stream)
        os.replace(temporary, path)  # as a whole: several processes may do so at once
    except OSError:
        pass


def _place(family: Family, referees: Sequence[str]) -> Path:
    counts = family.full_name, family.states, family.transitions, family.depth
    verdicts = sorted((law, verdict.value) for law, verdict in family.laws.items())
    by = (repr((counts, verdicts)), _program_of(family.bounds), _of_engines(), *referees)
    return cache() / "referee" / f"{_number(*by)[:32]}.json"


@lru_cache(maxsize=1)  # what is looked for is kept a moment later
def _program_of(bounds: Bounds) -> str:
    """Return a number of the program that all engines but the native interpreter are given."""
    return digest_of_program(trace(bounds, bounds.system.laws, bounds.system.witnesses))


@cached
def _of_sources(system: System) -> str:
    """Return a number of the sources of a model and its laws: what the native interpreter runs."""
    return _number(*(Path(str(module.__file__)).read_text(encoding="utf-8") for module in system.modules))


@cached
def _of_engines() -> str:
    """Return a number of the language of models, of the engines that referee, and of what exports to the others."""
    folder = Path(str(engines.__file__)).parent
    names = ("family_export.py", "program_digest.py", "referee.py", "spin.py")
    exports = [folder.parent / "ledger" / name for name in names]
    ours = sorted(path for room in ("compile", "explore") for path in (folder / room).glob("*.[pch]*"))
    language = sorted(Path(str(kernel.__file__)).parent.glob("*.py"))
    return _number(*(path.read_text(encoding="utf-8") for path in (*language, *ours, *exports)))


def _number(*texts: str) -> str:
    """Return a number of these texts, in hexadecimal digits."""
    return hashlib.sha256(repr(texts).encode()).hexdigest()
