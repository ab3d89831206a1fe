"""Clean-ups as jobs: their scheduling, their cancellation, and the conditions when they fire."""

from dataclasses import replace

import pytest

from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.rules import RELEASE_4_0_6, Rules
from oneowner.model.channel.session import HAS_SESSION
from tests.model.channel.cluster import Cluster, start

JOBS = {"owner": 2, "expiries": 2, "outages": 1, "safe_mode": 1, "closings": 2}
GONE = ("expire(broker=2)", "notice(observer=1, broker=2)")


def scheduled(cluster: Cluster) -> bool:
    return bool(cluster.state.cleaning[1, 2])


def test_stable_leader_schedules_a_clean_up_when_it_hears_that_a_broker_is_gone() -> None:
    assert scheduled(start(**JOBS).do(*GONE))


def test_unstable_leader_schedules_none_and_the_monitor_finds_the_orphan_once_it_is_stable() -> None:
    lost = ("stop_zookeeper", "lose_session(broker=1)", "start_zookeeper")
    cluster = start(**JOBS).do("expire(broker=2)", *lost, "notice(observer=1, broker=2)")
    assert not scheduled(cluster)
    cluster.do("reconnect(broker=1)")
    assert cluster.guard("monitor(broker=1, gone=2)") == "the broker trusts its session"
    assert scheduled(cluster.do("settle(broker=1)", "monitor(broker=1, gone=2)"))


def test_monitor_schedules_none_while_an_old_session_event_holds_it_up() -> None:
    """apache/pulsar#25132."""
    cluster = start(**JOBS, rules=Rules(monitor_runs=False)).do("expire(broker=2)")
    cluster.state.known[1, 2] = False
    assert cluster.guard("monitor(broker=1, gone=2)") == "no session event of old holds the leader's clean-ups up"


def test_follower_schedules_none() -> None:
    cluster = start(**{**JOBS, "brokers": 3}).do("expire(broker=2)", "notice(observer=3, broker=2)")
    assert not cluster.state.cleaning[3, 2]
    assert cluster.guard("monitor(broker=3, gone=2)") == "the broker is the leader"


def test_override_needs_a_clean_up() -> None:
    cluster = start(**JOBS).do("expire(broker=2)")
    assert cluster.guard("override(broker=1, destination=1)") == "the entry names a broker that is gone for the leader"
    cluster.do("notice(observer=1, broker=2)", "override(broker=1, destination=1)")
    assert cluster.outbox(1) == ["Owned(1, from 2) v3 forced"]


def test_override_waits_for_zookeeper_to_select_a_new_owner() -> None:
    """Recorded: nothing during the outage, and the override 55 ms after it."""
    cluster = start(**JOBS).do(*GONE, "stop_zookeeper")
    assert cluster.guard("override(broker=1, destination=1)") == HAS_SESSION
    assert cluster.do("start_zookeeper").guard("override(broker=1, destination=1)") == ""


def test_override_waits_for_a_session_of_the_broker_itself() -> None:
    cluster = start(**JOBS).do(*GONE, "stop_zookeeper", "lose_session(broker=1)", "start_zookeeper")
    assert cluster.guard("override(broker=1, destination=1)") == HAS_SESSION
    assert cluster.do("reconnect(broker=1)").guard("override(broker=1, destination=1)") == ""


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"unplaced": 1}, "free_orphan(broker=1)"),
        ({"flight_timer": 1, "owner": 1, "transfers": 1}, "end_flight(broker=1, destination=2)"),
    ],
)
def test_whoever_selects_in_an_outage_waits(bounds: dict[str, int], words: str) -> None:
    steps = (
        GONE if "unplaced" in bounds else ("transfer(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)")
    )
    cluster = start(**{**JOBS, **bounds}).do(*steps)
    assert cluster.guard(words) == ""
    assert cluster.do("stop_zookeeper").guard(words) == HAS_SESSION


