"""Single laws of Redis Cluster: excuses, and verdicts that differ between families and releases."""

from __future__ import annotations

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw
from oneowner.model.redis.state import State
from oneowner.spec.redis.system import SYSTEM
from tests.cells import where
from tests.redis.law_cases import AMPLE, TWO_OWNERS


def test_source_that_asks_is_no_second_writer() -> None:
    law = SYSTEM.laws_by_name["single-writer-always"]
    assert isinstance(law, StateLaw)
    closing = where(State(AMPLE), **TWO_OWNERS, data={(1, 1): 0})
    assert not law.holds(closing)
    assert law.holds(where(closing, migrating={1: 2}))


def test_manual_fail_over_loses_no_write_and_another_may() -> None:
    assert families()["redis/manual"].laws["writes-are-kept-always"] == Verdict.VALID
    assert families()["redis/fail-over"].laws["writes-are-kept-always"] == Verdict.INVALID
