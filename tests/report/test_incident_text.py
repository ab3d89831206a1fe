"""The text of an audit states first whether it is broken, since when, and why; laws not judged are still listed."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.report.audit_details import laws_line
from oneowner.checkers.report.broker_names import BrokerNames
from oneowner.checkers.report.incident_text import grouped, incident_lines, sentence, summary
from oneowner.checkers.report.orders import Order
from oneowner.checkers.report.text import most_severe
from oneowner.checkers.results import LawRow
from oneowner.checkers.verdict import Verdict
from tests.command_line import REAL, oneowner


def test_laws_that_are_unknown_or_not_judged_are_named_without_the_table() -> None:
    words = oneowner("audit", str(REAL / "zk-partition"), "--engine", "inline", "--verbose").out
    (line,) = (line for line in words.splitlines() if line.startswith("laws: "))
    assert "unknown: dual-serving; not judged: tombstone-of-active" in line
    assert "exercised" not in words


def test_table_of_laws_is_shown_where_it_is_asked_for() -> None:
    words = oneowner("audit", str(REAL / "zombie"), "--engine", "inline", "--laws").out
    assert "exercised" in words
    assert "not judged (had no occasion): tombstone-of-active" in words


def test_broken_laws_are_named_in_the_line_of_laws() -> None:
    row = LawRow("a", "holds", Verdict.VALID, Verdict.INVALID, 1)
    assert laws_line([row]) == "laws: 0 hold; broken: a; --laws lists them"


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


def lines(moments: list[dict[str, Any]], most: int) -> list[str]:
    one = {**alone("t/n/0x0_0x1", 1_000, 3, None), "like": [], "moments": moments}
    told = incident_lines(one, Order("restart b1:8080"), BrokerNames(["b1:8080", "b2:8080"]), "", most)
    return [line.plain.strip() for line in told][3:]


def test_time_of_an_incident_stands_once_in_full_and_then_as_a_difference() -> None:
    moments = [{"time": 1_000 * number, "what": f"b1:8080 did {number}"} for number in (1, 2, 13)]
    assert lines(moments, 9) == ["1970-01-01T00:00:01.000Z  b1 did 1", "+1.000 s  b1 did 2", "+12.0 s  b1 did 13"]


def test_first_moments_and_the_last_one_are_shown_of_many() -> None:
    shown = lines([{"time": number, "what": f"event {number}"} for number in range(9)], 4)
    assert [line.rpartition("  ")[2] for line in shown] == [
        "event 0", "event 1", "event 2", "... 5 more moments; --verbose", "event 8",
    ]  # fmt: skip


def test_summary_counts_incidents_and_gives_the_harm_of_the_worst() -> None:
    worst = {**alone("u", 1_000, 3), "ended": "lasts", "harm": "clients could not use", "longest": 2_000}
    harm = "clients could not use 1 bundle for up to 2.0 s"
    assert summary([worst]) == f"1 incident at 1970-01-01T00:00:01Z, which lasts: {harm}"
    assert summary([worst, worst]) == f"2 incidents, of which 2 last; the worst at 1970-01-01T00:00:01Z: {harm}"
    assert summary([alone("u", 1_000, 3)]) == "1 incident at 1970-01-01T00:00:01Z"
    assert summary([]) == "no incident"


def test_summary_gives_what_lasts_where_the_worst_incident_is_over() -> None:
    lasting = {**alone("v", 5_000, 4), "ended": "lasts"}
    assert summary([alone("u", 1_000, 3), lasting]) == (
        "2 incidents, of which 1 lasts; the worst at 1970-01-01T00:00:01Z, which is over; "
        "what lasts since 1970-01-01T00:00:05Z: odd"
    )
    assert summary([lasting, alone("u", 1_000, 3)]) == (
        "2 incidents, of which 1 lasts; the worst at 1970-01-01T00:00:05Z"
    )


def test_screen_of_an_audit_ends_with_the_verdict_and_the_first_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REAL)
    words = oneowner("audit", "rolling-restart", "--engine", "inline").out.splitlines()
    assert len(words) < 40
    assert words[-1] == (
        "rolling-restart: broken (invalid); first: bin/pulsar-daemon restart broker"
        "   (on the machine of 127.0.0.1:18082)"
    )
    assert words[-3].startswith("1 incident at 2026-11-21T00:39:11Z, which lasts: clients could not use 7 bundles")
    assert words[-5] == "brokers: :18081 = 127.0.0.1:18081, :18082 = 127.0.0.1:18082, :18083 = 127.0.0.1:18083"
    assert not any(line.startswith(("violation ", "warning ", "note ", "laws: ")) for line in words)


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


def test_missing_files_come_with_the_commands_that_collect_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "night").mkdir()
    shutil.copy(REAL / "zombie" / "channel.jsonl", tmp_path / "night")
    of_channel = oneowner("audit", "night").out
    assert "  collect: kubectl logs POD > night/POD.log" in of_channel
    assert "  collect: oneowner script dump_zookeeper > dump_zookeeper.py" in of_channel
    whole = oneowner("audit", str(REAL / "zk-partition-livelock"), "--engine", "inline").out
    (line,) = (line for line in whole.splitlines() if "collect: " in line)
    assert line == "  collect: oneowner record --client-conf conf/client.conf --once --out now"
