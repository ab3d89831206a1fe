"""Decisions of other systems: every law is broken by a mutant that answers otherwise, and facts are answered alike."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from oneowner.checkers.engines.decide.judging import judge
from oneowner.checkers.ledger.decision_rows import facts
from oneowner.model.allocation.allocation_inputs import JobSizes, PoolSizes
from oneowner.spec.allocation.fair_shares import FAIR_SHARES
from oneowner.spec.allocation.key_groups import KEY_GROUPS
from tests.model.channel.strategies import steadily
from tests.spec.allocation.mutants import MUTANTS
from tests.spec.balancer.strategies import inputs_of
from tests.spec.small_inputs import decisions_of, laws_of, small_inputs

DECISIONS = decisions_of("allocation")
LAWS = laws_of("allocation")


@pytest.mark.parametrize(("name", "law"), LAWS)
def test_law_is_broken_by_a_mutant(name: str, law: str) -> None:
    mutant = MUTANTS[name.removeprefix("allocation/"), law]
    original = DECISIONS[name]
    tally = judge(replace(original, decide=mutant), small_inputs(name), [law]).laws[law]
    assert tally.broken_by is not None
    assert mutant(tally.broken_by[0]) != original.decide(tally.broken_by[0])


def test_every_mutant_is_of_a_law() -> None:
    assert {(f"allocation/{name}", law) for name, law in MUTANTS} == set(LAWS)


@pytest.mark.parametrize("name", DECISIONS)
def test_no_input_is_drawn_twice(name: str) -> None:
    inputs = small_inputs(name)
    assert len(set(inputs)) == len(inputs) > 300


def test_facts_of_every_decision_are_answered_as_the_originals_do() -> None:
    ours = [fact for fact in facts() if fact.decision.home == "allocation"]
    assert {fact.decision.name for fact in ours} == set(DECISIONS)
    assert [difference for fact in ours for difference in fact.difference()] == []


@steadily
@given(inputs_of(KEY_GROUPS, JobSizes(key_groups=32768)))
def test_laws_of_key_groups_hold_of_all_jobs_that_flink_allows(job: Any) -> None:
    assert [name for name, tally in judge(KEY_GROUPS, [job]).laws.items() if tally.broken_by is not None] == []


@steadily
@given(inputs_of(FAIR_SHARES, PoolSizes(pools=6, total=1000, share=300)))
def test_laws_of_shares_hold_of_larger_clusters(cluster: Any) -> None:
    laws = judge(FAIR_SHARES, [cluster]).laws
    broken = {name for name, tally in laws.items() if tally.broken_by is not None}
    assert broken <= {"shares-are-the-total"}
