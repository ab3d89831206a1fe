"""The brokers' logs of a recording look like the finding that it shows, and those of a valid one like nothing."""

from pathlib import Path

import pytest

from oneowner.checkers.bugs.answer import answer_to
from oneowner.checkers.bugs.sources import Source
from oneowner.checkers.catalogue.findings import findings
from oneowner.checkers.yaml_text import data_of
from tests.command_line import REAL

FIRST = 3
"""The place among the answers in which the finding is at the latest."""
LARGE = {"zk-partition-livelock", "zk-restart", "transfer", "kill-mid-transfer", "compaction", "zk-restart-metadata"}
"""Recordings whose logs have tens of megabytes."""


def verdict(run: Path) -> str:
    return str(data_of((run / "expectation.yaml").read_text(encoding="utf-8"))["verdict"])


DISTURBED = "zombie"
"""A valid recording whose harm two known bugs prolong."""
SHEDS = "shedding-4.2.4"
"""A valid recording whose shedder found no bundle to move at four of its rounds."""
SILENT = "stop-mid-split-4.2.4"
"""An invalid recording whose logs have no line of its bug: the channel alone shows it."""
RUNS = [path.parent for path in sorted(REAL.glob("*/expectation.yaml"))]


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(run, id=run.name, marks=[pytest.mark.slow] if run.name in LARGE else [])
        for run in RUNS
        if verdict(run) in ("valid", "invalid")
    ],
)
def test_logs_of_a_recording_look_like_its_finding(run: Path) -> None:
    answer = answer_to([Source(path.name, str(path)) for path in sorted(run.glob("broker-*.log*"))])
    looks_like = [one.bug.name for one in answer.suspects]
    if verdict(run) == "valid":
        own = ["no_top_bundle_is_movable"] if run.name == SHEDS else []
        assert looks_like == own or run.name == DISTURBED
    elif run.name == SILENT:
        assert looks_like == []
    else:
        shown = {name for name, one in findings().items() if run.name in one.recordings}
        assert shown & set(looks_like[:FIRST])
