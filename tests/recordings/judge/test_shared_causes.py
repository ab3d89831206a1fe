"""Causes that a cluster or a namespace shares explain waits that they last through, and nothing else."""

from collections.abc import Sequence

import pytest

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.judge.incidents import Incident
from oneowner.checkers.recordings.laws.units_hit import Hit
from oneowner.checkers.recordings.read.events import Cause, Finding
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.timeline import END
from tests.recordings.judge.incident_cases import UNITS, VIOLATION, WARNING, found, happened, kind_of, made

FULL = Cause(HappeningKind.UNWRITTEN, "", 50_000)
AWAY = Cause(HappeningKind.OUTAGE, "", 50_000)
DIED = Cause(HappeningKind.DIED, "b3", 45_000)
PUT_OFF = Cause(HappeningKind.PUT_OFF, "b1", 55_000)
NOBODY = Cause(HappeningKind.UNLISTED, "", 50_000)
LEADERLESS = Cause(HappeningKind.HEADLESS, "", 49_999)
GONE = Cause(HappeningKind.DELETED_NAMESPACE, "t/n", 50_000)
NO_CHOICE = Cause(HappeningKind.NO_CHOICE, "t/n", 50_000)
APART = Cause(HappeningKind.UNCONNECTED, "b2", 50_000)


def wait(*units: str, since: int = 51_000, until: int = 135_000, causes: Sequence[Cause] = (), **more: str) -> Finding:
    return found("unit-is-available", WARNING, units, since, until, *causes, brokers=more.values())


def only(happenings: Sequence[Happening], *findings: Finding) -> Incident:
    (one,) = made(happenings, *findings)
    return one


def test_full_disk_of_a_bookie_is_the_root_of_all_waits_and_accuses_no_owner() -> None:
    waits = [wait(unit, owner=owner) for unit, owner in zip(UNITS[:4], ("b1", "b2", "b1", "b3"), strict=True)]
    one = only([happened(FULL, 135_000)], *waits)
    assert (kind_of(one), one.harmed) == (HappeningKind.UNWRITTEN, UNITS[:4])
    died = only([happened(FULL, 135_000), happened(DIED)], *waits, wait(UNITS[5], causes=(DIED,)))
    assert kind_of(died) == HappeningKind.UNWRITTEN


def test_outage_of_the_metadata_store_explains_look_ups_that_hang_and_records_that_nobody_takes() -> None:
    some = [
        found("lookups-are-answered", WARNING, UNITS[:3], 52_000, 90_000),
        found("stuck-in-flight", VIOLATION, UNITS[:1], 52_000, 110_000),
        found("view-stops", VIOLATION, UNITS[:1], 60_000, 100_000),
        found("somebody-leads", VIOLATION, (), 70_000, 105_000),
    ]
    assert kind_of(only([happened(AWAY, 105_000)], *some)) == HappeningKind.OUTAGE


def test_outage_explains_no_record_that_breaks_a_rule() -> None:
    rule = found("version-chain", VIOLATION, UNITS[:1], 60_000, 60_000)
    assert [one.root for one in made([happened(AWAY, 105_000)], rule)] == [None]


@pytest.mark.parametrize(("since", "until"), [(130_000, 200_000), (10_000, 56_000), (200_000, END)])
def test_outage_explains_no_wait_that_it_does_not_last_through(since: int, until: int) -> None:
    assert [one.root for one in made([happened(AWAY, 100_000)], wait(UNITS[0], since=since, until=until))] == [None]


def test_leader_that_puts_recovery_off_is_the_cause_of_what_waits_for_it() -> None:
    put_off = happened(PUT_OFF, 235_000)
    orphans = found("recovery-stalled", WARNING, UNITS[:2], 56_000, 240_000, DIED)
    one = only([happened(DIED), put_off], orphans, wait(UNITS[0], until=240_000, causes=(DIED,)))
    assert (kind_of(one), [other.cause for other in one.along]) == (HappeningKind.PUT_OFF, [DIED])
    brief = only([happened(DIED), put_off._replace(until=60_000)], orphans)
    assert kind_of(brief) == HappeningKind.DIED


