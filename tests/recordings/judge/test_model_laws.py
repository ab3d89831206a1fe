"""An audit judges a run that the model explains by the model's own laws."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers import places
from oneowner.checkers.recordings.explain import state_set_search as search
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge import model_laws
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.recordings.judge.model_laws import claim_of
from oneowner.spec.channel.system import SYSTEM

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


def test_records_of_one_transaction_are_distinguished_by_their_units() -> None:
    result, _, _ = audit([str(places.RUNS / "quick-restart")], Options(), "inline", None)
    found = [one for one in result.findings if one["law"] == "registered-in-time"]
    assert [(one["unit"], one["at"]["messageId"], one["at"]["line"]) for one in found] == [
        ("lab/a/0x40000000_0x80000000", "zxid:239", 90),
        ("lab/b/0x00000000_0x40000000", "zxid:239", 91),
    ]


@pytest.mark.parametrize(("explain", "is_asked"), [("never", False), ("auto", True), ("always", True)])
def test_healthy_run_breaks_none(explain: str, is_asked: bool) -> None:
    judgement, found = audited(places.RUNS / "healthy", explain)
    (run,) = judgement.runs
    assert run.verdict.value == "valid"
    assert not found
    assert (run.explained is not None) is is_asked


def test_units_with_long_histories_are_explained_only_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_laws, "MOST", 40)
    judgement, found = audited(places.RUNS / "shutdown-together", "auto")
    (run,) = judgement.runs
    assert run.explained is not None
    left_out = [one for one in run.explained["unexplained"] if "left out: with its" in one["why"]]
    assert (run.explained["units"], len(left_out)) == (1, 12)
    assert run.explained["verdict"] == "unknown"
    explained, every = audited(places.RUNS / "shutdown-together", "always")
    assert "unexplained" not in (explained.runs[0].explained or {})
    names = {one["unit"] for one in left_out}
    assert found == [one for one in every if one["unit"] not in names]
    assert run.doubts == explained.runs[0].doubts


def test_step_that_no_run_explains_is_named_with_its_unit() -> None:
    judgement, _ = audited(places.RUNS / "stop-mid-split-4.2.4", "auto")
    explained = judgement.runs[0].explained
    assert explained is not None
    assert [(one["at"], one["answer"]) for one in explained["unexplained"]] == [
        ("0:28", "unknown"),
        ("0:29", "unknown"),
    ]
    assert all(one["why"].startswith("not modelled: broker 2") for one in explained["unexplained"])


def test_law_is_left_open_where_the_search_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST", 30)  # enough for a run of the model, and not for one that keeps the law
    judgement, _ = audited(places.RUNS / "metadata-store", "auto")
    doubts = [doubt for doubt in judgement.runs[0].doubts if "the search for a run that keeps it was cut off" in doubt]
    assert [one.split(": ")[1] for one in doubts] == ["leader-caught-up"]
    assert judgement.verdict.value == "unknown"


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (("channel.jsonl",), "does not show which brokers were registered"),
        (("channel.jsonl", "lookups.jsonl.gz"), "no zookeeper*.jsonl"),
        (("zookeeper.jsonl", "lookups.jsonl.gz"), "there is no channel"),
    ],
)
@pytest.mark.parametrize("explain", ["auto", "always"])
def test_run_that_cannot_be_explained_is_in_doubt_if_that_is_demanded(
    explain: str, files: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    for name in files:
        (tmp_path / name).write_bytes((places.RUNS / "healthy" / name).read_bytes())
    judgement, _ = audited(tmp_path, explain)
    (run,) = judgement.runs
    assert run.explained is None
    assert any("--explain always" in doubt and reason in doubt for doubt in run.doubts) is (explain == "always")


def test_run_of_another_release_is_accused_of_nothing(tmp_path: Path) -> None:
    """By the rules of a release that is not its own, it may have another explanation."""
    shutil.copytree(places.RUNS / "shutdown-together", tmp_path / "run")
    manifest = tmp_path / "run" / "manifest.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("4.0.6", "v4.0.6"), encoding="utf-8")
    _, found = audited(tmp_path / "run", "auto")
    assert {(one["severity"], one["guard"]) for one in found} == {("note", "explained by the rules of another release")}


def test_run_whose_records_may_be_missing_is_not_explained() -> None:
    result, judgement, _ = audit([str(places.RUNS / "healthy")], Options(partial=True), "inline", None)
    assert judgement.runs[0].explained is None
    assert result.verdict.value == "unknown"


def test_finding_gives_the_claim_of_a_law_and_no_excuse_that_is_not_given() -> None:
    law = SYSTEM.laws_by_name[LAW]
    assert ", unless " in law.statement
    assert claim_of(law) == "When a broker that shuts down unregisters, no unit is owned by it."
