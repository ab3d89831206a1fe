"""Recordings audited with less evidence: harm is still found, and nobody is accused whom the whole does not accuse."""

from pathlib import Path

import pytest

from oneowner.checkers.report.first_line import WIDTH
from tools.logs_alone import PAGE, lines_of, recordings
from tools.random_recordings.auditing import long_runs
from tools.random_recordings.judged import silently
from tools.render.broker_logs import logs_of, write_logs
from tools.render.channel_dump import rendered
from tools.render.model_runs import STORIES

SMALL = ("healthy", "quick-restart", "split-crash")
"""Recordings that are tried with every change."""
NAMED = [
    pytest.param(recording, id=recording.name, marks=[] if recording.name in SMALL else pytest.mark.slow)
    for recording in recordings()
]
INVALID = 15
"""The recordings that are invalid by brokers' logs alone, of 15 that are invalid whole."""


@pytest.mark.parametrize("recording", NAMED)
def test_page_has_the_answers_to_each_recording(recording: Path) -> None:
    assert lines_of(recording) in PAGE.read_text(encoding="utf-8")


def rows_of_the_page() -> list[list[str]]:
    """Return the cells of each row: recording, evidence, verdict, first line."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [line.removeprefix("| ").removesuffix(" |").split(" | ", 3) for line in lines][1:]


def test_first_lines_are_short_and_only_a_valid_run_is_without_an_incident() -> None:
    recording = ""
    for name, _, verdict, line in rows_of_the_page():
        recording = name[1:].partition("]")[0] or recording
        assert len(f"{recording}: {verdict}: {line}") <= WIDTH
        assert "No incident" not in line or verdict == "valid"


def test_harm_of_nearly_all_recordings_is_found_by_logs_alone() -> None:
    invalid = [evidence for _, evidence, verdict, _ in rows_of_the_page() if verdict == "invalid"]
    assert invalid.count("whole") == invalid.count("without the channel") == 16
    assert invalid.count("brokers' logs alone") == INVALID


def violations(folder: Path) -> set[tuple[str, str]]:
    """Return the law and the unit of each violation that an audit finds."""
    found = silently("audit", folder).json["findings"]
    return {(one["law"], one["unit"]) for one in found if one["severity"] == "violation"}


@pytest.mark.parametrize(
    "debug", [frozenset(range(1, 5)), frozenset({1, 3}), frozenset[int]()], ids=["debug", "some debug", "INFO"]
)
@pytest.mark.parametrize("story", STORIES)
def test_logs_of_a_run_of_the_model_accuse_nobody_whom_its_dump_does_not(
    story: str, debug: frozenset[int], tmp_path: Path
) -> None:
    told = rendered(next(long_runs(story)))
    told.write(tmp_path)
    write_logs(tmp_path, logs_of(told, debug))
    whole = violations(tmp_path)
    (tmp_path / "channel.jsonl").unlink()
    assert violations(tmp_path) <= whole
    for log in sorted(tmp_path.glob("*.log*"))[1:]:
        log.unlink()
    assert violations(tmp_path) <= whole
