"""The times at which ZooKeeper and the bookies failed, and at which no send to a unit was confirmed, for the page."""

from oneowner.checkers.recordings.laws.store_lanes import StoreLanes, store_lanes
from oneowner.checkers.recordings.read.observations import Send, Source
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.checkers.recordings.scene.timeline import END
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, channel, logs, message, printed, said, scene, send
from tests.recordings.laws.recorded import about, recorded, started

TOPICS = {UNIT: "persistent://t/n/a", OTHER: "persistent://t/n/b"}
LIVES = [said(number, 1_000 * number, "handled", broker=broker) for number in range(100) for broker in (B1, B2)]


def sends(stalled: tuple[str, ...], since: int = 20_000, until: int = 60_000) -> list[Send]:
    """A send a second to each topic; those to *stalled* units are not confirmed for some time."""
    return [
        send(number, time, None if unit in stalled and since <= time < until else time + 5, topic)
        for number, (time, (unit, topic)) in enumerate(
            (t, one) for t in range(0, 100_000, 1_000) for one in TOPICS.items()
        )
    ]


def cluster(*stalled: str, owners: tuple[str, str] = (B1, B2), lives: object = LIVES) -> Scene:
    records = [message(number, 10 + number, printed("Owned", 1, owner), unit)
               for number, (unit, owner) in enumerate(zip(TOPICS, owners, strict=True))]  # fmt: skip
    given = {"said": logs(*lives), "limits": Limits(session=10_000), "start": 0, "end": 100_000}  # type: ignore[misc]
    return scene(channel=channel(*records), sends=sends(stalled), **given)


def test_topics_of_the_crafted_cluster_are_of_two_units() -> None:
    assert {one.unit for one in store_lanes(cluster(UNIT, OTHER)).unserved} == {UNIT, OTHER}


def test_bookies_fail_where_the_topics_of_several_live_owners_take_nothing() -> None:
    (failure,) = store_lanes(cluster(UNIT, OTHER)).bookies or ()
    assert (failure.since, failure.until, failure.is_of_one) == (20_000, 60_005, False)
    assert failure.words == "no send was confirmed, though the owners lived"


def test_bookies_are_not_accused_of_the_failure_of_one_owner() -> None:
    assert store_lanes(cluster(UNIT)).bookies == ()
    assert store_lanes(cluster(UNIT, OTHER, owners=(B1, B1))).bookies == ()
    until = [line for line in LIVES if line.broker == B1 or line.time < 20_000]  # B2 ends
    assert store_lanes(cluster(UNIT, OTHER, lives=until)).bookies == ()


def test_unit_is_unserved_from_the_first_send_in_vain_to_the_next_confirmation() -> None:
    assert store_lanes(cluster(UNIT)).unserved == ((UNIT, 20_000, 60_005),)


def test_what_no_source_shows_is_not_known() -> None:
    assert store_lanes(scene(present=frozenset({Source.CHANNEL}))) == StoreLanes()


def test_recorded_outage_of_zookeeper_is_of_all_brokers() -> None:
    began, lane = started("zk-restart"), store_lanes(recorded("zk-restart")).zookeeper
    (outage,) = [one for one in lane or () if not one.is_of_one]
    assert (outage.since - began, outage.until - began) == (about(73_500, 1_000), about(104_600, 1_000))
    assert outage.words.startswith("ZooKeeper was out of reach of 3 of 3 brokers")


def test_recorded_loss_of_one_session_is_of_one_broker_and_ends() -> None:
    lane = store_lanes(recorded("zk-partition-livelock")).zookeeper or ()
    lasting = [one for one in lane if one.since < one.until]
    assert [one.words.split(" ", 1) for one in lasting] == [
        ["127.0.0.1:18083", "was without its session, by its log"],
        ["127.0.0.1:18081", "was without its session, by its log"],
    ]
    assert all(one.is_of_one and one.until < END for one in lasting)
