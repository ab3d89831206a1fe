"""The text of an audit states first whether it is broken, since when, and why; laws not judged are still listed."""

from collections import Counter
from io import StringIO
from typing import Any

from rich.console import Console

from oneowner.checkers.report.audit_text import laws_line
from oneowner.checkers.report.incident_text import grouped, sentence
from oneowner.checkers.report.text import most_severe, verdict_line
from oneowner.checkers.results import LawRow, Result
from oneowner.checkers.verdict import Verdict
from tests.command_line import REAL, oneowner


def test_laws_that_are_unknown_or_not_judged_are_named_without_the_table() -> None:
    words = oneowner("audit", str(REAL / "zombie"), "--engine", "inline").out
    (line,) = (line for line in words.splitlines() if line.startswith("laws: "))
    assert "unknown: dual-serving; not judged: tombstone-of-active, parent-revived" in line
    assert "exercised" not in words


def test_table_of_laws_is_shown_where_it_is_asked_for() -> None:
    words = oneowner("audit", str(REAL / "zombie"), "--engine", "inline", "--laws").out
    assert "exercised" in words
    assert "not judged (had no occasion): tombstone-of-active" in words


def test_broken_laws_are_named_in_the_line_of_laws() -> None:
    row = LawRow("a", "holds", Verdict.VALID, Verdict.INVALID, 1)
    assert laws_line([row]) == "laws: 0 hold; broken: a; --laws lists them"


def test_remark_is_shown_however_many_reasons_come_before_it() -> None:
    out = Console(file=StringIO(), width=200)
    reasons = [*(f"doubt {number}" for number in range(22)), "r: not read: broker.out"]
    verdict_line(out, "r", Result("audit", Verdict.UNKNOWN, reasons), reasons[-1:])
    assert out.file.getvalue().splitlines()[-4:] == [  # type: ignore[attr-defined]
        "  doubt 19", "  r: not read: broker.out", "  ... and 2 more reasons; --json lists them all", "r: unknown",
    ]  # fmt: skip


def alone(unit: str, time: int, number: int, law: str | None = "a") -> dict[str, Any]:
    root = (
        {"kind": f"{law}: no cause is known", "finding": number, "what": "odd"}
        if law
        else {"kind": "silent process", "what": "odd"}
    )
    return {
        "run": 0, "severity": "violation", "root": root, "from": time, "to": time, "ended": "over", "longest": 0,
        "harm": "concerned", "units": [unit], "harmed": [unit], "consequences": [number], "still": [],
    }  # fmt: skip


def test_incidents_without_a_cause_of_one_law_at_one_moment_are_told_as_one() -> None:
    (one,) = grouped([alone("u", 1_000, 3), alone("v", 1_900, 4)])
    assert (one["from"], one["to"], one["units"], one["consequences"]) == (1_000, 1_900, ["u", "v"], [3, 4])
    assert "odd (2 such findings)." in sentence(one)


def test_incidents_of_another_moment_or_law_or_with_a_cause_stay_apart() -> None:
    some = [alone("u", 1_000, 1), alone("v", 9_000, 2), alone("w", 1_000, 3, "b")]
    some += [alone("x", 1_000, 4, None), alone("y", 1_000, 5, None)]
    assert grouped(some) == some


def finding(unit: str, time: int, why: str = "", law: str = "a", repair: str = "") -> dict[str, Any]:
    at = {"file": "f", "line": 1, "messageId": None, "time": time}
    return {"law": law, "severity": "warning", "unit": unit, "at": at, "why": why, "repair": repair}


def as_one(*findings: dict[str, Any]) -> list[tuple[int, list[str]]]:
    return [(one.number, list(one.units)) for one in most_severe(findings, [], Counter())]


def test_equal_findings_of_many_bundles_at_one_moment_are_one() -> None:
    units = [f"t/n/0x{number}0000000_0x{number + 1}0000000" for number in range(3)]
    some = [finding(unit, 1_000 + 9 * number, repair=f"unload {unit}") for number, unit in enumerate(units)]
    assert as_one(*some) == [(3, units)]


def test_findings_of_another_moment_or_law_or_of_the_same_bundle_stay_apart() -> None:
    some = [finding("u1", 1_000), finding("u2", 9_000), finding("u1", 1_000), finding("u2", 1_000, law="b")]
    assert [number for number, _ in as_one(*some)] == [1, 1, 1, 1]


def test_findings_that_want_something_else_done_stay_apart() -> None:
    some = [finding("u1", 1_000, repair="restart b1"), finding("u2", 1_000, repair="restart b2")]
    assert [number for number, _ in as_one(*some)] == [1, 1]
