"""Logs in another layout change no verdict; one that is not read is named, with its first line."""

import gzip
import re
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from tests.recordings.dumps import REAL, Judged, audit

HEAD = re.compile(r"(?m)^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d),(\d{3})\+0000 \[([^\]\n]*)\] (\w+) +(\S+) - ")


def in_shanghai(head: re.Match[str]) -> str:
    """Return a head with a local time without its zone."""
    local = datetime.fromisoformat(head[1]) + timedelta(hours=8)
    return f"{local:%Y-%m-%d %H:%M:%S}.{head[2]} [{head[3]}] {head[4]}  {head[5]} - "


def of_old(head: re.Match[str]) -> str:
    """Return a head of 2.8, without a date; packages are abbreviated."""
    *packages, name = head[5].split(".")
    logger = ".".join([*(package[0] for package in packages), name])
    return f"{head[1][11:]}.{head[2]} [{head[3]}] {head[4]}  {logger} - "


def of_tests(head: re.Match[str]) -> str:
    """Return a head of Pulsar's tests."""
    return f"{head[1].replace('T', ' ')},{head[2]} - {head[4]} - [{head[3]}:{head[5].rpartition('.')[2]}@1] - "


@cache
def usual() -> Judged:
    return audit(REAL / "healthy-quiet")


@pytest.mark.parametrize(
    ("write", "options"),
    [(in_shanghai, ("--zone", "+08:00")), (of_old, ()), (of_tests, ())],
    ids=["local time", "2.8", "Pulsar's tests"],
)
def test_logs_in_another_layout_are_judged_alike(
    write: Callable[[re.Match[str]], str], options: tuple[str, ...], tmp_path: Path
) -> None:
    for file in (REAL / "healthy-quiet").iterdir():
        if file.name.startswith("broker-"):
            text = gzip.decompress(file.read_bytes()).decode()
            (tmp_path / file.name).write_bytes(gzip.compress(HEAD.sub(write, text).encode(), mtime=0))
        elif file.name != "expectation.yaml":
            shutil.copyfile(file, tmp_path / file.name)
    found = audit(tmp_path, *options)
    assert found.json["verdict"] == usual().json["verdict"] == "valid"
    assert found.json["laws"] == usual().json["laws"]
    of_logs = [
        [(log["broker"], log["lines"], log["understood"]) for log in one.json["runs"][0]["logs"]]
        for one in (found, usual())
    ]
    assert of_logs[0] == of_logs[1]


def said(tmp_path: Path, text: str, name: str = "broker-7.log") -> Judged:
    (tmp_path / name).write_text(text)
    found = audit(tmp_path, "--verbose")
    assert found.json["verdict"] == "unknown"
    return found


def test_log_of_which_no_line_is_understood_is_not_reported_as_read(tmp_path: Path) -> None:
    line = "22414:M 11 Oct 2022 01:21:30.385 # I have keys for slot 16377, but the slot is assigned to another node."
    found = said(tmp_path, f"{line}\n" * 3, "redis.log")
    words = " ".join(found.said.split())
    assert f"redis.log: not read: none of its 3 lines is of a known layout; the first: {line}; tried: " in words
    assert "read redis.log" not in words
    assert found.json["runs"][0]["logs"][0]["unread"].startswith("none of its 3 lines")


def test_log_of_a_modular_manager_is_read_and_its_broker_guessed(tmp_path: Path) -> None:
    logger = "org.apache.pulsar.broker.namespace.OwnershipCache"
    unit = "t1/ns1/0x00000000_0x40000000"
    line = f"00:12:31.855 [metadata-store-6-1] INFO  {logger} - Trying to acquire ownership of {unit}"
    words = " ".join(said(tmp_path, f"{line}\n").said.split())
    assert "broker-7.log (broker-7): 1 lines of load balancing, 100.0 % understood" in words
    assert "no line names its broker: taken for broker-7; --broker-log BROKER=" in words
    assert "its lines print no date: their day is unknown and printed as 1970-01-01; --date 2024-05-01 sets" in words
