"""Two threads of one broker publish (recordings: compaction 482:5)."""

from tests.model.channel.cluster import start

BOTH = "both were computed from the same entry"


def test_second_publish_of_one_view_overtakes_and_is_refused_by_all() -> None:
    cluster = start(assigns=2, overtakes=1, pending=2, window=4)
    cluster.do("look_up(broker=1)", "look_up(broker=2)", "assign(broker=1, destination=2)", "append(broker=1)")
    cluster.do("consume(broker=2)", "assign(broker=2, destination=2)")
    assert cluster.outbox(2) == ["Owned(2) v2", "Assigning(2) v2"]
    cluster.do("overtake(broker=2)").deliver()
    assert cluster.entry == "Owned(2) v2"
    assert cluster.views == ["Owned(2) v2"] * 2


def test_publish_of_a_later_view_does_not_overtake() -> None:
    cluster = start(owner=1, unloads=1, transfers=1, overtakes=1, pending=2, window=4).do("unload(broker=1)")
    cluster.do(
        "transfer(broker=2, destination=2)", "append(broker=2)", "consume(broker=1)", "close(broker=1, number=1)"
    )
    assert cluster.outbox(1) == ["Releasing(from 1) v3", "Assigning(2, from 1) v4"]
    assert cluster.guard("overtake(broker=1)") == BOTH


def test_overtaking_has_a_budget() -> None:
    cluster = start(owner=1, unloads=2, overtakes=1, pending=3, window=4)
    cluster.do("unload(broker=1)", "unload(broker=1)", "overtake(broker=1)")
    assert cluster.guard("overtake(broker=1)") == "the budget allows another publish to overtake one"
