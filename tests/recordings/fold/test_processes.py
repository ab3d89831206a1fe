"""A big run is read and judged by several processes: the same bytes as by one, damage included."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold import audit_engine
from oneowner.checkers.recordings.laws import judged_apart
from tests.recordings.dumps import call
from tests.recordings.laws.files import copied


@pytest.mark.slow
def test_run_is_judged_the_same_by_several_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = copied("kill-owner", tmp_path)
    torn = run / "broker-2.log.gz"
    torn.write_bytes(torn.read_bytes()[:-200])
    whole = gzip.decompress((run / "broker-1.log.gz").read_bytes())
    (run / "broker-1.log.gz").unlink()
    (run / "broker-1.log").write_bytes(whole)
    monkeypatch.setattr(judged_apart, "LEAST_AT_ONCE", 0)
    told = []
    for alone in (audit_engine.ALONE, 0):
        monkeypatch.setattr(audit_engine, "ALONE", alone)
        called = call("audit", run, "--engine", "inline", "--json", "-")
        told.append((called.exit_code, re.sub(r'"seconds": [\d.]+', "", called.stdout)))
    assert told[0] == told[1]
    assert "cut short" in told[0][1]
