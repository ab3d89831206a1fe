"""Kafka's decisions: the laws that releases break, the worst convergence, laws of larger groups."""

from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.engines.decide.judging import every_input, judge
from oneowner.model.kafka.assignors.group_inputs import GroupSizes, HistorySizes
from oneowner.model.kafka.batch.assignors import RULES
from oneowner.model.kernel.decision import Decision
from oneowner.spec.kafka.convergence import CONVERGENCE
from oneowner.spec.kafka.high_availability import HIGH_AVAILABILITY
from tests.model.channel.strategies import steadily
from tests.spec.balancer.strategies import inputs_of


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
