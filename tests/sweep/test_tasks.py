"""A row is what explore finds; a task that fails is unknown, with its reason."""

from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.affected import affected_releases, in_spans, releases_of
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.sweep import task as tasks
from oneowner.checkers.sweep.task import Task, done
from oneowner.checkers.verdict import EngineError
from oneowner.model.kernel.releases import since
from tests.command_line import oneowner

KILLED = ("expiry", "cleanup_without_health_check")
IN_SOME = "split_of_the_split"
"""A bug that some releases have."""


def test_row_is_what_explore_finds() -> None:
    family, fault = KILLED
    row = done(Task("explore", family, faults=(fault,)))
    found = oneowner("explore", family, "--fault", fault, "--json", "-").json
    assert row["verdict"] == found["verdict"] == "invalid"
    assert (row["states"], row["transitions"], row["deepest"]) == tuple(
        found["stats"][name] for name in ("states", "transitions", "depth")
    )
    assert row["law"] == found["counterexample"]["law"]
    assert row["steps"] == len(found["counterexample"]["steps"])
    assert row["law"] in row["broken"]
    assert f"law: {row['law']}" in row["scenario"]


def test_row_of_a_rule_is_what_explore_finds_by_it() -> None:
    row = done(Task("explore", KILLED[0], rules=(("health_check", "false"),)))
    found = oneowner("explore", KILLED[0], "--rule", "health_check=false", "--json", "-").json
    assert row["verdict"] == found["verdict"] == "invalid"
    assert (row["rules"], row["law"]) == ("health_check=false", found["counterexample"]["law"])
    assert "rules: {health_check: false}" in row["scenario"]


def test_row_of_walks_has_their_coverage() -> None:
    row = done(Task("walks", "pip-192", walks=20, depth=30, seed=2))
    assert row["verdict"] == "unknown"
    assert "random walks" in row["reasons"][0]
    assert row["transitions"] > 0
    assert row["classes"] > 0
    assert '"fired"' not in row["fired"]


def test_fault_is_killed_as_in_the_kill_matrix() -> None:
    row = done(Task("kill", KILLED[0], faults=(KILLED[1],)))
    assert row["verdict"] == "valid"
    assert row["steps"] > 0


def test_bug_is_judged_in_every_release_as_by_the_verb_releases() -> None:
    fault = defects()[IN_SOME]
    row = done(Task("releases", fault.family, faults=(IN_SOME,)))
    assert (row["verdict"], row["reasons"]) == ("valid", [])
    assert (row["law"], row["affected_releases"]) == (fault.law, in_spans(affected_releases(fault), releases_of(fault)))
    assert 0 < row["steps"] <= fault.steps  # in the release where it takes the fewest


def test_releases_other_than_the_pinned_ones_are_invalid(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = replace(defects()[IN_SOME], holds=(since("2.9.0"),))
    monkeypatch.setattr(tasks, "defects", lambda: {IN_SOME: fault})
    row = done(Task("releases", fault.family, faults=(IN_SOME,)))
    assert row["verdict"] == "invalid"
    assert row["reasons"][0].endswith("but none is pinned")


def test_budget_of_states_makes_it_unknown() -> None:
    row = done(Task("explore", "leader", max_states=10))
    assert row["verdict"] == "unknown"
    assert "more than 10 distinct states" in row["reasons"][0]
    assert row["done"]


def test_combination_that_cannot_be_is_unknown_with_its_reason() -> None:
    row = done(Task("explore", "leader", faults=("no_version_check", "no_version_check")))
    assert row["verdict"] == "unknown"
    assert "it is given 2 times" in row["reasons"][0]
    assert not row["done"]


def test_engine_that_fails_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise EngineError("the compiled search ended with code 70: out of memory")

    monkeypatch.setattr(tasks, "search", fail)
    row = done(Task("explore", "leader"))
    assert (row["verdict"], row["reasons"]) == ("unknown", ["the compiled search ended with code 70: out of memory"])
