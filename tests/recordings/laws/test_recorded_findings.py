"""What is known of the real runs (run.G1 to run.G12) is found by laws that were not told where to look."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from oneowner.checkers.places import ROOT
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from tests.command_line import REAL, oneowner

B1, B2, B3 = "127.0.0.1:18081", "127.0.0.1:18082", "127.0.0.1:18083"


class Known(NamedTuple):
    """One fact of the recordings' README, written down by hand."""

    label: str
    run: str
    law: str
    severity: str
    second: float
    """After the run's start, as its README says."""
    tolerance: float
    broker: str | None = None
    least: int = 1
    """How many findings there are at least."""


KNOWN = (
    Known("run.G1", "zombie", "dual-serving", "warning", 65.209, 0.1, B3, 5),
    Known("run.G1", "zombie", "claims-are-owned", "warning", 65.209, 0.1, B3),
    Known("run.G1", "leader-hang", "dual-serving", "warning", 142.37, 0.4, B1, 5),
    Known("run.G2", "zombie", "live-broker-is-registered", "warning", 45.4, 0.5, B3),
    Known("run.G2", "zk-partition-livelock", "role-is-taken", "violation", 123.0, 2.5, B3),
    Known("run.G2", "zk-partition-livelock", "leader-is-registered", "warning", 123.0, 2.5, B3),
    Known("run.G2", "zk-partition-livelock", "live-broker-is-registered", "violation", 45.0, 1.0, B3),
    Known("run.G3", "zombie", "role-is-taken", "warning", 127.4, 0.2, B2),
    Known("run.G3", "zombie", "recovery-stalled", "warning", 127.4, 0.2),
    Known("run.G3", "leader-hang", "role-is-taken", "violation", 44.24, 0.1, B2),
    Known("run.G3", "leader-hang", "recovery-stalled", "warning", 44.23, 0.2),
    Known("run.G4", "zk-partition-metadata", "claims-are-owned", "violation", 43.4, 3.0, B2),
    Known("run.G4", "zk-partition-metadata", "claims-are-owned", "violation", 120.4, 3.0, B1),
    Known("run.G5", "split", "refusal-is-told", "warning", 60.0, 60.0, None, 5),
    Known("run.G6", "split", "done-as-asked", "warning", 60.0, 60.0, None, 2),
    Known("run.G7", "kill-mid-transfer", "assigned-to-the-dead", "warning", 120.0, 120.0, B2, 4),
    Known("run.G8", "kill-mid-transfer", "sent-once", "note", 120.0, 120.0),
    Known("run.G9", "zk-restart", "somebody-is-registered", "violation", 105.0, 10.0),
    Known("run.G9", "zk-restart", "somebody-leads", "violation", 105.0, 10.0),
    Known("run.G9", "zk-restart", "live-broker-is-registered", "violation", 105.0, 10.0, B1),
    Known("run.G9", "zk-restart", "live-broker-is-registered", "violation", 105.0, 10.0, B3),
    Known("run.G10", "compaction", "cleanup-is-called-off", "note", 80.0, 80.0, B2),
    Known("run.G11", "zk-restart-metadata", "no-broker-exits-by-itself", "warning", 114.0, 1.0, B1),
    Known("run.G11", "zk-restart-metadata", "lookups-are-answered", "violation", 86.0, 4.0),
    Known("run.G11", "zk-restart-metadata", "somebody-leads", "violation", 121.0, 1.0),
    Known("run.G12", "rolling-restart", "view-stops", "violation", 94.4, 0.3, B2),
    Known("run.G12", "rolling-restart", "owner-answers", "violation", 94.5, 0.3, B2),
    Known("run.G12", "rolling-restart", "unit-is-available", "warning", 93.9, 1.0, None, 7),
)


@functools.cache
def findings_of(run: str) -> list[dict[str, Any]]:
    return list(oneowner("audit", REAL / run, "--engine", "inline", "--json", "-").json["findings"])


@functools.cache
def started(run: str) -> int:
    return int(yaml.safe_load((REAL / run / "manifest.yaml").read_text(encoding="utf-8"))["started_ms"])


def moments(finding: dict[str, Any]) -> list[int]:
    """When a finding says that it happened: its window, its place, its lines."""
    window = finding.get("window") or {}
    told = [window.get("since"), window.get("possibleSince"), finding["at"]["time"]]
    return [time for time in [*told, *(line["time"] for line in finding["evidence"])] if time]


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: f"{known.label}-{known.run}-{known.law}")
def test_known_fact_is_found_at_its_time_with_its_severity(known: Known) -> None:
    expected = started(known.run) + known.second * 1000
    found = [
        finding
        for finding in findings_of(known.run)
        if (finding["law"], finding["severity"]) == (known.law, known.severity)
        and (known.broker is None or known.broker in finding["brokers"])
        and any(abs(time - expected) <= known.tolerance * 1000 for time in moments(finding))
    ]
    assert len(found) >= known.least


HEALTHY = ("healthy", "healthy-quiet", "transfer", "shedding", "split", "compaction", "delete-decommission")


@pytest.mark.parametrize("run", HEALTHY)
def test_run_without_a_broken_law_has_no_violation(run: str) -> None:
    assert not [finding for finding in findings_of(run) if finding["severity"] == "violation"]


@pytest.mark.parametrize("run", ["zombie", "zk-restart", "split"])
def test_finding_shows_lines_that_are_there(run: str) -> None:
    for finding in findings_of(run):
        for line in finding.get("evidence", ()):
            assert Path(line["file"]).exists()
            assert line["line"] >= 1
            assert line["text"].strip()


def constants(path: Path) -> set[str]:
    """The strings of a file's code; docstrings are prose."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {str(node.value) for node in strings if id(node) not in prose}


def test_laws_read_no_list_of_faults_and_name_no_run() -> None:
    words = ("SIGSTOP", "SIGCONT", "127.0.0.1", "1808", "rig", *(path.name for path in REAL.iterdir() if path.is_dir()))
    for file in sorted((ROOT / "checkers" / "recordings" / "laws").rglob("*.py")):
        found = constants(file)
        assert "events" not in found, file.name
        for word in words:
            if word not in GENERAL:
                assert not [text for text in found if word in text.split()], f"{file.name}: {word}"


GENERAL = {"compaction", "transfer", "split", "healthy", "shedding"}
"""Names of runs that are words of the protocol too."""


def test_every_law_of_evidence_is_exercised_in_some_recording() -> None:
    """By what is pinned beside each of them, which the gate compares with what is found."""
    pinned = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in REAL.glob("*/expectation.yaml")]
    exercised = {law for run in pinned for law, found in run["laws"].items() if not found.endswith("exercised 0")}
    exercised |= {report for run in pinned for report, occasions in run["reports"].items() if occasions}
    assert len(pinned) == len([path for path in REAL.iterdir() if path.is_dir()])
    assert {law.name for law in SCENE_LAWS} <= exercised
