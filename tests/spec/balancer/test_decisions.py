"""Decisions: every law is broken by a mutant that answers otherwise; laws hold of inputs of any size."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.engines.decide.inputs import every_input
from oneowner.checkers.engines.decide.judging import judge
from oneowner.checkers.ledger.decision_rows import facts
from oneowner.model.balancer.splitting.ring_inputs import RingSizes
from oneowner.model.balancer.splitting.split_algorithms import Limits, Topic, flow_or_qps_equally_divide
from oneowner.model.balancer.splitting.split_inputs import BundleSizes, LoadSizes, TopicSizes
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.decision import Decision
from oneowner.model.pulsar.boundaries import topic_hash
from oneowner.model.pulsar.bundles import RING_END
from oneowner.spec.systems import decisions
from tests.model.channel.strategies import steadily
from tests.spec.balancer.caller_mutants import CALLER_MUTANTS
from tests.spec.balancer.filter_mutants import FILTER_MUTANTS
from tests.spec.balancer.mutants import MUTANTS
from tests.spec.balancer.placement_mutants import PLACEMENT_MUTANTS
from tests.spec.balancer.strategies import inputs_of

DECISIONS = {name: one for name, one in decisions().items() if one.home == "balancer"}
LAWS = [(name, law.name) for name, one in DECISIONS.items() for law in one.laws]


@pytest.mark.sample(67)
@pytest.mark.parametrize(("name", "law"), LAWS)
def test_law_is_broken_by_a_mutant(name: str, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = DECISIONS[name]
    if law == "accepted-boundaries-tile":  # it is a law of what is accepted: that is changed
        monkeypatch.setattr("oneowner.spec.balancer.splitting.boundary_laws.accepts", lambda parent, boundaries: True)
    else:
        mutant = replace(
            mutant,
            decide=(MUTANTS | FILTER_MUTANTS | PLACEMENT_MUTANTS | CALLER_MUTANTS)[name.removeprefix("balancer/"), law],
        )
    assert is_broken(mutant, law, small_inputs(name))


@cache
def small_inputs(name: str) -> list[Any]:
    return list(every_input(DECISIONS[name], DECISIONS[name].sizes()))


def is_broken(decision: Decision, law: str, inputs: list[Any]) -> bool:
    """Judge twice as many inputs each time, the least first: most laws are broken early."""
    end = 100
    while judge(decision, inputs[:end], [law]).laws[law].broken_by is None:
        if end >= len(inputs):
            return False
        end *= 4
    return True


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", DECISIONS)
def test_no_input_is_drawn_twice_and_every_law_has_an_occasion(name: str) -> None:
    decision, inputs = DECISIONS[name], small_inputs(name)
    assert len(set(inputs)) == len(inputs)
    assert all(tally.exercised for tally in judge(decision, inputs).laws.values())


def test_facts_name_where_they_were_copied() -> None:
    ours = [fact for fact in facts() if fact.decision.home == "balancer"]
    assert len(ours) > 15
    assert all("policies." in fact.source or "Test" in fact.source for fact in ours)


WIDE: dict[str, Bounds] = {
    "find-bundle": RingSizes(hashes=RING_END - 2, bundles=20),
    "range-equally-divide": BundleSizes(hashes=RING_END),
    "topic-count-equally-divide": TopicSizes(hashes=RING_END, topics=20),
    "flow-or-qps-equally-divide": LoadSizes(hashes=RING_END, topics=20, rate=40_000, throughput=2**27),
}
"""Inputs as large as Pulsar's own."""


def wide_inputs() -> Iterator[st.SearchStrategy[tuple[Decision, Any]]]:
    for name, sizes in WIDE.items():
        decision = DECISIONS[f"balancer/{name}"]
        yield st.tuples(st.just(decision), inputs_of(decision, sizes))


@steadily
@given(st.one_of(*wide_inputs()))
def test_laws_hold_of_inputs_of_any_size(drawn: tuple[Decision, Any]) -> None:
    decision, given_ = drawn
    tallies = judge(decision, [given_]).laws
    broken = {name for name, tally in tallies.items() if tally.broken_by is not None}
    assert {name for name in broken if not decision.laws_by_name[name].status.is_violated} == set()


def test_parts_of_a_real_namespace_fit_as_upstream_asserts() -> None:
    """FlowOrQpsEquallyDivideBundleSplitAlgorithmTest.testSplitBundleByFlowOrQps: below both limits, strictly."""
    rates = {number: 49.5 if number < 6 else 50.5 for number in range(1, 13)}
    names = [
        (f"persistent://test-tenant1/test-namespace1/test{i}-partition-{j}", rates[i]) for i in rates for j in range(20)
    ]
    names.append(("persistent://test-tenant1/test-namespace1/test695-partition-0", 60))
    topics = [Topic(topic_hash(name), rate, 2000) for name, rate in names]
    boundaries = flow_or_qps_equally_divide(topics, Limits(1010, 100 * 2**20, 10))
    assert len(boundaries) > 10
    for low, high in pairwise((0, *boundaries)):
        part = [topic for topic in topics if low <= topic.hash < high]
        assert sum(topic.rate for topic in part) < 1010
        assert sum(topic.throughput for topic in part) < 100 * 2**20
