"""
Spark and inline give the same bytes: a real session, whatever the partitions, wherever it was started.

Two sessions are started: one in this process, one in a process of its own, in another directory.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError  # type: ignore[import-untyped]

from oneowner.checkers.recordings.fold import audit_engine as engine
from oneowner.checkers.recordings.fold import runs
from oneowner.checkers.recordings.fold.column_fold import ColumnFold
from oneowner.checkers.recordings.fold.spark_partition import OnCluster
from oneowner.checkers.recordings.laws import judged_apart
from oneowner.checkers.recordings.read.lines import chunks_of
from oneowner.checkers.recordings.read.partition import in_turn
from oneowner.checkers.spark_session import failing_in_a_line, session, streamed
from oneowner.checkers.verdict import EngineError
from tests.recordings.dumps import REAL, call, dump, lines_of, recorded, write, write_bytes
from tests.recordings.fold.test_history import METADATA_VIEW, history
from tests.recordings.read.test_bad_input import UNREADABLE
from tools.bench.generate import records

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]

HERE = ("--engine", "spark", "--master", "local[2]")
"""The session of this process; it is started once."""

SMALL = 4000
"""Bytes of a chunk, so that a small dump is read by several tasks."""

RECORDINGS = (
    "compaction", "kill-mid-transfer", "metadata-store", "rolling-restart", "split", "transfer",
    "zk-partition-livelock",
)  # fmt: skip


def bytes_of(verb: str, *arguments: object) -> tuple[int, str]:
    """Return exit code and JSON of one call, with the time that it took taken out."""
    called = call(verb, *arguments, "--json", "-")
    assert called.stdout, called.stderr
    return called.exit_code, timeless(called.stdout)


def timeless(text: str) -> str:
    cleaned, count = re.subn(r'"seconds": [0-9.]+', '"seconds": 0', text)
    assert count == 1
    return cleaned


def assert_same(verb: str, *arguments: object) -> tuple[int, str]:
    on_spark, here = bytes_of(verb, *arguments, *HERE), bytes_of(verb, *arguments, "--engine", "inline")
    assert on_spark == here
    return here


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "chunks_of", partial(chunks_of, size=SMALL))


def odd_runs(folder: Path) -> list[Path]:
    """Dumps that show what an engine can get wrong: bad lines, repeated ids, many namespaces, findings that tie."""
    recording = lines_of(recorded("split"))
    bad = [raw + b"\n" for raw, _ in UNREADABLE.values() if len(raw) < 1000]
    write_bytes(folder / "bad-lines" / "channel.jsonl", b"".join([*recording[:70], *bad, *recording[70:]]))

    write_bytes(folder / "cut" / "channel.jsonl.gz", b"".join(recording))
    packed = (folder / "cut" / "channel.jsonl.gz").read_bytes()
    (folder / "cut" / "channel.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    write_bytes(folder / "cut" / "lookups.jsonl", b'{"t_start": 1}\n{"t_st')

    again = [*recording[:30], *recording[20:40], *recording[30:]]
    write_bytes(folder / "repeats" / "channel.jsonl", b"".join(again))

    owned = [f"{low:02x}-{low + 4:02x} Owned({low % 3 + 1}) v1" for low in range(0, 240, 4)]
    rivals = (*owned, "0-f Owned(9) v1", "0-f Owned(8, from 9) v2 forced", "0-8 Owned(7) v5 forced")
    write(folder / "ties" / "channel.jsonl", dump(*rivals))

    names = [f"{a}{b}" for a in "abcdefgh" for b in "ijklmnop"]
    lines = [f"{name}:0-8 {record}" for record in ("Assigning(1) v1", "Owned(1) v3", "-") for name in names]
    spread = dump(*lines, "zz:0-8 Owned(1) v1 @500")
    for piece in range(3):
        write(folder / "spread" / f"channel-{piece}.jsonl", spread[piece::3])

    write(
        folder / "history" / "zookeeper.jsonl", history(dump("0-8 Owned(1) v1", "0-8 Owned(2) v2", "a:0-8 Owned(1) v2"))
    )
    manifest = f"config_overrides: {{loadManagerServiceUnitStateTableViewClassName: {METADATA_VIEW}}}\n"
    write_bytes(folder / "history" / "manifest.yaml", manifest.encode())

    write_bytes(folder / "empty" / "channel.jsonl", b"")
    return sorted(folder.iterdir())


@pytest.mark.slow
def test_recordings_have_the_same_bytes_on_spark() -> None:
    code, text = assert_same("audit", *(REAL / name for name in RECORDINGS))
    assert code == 1, "some of them break a law"
    assert text.count('"rule": "version"') > 80


@pytest.mark.slow
def test_odd_runs_have_the_same_bytes_on_spark(tmp_path: Path) -> None:
    code, text = assert_same("audit", *odd_runs(tmp_path))
    assert code == 2
    assert text.count('"severity": "violation"') > 200
    assert text.count('"law": "readable-input"') > 40


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
def test_odd_runs_in_many_chunks_have_the_same_bytes_on_spark(tmp_path: Path) -> None:
    recording = write(tmp_path / "runs" / "transfer" / "channel.jsonl", recorded("transfer"))
    assert recording.stat().st_size > 50 * SMALL
    code, text = assert_same("audit", *odd_runs(tmp_path / "runs"), "--partial", "--in-flight-limit", "10ms")
    assert code == 2
    assert text.count('"law": "stuck-in-flight"') > 50


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
def test_timeline_has_the_same_bytes_on_spark(tmp_path: Path) -> None:
    moment = recorded("split")[100]["publishTime"]
    recording = write(tmp_path / "channel.jsonl", recorded("split"))
    for options in (("--at", moment), ("--unit", "rig/a/0x00000000_0x10000000")):
        _, text = assert_same("timeline", recording, *options)
        assert text.count('"state": "Owned"') > 1


@pytest.mark.slow
def test_id_in_two_files_is_found_whatever_the_namespaces_on_spark_too(tmp_path: Path) -> None:
    """Namespaces go to different tasks; an id is that of the topic."""
    write(tmp_path / "channel-1.jsonl", dump(*(f"{name}:0-8 Owned(1) v1" for name in "abcdefgh")))
    write(tmp_path / "channel-2.jsonl", dump(*(f"{name}:0-8 Owned(1) v1" for name in "ijklmnop")))
    code, text = assert_same("audit", tmp_path)
    assert code == 3
    assert text.count('"law": "message-order"') == 8


WORKERS_WITHOUT_OUR_ROOMS = """\
import sys
if "pyspark.daemon" in sys.orig_argv:
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in getattr(finder, "__module__", "")]
    sys.path[:] = [place for place in sys.path if place not in ("", {root!r})]
    open({mark!r}, "w").close()
