"""A big run is read and judged by several processes: the same bytes as by one, damage included."""

import gzip
import os
import re
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from oneowner.checkers.recordings.fold import audit_engine, blocks, bucket, runs
from oneowner.checkers.recordings.laws import judged_apart
from oneowner.checkers.recordings.read.lines import chunks_of
from oneowner.checkers.recordings.read.partition import in_turn
from tests.recordings.dumps import REAL, call, write_bytes
from tests.recordings.elsewhere import elsewhere
from tests.recordings.fold.test_engines import odd_runs
from tests.recordings.laws.files import copied
from tools.bench.generate import records


@pytest.mark.slow
def test_run_is_judged_the_same_by_several_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = copied("kill-owner", tmp_path)
    torn = run / "broker-2.log.gz"
    torn.write_bytes(torn.read_bytes()[:-200])
    whole = gzip.decompress((run / "broker-1.log.gz").read_bytes())
    (run / "broker-1.log.gz").unlink()
    (run / "broker-1.log").write_bytes(whole)
    monkeypatch.setattr(judged_apart, "LEAST_AT_ONCE", 0)
    results = []
    for alone in (audit_engine.ALONE, 0):
        monkeypatch.setattr(audit_engine, "ALONE", alone)
        called = call("audit", run, "--engine", "inline", "--json", "-")
        results.append((called.exit_code, re.sub(r'"seconds": [\d.]+', "", called.stdout)))
    assert results[0] == results[1]
    assert "cut short" in results[0][1]


def result_of(*arguments: object) -> tuple[int, str]:
    """Return exit code and JSON of one call, without the time that it took."""
    called = call(*arguments, "--engine", "inline", "--json", "-")
    return called.exit_code, re.sub(r'"seconds": [\d.]+', "", called.stdout)


def same_by_several(arguments: Sequence[object], monkeypatch: pytest.MonkeyPatch, size: int = 4_000) -> str:
    """Return the JSON of one call, which several workers must give too, by parts of files and by namespaces."""
    monkeypatch.setattr(runs, "chunks_of", partial(chunks_of, size=size))
    alone = result_of(*arguments)
    monkeypatch.setattr(audit_engine, "ALONE", 0)
    monkeypatch.setattr(audit_engine, "processes", lambda _: nullcontext(elsewhere))
    monkeypatch.setattr(audit_engine, "in_processes", elsewhere)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert result_of(*arguments) == alone
    return alone[1]


def test_tables_are_made_by_processes_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In real processes, like tables of a run with long logs: work for a process need not be hashable."""
    made = []
    for alone in (audit_engine.ALONE, 0):
        monkeypatch.setattr(audit_engine, "ALONE", alone)
        folder = tmp_path / str(alone)
        assert call("audit", REAL / "healthy", "--engine", "inline", "--tables", folder).exit_code == 0
        made.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert made[0] == made[1]
    assert len(made[0]) == 4


@pytest.mark.parametrize(
    ("verb", "name"),
    [
        ("timeline", "metadata-store"),
        ("audit", "split-crash"),
        pytest.param("audit", "metadata-store", marks=pytest.mark.slow),
        pytest.param("timeline", "split-crash", marks=pytest.mark.slow),
        pytest.param("audit", "zk-partition-livelock", marks=pytest.mark.slow),
        pytest.param("timeline", "zk-partition-livelock", marks=pytest.mark.slow),
    ],
)
def test_recording_is_folded_the_same_by_namespaces(verb: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert same_by_several((verb, REAL / name), monkeypatch, 20_000)


def test_odd_runs_are_folded_the_same_by_namespaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Damage, repeated ids, findings that tie, several runs of which one is empty, and refusals of many namespaces."""
    lines = [line.encode() for line in records(3_000, 200)]
    write_bytes(tmp_path / "lost-races" / "channel-1.jsonl", b"".join(lines[:2_000]))
    write_bytes(tmp_path / "lost-races" / "channel-2.jsonl", b"".join(lines[1_990:]))
    result = same_by_several(("audit", *odd_runs(tmp_path)), monkeypatch)
    assert "its message id occurs in another file too" in result
    assert result.count('"rule": "version"') > 100
    assert result.count('"law": "readable-input"') > 40


def test_intervals_of_many_batches_of_several_runs_are_told_by_run_unit_and_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They wait by batch, some together, on disk or in memory, until they are merged for the caller."""
    for seed, name in enumerate("ab"):
        write_bytes(tmp_path / name / "channel.jsonl", "".join(records(6_000, 60, seed)).encode())
    monkeypatch.setattr(runs, "chunks_of", partial(chunks_of, size=20_000))
    whole = intervals_of(tmp_path)
    monkeypatch.setattr(blocks, "MERGED_EVENTS", 1_500)
    monkeypatch.setattr(bucket, "MOST", 100)
    assert intervals_of(tmp_path) == whole
    monkeypatch.setattr(audit_engine, "ALONE", 0)
    monkeypatch.setattr(audit_engine, "processes", lambda _: nullcontext(elsewhere))
    assert intervals_of(tmp_path) == whole
    rows = [(one["run"], one["unit"]) for one in whole]
    assert rows == sorted(rows)
    assert {run for run, _ in rows} == {str(tmp_path / name / "channel.jsonl") for name in "ab"}
    assert len(rows) > 10_000


def intervals_of(folder: Path) -> list[dict[str, Any]]:
    """Return the intervals of two runs as the tables have them."""
    files = [folder / name / "channel.jsonl" for name in "ab"]
    call("audit", *files, "--engine", "inline", "--tables", folder / "tables")
    rows: list[dict[str, Any]] = pq.read_table(folder / "tables" / "intervals.parquet").to_pylist()
    return rows


def test_long_dump_for_which_there_is_no_room_is_refused_with_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value kept in a file of the temporary directory is written to a full disk."""
    write_bytes(tmp_path / "channel.jsonl", "".join(records(200, 4)).encode())
    monkeypatch.setattr(audit_engine, "ALONE", 0)
    monkeypatch.setattr(audit_engine, "processes", lambda _: nullcontext(in_turn))
    monkeypatch.setattr(bucket, "Path", lambda folder, name: Path("/dev/full"))
    called = call("audit", tmp_path / "channel.jsonl", "--engine", "inline")
    assert called.exit_code == 2
    assert "No space left on device: records are kept there meanwhile; TMPDIR names another place" in called.stderr
