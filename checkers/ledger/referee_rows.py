"""
What referees found of a family is kept in the user's cache: whoever was stopped goes on where that was.

It counts only while nothing changed that it depends on: the model, its laws, our engines and exports, what is pinned,
and which TLC and Spin there are. What did not agree, or could not be said, is found anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from functools import cache as cached
from pathlib import Path
from typing import Any, NamedTuple

from oneowner.checkers import engines
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.engines.explore.building import cache, digest_of
from oneowner.checkers.verdict import Verdict


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
        rows = json.loads(_place(family, referees).read_text(encoding="utf-8"))
        return tuple(Row(*row)._replace(verdict=Verdict(row[6]), is_kept=True) for row in rows)
    except (OSError, ValueError, TypeError, IndexError):  # not there, or not whole
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
            json.dump(rows, stream)
        os.replace(temporary, path)  # as a whole: several processes may do so at once
    except OSError:
        pass


def _place(family: Family, referees: Sequence[str]) -> Path:
    pinned = (family.full_name, family.states, family.transitions, family.depth)
    asked = (*family.system.laws, *family.system.witnesses)
    digest = digest_of(family.bounds, asked, (repr(pinned), _of_engines(), *referees))
    return cache() / "referee" / f"{digest[:32]}.json"


@cached
def _of_engines() -> str:
    """Return a number, in hexadecimal digits, of the engines that referee and of what exports a model to the others."""
    folder = Path(str(engines.__file__)).parent
    exports = [folder.parent / "ledger" / name for name in ("family_export.py", "referee.py", "spin.py")]
    ours = sorted(path for room in ("compile", "explore") for path in (folder / room).glob("*.[pch]*"))
    digest = hashlib.sha256()
    for path in (*ours, *exports):
        digest.update(path.read_bytes())
    return digest.hexdigest()
