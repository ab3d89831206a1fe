"""Kafka's decisions: every law is broken by a mutant that answers otherwise; laws hold of larger groups."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.engines.decide.inputs import every_input
from oneowner.checkers.engines.decide.judging import judge
from oneowner.checkers.ledger.decision_rows import facts
from oneowner.model.kafka.assignors.group_inputs import GroupSizes, HistorySizes
from oneowner.model.kafka.batch.assignors import RULES
from oneowner.model.kernel.decision import Decision
from oneowner.spec.kafka.convergence import CONVERGENCE
from oneowner.spec.kafka.high_availability import HIGH_AVAILABILITY
from tests.model.channel.strategies import steadily
from tests.spec.balancer.strategies import inputs_of
from tests.spec.kafka.mutants import MUTANTS
from tests.spec.small_inputs import decisions_of, laws_of, small_inputs

DECISIONS = decisions_of("kafka")
LAWS = laws_of("kafka")


@pytest.mark.parametrize(("name", "law"), LAWS)
def test_law_is_broken_by_a_mutant(name: str, law: str) -> None:
    mutant = replace(DECISIONS[name], decide=MUTANTS[name.removeprefix("kafka/"), law])
    inputs = small_inputs(name)
    parts = (inputs[start : start + 200] for start in range(0, len(inputs), 200))
    assert any(judge(mutant, part, [law]).laws[law].broken_by is not None for part in parts)


@pytest.mark.parametrize("name", DECISIONS)
def test_no_input_is_drawn_twice(name: str) -> None:
    inputs = small_inputs(name)
    assert len(set(inputs)) == len(inputs) > 500


def test_facts_of_every_decision_are_answered_as_kafka_does() -> None:
    ours = [fact for fact in facts() if fact.decision.home == "kafka"]
    assert {fact.decision.name for fact in ours} == set(DECISIONS)
    assert all("Test" in fact.source or "KIP-441" in fact.source for fact in ours)
    assert [difference for fact in ours for difference in fact.difference()] == []


def broken_in(release: str) -> set[str]:
    """Which laws of the assignor of KIP-441 a release breaks."""
    decide = HIGH_AVAILABILITY.decide
    of_release = replace(HIGH_AVAILABILITY, decide=lambda group: decide(group._replace(rules=RULES[release])))
    laws = judge(of_release, every_input(HIGH_AVAILABILITY, GroupSizes(tasks=1))).laws
    return {name for name, tally in laws.items() if tally.broken_by is not None}


def test_until_2_6_the_least_behind_need_not_run_and_no_unknown_lag_keeps_a_task_from_who_runs_it() -> None:
    documented = {law.name for law in HIGH_AVAILABILITY.laws if law.status.is_violated}
    assert documented - {"the-running-run-on"} < broken_in("2.6.3")
    assert "the-least-behind-run" in broken_in("2.6.3")
    assert broken_in("3.3.2") == documented


def test_worst_convergence_of_three_clients_and_three_tasks_is_a_rebalance_a_task_and_one() -> None:
    """Copies that a standby brings with it take none."""
    worst: Counter[tuple[int, int]] = Counter()
    for group in every_input(CONVERGENCE, HistorySizes(3, 3)):
        asked = group.config.num_standby_replicas, group.config.max_warmup_replicas
        worst[asked] = max(worst[asked], CONVERGENCE.decide(group).rebalances)
    assert worst == {(0, 1): 4, (0, 2): 3, (1, 1): 4, (1, 2): 3}


WIDE = (
    (CONVERGENCE, HistorySizes(clients=6, tasks=8, standbys=2, warmups=3)),
    (HIGH_AVAILABILITY, GroupSizes(clients=6, tasks=8, threads=3, standbys=2, warmups=3)),
)
"""Sizes beyond those that are visited as a whole."""


@steadily
@given(st.one_of([st.tuples(st.just(decision), inputs_of(decision, sizes)) for decision, sizes in WIDE]))
def test_laws_hold_of_larger_groups(drawn: tuple[Decision, Any]) -> None:
    decision, group = drawn
    laws = judge(decision, [group]).laws
    broken = {name for name, tally in laws.items() if tally.broken_by is not None}
    assert {name for name in broken if not decision.laws_by_name[name].status.is_violated} == set()
