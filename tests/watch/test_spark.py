"""Spark Structured Streaming follows clusters to the same findings, also when it is killed amid a batch."""

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.live.channel_watch import ChannelWatch
from oneowner.checkers.watch.clusters import Cluster
from oneowner.checkers.watch.inline import Terms
from oneowner.checkers.watch.spark_source import ChannelsReader
from tests.command_line import oneowner, refused
from tests.recordings.dumps import REAL
from tests.watch.broken_dumps import OPTIONS, QUESTION, lines_of, names, watched, write_broken
from tests.watch.test_killed import command, killed_once, size_reached

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]

SPARK = ("--engine", "spark", "--master", "local[2]")
BROKEN = REAL / "split-crash" / "channel.jsonl"


@pytest.mark.slow
def test_clusters_are_followed_to_the_findings_of_the_other_engine(tmp_path: Path) -> None:
    dump = write_broken(tmp_path / "channel.jsonl", 12_000)  # three batches
    clusters, lines = tmp_path / "clusters.yaml", tmp_path / "found.jsonl"
    clusters.write_text(
        f"- {{name: a, replay: {dump}}}\n- {{name: b, replay: {BROKEN}}}\n- {{name: c, replay: {BROKEN}}}\n"
    )
    own = ("--clusters", clusters, "--json-lines", lines, "--checkpoint", tmp_path / "state", "--quiet", *OPTIONS)
    outcome = oneowner("watch", *own, *SPARK)
    assert outcome.code == 1
    found: dict[str, list[dict[str, Any]]] = {"a": [], "b": [], "c": []}
    for one in lines_of(lines):
        found[one.pop("cluster")].append(one)
    for name, path in (("a", dump), ("b", BROKEN), ("c", BROKEN)):
        assert found[name] == [{"id": one.name, **one.finding} for one in watched(path)]
    before = lines.read_text()
    again = oneowner("watch", *own, *SPARK, "--for", "5s")
    assert (again.code, lines.read_text()) == (3, before)  # in five seconds no record came to be judged
    other = clusters.with_name("others.yaml")
    other.write_text(f"- {{name: a, replay: {dump}}}\n")
    refused(
        oneowner("watch", "--clusters", other, "--checkpoint", tmp_path / "state", *SPARK), "a checkpoint of a, b, c"
    )


def test_batch_is_read_again_as_it_was_read(tmp_path: Path) -> None:
    dump = write_broken(tmp_path / "channel.jsonl", 12_000)
    clusters = [Cluster("a", replay=str(dump)), Cluster("b", replay=str(BROKEN))]
    reader, start = ChannelsReader(clusters, None), ChannelsReader(clusters, None).initialOffset()
    read: list[tuple[Any, Any, list[Any]]] = []
    while True:
        found, end = reader.read(start)
        if end == start:
            break
        read.append((start, end, list(found)))
        start = end
    assert len(read) == 3
    for begin, end, rows in read:
        offsets = json.loads(json.dumps([begin, end]))
        assert list(ChannelsReader(clusters, None).readBetweenOffsets(*offsets)) == rows


def test_state_of_a_task_is_the_memory_of_a_watch(tmp_path: Path) -> None:
    import pandas as pd

    from oneowner.checkers.watch.spark_stream import judging

    class State:
        exists, kept = False, ""

        @property
        def get(self) -> tuple[str]:
            return (self.kept,)

        def update(self, value: tuple[str]) -> None:
            self.exists, self.kept = True, value[0]

    dump = write_broken(tmp_path / "channel.jsonl", 6_000, units=80)
    judge = judging([Cluster("a", replay=str(dump))], Terms(QUESTION, 0, None, ()))
    state: Any = State()
    found = []
    lines = dump.read_bytes().splitlines(keepends=True)
    for begin in range(0, len(lines), 2_000):
        row = ("a", b"".join(lines[begin : begin + 2_000]), 0, False, False, True)
        frame = pd.DataFrame([row], columns=["cluster", "lines", "clock", "is_at_end", "is_over", "is_up"])
        for answer in judge(("a",), [frame], state):
            found += json.loads(answer["told"][0])["found"]
    whole = ChannelWatch("a", str(dump), QUESTION)
    assert Counter(one[0] for one in found) == Counter(names(whole.take(lines)))
    assert len(found) > 20


@pytest.mark.slow
def test_watch_by_spark_that_is_killed_goes_on(tmp_path: Path) -> None:
    dump = write_broken(tmp_path / "channel.jsonl", 40_000, units=1_000)
    state, lines = tmp_path / "state", tmp_path / "found.jsonl"
    call = command(dump, state, lines, *SPARK)
    for size in (3_000, 60_000):
        assert killed_once(call, size_reached(lines, size))
    assert subprocess.run(call, check=False, stderr=subprocess.DEVNULL).returncode == 1
    assert [one["id"] for one in lines_of(lines)] == [one.name for one in watched(dump)]
