"""
Evidence is monotone: no subset of a recording's files contradicts the whole, but for the table in ``monotone.yaml``.

A row of the table gives a reason, the kind of contradiction, and the subsets of each recording. A contradiction that no
row covers fails, and so does a recording of a row in which none is left.
"""

from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from oneowner.checkers.yaml_text import data_of
from tests.recordings.dumps import REAL
from tests.recordings.judge.contradictions import NEAR, QUIET, SAME_END, SESSION, Contradiction, Json, contradictions
from tests.recordings.judge.subsets import Files, files_of, subsets, write
from tools.random_recordings.judged import silently

LEFT: list[dict[str, Any]] = data_of((Path(__file__).parent / "monotone.yaml").read_text(encoding="utf-8"))
"""The contradictions that are left, by their reason."""
RECORDINGS = sorted(folder for folder in REAL.iterdir() if folder.is_dir())
QUICK = ("healthy", "quick-restart", "split-crash", "locks-resumed-owner", "forced-free")
CORE = (
    "without channel", "without ZooKeeper", "without logs", "without clients, look-ups and polls", "logs alone",
    "logs alone, INFO", "logs and channel", "channel alone", "of logs, broker-1.log alone",
)  # fmt: skip
"""The recordings and subsets that are tried with every change."""


def audited(name: str, files: Files) -> Json:
    """Return the JSON result of an audit of *files*."""
    with TemporaryDirectory() as folder:
        return silently("audit", write(Path(folder) / name, files)).json


@cache
def given(recording: Path) -> tuple[Json, dict[str, Files]]:
    """Return the audit of a whole recording, and its subsets."""
    files = files_of(recording)
    return audited(recording.name, files), subsets(files)


def found(recording: Path, names: tuple[str, ...] | None = None) -> dict[tuple[str, str, str], str]:
    """Return the contradictions of the subsets that are named, or of all: subset, kind and subject, with the words."""
    whole, parts = given(recording)
    return {
        (name, one.kind, one.what): one.words
        for name, files in parts.items()
        if names is None or name in names
        for one in contradictions(whole, audited(recording.name, files))
    }


def covers(row: dict[str, Any], recording: str, one: tuple[str, str, str]) -> bool:
    """Return whether a row of the table gives the reason for a contradiction."""
    subset, *about = one
    return [row["kind"], row["what"]] == about and any(fnmatch(subset, name) for name in row["left"].get(recording, ()))


def unexplained(recording: Path, contradicting: dict[tuple[str, str, str], str]) -> dict[tuple[str, str, str], str]:
    """Return the contradictions without a reason in the table."""
    return {
        one: words for one, words in contradicting.items() if not any(covers(row, recording.name, one) for row in LEFT)
    }


@pytest.mark.parametrize("name", QUICK)
def test_less_evidence_does_not_contradict_the_whole(name: str) -> None:
    assert not unexplained(REAL / name, found(REAL / name, CORE))


@pytest.mark.slow
@pytest.mark.parametrize("recording", RECORDINGS, ids=[recording.name for recording in RECORDINGS])
def test_no_subset_contradicts_the_whole_but_as_the_table_has_it(recording: Path) -> None:
    left = found(recording)
    assert not unexplained(recording, left)
    rows = [row for row in LEFT if recording.name in row["left"]]
    assert all(any(covers(row, recording.name, one) for one in left) for row in rows), "a row without a contradiction"


def test_rows_of_the_table_give_a_reason_for_recordings_that_there_are() -> None:
    assert all(row["reason"].endswith(".") for row in LEFT)
    assert {name for row in LEFT for name in row["left"]} <= {recording.name for recording in RECORDINGS}


# ---- what a contradiction is ----

DIED = {"kind": "process that died", "what": "b1 died", "brokers": ["b1"], "time": 100_000}
SILENT = {**DIED, "kind": "silent process", "what": "b1 was silent for 5 s, and its log does not show which"}
STOOD_STILL = {**SILENT, "what": "b1 stood still for 5 s"}
CUT = {"kind": "lost session", "what": "b1 lost its session", "brokers": ["b1"], "time": 100_000}
UNKNOWN = {**DIED, "kind": "unit-is-available: no cause is known", "finding": 0}
ACCUSED: Json = {
    "law": "dual-serving", "severity": "violation", "unit": "a/b/0x0", "brokers": ["b1"], "why": "two served",
    "at": {"time": 100_000}, "window": {"since": 100_000, "until": 120_000},
}  # fmt: skip


def incident(root: Json, *along: Json, ended: str = "over", to: int | None = 150_000, **more: Any) -> Json:
    return {"root": root, "along": along, "ended": ended, "to": to, "harm": "clients could not use", **more}


