"""Decisions of other systems: laws hold of inputs as large as the originals allow."""

from typing import Any

from hypothesis import given

from oneowner.checkers.engines.decide.judging import judge
from oneowner.model.allocation.allocation_inputs import JobSizes, PoolSizes
from oneowner.spec.allocation.fair_shares import FAIR_SHARES
from oneowner.spec.allocation.key_groups import KEY_GROUPS
from tests.model.channel.strategies import steadily
from tests.spec.balancer.strategies import inputs_of


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