"""
"""A sitecustomize.py: in a cluster nobody has installed our rooms on the workers; here the editable install has."""


def elsewhere(folder: Path, *arguments: object, engine: str = "Spark at") -> tuple[int, str]:
    """Call the command line in its own process and directory, with workers that have no access to our code."""
    mark = folder / "workers-began"
    text = WORKERS_WITHOUT_OUR_ROOMS.format(root=str(REAL.parents[1]), mark=str(mark))
    site = write_bytes(folder / "site" / "sitecustomize.py", text.encode())
    command = [sys.executable, "-m", "oneowner", "audit", *map(str, arguments), "--json", "-"]
    environment = {**os.environ, "PYTHONPATH": str(site.parent)}
    called = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in called.stderr, called.stderr
    assert f"engine: {engine}" in called.stderr
    assert mark.exists()
    return called.returncode, timeless(called.stdout)


@pytest.mark.slow
def test_laws_of_brokers_are_judged_by_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    here = bytes_of("audit", REAL / "split", "--engine", "inline")
    monkeypatch.setattr(judged_apart, "LocalParts", lambda *_: pytest.fail("the driver judges a broker"))
    assert bytes_of("audit", REAL / "split", *HERE) == here


@pytest.mark.slow
def test_spark_connect_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
    paths = [REAL / "split", REAL / "kill-mid-transfer"]
    monkeypatch.setenv("SPARK_REMOTE", "local[2]")  # a server of its own, spoken to as to any other
    on_server = elsewhere(tmp_path, *paths, "--engine", "spark", engine="Spark Connect at local[2]")
    monkeypatch.delenv("SPARK_REMOTE")
    assert on_server == bytes_of("audit", *paths, "--engine", "inline")


@pytest.mark.slow
def test_spark_started_elsewhere_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers import the rooms from the zip alone; paths may be relative to the caller's directory."""
    odd_runs(tmp_path / "odd")
    shutil.copytree(REAL / "split", tmp_path / "odd" / "split")
    relative = [path.relative_to(tmp_path) for path in sorted((tmp_path / "odd").iterdir())]
    paths = [*relative, REAL / "kill-mid-transfer", REAL / "zk-partition-livelock"]
    on_spark = elsewhere(tmp_path, *paths, "--engine", "spark", "--master", "local[1]")
    monkeypatch.chdir(tmp_path)
    assert on_spark == bytes_of("audit", *paths, "--engine", "inline")


