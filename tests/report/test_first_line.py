"""The first line of an audit: short, whole clauses, with an order where an operator can act."""

import re
from typing import Any

import pytest

from oneowner.checkers.ledger.recording_pins import recordings
from oneowner.checkers.report.broker_names import BrokerNames
from oneowner.checkers.report.first_line import WIDTH, first_line
from oneowner.checkers.report.incident_text import why_unknown
from tests.command_line import REAL, oneowner

FIRST = {
    "healthy": "healthy: healthy (valid). No incident.",
    "kill-owner": "kill-owner: disturbed (valid). 2026-11-20T23:56:55Z for 12.2 s: :18083 died: it neither logs nor "
    "answers any more; 5 bundles out of use. It is over.",
    "leader-hang": "leader-hang: broken (invalid). 2026-11-21T00:58:28Z for 68.3 s: the leader :18081 stood still for "
    "110.0 s, and then went on; 5 bundles out of use. It is over.",
    "rolling-restart": "rolling-restart: broken (invalid). Since 2026-11-21T00:39:11Z: the view of :18082 stopped; "
    "7 bundles out of use for 39.6 s. Restart :18082.",
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
    root = {"kind": "silent process", "what": what, "brokers": ["b1:8080"], "time": 1_000}
    return {
        "root": root, "repair": repair, "from": 1_000, "to": 3_500, "ended": "not seen", "harm": "concerned",
        "units": [], "harmed": [], "longest": 0, **changed,
    }  # fmt: skip


UNTIMED: dict[str, Any] = {"from": None}
LONG = "b1:8080 stood still for a long while, " + "and went on " * 12
RANGE = "tenant/namespace/0x{}0000000_0x{}0000000"
ALONE = {"finding": 0, "what": "odd", "brokers": ["b1:8080"], "time": 1_000}
RESTART = "restart b1:8080"


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (incident("odd"), "1970-01-01T00:00:01Z for 2.5 s: odd."),
        (incident("odd", to=1_000), "1970-01-01T00:00:01Z: odd."),
        (incident("odd", to=None, ended="lasts"), "Since 1970-01-01T00:00:01Z: odd."),
        (incident("odd", **UNTIMED), "Odd."),
        (incident(LONG, RESTART), "1970-01-01T00:00:01Z for 2.5 s: b1 stood still for a long while. Restart b1."),
        (incident("odd", f"{RESTART}; " + "try again " * 20), "1970-01-01T00:00:01Z for 2.5 s: odd. Restart b1."),
        (incident("odd", f"unload {RANGE.format(0, 8)}, {RANGE.format(8, 9)} at b1:8080, or " + "wait " * 30),
         "1970-01-01T00:00:01Z for 2.5 s: odd. Unload 2 bundles at b1."),
        (incident("odd", "the broker closes the topics"), "1970-01-01T00:00:01Z for 2.5 s: odd."),
        (incident("odd", "take Owned(b1:8080)", root=ALONE), "1970-01-01T00:00:01Z for 2.5 s: odd."),
        (incident("odd", RESTART, ended="over"), "1970-01-01T00:00:01Z for 2.5 s: odd. It is over."),
        (incident("odd", "free some disk", ended="over"), "1970-01-01T00:00:01Z for 2.5 s: odd. Free some disk."),
    ],
)  # fmt: skip
def test_first_line_keeps_what_fits(one: dict[str, Any], line: str) -> None:
    brokers = BrokerNames(["b1:8080", "b2:8080"])
    assert first_line("night", "invalid", [one], [], (), brokers) == f"night: broken (invalid). {line}"


LASTING = incident("b2:8080 serves what it lost; it is behind", "restart b2:8080", ended="lasts", to=None)


def test_first_line_orders_what_lasts_where_the_worst_incident_is_over() -> None:
    brokers = BrokerNames(["b1:8080", "b2:8080"])
    over = incident("b1:8080 died", RESTART, ended="over")
    one = "It is over, but another incident lasts: b2 serves what it lost; restart b2."
    assert first_line("night", "invalid", [over, LASTING], [], (), brokers).endswith(f": b1 died. {one}")
    two = "It is over, but 2 other incidents last: b2 serves what it lost; restart b2."
    assert first_line("night", "invalid", [over, over, LASTING, LASTING], [], (), brokers).endswith(f" {two}")
    unknown = {**LASTING, "repair": ""}
    assert first_line("night", "invalid", [over, unknown], [], (), brokers).endswith(
        "lasts: b2 serves what it lost; it is behind."
    )
    assert first_line("night", "invalid", [over, incident("odd")], [], (), brokers).endswith("b1 died. It is over.")


def test_folder_of_a_run_gives_way_to_the_order() -> None:
    one = incident("b1:8080 stood still for 30 s", RESTART)
    line = first_line("recordings/of/a/cluster/" * 3 + "night", "invalid", [one], [])
    assert line == (
        "night: broken (invalid). 1970-01-01T00:00:01Z for 2.5 s: b1:8080 stood still for 30 s. Restart b1:8080."
    )


def test_run_without_incident_gives_the_reason_for_its_verdict() -> None:
    reasons = ["night: no law was exercised"]
    unknown = first_line("night", "unknown", [], reasons)
    assert unknown == "night: cannot tell (unknown): no law was exercised. No incident."
    assert first_line("night", "valid", [], reasons) == "night: healthy (valid). No incident."


@pytest.mark.parametrize(("reasons", "why"), [
    (["r: broken: a", "r: r/channel.jsonl:3: torn.", "r: b: in doubt"], "r/channel.jsonl:3: torn"),
    (["r: broken: a"], ""),
])  # fmt: skip
def test_unknown_run_with_an_incident_has_a_reason(reasons: list[str], why: str) -> None:
    assert why_unknown("r", reasons) == why
