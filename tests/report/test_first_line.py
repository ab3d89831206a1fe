"""The first line of an audit: short, whole clauses, with an order where an operator can act."""

import re
from typing import Any

import pytest

from oneowner.checkers.ledger.recording_pins import recordings
from oneowner.checkers.report.first_line import WIDTH, first_line
from oneowner.checkers.report.incident_text import why_unknown
from tests.command_line import REAL, oneowner

FIRST = {
    "healthy": "healthy: valid. No incident.",
    "kill-owner": "kill-owner: valid. 2026-11-20T23:56:54Z for 12.6 s: 127.0.0.1:18083 died: it neither logs nor "
    "answers any more.",
    "leader-hang": "leader-hang: invalid. 2026-11-21T00:58:28Z for 68.7 s: the leader 127.0.0.1:18081 stood still for "
    "110.1 s. End the process of the former leader.",
    "rolling-restart": "rolling-restart: invalid. Since 2026-11-21T00:39:11Z: the view of 127.0.0.1:18082 stopped: it "
    "takes no more records. Restart 127.0.0.1:18082.",
}
OPEN_END = re.compile(r"\.\.|…|\b(?:and|or|but|so|which|when|as|although|because|until|then|from|the|a|of)\.$")
"""The end of a line that was cut within a clause."""


@pytest.mark.parametrize("name", FIRST)
def test_first_line_has_verdict_time_duration_cause_and_order(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REAL)
    assert oneowner("audit", name, "--engine", "inline").out.splitlines()[0] == FIRST[name]


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", [path.name for path in recordings()])
def test_first_line_of_every_recording_is_short_and_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REAL.parent.parent)
    line, *details = oneowner("audit", f"traces/real/{name}", "--engine", "inline").out.splitlines()
    assert len(line) <= WIDTH
    assert line.endswith(".")
    assert not OPEN_END.search(line)
    assert "No incident" in line or details[0].startswith("   ") or details[:1] == [""]


def incident(what: str, repair: str = "", **changed: object) -> dict[str, Any]:
    root = {"kind": "silent process", "what": what}
    return {"root": root, "repair": repair, "from": 1_000, "to": 3_500, "ended": "over", "harm": "concerned", **changed}


UNTIMED: dict[str, Any] = {"from": None}
LONG = "broker 1 stood still for a long while, " + "and went on " * 12
RANGE = "tenant/namespace/0x{}0000000_0x{}0000000"


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (incident("odd"), "1970-01-01T00:00:01Z for 2.5 s: odd."),
        (incident("odd", to=1_000), "1970-01-01T00:00:01Z: odd."),
        (incident("odd", to=None, ended="lasts"), "Since 1970-01-01T00:00:01Z: odd."),
        (incident("odd", **UNTIMED), "Odd."),
        (incident(LONG, "end it"), "1970-01-01T00:00:01Z for 2.5 s: broker 1 stood still for a long while. End it."),
        (incident("odd", "end it; " + "try again " * 20), "1970-01-01T00:00:01Z for 2.5 s: odd. End it."),
        (incident("odd", f"unload {RANGE.format(0, 8)}, {RANGE.format(8, 9)} at b1, or " + "wait " * 30),
         "1970-01-01T00:00:01Z for 2.5 s: odd. Unload 2 bundles at b1."),
        (incident("odd", "the broker closes the topics"), "1970-01-01T00:00:01Z for 2.5 s: odd."),
        (incident("odd", "end it", root={"finding": 0, "what": "odd"}), "1970-01-01T00:00:01Z for 2.5 s: odd."),
    ],
)  # fmt: skip
def test_first_line_keeps_what_fits(one: dict[str, Any], line: str) -> None:
    assert first_line("night", "invalid", [one], []) == f"night: invalid. {line}"


def test_folder_of_a_run_gives_way_to_the_order() -> None:
    one = incident("broker 1 stood still for 30 s", "end its process")
    line = first_line("recordings/of/a/cluster/" * 3 + "night", "invalid", [one], [])
    assert line == "night: invalid. 1970-01-01T00:00:01Z for 2.5 s: broker 1 stood still for 30 s. End its process."


def test_run_without_incident_gives_the_reason_for_its_verdict() -> None:
    reasons = ["night: no law was exercised"]
    assert first_line("night", "unknown", [], reasons) == "night: unknown: no law was exercised. No incident."
    assert first_line("night", "valid", [], reasons) == "night: valid. No incident."


@pytest.mark.parametrize(("reasons", "why"), [
    (["r: broken: a", "r: r/channel.jsonl:3: torn.", "r: b: in doubt"], "r/channel.jsonl:3: torn"),
    (["r: broken: a"], ""),
])  # fmt: skip
def test_unknown_run_with_an_incident_has_a_reason(reasons: list[str], why: str) -> None:
    assert why_unknown("r", reasons) == why