def test_broker_that_is_back_is_left_alone_whether_the_leader_has_heard_or_not() -> None:
    again = ("lose_session(broker=2)", "reconnect(broker=2)", "register(broker=2)")
    cluster = start(**JOBS).do(*GONE, *again)
    assert cluster.guard("override(broker=1, destination=1)") != ""
    assert not scheduled(start(**JOBS).do(*GONE, *again, "end_clean_up(broker=1, gone=2)"))
    assert not scheduled(cluster.do("notice(observer=1, broker=2)"))


def test_clean_up_ends_when_nothing_names_its_broker() -> None:
    cluster = start(**JOBS).do(*GONE)
    assert cluster.guard("end_clean_up(broker=1, gone=2)") == "the clean-up has nothing to do"
    cluster.do("override(broker=1, destination=1)").deliver().do("end_clean_up(broker=1, gone=2)")
    assert cluster.entry == "Owned(1, from 2) v3 forced"


def test_clean_up_asks_whether_somebody_leads_and_not_who() -> None:
    """models.H9; asking again is the repair."""
    repaired = Rules(clean_up_asks_again=True), Rules(clean_up_asks_leader=True)
    for rules, guard in ((Rules(), ""), *((one, "the broker is the leader") for one in repaired)):
        cluster = start(**{**JOBS, "brokers": 3}, rules=rules).do(*GONE, "expire(broker=1)")
        cluster.do("lose_session(broker=1)", "reconnect(broker=1)")
        assert cluster.guard("override(broker=1, destination=3)") == "the channel has an owner, whoever that is"
        assert cluster.do("elect(broker=3)").guard("override(broker=1, destination=3)") == guard


def test_clean_up_before_22930_goes_on_while_nobody_leads() -> None:
    """``doCleanup`` of 3.0.5, 3.1.3, 3.2.3 and 3.3.0 asks nothing."""
    old = start(**JOBS, rules=Rules(clean_up_needs_leader=False)).do(*GONE, "expire(broker=1)")
    old.do("lose_session(broker=1)", "reconnect(broker=1)", "register(broker=1)")
    assert old.guard("end_clean_up(broker=1, gone=2)") == "the clean-up has nothing to do"
    assert old.guard("override(broker=1, destination=1)") == ""


BACK = ("lose_session(broker=2)", "reconnect(broker=2)", "register(broker=2)", "notice(observer=1, broker=2)")
CALL_OFF = "call_off(observer=1, broker=2)"


def checked(rules: Rules = RELEASE_4_0_6) -> Cluster:
    """Broker 2 was gone and is back; the leader has heard of both, and checks its health."""
    return start(**JOBS, late_call_offs=1, rules=rules).do(*GONE, *BACK)


def test_late_health_check_calls_the_clean_up_off_when_it_ends() -> None:
    cluster = checked()
    assert scheduled(cluster)
    assert not scheduled(cluster.do(CALL_OFF))
    assert cluster.guard(CALL_OFF) == "a health check of the other broker is under way"


def test_without_a_clean_up_and_before_there_were_health_checks_none_is_asked() -> None:
    for cluster in (
        start(**JOBS, late_call_offs=1).do("expire(broker=2)", *BACK[:3]),
        checked(Rules(health_check=False)),
    ):
        assert not scheduled(cluster)
        assert cluster.guard(CALL_OFF) == "a health check of the other broker is under way"


@pytest.mark.parametrize(("release", "survives"), [("4.0.6", False), ("4.2.3", False), ("4.2.4", True)])
def test_late_health_check_calls_off_a_clean_up_that_was_scheduled_since(release: str, survives: bool) -> None:
    """channel.D15, apache/pulsar#26146."""
    cluster = checked(replace(RELEASE_4_0_6, job_removes_itself=RELEASES[release].job_removes_itself))
    cluster.do("end_clean_up(broker=1, gone=2)", *GONE, CALL_OFF)
    assert scheduled(cluster) == survives
    assert cluster.guard(CALL_OFF) == "a health check of the other broker is under way"


def test_clean_up_that_the_check_was_asked_for_is_called_off_though_its_broker_is_gone_again() -> None:
    """With #26146 too: ``scheduleCleanup`` keeps the job that is there."""
    assert not scheduled(checked(Rules(job_removes_itself=True)).do(*GONE, CALL_OFF))
