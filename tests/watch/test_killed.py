"""Killed at any point and begun again: the findings of an uninterrupted run, none twice."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.watch import inline
from oneowner.checkers.watch.checkpoint import Checkpoint
from oneowner.checkers.watch.clusters import Cluster
from oneowner.checkers.watch.inline import Follower, Terms
from oneowner.checkers.watch.journal import Journal
from oneowner.checkers.watch.readings import Readings
from oneowner.checkers.watch.sinks import JsonLines
from oneowner.checkers.watch.watching import source_of
from tests.watch.broken_dumps import OPTIONS, QUESTION, lines_of, watched, write_broken


class Killed(BaseException):
    """Signals that end a process at once."""


def dying(call: Callable[..., Any], at: int, is_before: bool) -> Callable[..., Any]:
    """Return a function that calls another one, and is killed before or behind the call of this number."""
    calls = iter(range(10**9))

    def one(*given: Any, **more: Any) -> Any:
        number = next(calls)
        if number == at and is_before:
            raise Killed
        found = call(*given, **more)
        if number == at:
            raise Killed
        return found

    return one


POINTS = (
    (Journal, "_write", (0, 1, 2, 9, 40)),
    (Journal, "begin", (0, 1, 4)),
    (Journal, "prepare", (0, 1, 5)),
    (Checkpoint, "write", (0, 1, 4)),
    (JsonLines, "tell", (0, 5, 17)),
)


@pytest.mark.sample(3)
@pytest.mark.parametrize("is_before", [True, False])
@pytest.mark.parametrize(("owner", "name", "number"), [(a, b, n) for a, b, numbers in POINTS for n in numbers])
def test_what_is_told_is_neither_lost_nor_repeated(
    owner: type, name: str, number: int, is_before: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inline, "EVERY", 0.0)
    monkeypatch.setattr(inline, "MOST", 300)
    dump = write_broken(tmp_path / "channel.jsonl", 3_000, units=60)
    lines, checkpoint = tmp_path / "found.jsonl", tmp_path / "state"

    def follow() -> None:
        terms = Terms(QUESTION, 0, checkpoint, [JsonLines(str(lines))])
        Follower(Cluster("c", replay=str(dump)), terms, source_of, Readings()).run(lambda: False)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, dying(getattr(owner, name), number, is_before))
        with pytest.raises(Killed):
            follow()
    follow()
    found = lines_of(lines)
    wanted = [{"id": one.name, "cluster": "c", **one.finding} for one in watched(dump)]
    assert len(wanted) > 20
    assert sorted(one["id"] for one in found) == sorted(one["id"] for one in wanted)
    assert found == wanted


@pytest.mark.sample(1)
@pytest.mark.parametrize("kills", [(30,), (45, 3), (45, 3, 8), (2, 50)])
def test_batches_may_be_cut_elsewhere_by_who_goes_on(
    kills: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inline, "MOST", 300)
    dump = write_broken(tmp_path / "channel.jsonl", 5_000, units=60)
    lines, checkpoint = tmp_path / "found.jsonl", tmp_path / "state"

    def follow() -> None:
        terms = Terms(QUESTION, 0, checkpoint, [JsonLines(str(lines))])
        Follower(Cluster("c", replay=str(dump)), terms, source_of, Readings()).run(lambda: False)

    for turn, number in enumerate(kills):  # the first writes its state at the end alone, the next after each step
        with monkeypatch.context() as patch:
            patch.setattr(inline, "EVERY", 0.0 if turn % 2 else 1e9)
            patch.setattr(JsonLines, "tell", dying(JsonLines.tell, number, is_before=False))
            with pytest.raises(Killed):
                follow()
    monkeypatch.setattr(inline, "EVERY", 0.0)
    follow()
    assert [one["id"] for one in lines_of(lines)] == [one.name for one in watched(dump)]


def test_command_gets_again_only_what_it_was_at_work_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dump = write_broken(tmp_path / "channel.jsonl", 3_000, units=60)
    lines: list[str] = []

    class Slow:
        def tell(self, found: Any, is_again: bool) -> None:
            lines.append(found.name)
            if len(lines) == 7:
                raise Killed

    terms = Terms(QUESTION, 0, tmp_path / "state", [Slow()])
    with pytest.raises(Killed):
        Follower(Cluster("c", replay=str(dump)), terms, source_of, Readings()).run(lambda: False)
    Follower(Cluster("c", replay=str(dump)), terms, source_of, Readings()).run(lambda: False)
    wanted = [one.name for one in watched(dump)]
    assert lines[6] == lines[7]
    assert lines[:7] + lines[8:] == wanted


def command(dump: Path, state: Path, lines: Path, *more: str) -> list[str]:
    own = [sys.executable, "-m", "oneowner", "watch", "--replay", str(dump), "--checkpoint", str(state)]
    return [*own, "--json-lines", str(lines), "--quiet", *OPTIONS, *more]


def killed_once(call: list[str], is_time: Callable[[], bool]) -> bool:
    """Run a watch, and kill it by SIGKILL when it is time; return whether it was still there."""
    process = subprocess.Popen(call, stderr=subprocess.DEVNULL)
    while not is_time() and process.poll() is None:
        time.sleep(0.002)
    is_alive = process.poll() is None
    if is_alive:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return is_alive


def size_reached(path: Path, size: int) -> Callable[[], bool]:
    return lambda: path.exists() and path.stat().st_size >= size


@pytest.mark.slow
def test_watch_that_is_killed_goes_on(tmp_path: Path) -> None:
    dump = write_broken(tmp_path / "channel.jsonl", 8_000, units=100)
    state, lines = tmp_path / "state", tmp_path / "found.jsonl"
    call = command(dump, state, lines)
    assert killed_once(call, size_reached(lines, 4_000))
    assert subprocess.run(call, check=False, stderr=subprocess.DEVNULL).returncode == 1
    assert [one["id"] for one in lines_of(lines)] == [one.name for one in watched(dump)]


def moments(count: int, seed: int) -> Iterator[float]:
    rng = random.Random(seed)
    return (rng.random() for _ in range(count))


@pytest.mark.slow
def test_watch_of_100_000_records_that_is_killed_again_and_again_goes_on(tmp_path: Path) -> None:
    dump = write_broken(tmp_path / "channel.jsonl", 100_000, units=2_000)
    whole = tmp_path / "whole.jsonl"
    subprocess.run(command(dump, tmp_path / "other", whole), check=False, stderr=subprocess.DEVNULL)
    wanted, size = lines_of(whole), whole.stat().st_size
    state, lines = tmp_path / "state", tmp_path / "found.jsonl"
    call = command(dump, state, lines)
    times = 0
    for share in sorted(moments(6, 11)):
        times += killed_once(call, size_reached(lines, int(share * size)))
    assert times >= 5
    assert subprocess.run(call, check=False, stderr=subprocess.DEVNULL).returncode == 1
    found = lines_of(lines)
    for one in (*found, *wanted):
        one.pop("cluster")
    assert len(wanted) > 300
    assert found == wanted
