"""The registered brokers and the leader, with their times."""

from dataclasses import replace
from itertools import pairwise

import pytest

from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.read.zookeeper import BROKERS, LEADER
from oneowner.checkers.recordings.scene.registry import gaps, registry_of
from oneowner.checkers.recordings.scene.timeline import END
from tests.recordings.laws.crafted import B1, B2, EVERYTHING, logs, said, scene, write
from tests.recordings.laws.recorded import recorded, started

ELECTION = '{"brokerId":"b1:8080","serviceUrl":"http://b1:8080"}'


def registered(number: int, time: int, broker: str = B1, session: str = "0x1", op: str = "create"):  # type: ignore[no-untyped-def]
    return write(number, time, op, BROKERS + broker, session, "{}", ephemeral=True)


def test_node_vanishes_with_the_session_that_made_it() -> None:
    found = registry_of(scene(writes=[registered(1, 100), write(2, 900, "closeSession", session="0x1")]))
    assert [(held.broker, held.since, held.until) for held in found.registrations] == [(B1, 100, 900)]


def test_set_data_leaves_the_node_with_the_session_that_made_it() -> None:
    writes = [registered(1, 100), registered(2, 500, session="0x2", op="setData")]
    writes += [write(3, 900, "closeSession", session="0x1"), registered(4, 920, session="0x2")]
    found = registry_of(scene(writes=writes))
    assert [(held.session, held.since, held.until) for held in found.registrations] == [
        ("0x1", 100, 900),
        ("0x2", 920, END),
    ]


def test_broker_that_deletes_its_own_node_gives_it_up() -> None:
    writes = [registered(1, 100), write(2, 900, "delete", BROKERS + B1, "0x1")]
    assert registry_of(scene(writes=writes)).registrations[0].is_given_up
    writes = [registered(1, 100), write(2, 900, "closeSession", session="0x1")]
    assert not registry_of(scene(writes=writes)).registrations[0].is_given_up


def test_leader_is_read_off_its_node() -> None:
    writes = [write(1, 100, "create", LEADER, "0x1", ELECTION), write(2, 900, "delete", LEADER, "0x1")]
    found = registry_of(scene(writes=writes))
    assert [(held.broker, held.since, held.until) for held in found.leaders] == [(B1, 100, 900)]


def test_leader_of_an_old_release_is_read_off_its_url() -> None:
    writes = [write(1, 100, "create", LEADER, "0x1", '{"serviceUrl":"http://b2:8080"}')]
    assert registry_of(scene(writes=writes)).leaders[0].broker == B2


def test_node_made_twice_is_a_contradiction() -> None:
    found = registry_of(scene(writes=[registered(1, 100), registered(2, 500, session="0x2")]))
    assert len(found.contradictions) == 1
    twice = [write(1, 100, "create", LEADER, "0x1", ELECTION), write(2, 200, "create", LEADER, "0x2", ELECTION)]
    assert len(registry_of(scene(writes=twice)).disputed) == 1


def test_registration_that_only_the_log_tells_of_is_a_contradiction() -> None:
    said_so = logs(said(1, 50_000, "registered"))
    found = registry_of(scene(said=said_so, writes=[]))
    assert [(held.broker, held.since) for held in found.registrations] == [(B1, 50_000)]
    assert "no node was made" in found.contradictions[0]


def test_end_that_only_a_log_tells_of_is_a_contradiction() -> None:
    events = logs(said(1, 50_000, "registry-deleted", broker=B2, subject=B1))
    found = registry_of(scene(said=events, writes=[registered(1, 100)]))
    assert "saw a registration of b1:8080 end" in found.contradictions[0]


def test_without_history_the_logs_tell() -> None:
    lost = said(3, 900, "session-event", text="")._replace(values={"event": "SessionLost", "at": 900})
    lines = logs(
        said(1, 100, "registered"), said(2, 150, "elected"), lost, said(4, 2_000, "registered"), said(5, 3_000, "x")
    )
    found = registry_of(scene(said=lines, present=EVERYTHING - {Source.ZOOKEEPER}))
    assert [(held.since, held.until) for held in found.registrations] == [(100, 900), (2_000, 3_000)]
    assert [(held.broker, held.since, held.until) for held in found.leaders] == [(B1, 150, 900)]


def test_gaps_lie_between_nodes() -> None:
    writes = [registered(1, 100), write(2, 300, "closeSession", session="0x1"), registered(3, 500, session="0x2")]
    found = list(gaps(registry_of(scene(writes=writes)).registrations, 0, 800))
    assert [(gap.since, gap.until) for gap in found] == [(0, 100), (300, 500)]


@pytest.mark.parametrize(
    "name",
    [
        "compaction",
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ("rolling-restart", "zk-partition-livelock", "zk-restart")
        ),
    ],
)
def test_recording_has_no_contradiction(name: str) -> None:
    found = registry_of(recorded(name))
    assert (found.contradictions, found.disputed) == ([], [])


def test_compaction_shows_three_restarts_within_the_session() -> None:
    times = registry_of(recorded("compaction")).of("127.0.0.1:18082")
    begun = started("compaction")
    ends = [round((held.until - begun) / 1000, 1) for held in times if held.until < END]
    assert ends == [59.5, 83.5, 107.5]
    assert all(0 < after.since - before.until < 40 for before, after in pairwise(times))


def test_logs_of_a_recording_tell_what_its_history_does() -> None:
    whole = recorded("zombie")
    alone = replace(whole, writes=[], present=whole.present - {Source.ZOOKEEPER})
    exact = {(held.broker, held.since // 1000) for held in registry_of(whole).registrations}
    assert {(held.broker, held.since // 1000) for held in registry_of(alone).registrations} == exact
