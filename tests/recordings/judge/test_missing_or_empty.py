"""Missing or empty files never end green: a file that lost all its lines looks like one that never had any."""

import gzip
import shutil
from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold.file_names import is_known
from tests.recordings.dumps import REAL, audit
from tests.recordings.laws.files import copied

READ = sorted(file.name for file in (REAL / "healthy").iterdir() if is_known(file.name))
"""The files of a valid recording that an audit reads."""


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("name", "text"), [*((name, b"") for name in READ), ("lookups.jsonl.gz", b"\n"), ("broker-1.log.gz", b" \n\n")]
)
def test_empty_file_of_a_valid_run_makes_it_unknown_and_is_named(name: str, text: bytes, tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    (run / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert found.json["reasons"][0].startswith(f"{run / name}:")


@pytest.mark.parametrize("name", ["broker-1.log.gz", "lookups.jsonl.gz", "manifest.yaml", "zookeeper.jsonl"])
def test_run_without_a_channel_is_unknown_whatever_else_there_is(name: str, tmp_path: Path) -> None:
    shutil.copy(REAL / "healthy" / name, tmp_path)
    assert_no_channel(tmp_path)


def test_run_of_everything_but_the_channel_is_unknown(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    (run / "channel.jsonl").unlink()
    assert_no_channel(run)


def assert_no_channel(run: Path) -> None:
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert any("there is no channel*.jsonl[.gz]" in reason for reason in found.json["reasons"])


def test_run_without_a_channel_whose_logs_show_a_violation_is_invalid(tmp_path: Path) -> None:
    run = copied("leader-hang", tmp_path)
    (run / "channel.jsonl").unlink()
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("invalid", 1)


def test_empty_piece_beside_a_filled_one_is_named(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    (run / "channel-2.jsonl").touch()
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.json["reasons"]) == ("unknown", [f"{run}/channel-2.jsonl: empty: no line"])


def test_log_that_was_just_rotated_is_not_missing(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    (run / "broker-1.log.gz").rename(run / "broker-1.log.1.gz")
    (run / "broker-1.log").touch()
    assert audit(run, "--engine", "inline").exit_code == 0


def test_log_of_nobody_known_that_is_empty_makes_a_run_unknown(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    (run / "pulsar-broker-9.log").touch()  # what kubectl logs prints of a pod that could not start
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.json["reasons"]) == ("unknown", [f"{run}/pulsar-broker-9.log: empty: no line"])


def test_log_that_the_manifest_names_and_that_is_not_there_is_told(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    (run / "broker-2.log.gz").unlink()
    words = f"{run}: the manifest names broker-2.log as the log of 127.0.0.1:18082, and no line of it is here"
    assert audit(run, "--engine", "inline").json["reasons"] == [words]


def test_bundle_data_without_boundaries_is_a_doubt(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    (run / "bundles.json").write_text('{"after": {"namespaces": {}}}')
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert "no namespace has any" in found.json["reasons"][0]


def test_file_that_is_not_read_for_its_name_is_named_if_it_looks_like_a_log_or_a_dump(tmp_path: Path) -> None:
    run = copied("healthy-quiet", tmp_path)
    log = gzip.decompress((run / "broker-1.log.gz").read_bytes())
    shutil.move(run / "broker-1.log.gz", run / "broker-1.gz")
    (run / "broker-2.out").write_bytes(log)
    (run / "dump.json").write_bytes((run / "compacted.jsonl").read_bytes())
    (run / "notes.md").write_bytes(log.partition(b"\n")[0])  # cites a line
    found = audit(run, "--engine", "inline")
    assert [reason for reason in found.json["reasons"] if "not read" in reason] == [
        f"{run}: not read, though like a broker's log: broker-1.gz, broker-2.out; the name of a log has .log in it",
        f"{run}: not read, though like a dump: dump.json; a dump is called channel*.jsonl",
    ]
    for some in ([run / "channel.jsonl.gz", run / "lookups.jsonl.gz"], [run, "--anonymise", "--salt", "x"]):
        assert not any("not read" in reason for reason in audit(*some, "--engine", "inline").json["reasons"]), some


def test_dump_beside_its_packed_copy_is_unknown_and_both_are_named(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    dump = next(run.glob("channel.jsonl*"))
    lines = dump.read_bytes() if dump.suffix != ".gz" else gzip.decompress(dump.read_bytes())
    (run / "channel.jsonl").write_bytes(lines)
    (run / "channel.jsonl.gz").write_bytes(gzip.compress(lines))
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    (told,) = (reason for reason in found.json["reasons"] if "repeat across files" in reason)
    assert told.endswith(f"one may be a copy: {run / 'channel.jsonl'}, {run / 'channel.jsonl.gz'}")
