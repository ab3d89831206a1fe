"""
The expected results of a recorded run: ``expectation.yaml`` beside it, compared in every part.

It pins the verdict, the reasons word for word (a row that expects "unknown" without a reason could not fail), every
law and report with the number of its occasions, the refusals by rule, and every finding.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from oneowner.checkers import places
from oneowner.checkers.documents import Document, read_document
from oneowner.checkers.ledger.blessings import FILE as BLESSED
from oneowner.checkers.ledger.pin_edit import rewritten
from oneowner.checkers.ledger.pinned import Claim, Effort, Outcome, Pins, parts_changed, verdicts_in
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.verdict import Misuse, Verdict

RUNS = places.RUNS
FILE = "expectation.yaml"
REASON = "reason"
_KEYS = ("verdict", "reasons", "events", "accepted", "refusals", "laws", "reports", "findings")


def some(paths: Iterable[Path], place: Path) -> list[Path]:
    """Return *paths* in order; raise Misuse if there are none, for a gate that checks nothing is no gate."""
    found = sorted(paths)
    if not found:
        raise Misuse(f"{place}: nothing to check; run it in a checkout of the project, or pip install -e one")
    return found


def recordings() -> list[Path]:
    """Return the folders of the recorded runs."""
    return some((path for path in RUNS.glob("*") if path.is_dir()), RUNS)


class Recorded(NamedTuple):
    """A recorded run, and its pin, if any."""

    path: Path
    pinned: dict[str, Any] | None


def rows_in(document: Document) -> dict[str, Recorded]:
    """Return the run beside an expectation, which may be empty; raise Misuse if it lacks something."""
    path, data = document.path.parent, document.data
    if data is not None and (not isinstance(data, dict) or tuple(key for key in data if key != REASON) != _KEYS):
        raise document.refuse(f"an expectation has the keys {', '.join(_KEYS)}")
    return {path.name: Recorded(path, data)}


def observed(run: Path, judgement: Judgement) -> dict[str, Any]:
    """Return the results of an audit of *run*, as an expectation pins them: without laws that had no occasion."""
    result = judgement.runs[0]
    findings = [" ".join(map(str, identity(finding))) for finding in judgement.findings()]
    return {
        "verdict": result.verdict.value,
        "reasons": [reason.replace(str(run), run.name) for reason in result.reasons],
        "events": result.tally.events,
        "accepted": result.tally.accepted,
        "refusals": dict(sorted(result.tally.refused.items())),
        "laws": {row.law: f"{row.verdict}, exercised {row.exercised}" for row in result.laws if row.exercised},
        "reports": {law: number for law, number in dict(result.reports).items() if number},
        "findings": findings,
    }


def identity(finding: dict[str, Any]) -> tuple[Any, ...]:
    """Return the identity of a finding in pins: its record, or else its line."""
    at = finding["at"]
    return (
        finding["law"],
        finding["severity"],
        finding["unit"],
        at["messageId"] or f"{Path(at['file']).name}:{at['line']}",
    )


def find(row: Recorded, effort: Effort) -> tuple[str, dict[str, Any]]:
    """Audit a run inline; return its verdict, and the results to be pinned."""
    result, judgement, _ = audit([str(row.path)], Options(), "inline", None)
    list(result.findings)
    return result.verdict.value, observed(row.path, judgement)


def compare(row: Recorded, found: tuple[str, dict[str, Any]]) -> Outcome:
    """Return one line for every part of a run that is not as expected."""
    verdict, parts = found
    pins = row.pinned or {}
    differences = [
        f"{key} are {parts[key]}, but {FILE} pins {pins.get(key)}" for key in _KEYS if parts[key] != pins.get(key)
    ]
    return Outcome(pins.get("verdict", "pinned"), verdict, differences)


def check(name: str, profile: str) -> Outcome:
    """Audit the run in a folder of the recordings, and compare with the pins beside it."""
    (row,) = rows_in(read_document(RUNS / name / FILE)).values()
    return compare(row, find(row, Effort(profile)))


def written(path: Path, text: str, row: Recorded, found: tuple[str, dict[str, Any]]) -> str:
    """Return the text with everything that was found of a run."""
    reasons = {REASON: row.pinned[REASON]} if row.pinned and REASON in row.pinned else {}
    return rewritten(text, {**found[1], **reasons})


def first_pinned(path: Path) -> tuple[str, list[str]]:
    """Audit a new recording, pin what is found beside it; return the verdict, and the laws that keep it from valid."""
    row = Recorded(path, None)
    verdict, parts = found = find(row, Effort("pr"))
    (path / FILE).write_text(written(path / FILE, "", row, found), encoding="utf-8")
    reasons = " ".join(parts["reasons"])
    laws = [
        law
        for law, words in parts["laws"].items()
        if words.startswith(Verdict.INVALID) or (words.startswith(Verdict.UNKNOWN) and law in reasons)
    ]
    return verdict, laws


def claims(document: Document) -> Iterator[Claim]:
    """Yield the verdict of a run and of every law."""
    if document.data is not None:
        laws = {law: words.partition(",")[0] for law, words in document.data["laws"].items()}
        yield from verdicts_in((), document.path.parent.name, {"verdict": document.data["verdict"], **laws})


def changes(row: Recorded, found: tuple[str, dict[str, Any]]) -> list[str]:
    """Return every part that is not as pinned, or that the run is pinned for the first time."""
    pins = {key: value for key, value in (row.pinned or {}).items() if key != REASON}
    return list(parts_changed(pins, found[1])) if pins else ["first pinned"]


RECORDINGS = Pins(
    files=lambda: {path.name: path / FILE for path in recordings()},
    rows_in=rows_in,
    find=find,
    compare=compare,
    written=written,
    claims=claims,
    changes=changes,
    words=lambda row: RUNS / BLESSED,
)
