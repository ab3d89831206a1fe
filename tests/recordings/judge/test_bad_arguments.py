"""Arguments that mean nothing, and where the JSON goes."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.recordings.dumps import REAL, audit, call, dump, lines_of, run, write, write_bytes

RUNS = {
    0: ["0-8 Assigning(1) v1", "0-8 Owned(1) v2"],
    1: ["0-8 Owned(1) v1", "0-4 Owned(2) v1"],
    3: [],
}
"""A run for each exit code; that of 2 has an unreadable line."""


def run_of(folder: Path, code: int) -> Path:
    lines = [*lines_of(dump(*RUNS[0])), b"[]\n"] if code == 2 else lines_of(dump(*RUNS[code]))
    return write_bytes(folder / "channel.jsonl", b"".join(lines))


def assert_misuse(words: list[str], *arguments: object) -> None:
    """One line on standard error, exit code 2, nothing on standard output."""
    called = call(*arguments)
    assert (called.exit_code, called.stdout) == (2, "")
    assert not [word for word in words if word not in called.stderr], called.stderr


UNITS = ["tenant/ns/0x00000000_0x40000000", "tenant/ns/0x40000000_0x80000000"]


@pytest.mark.parametrize(
    ("unit", "nearest"),
    [
        ("tenant/ns/0x00000000_0x4000000", UNITS[0]),
        ("tenant/ns/0x40000000_0x8000000f", UNITS[1]),
        ("tenent/ns/0x40000000_0x80000000", UNITS[1]),
        ("", "tenant/ns/"),
    ],
)
def test_unknown_unit_is_misuse_that_names_the_nearest(unit: str, nearest: str, tmp_path: Path) -> None:
    file = write(tmp_path / "channel.jsonl", dump("0-4 Owned(1) v1", "4-8 Owned(1) v1"))
    assert_misuse([str(file), unit, nearest], "timeline", file, "--unit", unit)
    assert run("timeline", file, "--unit", UNITS[0]).exit_code == 0


def test_topic_is_answered_with_the_units_that_may_have_held_it() -> None:
    """A send to rig/c/t0 in the recording is one to the first bundle; the bundle of rig/a/t0 was split."""
    cases = {
        "zombie": ("persistent://rig/c/t0", "a topic of that name is one of rig/c/0x00000000_0x40000000\n"),
        "split": ("rig/a/t0", "one of rig/a/0x80000000_0xc0000000 or rig/a/0xa0000000_0xc0000000\n"),
    }
    for name, (topic, words) in cases.items():
        assert_misuse([words], "timeline", REAL / name, "--unit", topic)
        assert_misuse([words], "audit", REAL / name, "--why", "--unit", topic)


def test_folder_without_a_run_is_misuse_that_says_what_is_there(tmp_path: Path) -> None:
    assert_misuse([f"{tmp_path}: no file of a recorded run", "; there is: nothing"], "audit", tmp_path)
    for name in ("dump.json", "broker.out"):
        (tmp_path / name).touch()
    assert_misuse(["; there is: broker.out, dump.json"], "audit", tmp_path)


def test_folders_with_the_log_of_one_broker_each_are_one_cluster_and_dumps_are_several(tmp_path: Path) -> None:
    """Audited apart, the logs of one cluster contradict no law, and show half of what happened."""
    for number in (1, 2):
        log = tmp_path / "pods" / f"pulsar-broker-{number}" / "broker.log.gz"
        log.parent.mkdir(parents=True)
        shutil.copy(REAL / "healthy" / f"broker-{number}.log.gz", log)
    pods = tmp_path / "pods"
    assert_misuse(["; put the logs of one cluster into one folder", f"oneowner audit {pods}/*/"], "audit", pods)
    shutil.copy(REAL / "healthy" / "channel.jsonl", pods / "pulsar-broker-1")
    assert_misuse([f"; the runs below it are judged by: oneowner audit {pods}/*/"], "audit", pods)


def test_path_that_no_file_system_takes_is_misuse(tmp_path: Path) -> None:
    for path in (tmp_path / ("x" * 300), tmp_path / ("y/" * 3_000)):
        assert_misuse(["too long"], "audit", path)


@pytest.mark.parametrize(
    "text", ["soon", "", "2026-13-01", "2026-11-20T25:00:00", "12:00", "1e3", "0x10", "٣", "9" * 30]
)
def test_time_that_is_none_is_misuse(text: str, tmp_path: Path) -> None:
    assert_misuse(["time", text], "timeline", run_of(tmp_path, 0), "--at", text)


@pytest.mark.parametrize("verb", ["audit", "timeline"])
@pytest.mark.parametrize(
    ("option", "value"), [("--engine", "flink"), ("--storage", "memory"), ("--engine", ""), ("--bogus", "1")]
)
def test_option_that_does_not_exist_is_misuse(verb: str, option: str, value: str, tmp_path: Path) -> None:
    assert_misuse([option], verb, run_of(tmp_path, 0), option, value)


def test_audit_of_nothing_is_misuse() -> None:
    assert_misuse(["PATH"], "audit")


def test_broker_log_does_not_go_with_two_paths(tmp_path: Path) -> None:
    runs = [run_of(tmp_path / name, 0) for name in "ab"]
    log = write_bytes(tmp_path / "broker-1.log", b"")
    assert_misuse(["--broker-log"], "audit", *runs, "--broker-log", f"127.0.0.1:18081={log}")


@pytest.mark.parametrize("verb", ["audit", "timeline"])
def test_json_to_a_place_that_cannot_be_written_is_misuse(verb: str, tmp_path: Path) -> None:
    file = run_of(tmp_path / "run", 0)
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "none" / "x.json", tmp_path / "folder", file / "x.json", Path("/sys/x.json")):
        called = call(verb, file, "--json", target)
        assert called.exit_code == 2
        assert str(target) in called.stderr
        assert called.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "run"]
    assert list((tmp_path / "folder").iterdir()) == []


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_json_is_written_whatever_the_verdict(code: int, tmp_path: Path) -> None:
    file, target = run_of(tmp_path, code), tmp_path / "result.json"
    called = call("audit", file, "--json", target, "--quiet")
    assert (called.exit_code, called.output) == (code, "")
    written = json.loads(target.read_text())
    shown = audit(file).json
    assert {**written, "stats": ...} == {**shown, "stats": ...}
    assert written["verdict"] == {0: "valid", 1: "invalid"}.get(code, "unknown")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["channel.jsonl", "result.json"]


def test_json_replaces_an_older_result_as_a_whole(tmp_path: Path) -> None:
    target = write_bytes(tmp_path / "result.json", b"x" * 100_000)
    assert call("audit", run_of(tmp_path / "run", 0), "--json", target).exit_code == 0
    assert json.loads(target.read_text())["verdict"] == "valid"


def test_json_is_not_written_on_misuse(tmp_path: Path) -> None:
    target = tmp_path / "result.json"
    assert_misuse([], "audit", tmp_path / "none", "--json", target)
    assert not target.exists()


def test_json_to_a_pipe_reaches_its_reader(tmp_path: Path) -> None:
    """A pipe or device is written to: to replace it by a file would, for root, destroy /dev/null."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert call("audit", run_of(tmp_path / "run", 0), "--json", pipe).exit_code == 0
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        assert json.loads(os.read(reader, 65_536))["verdict"] == "valid"
    finally:
        os.close(reader)


