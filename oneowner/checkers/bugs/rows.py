"""Known bugs and matches as rows of the JSON."""

from collections.abc import Iterable
from typing import Any

from oneowner.checkers.bugs.answer import Suspect
from oneowner.checkers.bugs.known_bugs import KnownBug
from oneowner.checkers.bugs.page import filled


def row_of(bug: KnownBug) -> dict[str, Any]:
    """Return a bug as a row."""
    return {
        "name": bug.name,
        "title": bug.title,
        "upstream": list(bug.issues),
        "status": bug.status,
        "since": [] if bug.releases is None else list(bug.releases.since),
        "fixed_in": [] if bug.releases is None else list(bug.releases.fixed_in),
        "do": bug.advice,
        "collect": bug.collect,
    }


def rows_of(suspects: Iterable[Suspect]) -> list[dict[str, Any]]:
    """Return the bugs that a text looks like as rows, with the lines that match."""
    return [
        {
            **row_of(one.bug),
            "sure": one.match.signature.sure.value,
            "why": filled(one.match.signature.why, one.match.values),
            "lines": [
                {"file": hit.event.file, "line": hit.event.number, "text": hit.event.lines[0].strip()}
                for hit in one.match.hits
            ],
            "occurrences": one.match.occurrences,
            "affects": dict(one.affects),
        }
        for one in suspects
    ]