def result(*parts: Json, verdict: str = "unknown") -> Json:
    incidents, findings = [one for one in parts if "root" in one], [one for one in parts if "law" in one]
    return {"verdict": verdict, "findings": findings, "incidents": incidents}


def later(root: Json, by: int) -> Json:
    return {**root, "time": root["time"] + by}


CONTRADICT: dict[str, tuple[Json, Json, tuple[str, str]]] = {
    "valid against invalid": (result(verdict="invalid"), result(verdict="valid"), ("verdict", "valid")),
    "invalid against valid": (result(verdict="valid"), result(verdict="invalid"), ("verdict", "invalid")),
    "accusation that the whole takes back": (result(), result(ACCUSED), ("accusation", "dual-serving of a/b/0x0")),
    "accusation that is a warning in the whole":
        (result({**ACCUSED, "severity": "warning"}), result(ACCUSED), ("accusation", "dual-serving of a/b/0x0")),
    "accusation of another law": (
        result({**ACCUSED, "law": "owner-answers"}), result(ACCUSED), ("accusation", "dual-serving of a/b/0x0")
    ),
    "accusation of another broker and unit": (
        result({**ACCUSED, "unit": "a/b/0x1", "brokers": ["b2"]}), result(ACCUSED),
        ("accusation", "dual-serving of a/b/0x0"),
    ),
    "accusation of another time": (
        result({**ACCUSED, "unit": "a/b/0x1", "window": {"since": 120_001 + NEAR, "until": None}}), result(ACCUSED),
        ("accusation", "dual-serving of a/b/0x0"),
    ),
    "root that the whole does not have": (result(), result(incident(DIED)), ("root", "process that died")),
    "root of another kind": (result(incident(CUT)), result(incident(DIED)), ("root", "process that died")),
    "root of another broker":
        (result(incident({**CUT, "what": "b2", "brokers": []})), result(incident(CUT)), ("root", "lost session")),
    "root of another time":
        (result(incident(later(CUT, SESSION + 1))), result(incident(CUT)), ("root", "lost session")),
    "death long before the last sign of life":
        (result(incident(later(DIED, QUIET + 1))), result(incident(DIED)), ("root", "process that died")),
    "death that the whole shows to be a pause":
        (result(incident(STOOD_STILL)), result(incident(DIED)), ("root", "process that died")),
    "pause that the whole shows to be a death":
        (result(incident(DIED)), result(incident(STOOD_STILL)), ("root", "silent process")),
    "other end": (
        result(incident(CUT)), result(incident(CUT, to=150_001 + SAME_END)), ("end", "lost session")
    ),
    "end of what lasts":
        (result(incident(CUT, ended="lasts", to=None)), result(incident(CUT)), ("end", "lost session")),
    "what lasts, and is over": (
        result(incident(CUT)), result(incident(CUT, ended="lasts", to=None)), ("end", "lost session")
    ),
}  # fmt: skip


@pytest.mark.parametrize(("whole", "part", "expected"), CONTRADICT.values(), ids=CONTRADICT)
def test_part_contradicts_the_whole(whole: Json, part: Json, expected: tuple[str, str]) -> None:
    assert [(one.kind, one.what) for one in contradictions(whole, part)] == [expected]


AGREE: dict[str, tuple[Json, Json]] = {
    "part that reports nothing": (result(ACCUSED, incident(DIED), verdict="invalid"), result()),
    "whole that is unknown": (result(), result(verdict="valid")),
    "same accusation": (result(ACCUSED), result(ACCUSED)),
    "accusation of the same brokers then, of which another unit is shown":
        (result({**ACCUSED, "unit": "a/b/0x1"}), result(ACCUSED)),
    "accusation that begins at another time": (
        result({**ACCUSED, "unit": None, "window": {"since": 90_000, "until": None}}), result({**ACCUSED, "unit": None})
    ),
    "warning": (result(), result({**ACCUSED, "severity": "warning"})),
    "same root, along with another": (result(incident(DIED, CUT)), result(incident(CUT))),
    "cause that is not known": (result(), result(incident(UNKNOWN))),
    "last sign of life that comes earlier": (result(incident(later(DIED, QUIET))), result(incident(DIED))),
    "silence of a process that died": (result(incident(DIED)), result(incident(SILENT))),
    "end that is not seen": (result(incident(CUT)), result(incident(CUT, ended="not seen", to=None))),
    "end a moment later": (result(incident(CUT)), result(incident(CUT, to=150_000 + SAME_END))),
    "end of another harm": (result(incident(CUT)), result(incident(CUT, to=1, harm="concerned"))),
}  # fmt: skip


@pytest.mark.parametrize(("whole", "part"), AGREE.values(), ids=AGREE)
def test_part_agrees_with_the_whole(whole: Json, part: Json) -> None:
    assert contradictions(whole, part) == list[Contradiction]()
