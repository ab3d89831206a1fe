"""Decisions: laws hold of inputs of any size, and the parts of a real namespace fit."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.engines.decide.judging import judge
from oneowner.model.balancer.splitting.ring_inputs import RingSizes
from oneowner.model.balancer.splitting.split_algorithms import Limits, Topic, flow_or_qps_equally_divide
from oneowner.model.balancer.splitting.split_inputs import BundleSizes, LoadSizes, TopicSizes
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.decision import Decision
from oneowner.model.pulsar.boundaries import topic_hash
from oneowner.model.pulsar.bundles import RING_END
from oneowner.spec.systems import decisions
from tests.model.channel.strategies import steadily
from tests.spec.balancer.strategies import inputs_of

WIDE: dict[str, Bounds] = {
    "find-bundle": RingSizes(hashes=RING_END - 2, bundles=20),
    "range-equally-divide": BundleSizes(hashes=RING_END),
    "topic-count-equally-divide": TopicSizes(hashes=RING_END, topics=20),
    "flow-or-qps-equally-divide": LoadSizes(hashes=RING_END, topics=20, rate=40_000, throughput=2**27),
}
"""Inputs as large as Pulsar's own."""


def wide_inputs() -> Iterator[st.SearchStrategy[tuple[Decision, Any]]]:
    for name, sizes in WIDE.items():
        decision = decisions()[f"balancer/{name}"]
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
