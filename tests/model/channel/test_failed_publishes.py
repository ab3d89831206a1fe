"""A publish of a living broker fails: its record is lost, and only the lookup that made it hears of it."""

from oneowner.model.channel.parts import Outcome, Request
from tests.model.channel.cluster import Cluster, start

FAIL = "fail_publish(broker=1)"


def looking() -> Cluster:
    """Return brokers whose first has published the Assigning of a lookup."""
    return start(lookups=1, failed_publishes=1).do("open_lookup(broker=1)", "select(broker=1, destination=2)")


def test_lookup_fails_with_its_publish() -> None:
    state = looking().do(FAIL).state
    assert state.outbox[1].length == 0
    assert state.log.length == 0
    assert state.request[1, 1] == Request.NONE
    assert state.reply[1, 1].outcome == Outcome.FAILED


def test_hand_over_whose_publish_failed_stays_in_flight() -> None:
    cluster = start(assigns=1, failed_publishes=1).do("look_up(broker=1)", "assign(broker=1, destination=1)")
    cluster.do("append(broker=1)", "consume(broker=1)", FAIL)
    assert cluster.state.outbox[1].length == 0
    assert cluster.guard(FAIL) == "the budget allows another publish to fail"
