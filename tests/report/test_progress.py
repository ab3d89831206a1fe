"""Progress of long work: on a build server a line every so often, also while nothing is done."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from oneowner.checkers import parallel
from oneowner.checkers.report.progress import ProgressLine


def test_log_has_the_first_line_at_once_and_then_one_in_so_many_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ProgressLine(every=10)
    for now in (100.0, 101.0, 109.9, 110.0, 111.0, 125.0):
        monkeypatch.setattr(time, "monotonic", lambda now=now: now)
        line(f"at {now}")
    assert capsys.readouterr().err.splitlines() == ["at 100.0", "at 110.0", "at 125.0"]


def test_line_is_written_each_time_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine()
    for number in range(3):
        line(str(number))
    assert capsys.readouterr().err == "0\n1\n2\n"


def test_work_that_takes_long_says_what_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def threads(most: int) -> Iterator[ThreadPoolExecutor]:
        with ThreadPoolExecutor(most) as pool:
            yield pool

    monkeypatch.setattr(parallel, "workers", threads)
    monkeypatch.setattr(parallel, "QUIET", 0.05)
    messages: list[str] = []
    assert parallel.in_parallel(time.sleep, [0.3, 0.0], messages.append) == {0.3: None, 0.0: None}
    assert messages[0] == "1 of 2 done; last: 0.0"
    assert "1 of 2 done; under way: 0.3" in messages
    assert messages[-1] == "2 of 2 done; last: 0.3"
