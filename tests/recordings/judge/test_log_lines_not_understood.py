"""Log lines that nobody understood are counted and shown, and make no law unknown; mutilated ones may."""

import gzip
import shutil
from pathlib import Path

import pytest

from tests.recordings.dumps import REAL, Judged, audit

CHANNEL = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl"
OWN_LINES = (
    "Failed to flush\njava.util.concurrent.TimeoutException: null\n\tat a.b.C.d(C.java:1)",
    "metadata state:Jittery is not Stable. Skipping ownership monitor. lastMetadataSessionEvent:SessionLost, "
    "lastMetadataSessionEventTimestamp:1795218909192",
)
"""Of newer releases."""


@pytest.fixture
def quiet(tmp_path: Path) -> Path:
    """Return a copy of a recording that is valid, whose logs can be changed."""
    for file in (REAL / "healthy-quiet").iterdir():
        if file.name != "expectation.yaml":
            shutil.copyfile(file, tmp_path / file.name)
    return tmp_path


def judged(folder: Path, *messages: str, options: tuple[str, ...] = ()) -> Judged:
    """Return the audit of the recording with *messages* at the end of a log."""
    log = folder / "broker-1.log.gz"
    lines = gzip.decompress(log.read_bytes())
    stamp = lines.rpartition(b"\n2026-")[2][: len("11-21T00:00:00,000+0000")].decode()
    for message in messages:
        lines += f"2026-{stamp} [thread] WARN  {CHANNEL} - {message}\n".encode()
    log.write_bytes(gzip.compress(lines, mtime=0))
    return audit(folder, *options)


def test_lines_of_newer_releases_and_unfamiliar_ones_leave_the_verdict_as_it_is(quiet: Path) -> None:
    found = judged(quiet, *OWN_LINES, "Failed to flush the table view soon", options=("--verbose",))
    assert found.json["verdict"] == "valid"
    (log,) = [log for log in found.json["runs"][0]["logs"] if log["file"].endswith("broker-1.log.gz")]
    shape = "ServiceUnitStateChannelImpl WARN: Failed to flush the table view soon"
    assert [(row["shape"], row["lines"]) for row in log["unknown"]] == [(shape, 1)]
    assert log["understood"] == log["lines"] - 1
    assert f"on: {shape}" in " ".join(found.said.split())
    assert shape not in " ".join(audit(quiet).said.split())


def test_mutilated_line_that_a_law_needs_makes_its_laws_unknown(quiet: Path) -> None:
    found = judged(quiet, "Scheduled ownership cleanup for broker:127.0.0.1:18082 with delay:many secs. Pending cl")
    assert found.json["verdict"] == "unknown"
    assert "cleanup-scheduled refused" in " ".join(found.json["reasons"])
