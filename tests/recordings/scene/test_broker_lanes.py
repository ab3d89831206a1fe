"""The times in which each broker lived, was registered and led, as the page draws them."""

from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.broker_lanes import broker_lanes
from oneowner.checkers.recordings.scene.conditions import NEVER
from oneowner.checkers.recordings.scene.timeline import END, Timeline
from tests.recordings.laws.crafted import B1, B2, EVERYTHING, logs, said, scene
from tests.recordings.laws.recorded import about, recorded, started
from tests.recordings.scene.test_registry import registered

C = "127.0.0.1:18083"


def test_recorded_zombie_was_silent_lost_its_node_and_never_led() -> None:
    (lane,) = [lane for lane in broker_lanes(recorded("zombie")) if lane.broker == C]
    began = started("zombie")
    assert lane.alive is not None
    assert lane.registered is not None
    (_, stopped), (woke, _), *_ = lane.alive
    assert [stopped - began, woke - began] == [about(35_200, 300), about(65_300, 300)]  # SIGSTOP, SIGCONT
    (_, ended), (again, to_the_end) = lane.registered
    assert ended - stopped == about(10_000, 2_500)  # its session's time-out
    assert again > woke
    assert to_the_end == END
    assert lane.leading == NEVER


def test_recorded_leader_hands_over_when_its_session_ends() -> None:
    lanes = broker_lanes(recorded("zombie"))
    led = sorted((since, until, lane.broker) for lane in lanes for since, until in lane.leading or NEVER)
    assert [broker for *_, broker in led] == ["127.0.0.1:18081", "127.0.0.1:18082"]
    assert led[0][1] <= led[1][0]


def test_what_no_source_tells_of_is_not_known() -> None:
    lines = logs(said(1, 10, "broker-starting"), said(2, 50, "registered"), said(3, 900, "broker-ready"))
    first, second, _ = broker_lanes(scene(said=lines, present=EVERYTHING - {Source.ZOOKEEPER}))
    assert (first.broker, first.alive, first.registered) == (B1, Timeline([(10, 900)]), Timeline([(50, 900)]))
    assert second == (B2, None, None, None)


def test_history_that_contradicts_itself_tells_of_no_registration() -> None:
    lanes = broker_lanes(scene(writes=[registered(1, 100), registered(2, 500)]))
    assert [lane.registered for lane in lanes] == [None] * 3
    assert [lane.leading for lane in lanes] == [NEVER] * 3


def test_without_logs_and_history_there_are_no_lanes() -> None:
    assert broker_lanes(scene(present=frozenset({Source.CHANNEL}))) == ()
