"""Work that checks no limits itself ends within its time and memory, reports progress, and leaves nothing behind."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.compile.watched import Doing, Stopped, memory_of_all, watched
from oneowner.checkers.engines.explore.building import Build
from oneowner.checkers.engines.explore.compiled import explore_build
from oneowner.checkers.engines.explore.exploration import Limits, Progress
from oneowner.spec.channel.registry import PROPERTIES
from tests.command_line import oneowner, refused

MIB = 1 << 20
TRANSFER = families()["transfer"].bounds


def work_until(is_done: Callable[[], bool], seconds: float = 20) -> None:
    """Work on without a limit; a run that is never stopped fails."""
    started = time.monotonic()
    while not is_done() and time.monotonic() - started < seconds:
        sum(range(1_000))
    assert is_done()


def work_within(seconds: float, most: int | None, words: str, is_done: Callable[[], bool]) -> None:
    with watched(seconds, most) as at:
        at(words, 3, 4)
        work_until(is_done)


def test_work_is_stopped_when_its_time_is_used_up_and_says_how_far_it_was() -> None:
    started = time.monotonic()
    with pytest.raises(Stopped) as stopped:
        work_within(0.6, None, "counting:", lambda: False)
    assert 0.6 <= time.monotonic() - started < 5
    words = str(stopped.value)
    assert words.startswith("the budget of time is used up: counting: 3 of 4 (about ")
    assert " s more), " in words
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_look_that_takes_long_is_not_interrupted_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    depth = 0

    def slow() -> int:
        nonlocal depth
        depth += 1
        looks.append(depth)
        time.sleep(0.05)
        depth -= 1
        return 0

    monkeypatch.setattr("oneowner.checkers.engines.compile.watched.LOOKS", 0.01)
    monkeypatch.setattr("oneowner.checkers.engines.compile.watched.memory_of_all", slow)
    work_within(20, None, "counting:", lambda: len(looks) > 10)
    assert set(looks) == {1}
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_work_is_stopped_when_it_holds_more_memory_than_it_may() -> None:
    held: list[bytes] = []

    def fill() -> bool:
        held.append(b"x" * MIB)
        return len(held) > 2_000

    with pytest.raises(Stopped, match="the budget of memory is used up: filling 3 of 4 "):
        work_within(20, 64 * MIB, "filling", fill)
    assert len(held) < 2_000


def test_memory_of_what_was_started_is_counted() -> None:
    before = memory_of_all()
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", "x = b'x' * (200 << 20); input()"], os.environ)
    try:
        work_until(lambda: memory_of_all() > before + 150 * MIB)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_progress_is_told_within_the_first_second() -> None:
    reports: list[Doing] = []
    with watched(None, None, reports.append) as at:
        at("counting:", 0, 4)
        work_until(lambda: bool(reports))
        at("counting:", 1, 4)
        work_until(lambda: len(reports) > 1)
    first, second = reports[:2]
    assert (first.words, first.rest) == ("counting: 0 of 4", None)
    assert first.seconds < 1
    assert second.words == "counting: 1 of 4"
    assert second.rest == pytest.approx(3 * second.seconds, abs=2)


def test_work_in_another_thread_is_done_unwatched() -> None:
    done: list[str] = []

    def work() -> None:
        with watched(0, 0) as at:
            at("working")
            done.append("")

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert done


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A C compiler that never ends, and whose child writes the number of its process into a file."""
    script, started = tmp_path / "cc", tmp_path / "started"
    script.write_text(f"#!/bin/sh\n(echo $$ > {started}; exec sleep 600)\n")
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return started


def has_ended(group: int) -> bool:
    """Return whether a group of processes is gone within ten seconds: the adoptive parent may reap them late."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_compiler_that_takes_too_long_is_ended_with_what_it_started(compiler: Path) -> None:
    reports: list[Progress] = []
    build, model = Build(TRANSFER, PROPERTIES[:1]), trace(TRANSFER, PROPERTIES[:1], ())
    found = explore_build(build, limits=Limits(seconds=1.5), on_progress=reports.append, traced=lambda: model)
    assert (found.finished, found.distinct) == (False, 0)
    assert found.stopped.startswith("the budget of time is used up: compiling, ")
    assert any(one.before.startswith("compiling, ") for one in reports)
    assert not build.is_made
    assert has_ended(int(compiler.read_text()))


def test_search_that_was_not_begun_for_want_of_time_is_unknown_with_what_was_seen_before(
    compiler: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Limits, "left", lambda limits, started: limits._replace(seconds=0.0))  # when it is compiled
    found = oneowner("explore", "transfer", "--law", "single-writer", "--max-time", "600s", "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert found.json["reasons"][0].startswith("not all states were visited: the budget of time is used up: ")
    assert found.json["stats"]["states"] == 500  # which the interpreter visits first


def test_walks_that_were_not_begun_for_want_of_time_are_unknown() -> None:
    asked = ("--walks", 5, "--max-time", "0s", "--engine", "python", "--json", "-")
    found = oneowner("explore", "transfer", "--set", "brokers=4", *asked)
    assert (found.code, found.json["walks"]["walks"]) == (3, 0)
    assert "the budget of time is used up: " in found.json["reasons"][0]


def test_bounds_that_only_the_interpreter_can_search_are_refused_without_a_budget() -> None:
    wide = ("explore", "transfer", "--set", "brokers=99")
    refused(oneowner(*wide), "slots cannot be compiled, 2,048 are the most", "--max-time")
    found = oneowner(*wide, "--max-time", "0s", "--json", "-")
    assert (found.code, found.json["stats"]["depth"]) == (3, 0)


@pytest.mark.slow
def test_search_of_many_brokers_ends_within_its_time() -> None:
    started = time.process_time()
    found = oneowner("explore", "failure", "--set", "brokers=7", "--max-time", "10s", "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert "tracing" in found.json["reasons"][0]
    assert time.process_time() - started < 12