def test_leader_that_puts_recovery_off_is_no_cause_of_its_own_session_loss() -> None:
    cut = Cause(HappeningKind.CUT, "b1", 45_000)
    one = only([happened(cut, 235_000), happened(PUT_OFF, 235_000)], wait(UNITS[0], causes=(cut,)))
    assert kind_of(one) == HappeningKind.CUT


def test_recovery_that_is_put_off_in_an_outage_has_the_outage_as_its_root() -> None:
    waits = wait(UNITS[0], until=240_000, causes=(DIED,))
    one = only([happened(AWAY, 80_000), happened(PUT_OFF, 235_000, AWAY), happened(DIED)], waits)
    assert kind_of(one) == HappeningKind.OUTAGE


def test_cluster_without_a_registered_broker_is_one_incident_and_not_three() -> None:
    some = [
        found("somebody-is-registered", VIOLATION, (), 50_000, END, NOBODY, brokers=("b1", "b2")),
        found("somebody-leads", VIOLATION, (), 49_999, END, LEADERLESS, brokers=("b1", "b2")),
        found("live-broker-is-registered", VIOLATION, (), 50_000, END, brokers=("b1",)),
        found("live-broker-is-registered", VIOLATION, (), 50_001, END, brokers=("b2",)),
        found("lookups-are-answered", VIOLATION, UNITS[:4], 60_000, END),
    ]
    one = only([happened(NOBODY), happened(LEADERLESS)], *some)
    assert (kind_of(one), len(one.found), one.harmed) == (HappeningKind.UNLISTED, 5, UNITS[:4])


def test_waits_of_the_same_brokers_at_once_are_one_incident_where_no_cause_is_known() -> None:
    one = only([], *(wait(unit, owner="b1") for unit in UNITS[:3]))
    assert (one.root, one.harmed) == (None, UNITS[:3])
    others = made(
        [],
        wait(UNITS[0], owner="b1"),
        wait(UNITS[1], owner="b2"),
        wait(UNITS[2], since=200_000, until=300_000, owner="b1"),
    )
    assert len(others) == 3


def test_units_of_a_deleted_namespace_are_not_harmed() -> None:
    one = only([happened(GONE), happened(DIED)], wait(*UNITS[:2], until=END, causes=(DIED,)))
    assert (kind_of(one), one.harm) == (HappeningKind.DELETED_NAMESPACE, Harm.NONE)
    other = only([happened(GONE._replace(subject="t/m")), happened(DIED)], wait(*UNITS[:2], causes=(DIED,)))
    assert (kind_of(other), other.harm) == (HappeningKind.DIED, Harm.UNUSABLE)


def test_namespace_without_a_broker_to_choose_explains_look_ups_of_its_bundles_alone() -> None:
    lookups = found("lookups-are-answered", WARNING, UNITS[:2], 52_000, 90_000)
    assert kind_of(only([happened(NO_CHOICE, 90_000)], lookups)) == HappeningKind.NO_CHOICE
    elsewhere = happened(NO_CHOICE._replace(subject="t/m"), 90_000)
    assert [one.root for one in made([elsewhere], lookups)] == [None]
    known = only([happened(NO_CHOICE, 90_000), happened(DIED)], lookups._replace(causes=(DIED,)))
    assert kind_of(known) == HappeningKind.DIED


def test_broker_that_reaches_no_other_explains_its_own_waits() -> None:
    assert kind_of(only([happened(APART, 130_000)], wait(UNITS[0], owner="b2"))) == HappeningKind.UNCONNECTED
    assert [one.root for one in made([happened(APART, 130_000)], wait(UNITS[0], owner="b1"))] == [None]


def test_clients_show_when_a_connection_broke_that_was_silent_for_a_time_before() -> None:
    one = only([happened(APART, 130_000)], wait(UNITS[0], since=62_000, owner="b2"))
    assert (kind_of(one), one.since) == (HappeningKind.UNCONNECTED, 62_000)


def test_harm_of_unknown_units_is_an_incident() -> None:
    hit = Hit(FULL, "", 50_000, 135_000, 85_000)
    (one,) = made([happened(FULL, 135_000)], hits=(hit,))
    assert (kind_of(one), one.harm, one.units, one.longest) == (HappeningKind.UNWRITTEN, Harm.UNUSABLE, (), 85_000)
    assert made([happened(FULL, 135_000)]) == []
