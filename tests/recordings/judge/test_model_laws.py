"""An audit judges a run that the model explains by the model's own laws."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers import places
from oneowner.checkers.recordings.explain import state_set_search as search
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.recordings.judge.judgement import Judgement

LAW = "unregistered-owns-nothing"
"""The law of the finding that the recording ``shutdown-together`` shows (spec/findings/shutdown_together.yaml)."""


def audited(run: Path, explain: str) -> tuple[Judgement, list[Mapping[str, Any]]]:
    result, judgement, _ = audit([str(run)], Options(explain=explain), "inline", None)
    return judgement, [one for one in result.findings if one["law"] == LAW]


def test_explained_run_breaks_a_law_of_states() -> None:
    judgement, found = audited(places.RUNS / "shutdown-together", "auto")
    (run,) = judgement.runs
    assert [row.verdict.value for row in run.laws if row.law == LAW] == ["invalid"]
    assert {one["severity"] for one in found} == {"violation"}
    assert len(found) == 7
    assert all("shutdown-together/zookeeper.jsonl" in one["at"]["file"] for one in found)
    assert run.explained is not None
    assert run.explained["laws"][LAW] >= 7


@pytest.mark.parametrize(("explain", "is_asked"), [("never", False), ("auto", True), ("always", True)])
def test_healthy_run_breaks_none(explain: str, is_asked: bool) -> None:
    judgement, found = audited(places.RUNS / "healthy", explain)
    (run,) = judgement.runs
    assert run.verdict.value == "valid"
    assert not found
    assert (run.explained is not None) is is_asked


def test_long_run_is_explained_only_if_asked() -> None:
    judgement, _ = audited(places.RUNS / "transfer", "auto")
    assert judgement.runs[0].explained is None


def test_law_is_left_open_where_the_search_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST", 1)
    judgement, _ = audited(places.RUNS / "late-clean-up", "auto")
    assert judgement.runs[0].explained is not None


def test_run_without_its_registry_is_not_explained(tmp_path: Path) -> None:
    (tmp_path / "channel.jsonl").write_bytes((places.RUNS / "healthy" / "channel.jsonl").read_bytes())
    judgement, _ = audited(tmp_path, "always")
    assert judgement.runs[0].explained is None
