"""A listener of an ownership hears of it, and of its end."""

import pytest

from oneowner.model.channel.releases import RELEASES
from tests.model.channel.cluster import start

LISTENED = {"brokers": 2, "owner": 2, "crashes": 1, "listeners": 1}


@pytest.mark.parametrize(
    ("release", "ends", "told"), [("3.3.1", True, False), ("3.3.2", False, True), ("4.0.6", True, True)]
)
def test_who_listens_is_told_of_what_a_broker_owns_at_its_start_since_3_3_2(
    release: str, ends: bool, told: bool
) -> None:
    """apache/pulsar#23152; the node of the old process is a lock before 3.3.2, and lasts in 3.3.2."""
    cluster = start(**LISTENED, rules=RELEASES[release]).do("crash(broker=2)", *["expire(broker=2)"] * ends)
    assert not any(cluster.state.loaded)
    assert cluster.do("restart(broker=2)").state.loaded[2, 1] == told


def test_who_listens_is_told_of_an_owned_and_of_the_end_of_a_close() -> None:
    cluster = start(owner=1, transfers=1, listeners=1).do("transfer(broker=1, destination=2)").deliver()
    assert list(cluster.state.loaded) == [True, False]
    cluster.do("close(broker=1, number=1)")
    assert list(cluster.state.loaded) == [False, False]
    assert list(cluster.deliver().state.loaded) == [False, True]
