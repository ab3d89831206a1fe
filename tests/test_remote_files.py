"""A run in S3 is judged as the same run in a folder: a real server of S3, and real requests."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow.fs import FileSelector, FileSystem

from oneowner.checkers import extras, remote_files
from oneowner.checkers.recordings.fold.audit_engine import has_java
from tests.recordings.dumps import REAL, audit, call

RUN = REAL / "split"
S3 = "s3://bucket/night/split"


@pytest.fixture(scope="module")
def bucket() -> Iterator[FileSystem]:
    """A server of S3 with one bucket; the environment names it, as it would any other."""
    from moto.server import ThreadedMotoServer  # which takes long to import, and one process alone asks it

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    names = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "it", "AWS_SECRET_ACCESS_KEY": "is",
        "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for name, value in names.items():
            patch.setenv(name, value)
        store = FileSystem.from_uri("s3://bucket/?allow_bucket_creation=true")[0]
        store.create_dir("bucket")
        for path in RUN.iterdir():
            with store.open_output_stream(f"bucket/night/{RUN.name}/{path.name}", compression=None) as stream:
                stream.write(path.read_bytes())
        yield store
    server.stop()
    remote_files._connected.cache_clear()


def output(run: str | Path, *options: object) -> str:
    text = call("audit", run, "--json", "-", "--engine", "inline", *options).stdout
    return re.sub(r'"seconds": [\d.]+', "", text.replace(str(run), "RUN"))


@pytest.mark.parametrize("scheme", ["s3", pytest.param("s3a", marks=pytest.mark.slow)])
def test_run_in_s3_is_judged_as_the_folder(scheme: str, bucket: FileSystem) -> None:
    assert output(S3.replace("s3:", f"{scheme}:")) == output(RUN)


@pytest.mark.slow
def test_run_in_s3_is_judged_by_a_process_of_its_own_which_writes_there(bucket: FileSystem, tmp_path: Path) -> None:
    out = [word for name in ("json", "html", "sarif") for word in (f"--{name}", f"s3://bucket/out/audit.{name}")]
    command = [sys.executable, "-m", "oneowner", "audit", f"{S3}/", *out, "--tables", "s3://bucket/out/tables"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert (done.stderr, done.returncode) == ("", 0)
    with bucket.open_input_file("bucket/out/audit.json") as stream:
        text = stream.read().decode()
    assert re.sub(r'"seconds": [\d.]+', "", text.replace(S3, "RUN")) == output(RUN)
    there = {info.base_name for info in bucket.get_file_info(FileSelector("bucket/out", recursive=True))}
    assert there >= {"audit.json", "audit.html", "audit.sarif", "findings.parquet", "intervals.parquet"}


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(not has_java(), reason="Spark needs Java")
def test_run_in_s3_has_the_same_bytes_on_spark_whose_workers_open_it(bucket: FileSystem, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = [sys.executable, "-m", "oneowner", "audit", S3, "--json", str(out), "--master", "local[2]", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert (done.stderr, done.returncode) == ("", 0)
    assert re.sub(r'"seconds": [\d.]+', "", out.read_text().replace(S3, "RUN")) == output(RUN)


def test_pseudonyms_hide_the_bucket(bucket: FileSystem) -> None:
    text = call("audit", f"{S3}/channel.jsonl.gz", "--anonymise", "--salt", "x", "--json", "-").stdout
    assert '"folder-' in text
    assert "bucket" not in text.replace("bucketed", "")


def test_file_alone_in_s3_is_judged_and_one_that_is_not_there_is_refused(bucket: FileSystem) -> None:
    assert output(f"{S3}/channel.jsonl.gz") == output(RUN / "channel.jsonl.gz")
    for missing in (f"{S3}/none.jsonl", "s3://no-such-bucket/run"):
        found = call("audit", missing)
        assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
        assert found.stderr.startswith(f"error: {missing}: ")


def test_torn_file_in_s3_is_said_by_its_uri_and_line(bucket: FileSystem) -> None:
    with bucket.open_output_stream("bucket/torn/channel.jsonl.gz", compression=None) as stream:
        stream.write((RUN / "channel.jsonl.gz").read_bytes()[:-20])
    found = audit("s3://bucket/torn")
    assert (found.verdict, found.exit_code) == ("unknown", 2)
    assert re.match(r"s3://bucket/torn/channel\.jsonl\.gz:\d+: the gzip stream is cut short", found.json["reasons"][0])


def test_output_that_no_bucket_takes_is_refused_in_a_line(bucket: FileSystem) -> None:
    found = call("audit", RUN / "channel.jsonl.gz", "--json", "s3://no-such-bucket/audit.json")
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
    assert found.stderr.startswith("error: s3://no-such-bucket/audit.json: cannot be written: ")


def test_place_with_options_is_refused() -> None:
    assert "AWS_ENDPOINT_URL" in call("audit", "s3://bucket/run?scheme=http").stderr


def test_place_away_without_arrow_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    found = call("audit", S3)
    assert found.exit_code == 2
    assert found.stderr == f"error: {S3} needs pyarrow, not installed here: pip install 'oneowner[remote]'\n"
