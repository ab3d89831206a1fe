"""Laws of the election."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.recordings.laws.recovery.leadership import (
    LEADER_IS_REGISTERED,
    ONE_BELIEVES,
    ONE_LEADER_NODE,
    SOMEBODY_LEADS,
)
from oneowner.checkers.recordings.laws.scene_law import LawOutcome
from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.scene.registry import BROKERS, LEADER
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    logs,
    one_life,
    poll,
    recorded,
    said,
    scene,
    seen_window,
    started,
    write,
)

LAWS = (SOMEBODY_LEADS, LEADER_IS_REGISTERED, ONE_BELIEVES, ONE_LEADER_NODE)


def elected(number: int, time: int, broker: str, session: str) -> NodeWrite:
    return write(number, time, "create", LEADER, session, f'{{"brokerId":"{broker}"}}')


def two_brokers(*writes: NodeWrite, until: int = 100_000, **fields: Any) -> Scene:
    """Two processes, both registered at 1 s; the first is elected, and its session ends at 50 s."""
    lines = [said(1, 0, "broker-starting"), said(2, 1_000, "registered"), said(9, until, "owner-returned")]
    others = [line._replace(broker=B2, origin=line.origin._replace(piece=2)) for line in lines]
    begin = [
        write(1, 1_000, "create", BROKERS + B1, "0x1"),
        write(2, 1_000, "create", BROKERS + B2, "0x2"),
        elected(3, 1_020, B1, "0x1"),
        write(4, 50_000, "closeSession", session="0x1"),
    ]
    return scene(said=logs(*lines, *others), writes=[*begin, *writes], **fields)


def severities(judged: LawOutcome) -> list[Severity]:
    return [one.severity for one in judged.findings]


def test_nobody_leading_is_a_violation() -> None:
    (one,) = SOMEBODY_LEADS.judge(two_brokers()).findings
    assert one.severity == Severity.VIOLATION
    assert seen_window(one) == (50_000, 100_000)
    assert "nobody led for 50.0 s" in one.why


def test_outage_of_zookeeper_is_named_where_two_brokers_tell_of_it() -> None:
    found = two_brokers()
    assert "ZooKeeper was out of reach" not in SOMEBODY_LEADS.judge(found).findings[0].why
    for broker in (B1, B2):
        for number, (time, event) in enumerate(((20_000, "ConnectionLost"), (90_000, "Reconnected")), 2):
            line = said(number, time, "session-event", broker=broker, text=event)._replace(values={"event": event})
            found.said[broker].insert(number, line)
    found.lives = one_life(found.said)
    (one,) = SOMEBODY_LEADS.judge(found).findings
    assert "ZooKeeper was out of reach: 2 of 2 brokers with logs lost it from 1970-01-01T00:00:20.000Z on" in one.why
    assert "had it back at 1970-01-01T00:01:30.000Z" in one.why
    assert any("ConnectionLost" in line.text for line in one.evidence)


def test_quick_election_is_well() -> None:
    judged = SOMEBODY_LEADS.judge(two_brokers(elected(5, 50_010, B2, "0x2")))
    assert judged.exercised == 2
    assert not judged.findings


def test_nobody_leads_a_cluster_that_is_stopped() -> None:
    assert not SOMEBODY_LEADS.judge(two_brokers(until=60_000)).findings


def test_unregistered_leader_is_a_warning() -> None:
    writes = [write(5, 40_000, "closeSession", session="0x2"), elected(6, 50_010, B2, "0x3")]
    found = two_brokers(*writes)
    found.writes.sort(key=lambda one: one.time)
    (one,) = LEADER_IS_REGISTERED.judge(found).findings
    assert (one.severity, one.brokers) == (Severity.WARNING, (B2,))
    assert seen_window(one) == (50_010, 100_000)


def test_leader_that_stays_unregistered_is_a_violation() -> None:
    writes = [write(5, 40_000, "closeSession", session="0x2"), elected(6, 50_010, B2, "0x3")]
    found = two_brokers(*writes, until=300_000)
    found.writes.sort(key=lambda one: one.time)
    assert severities(LEADER_IS_REGISTERED.judge(found)) == [Severity.VIOLATION]


def test_registered_leader_is_well() -> None:
    judged = LEADER_IS_REGISTERED.judge(two_brokers(elected(5, 50_010, B2, "0x2")))
    assert judged.exercised == 2
    assert not judged.findings


def test_two_believers_are_a_note() -> None:
    lines = [said(1, 100, "plays-leader"), said(2, 900, "role-setting", to="Follower")]
    other = [said(1, 600, "plays-leader", broker=B2), said(2, 2_000, "x", broker=B2)]
    found = scene(said=logs(*lines, *other), polls=[poll(1, 700, 710, B1, leader=B1)])
    (one,) = ONE_BELIEVES.judge(found).findings
    assert one.severity == Severity.NOTE
    assert seen_window(one) == (600, 900)
    assert "1 polls" in one.why


def test_two_leaders_after_each_other_are_well() -> None:
    lines = [said(1, 100, "plays-leader"), said(2, 500, "role-setting", to="Follower")]
    found = scene(said=logs(*lines, said(1, 600, "plays-leader", broker=B2), said(2, 2_000, "x", broker=B2)))
    judged = ONE_BELIEVES.judge(found)
    assert judged.exercised == 2
    assert not judged.findings


def test_leader_node_made_twice_is_a_doubt() -> None:
    judged = ONE_LEADER_NODE.judge(two_brokers(elected(5, 60_000, B2, "0x2"), elected(6, 70_000, B1, "0x9")))
    assert judged.exercised
    assert len(judged.doubts) == 1


@pytest.mark.parametrize("law", LAWS)
def test_law_without_occasion_is_not_exercised(law: Any) -> None:
    judged = law.judge(scene())
    assert (judged.exercised, judged.findings) == (0, [])


@pytest.mark.parametrize("name", ["healthy", "healthy-quiet", "transfer", "shedding", "rolling-restart"])
@pytest.mark.parametrize("law", LAWS)
def test_recording_with_one_leader_at_a_time_is_well(name: str, law: Any) -> None:
    judged = law.judge(recorded(name))
    assert judged.exercised
    assert (judged.findings, judged.doubts) == ([], [])


def shown(law: Any, name: str) -> list[tuple[str, tuple[str, ...], float, float]]:
    """Severity, brokers (by number), begin and end in seconds since the run began."""
    found = [(one, seen_window(one)) for one in law.judge(recorded(name)).findings]
    begun = started(name)
    return [
        (str(one.severity), tuple(broker[-1] for broker in one.brokers), (since - begun) / 1000, (until - begun) / 1000)
        for one, (since, until) in found
    ]


@pytest.mark.parametrize(
    ("name", "since", "until"), [("zk-restart", 114.0, 182.7), ("zk-restart-metadata", 121.1, 161.8)]
)
def test_recording_shows_that_nobody_led(name: str, since: float, until: float) -> None:
    ((severity, _, begin, end),) = shown(SOMEBODY_LEADS, name)
    assert severity == "violation"
    assert (begin, end) == pytest.approx((since, until), abs=1.0)


def test_recorded_livelock_has_an_unregistered_leader() -> None:
    ((severity, brokers, begin, end),) = shown(LEADER_IS_REGISTERED, "zk-partition-livelock")
    assert (severity, brokers) == ("warning", ("3",))
    assert (begin, end) == pytest.approx((122.4, 228.6), abs=0.5)


BELIEVERS = [
    ("zombie", 146.59, 146.65),
    ("leader-hang", 77.0, 142.8),
    ("zk-partition", 121.8, 159.6),
    ("zk-partition-metadata", 121.0, 156.4),
    ("zk-restart", 309.6, 318.4),
]


@pytest.mark.parametrize(("name", "since", "until"), BELIEVERS)
def test_recording_shows_two_believers(name: str, since: float, until: float) -> None:
    ((severity, _, begin, end),) = shown(ONE_BELIEVES, name)
    assert severity == "note"
    assert (begin, end) == pytest.approx((since, until), abs=1.0)