@pytest.mark.slow
def test_spark_keeps_its_files_where_it_is_told_and_leaves_none(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "oneowner", "audit", str(REAL / "split"), "--engine", "spark", "--quiet"]
    seen: set[str] = set()
    with subprocess.Popen([*command, "--tmp", str(tmp_path)]) as called:
        while called.poll() is None:
            seen |= {path.name.partition("-")[0] for path in tmp_path.iterdir()}
            time.sleep(0.05)
    assert called.returncode == 0
    assert {"blockmgr", "spark"} <= seen
    for _ in range(400):  # the JVM ends a moment later
        if not any(tmp_path.iterdir()):
            break
        time.sleep(0.05)
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_tables_have_the_same_bytes_on_spark(tmp_path: Path, small_chunks: None) -> None:
    (tmp_path / "one.jsonl").write_bytes(b"".join(lines_of(recorded("split"))))
    (tmp_path / "two.jsonl").write_bytes(b"".join(lines_of(dump("0-8 Owned(1) v1", "0-8 Owned(1) v1", "8-f -"))))
    runs_asked = [tmp_path / "one.jsonl", REAL / "metadata-store", tmp_path / "two.jsonl"]
    for name, wanted in (("spark", HERE), ("inline", ("--engine", "inline"))):
        assert call("audit", *runs_asked, "--tables", tmp_path / name, *wanted).exit_code == 3, (
            "a run without a law for it"
        )
    made = {file.name: file.read_bytes() for file in (tmp_path / "spark").iterdir()}
    assert made == {file.name: file.read_bytes() for file in (tmp_path / "inline").iterdir()}
    assert len(made) == 4


def tables_of_a_long_dump(folder: Path, name: str, *options: object) -> dict[str, bytes]:
    """Enough events at once that units are judged by columns, and a unit that is too busy for one piece."""
    path = folder / "long.jsonl"
    if not path.exists():
        units = records(6_000, 4), (line.replace("tenant-0/", "other/") for line in records(4_000, 600))
        lines = [
            line.replace('"messageId":"0:', f'"messageId":"{ledger}:')
            for ledger, some in enumerate(units)
            for line in some
        ]
        write_bytes(path, "".join(lines).encode())
    assert call("audit", path, "--tables", folder / name, *options).exit_code == 0
    made = {file.name: file.read_bytes() for file in (folder / name).iterdir()}
    assert len(made) == 4
    return made


