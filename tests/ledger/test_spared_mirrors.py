"""A change is judged by laws of purpose and protocol; what restates the code is told apart."""

from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.ledger.exploration_verdict import Judged
from oneowner.checkers.ledger.family_changes import change_in, families_of_change
from oneowner.checkers.ledger.family_search import Asked, search
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.law import LawKind

CHANGED = Asked(rules={"lag_below_tombstone_delay": "true"}, spares_mirrors=True)
"""It forbids deletions that `monitor-runs` asks for, and breaks no other law that the family keeps."""
SMALL = "tombstone-metadata-store"


def judged(asked: Asked, family: str = SMALL) -> Judged:
    return search(families()[family], replace(asked, engine="native"))


def test_search_goes_on_past_a_mirror_and_the_verdict_is_that_of_the_others() -> None:
    found = judged(CHANGED)
    assert found.exploration.finished
    assert found.result.verdict == Verdict.VALID
    assert found.result.more["mirrors"] == ["monitor-runs"]
    assert [row.law for row in found.result.laws if row.is_apart] == ["monitor-runs"]


def test_ledger_counts_mirrors_as_any_law() -> None:
    found = judged(replace(CHANGED, spares_mirrors=False))
    assert found.result.verdict == Verdict.INVALID
    assert found.broken == ("monitor-runs",)


def test_mirror_that_is_named_counts() -> None:
    found = judged(replace(CHANGED, laws=["monitor-runs"]))
    assert found.result.verdict == Verdict.INVALID
    assert found.counterexample == "monitor-runs"


def test_family_as_it_is_spares_no_mirror() -> None:
    found = judged(Asked(spares_mirrors=True, is_live=False))
    assert "mirrors" not in found.result.more


@pytest.mark.slow
def test_fault_whose_record_names_a_mirror_is_killed_by_it() -> None:
    found = search(families()["operators-transfer"], Asked(["early_retry_answered"], spares_mirrors=True))
    assert found.counterexample == "told-by-an-end"


def test_change_is_compared_with_the_pins_law_by_law() -> None:
    found = change_in(replace(CHANGED, engine="native"), SMALL)
    assert (found.verdict, found.states_before, found.states_after) == (Verdict.VALID, families()[SMALL].states, 914)
    assert not found.is_untouched
    changes = {change.law: change for change in found.laws}
    assert changes["monitor-runs"].kind == LawKind.MIRROR
    assert (changes["monitor-runs"].before, changes["monitor-runs"].after) == (Verdict.VALID, Verdict.INVALID)
    assert not changes["monitor-runs"].is_regression


def test_broken_promise_is_a_regression_with_the_shortest_run() -> None:
    found = change_in(Asked(rules={"version_check": "false"}, engine="native"), SMALL)
    lost = [change for change in found.laws if change.is_regression]
    assert found.verdict == Verdict.INVALID
    assert {change.kind for change in lost} <= {LawKind.PURPOSE, LawKind.PROTOCOL}
    assert found.scenario is not None
    assert found.scenario.expect is not None
    assert found.scenario.expect.law in {change.law for change in lost}


def test_change_that_takes_part_in_no_step_is_not_searched() -> None:
    found = change_in(Asked(rules={"split_goes_on": "false"}), SMALL)
    assert (found.is_untouched, found.verdict, found.laws) == (True, Verdict.VALID, ())


def test_family_that_is_not_there_is_undecided() -> None:
    assert change_in(CHANGED, "no-such-family").verdict == Verdict.UNKNOWN


def test_budget_leaves_a_family_undecided() -> None:
    limits = CHANGED.limits._replace(states=50)
    found = change_in(replace(CHANGED, engine="native", limits=limits), SMALL)
    assert (found.verdict, found.states_after) == (Verdict.UNKNOWN, None)
    assert [change.law for change in found.laws if change.after == Verdict.UNKNOWN] == []


def test_families_of_a_change_are_those_of_the_systems_that_have_its_switch() -> None:
    of_load_data = families_of_change(None, Asked(rules={"sorts_registered": "true"}))
    assert {name.partition("/")[0] for name in of_load_data} == {"load_data"}
    assert families_of_change("load_data", Asked(rules={"sorts_registered": "true"})) == of_load_data


@pytest.mark.parametrize(
    ("system", "asked", "words"),
    [
        (None, Asked(), "nothing is changed"),
        (None, Asked(rules={"no_such_rule": "true"}), "no such rule"),
        ("channel", Asked(rules={"health_check": "maybe"}), "no such value of health_check: maybe"),
        ("channel", Asked(rules={"health_check": "false"}, settings={"brokrs": "3"}), "no such bound: brokrs"),
        ("locks", Asked(rules={"sorts_registered": "true"}), "no such rule"),
        ("no_such_system", Asked(rules={"sorts_registered": "true"}), "no such system"),
        (None, Asked(["cleanup_without_health_check"], rules={"sorts_registered": "true"}), "has all of it"),
    ],
)
def test_families_of_a_change_that_no_system_has_is_misuse(system: str | None, asked: Asked, words: str) -> None:
    with pytest.raises(Misuse, match=words):
        families_of_change(system, asked)
