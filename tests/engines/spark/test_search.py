"""The distributed search finds what the C engine finds."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.catalogue.families import faults
from oneowner.checkers.engines.compile.watched import OUT_OF_TIME
from oneowner.checkers.engines.explore.exploration import Limits
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.engines.spark import work
from oneowner.checkers.engines.spark.checkpoint import NAME
from oneowner.checkers.engines.spark.gathered import Gathered
from oneowner.checkers.engines.spark.library import Words
from oneowner.checkers.recordings.fold.audit_engine import has_java
from oneowner.checkers.verdict import Misuse
from tests.command_line import TINY, oneowner, refused
from tests.engines.spark.searching import FAULTY, asked_of, assert_same, bounds_named, by_c, by_spark

FAMILIES = """
    pip-192 pip-192-unload late-loads recreation locks/stuck-release locks/holders locks/twins load_data/lost-tombstone
    lock_manager/stale-split lock_manager/loading lock_manager/stop lock_manager/two-managers
    leader_election/elections leader_election/lost-answer elasticsearch/throttle elasticsearch/fail-over
    elasticsearch/stale-copy kafka/join kafka/scale-out streams_group/two-tasks redis/by-hand redis/migration
""".split()
FAULTS = """
    outgoing_not_limited target_fails_source closing_node_acknowledges write_ignores_master stale_copy_promoted
    older_term_accepted unknown_lag_is_least assigned_before_revoked old_reports_stay loss_is_ignored busy_is_owner
""".split()


def test_laws_of_a_faulty_model_are_judged_and_broken_as_in_c() -> None:
    found = by_spark()
    assert_same(by_c(), found)
    broken = [law for law, result in found.laws.items() if result.steps is not None]
    assert len(broken) > 2
    assert found.finished
    assert found.missed is not None
    assert found.missed < 1e-30


def test_search_ends_with_the_level_that_breaks_a_law() -> None:
    ends = frozenset({"single-writer"})
    found = by_spark(stop_at=ends)
    assert_same(by_c(FAULTY, ends), found)
    assert not found.finished
    assert found.laws["single-writer"].steps is not None


@pytest.mark.slow
def test_model_without_a_fault_is_visited_whole() -> None:
    assert_same(by_c(TINY), by_spark(TINY))


def test_perturbations_beyond_the_budget_are_not_taken() -> None:
    limits = Limits(perturbations=1)
    assert_same(by_c(FAULTY, frozenset(), limits), by_spark(limits=limits))


@pytest.mark.slow
def test_search_with_little_memory_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything sent to a partition goes to disk, and comes back; states are expanded a few at a time."""
    spills: list[int] = []
    spill = Gathered._spill

    def noting(gathered: Gathered, records: Words) -> None:
        spills.append(len(records))
        spill(gathered, records)

    monkeypatch.setattr(Gathered, "_spill", noting)
    monkeypatch.setattr(work.Work, "room", property(lambda one: 2 * one.model.actions))
    assert_same(by_c(bounds_named("leader")), by_spark(bounds_named("leader")))
    assert sum(spills) > 0


def test_budget_of_states_ends_the_search_with_a_whole_level() -> None:
    whole = by_c()
    found = by_spark(limits=Limits(states=whole.distinct - 1))
    assert found.is_cut_short
    assert not found.finished
    assert "more than" in found.stopped
    assert 0 < found.distinct < whole.distinct


def test_search_without_time_is_undecided() -> None:
    found = by_spark(limits=Limits(seconds=0.0))
    assert found.stopped.startswith(OUT_OF_TIME)  # on a busy machine the time to get ready is named, too
    assert not found.finished


def test_too_little_memory_is_refused() -> None:
    with pytest.raises(Misuse, match="256 MB"):
        by_spark(limits=Limits(bytes=2**20))


def test_options_that_need_the_engine_are_refused_without_it(tmp_path: Any) -> None:
    refused(oneowner("explore", "leader", "--checkpoint", tmp_path), "--engine spark")
    refused(oneowner("explore", "leader", "--engine", "spark", "--walks", 3), "--walks")
    refused(oneowner("explore", "leader", "--engine", "spark", "--symmetry"), "engine c")
    refused(oneowner("explore", "leader", "--engine", "spark", "--threads", 2), "--threads")


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(not has_java(), reason="Spark needs Java")
def test_jobs_on_spark_find_the_same() -> None:
    """Every level is a job, and every way back."""
    assert_same(by_c(), by_spark(small=0, master="local[2]"))


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(not has_java(), reason="Spark needs Java")
def test_task_that_cannot_write_is_unknown_in_a_line(tmp_path: Path) -> None:
    found = by_spark(folder=tmp_path / "levels", limits=Limits(states=3))
    assert found.is_cut_short
    level = len(json.loads((tmp_path / "levels" / NAME).read_text())["levels"])
    shutil.rmtree(tmp_path / "levels" / f"level-{level:05}", ignore_errors=True)
    (tmp_path / "levels" / f"level-{level:05}").write_text("no folder")
    found = by_spark(folder=tmp_path / "levels", small=0, master="local[2]")
    assert not found.finished
    assert "\n" not in found.stopped
    assert f"level-{level:05}" in found.stopped


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_families_are_explored_as_by_the_interpreter(family: str) -> None:
    bounds = bounds_named(family)
    assert_same(explore(bounds, *asked_of(bounds)), by_spark(bounds))


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_faults_break_the_laws_that_the_interpreter_sees_broken(name: str) -> None:
    fault = faults()[name]
    bounds = bounds_named(fault.family, name)
    found = by_spark(bounds)
    assert_same(explore(bounds, *asked_of(bounds)), found)
    assert any(result.steps is not None for result in found.laws.values())