COMPANIONS = {
    "lookups.jsonl": b'{"t_start":1}\n{"t_start":2,"ask',
    "owned.jsonl": b"[]\n",
    "actions.jsonl": b"\xff\n",
    "compacted.jsonl": b"\0\n",
    "zookeeper.jsonl": b'{"zxid":1}\n{"zxid"',
    "lookups.jsonl.gz": b"no gzip",
    "bundles.json": b'{"before":',
    "manifest.yaml": b"config_base: [1, 2\n",
}


@pytest.mark.parametrize("name", COMPANIONS)
@pytest.mark.parametrize("code", [0, 1, 2])
def test_damaged_companion_is_never_valid(name: str, code: int, tmp_path: Path) -> None:
    run_of(tmp_path, code)
    assert audit(tmp_path).exit_code == code
    (tmp_path / name).write_bytes(COMPANIONS[name])
    found = audit(tmp_path)
    assert found.exit_code == (code or 3)
    assert any(str(tmp_path / name) in reason for reason in found.json["reasons"])


@pytest.mark.parametrize(
    "text",
    [b"[]", b"", b"config_base: 7", b"config_overrides: [a]", b"\xff", b"a: b: c",
     b"config_base: {loadBalancerInFlightServiceUnitStateWaitingTimeInMillis: soon}"],
)  # fmt: skip
def test_manifest_that_is_none_makes_the_run_unknown(text: bytes, tmp_path: Path) -> None:
    run_of(tmp_path, 0)
    (tmp_path / "manifest.yaml").write_bytes(text)
    found = audit(tmp_path)
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert any("manifest.yaml" in reason for reason in found.json["reasons"])


def test_broker_log_that_is_cut_short_is_never_valid(tmp_path: Path) -> None:
    run_of(tmp_path, 0)
    write_bytes(tmp_path / "broker-1.log.gz", b"2026-11-21T00:18:19,896+0000 [main] INFO  started\n" * 1000)
    assert audit(tmp_path).exit_code == 0
    packed = (tmp_path / "broker-1.log.gz").read_bytes()
    (tmp_path / "broker-1.log.gz").write_bytes(packed[: len(packed) // 2])
    assert audit(tmp_path).exit_code in (2, 3)
