"""
What a recorded run is expected to show: ``expectation.yaml`` beside it, compared in every part.

It pins the verdict, the reasons word for word (a row that expects "unknown" without saying why could not fail),
every law and report with how often it had occasion, the refusals by rule, and every finding.

``python -m oneowner.checkers.ledger.recording_pins FOLDER`` prints such a file for a run.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from oneowner.checkers.documents import read_document, write_document
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.recordings.judge.judgement import Judgement

FILE = "expectation.yaml"
_KEYS = ("verdict", "reasons", "events", "accepted", "refusals", "laws", "reports", "findings")


def expectation_of(run: Path) -> dict[str, Any]:
    """Return what is pinned for *run*; raise Misuse if there is no such file or it lacks something."""
    document = read_document(run / FILE)
    if not isinstance(document.data, dict) or tuple(document.data) != _KEYS:
        raise document.refuse(f"an expectation has the keys {', '.join(_KEYS)}")
    return document.data


def observed(run: Path, judgement: Judgement) -> dict[str, Any]:
    """Return what an audit of *run* found, in the shape of an expectation."""
    result = judgement.runs[0]
    findings = [" ".join(map(str, identity(finding))) for finding in judgement.findings()]
    return {
        "verdict": result.verdict.value,
        "reasons": [reason.replace(str(run), run.name) for reason in result.reasons],
        "events": result.tally.events,
        "accepted": result.tally.accepted,
        "refusals": dict(sorted(result.tally.refused.items())),
        "laws": {row.law: f"{row.verdict}, exercised {row.exercised}" for row in result.laws},
        "reports": dict(result.reports),
        "findings": findings,
    }


def identity(finding: dict[str, Any]) -> tuple[Any, ...]:
    """Return what a finding is pinned by: its record, or else the line where it stands."""
    at = finding["at"]
    return (
        finding["law"],
        finding["severity"],
        finding["unit"],
        at["messageId"] or f"{Path(at['file']).name}:{at['line']}",
    )


def compare(expectation: dict[str, Any], run: Path, judgement: Judgement) -> list[str]:
    """Return one line for every part of *run* that is not as expected."""
    found = observed(run, judgement)
    return [
        f"{key} are {found[key]}, but {FILE} pins {expectation[key]}" for key in _KEYS if found[key] != expectation[key]
    ]


def main(run: Path) -> None:
    """Print an expectation file that pins what an audit of *run* finds now."""
    _, judgement, _ = audit([str(run)], Options(), "inline", None)
    sys.stdout.write(write_document(observed(run, judgement), flow=False))


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("usage: python -m oneowner.checkers.ledger.recording_pins FOLDER, a folder with a recorded run")
    main(Path(sys.argv[1]))