def test_tables_of_a_long_dump_have_the_same_bytes_judged_event_by_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_columns = tables_of_a_long_dump(tmp_path, "columns", "--engine", "inline")
    monkeypatch.setattr(ColumnFold, "take_columns", lambda fold, columns: fold.take(columns.rows()))
    assert tables_of_a_long_dump(tmp_path, "rows", "--engine", "inline") == by_columns


@pytest.mark.slow
def test_tables_of_a_long_dump_have_the_same_bytes_on_spark(tmp_path: Path) -> None:
    inline = tables_of_a_long_dump(tmp_path, "inline", "--engine", "inline")
    assert tables_of_a_long_dump(tmp_path, "spark", *HERE) == inline


def test_folder_for_files_has_to_be_there() -> None:
    found = call("audit", REAL / "split", "--tmp", "/nowhere")
    assert found.exit_code == 2
    assert "/nowhere" in found.stderr


def test_long_logs_are_read_on_spark_and_short_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    found = runs.find_runs([str(REAL / "transfer")], runs.Options())
    chosen, why = engine.choose(found, "auto", None)
    assert (chosen, " MiB of input and " in why, why.endswith("MiB of logs")) == ("inline", True, True)
    monkeypatch.setattr(engine, "LOGS_LIMIT", 1_000)
    monkeypatch.setattr(engine, "has_java", lambda: True)
    chosen, why = engine.choose(found, "auto", None)
    assert (chosen, why.endswith("MiB of logs")) == ("spark", True)
    monkeypatch.setattr(engine, "has_java", lambda: False)
    assert engine.choose(found, "auto", None)[0] == "inline"


@pytest.mark.slow
def test_parts_come_in_the_order_of_their_items_whoever_does_the_work() -> None:
    items = [3, 0, 5, 1]
    assert [*OnCluster(0, HERE[-1])(counted, items)] == [*in_turn(counted, items)]
    assert [*OnCluster(0, HERE[-1])(counted, [])] == []


def test_partitions_that_were_handed_over_do_not_stay_in_the_jvm() -> None:
    spark = session(HERE[-1])
    rows = spark.range(0, 80, 1, 8)

    def held() -> int:
        return len(spark.sparkContext._jsc.sc().dagScheduler().activeQueryToJobs())

    before = held()
    assert [row.id for row in streamed(rows)] == [*range(80)]
    assert held() == before
    assert len([*rows.toLocalIterator()]) == 80
    assert held() > before, "Spark has mended it: its own iterator will do"


def counted(number: int) -> Iterator[tuple[int, int]]:
    return ((number, place) for place in range(number))


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError(111, "Connection refused"), EOFError(), Py4JNetworkError("no")]
)
def test_spark_that_is_gone_is_given_more_memory(error: Exception) -> None:
    with (
        pytest.raises(EngineError, match="SPARK_DRIVER_MEMORY=2g gives it more; nothing is concluded"),
        failing_in_a_line(),
    ):
        raise error


@pytest.mark.parametrize("place", [0, 1, 2])
def test_spark_that_gives_up_is_one_line_and_unknown(place: int) -> None:
    message, words = GAVE_UP[place]
    with pytest.raises(EngineError) as caught, failing_in_a_line():
        raise Py4JError(message)
    assert str(caught.value) == f"Spark gave up: {words}; nothing is concluded"


GAVE_UP = [
    (
        """An error occurred while calling o119.collectToPython.
: org.apache.spark.SparkException: Job 0 cancelled because SparkContext was shut down
\tat org.apache.spark.scheduler.DAGScheduler.$anonfun$cleanUpAfterSchedulerStop$1(DAGScheduler.scala:2060)""",
        "org.apache.spark.SparkException: Job 0 cancelled because SparkContext was shut down",
    ),
    (
        """An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "/x/spark.py", line 9, in fold_all
    raise ValueError("a block is torn")
ValueError: a block is torn""",
        "ValueError: a block is torn",
    ),
    ("", "its process is gone, perhaps for want of memory: SPARK_DRIVER_MEMORY=2g gives it more"),
]
"""Spark's message, and the part of it that is reported."""
