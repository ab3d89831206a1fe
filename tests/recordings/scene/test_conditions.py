"""Conditions hold when the sources show it: on a crafted scene, and on a recorded broker that stood still."""

from oneowner.checkers.recordings.scene.conditions import (
    alive,
    has_session,
    is_up,
    leads,
    registered,
)
from oneowner.checkers.recordings.scene.scene import Limits
from oneowner.checkers.recordings.scene.timeline import END, Timeline
from tests.recordings.laws.crafted import (
    B1,
    B2,
    logs,
    said,
    scene,
    session_event,
)
from tests.recordings.laws.recorded import recorded
from tests.recordings.scene.test_registry import registered as registers


def test_lost_session_is_out_of_reach_for_a_time_out_before_the_loss_is_logged() -> None:
    lines = logs(
        said(1, 0, "broker-starting"),
        session_event(2, 5_000, "ConnectionLost"),
        session_event(3, 9_000, "SessionLost"),
        session_event(4, 12_000, "SessionReestablished"),
        said(5, 14_000, "broker-closing"),
        said(6, 15_000, "broker-ready"),
    )
    run = scene(said=lines, limits=Limits(session=3_000))
    assert has_session(run, B1) == Timeline([(0, 6_000), (12_000, 15_000)])
    assert is_up(run, B1) == Timeline([(0, 14_000)])
    assert alive(run, B1) == Timeline([(0, 15_000)])
    assert not alive(run, B2)


def test_node_without_an_end_is_registered_for_good() -> None:
    assert registered(scene(writes=[registers(1, 100)]), B1) == Timeline([(100, END)])


def test_recorded_zombie_outlives_its_registration_and_never_leads() -> None:
    run, broker = recorded("zombie"), "127.0.0.1:18083"
    (_, ended), _ = registered(run, broker)
    assert not alive(run, broker).overlaps(ended - 5_000, ended + 5_000)
    assert alive(run, broker).overlaps(ended, END)
    assert (is_up(run, broker) - alive(run, broker)).total == 0
    assert not leads(run, broker)
