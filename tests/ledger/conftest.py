"""A checkout of one's own for the tests of the gate."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from oneowner.checkers.catalogue import families
from oneowner.checkers.ledger import gate_rows, recording_pins
from oneowner.checkers.yaml_text import data_of
from tests.command_line import QUICK, REAL, RUN, pinned, write_ledger


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of one's own: one family, one counterexample and one recorded run, all as pinned."""
    known = data_of((families.SPEC / "channel" / "faults.yaml").read_text())
    (fault,) = [row for row in known if row["fault"] == QUICK.parent.name]
    expiry = data_of((families.SPEC / "channel" / "families" / "expiry.yaml").read_text()) | {"profile": "nightly"}
    write_ledger(tmp_path / "spec", pinned(), expiry, faults=[fault])
    examples, runs = tmp_path / "traces" / "counterexamples", tmp_path / "traces" / "real"
    shutil.copytree(QUICK.parent, examples / QUICK.parent.name)
    shutil.copytree(REAL / RUN, runs / RUN)
    monkeypatch.setattr(families, "SPEC", tmp_path / "spec")
    monkeypatch.setattr(gate_rows, "COUNTEREXAMPLES", examples)
    monkeypatch.setattr(recording_pins, "RUNS", runs)
    return tmp_path
