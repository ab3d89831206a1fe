"""The root of an incident explains its worst harm; what lasts is reported, and the worst incident comes first."""

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.judge.incidents import End
from oneowner.checkers.recordings.laws.serving.waits import Wait
from oneowner.checkers.recordings.laws.units_hit import Clients, Hit
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.kernel.law import Severity
from tests.recordings.judge.incident_cases import RECORDED, UNITS, VIOLATION, WARNING, found, happened, kind_of, made
from tests.recordings.laws.crafted import send

CUT = Cause(HappeningKind.CUT, "b2", 10_000)
ELECTED = Cause(HappeningKind.UNREGISTERED, "b3", 200_000)
SILENT = Cause(HappeningKind.PAUSED, "b1", 20_000)
DIED = Cause(HappeningKind.DIED, "b1", 110_000)
AWAY = Cause(HappeningKind.OUTAGE, "", 20_000)


def test_election_does_not_hide_two_owners_of_a_broker_that_lost_its_session() -> None:
    twice = found("dual-serving", VIOLATION, UNITS[:4], 30_000, 184_000, CUT)
    lookups = found("lookups-are-answered", WARNING, UNITS[:3], 200_000, 240_000, ELECTED, CUT)
    (one,) = made([happened(CUT), happened(ELECTED, END, CUT)], lookups, twice)
    assert (kind_of(one), one.harm, one.harmed) == (HappeningKind.CUT, Harm.TWICE, UNITS[:4])
    assert (one.since, one.longest) == (10_000, 154_000)


def test_short_silence_is_not_the_root_of_a_wait_that_begins_after_it() -> None:
    both = [happened(SILENT, 24_000), happened(DIED)]
    early = found("live-broker-is-registered", WARNING, (), 20_000, 24_000, SILENT)
    late = found("unit-is-available", WARNING, UNITS[:2], 110_500, 200_000, SILENT, DIED)
    (one,) = made(both, early, late)
    assert (kind_of(one), one.since) == (HappeningKind.DIED, 110_500)
    (same,) = made(both, early, late._replace(causes=(DIED, SILENT)))
    assert kind_of(same) == HappeningKind.DIED


def test_first_of_two_events_that_explain_as_much_is_the_root() -> None:
    first, second = Cause(HappeningKind.STOPPED, "b1", 20_000), Cause(HappeningKind.PAUSED, "b2", 26_000)
    wait = found("unit-is-available", WARNING, UNITS[:1], 27_000, 90_000, second, first)
    (one,) = made([happened(second, 95_000), happened(first)], wait)
    assert kind_of(one) == HappeningKind.STOPPED


def test_fault_that_a_record_of_a_harmed_unit_shows_is_the_root_before_what_set_it_off() -> None:
    cut = Cause(HappeningKind.SPLIT_CUT, UNITS[0], 109_000)
    record = found("overlapping-owners", VIOLATION, UNITS[:1], 111_000, 111_000, cut, DIED)._replace(window=None)
    wait = found("owner-answers", VIOLATION, UNITS[:2], 110_000, 140_000, DIED)
    (one,) = made([happened(cut, END, DIED), happened(DIED)], wait, record)
    assert kind_of(one) == HappeningKind.SPLIT_CUT
    child = wait._replace(units=(f"{UNITS[0].rpartition('_')[0]}_0x08000000",))
    (of_child,) = made([happened(cut, END, DIED), happened(DIED)], child, record)
    assert kind_of(of_child) == HappeningKind.SPLIT_CUT
    elsewhere = record._replace(units=UNITS[5:6], causes=(cut, DIED))
    (other,) = made([happened(cut, END, DIED), happened(DIED)], wait, elsewhere)
    assert kind_of(other) == HappeningKind.DIED


def test_outage_is_the_root_before_whatever_came_of_it() -> None:
    exited = Cause(HappeningKind.EXITED, "b1", 55_000)
    view = Cause(HappeningKind.VIEW, "b2", 60_000)
    happenings = [happened(AWAY, 50_000), happened(exited, END, AWAY), happened(view, END, AWAY)]
    waits = [
        found("unit-is-available", WARNING, UNITS[:2], 56_000, END, exited),
        found("view-stops", VIOLATION, UNITS[:2], 60_000, END, view),
    ]
    (one,) = made(happenings, *waits)
    assert kind_of(one) == HappeningKind.OUTAGE


# ---- what lasts ----


def test_incident_lasts_while_a_violation_of_it_does_though_clients_are_served_again() -> None:
    wait = found("unit-is-available", WARNING, UNITS[:2], 21_000, 60_000, AWAY)
    nobody = found("somebody-is-registered", VIOLATION, (), 62_000, END, AWAY, brokers=("b1", "b2"))
    (one,) = made([happened(AWAY, 50_000)], wait, nobody)
    assert (one.end, one.until, one.harm, one.longest) == (End.LASTS, None, Harm.UNUSABLE, 39_000)
    assert one.root is not None
    assert one.root.words == "no broker is registered any more: ZooKeeper: outage of the metadata store"
    (over,) = made([happened(AWAY, 50_000)], wait, nobody._replace(window=Window(62_000, 90_000, 62_000, 90_000)))
    assert (over.end, over.until) == (End.OVER, 60_000)
    assert over.root is not None
    assert over.root.words == "ZooKeeper: outage of the metadata store"


def test_state_that_lasts_names_its_brokers_and_the_widest_one_is_reported() -> None:
    alone = [
        found("live-broker-is-registered", VIOLATION, (), 62_000, END, AWAY, brokers=(broker,))
        for broker in ("b3", "b1")
    ]
    (one,) = made([happened(AWAY, 50_000)], *alone)
    assert one.root is not None
    assert one.root.words.startswith("b1 and b3 are no longer registered: ")
    nobody = found("somebody-is-registered", VIOLATION, (), 62_000, END, AWAY)
    (wide,) = made([happened(AWAY, 50_000)], *alone, nobody)
    assert wide.root is not None
    assert wide.root.words.startswith("no broker is registered any more: ")


def test_warning_that_lasts_keeps_no_incident_open() -> None:
    wait = found("unit-is-available", WARNING, UNITS[:2], 21_000, 60_000, AWAY)
    (one,) = made([happened(AWAY, 50_000)], wait, found("live-broker-is-registered", WARNING, (), 62_000, END, AWAY))
    assert one.end == End.OVER


# ---- the order of incidents ----


def of_cause(number: int, law: str, severity: Severity, until: int, units: int = 2) -> tuple[Happening, Finding]:
    cause = Cause(HappeningKind.DIED, f"b{number}", 20_000 + number)
    return happened(cause), found(law, severity, UNITS[:units], 30_000 + number, until, cause)


def test_incidents_come_by_harm_certainty_and_whether_they_last_and_then_by_extent_and_time() -> None:
    cases = [
        of_cause(1, "unit-is-available", VIOLATION, END),
        of_cause(2, "unit-is-available", VIOLATION, 90_000),
        of_cause(3, "live-broker-is-registered", VIOLATION, END),
        of_cause(4, "unit-is-available", WARNING, END),
        of_cause(5, "live-broker-is-registered", VIOLATION, 90_000),
        of_cause(6, "unit-is-available", WARNING, 90_000, units=8),
        of_cause(7, "unit-is-available", WARNING, 90_000),
        of_cause(8, "unit-is-available", WARNING, 90_500),
        of_cause(9, "live-broker-is-registered", WARNING, 90_000),
    ]
    some = made([one for one, _ in cases], *(one for _, one in reversed(cases)))
    assert [one.root and one.root.cause.subject for one in some] == [f"b{number}" for number in range(1, 10)]


# ---- clients ----


def client(*waits: tuple[int, int, bool]) -> Clients:
    own = Clients()
    own.tried.extend(range(0, RECORDED, 500))
    own.waits.extend(
        Wait("persistent://t/n/a", since, until, send(1, since, None), send(2, until, None), is_over)
        for since, until, is_over in waits
    )
    return own


def test_unit_whose_sends_were_confirmed_was_usable_whatever_look_ups_say() -> None:
    lookups = found("lookups-are-answered", WARNING, UNITS[:3], 30_000, END, CUT)
    clients = {UNITS[0]: client(), UNITS[1]: client((40_000, 90_000, True))}
    (one,) = made([happened(CUT)], lookups, clients=clients)
    assert (one.harmed, one.harm, one.end) == (UNITS[1:3], Harm.UNUSABLE, End.LASTS)  # nobody sent to the third
    (two,) = made([happened(CUT)], lookups._replace(units=UNITS[:2]), clients=clients)
    assert (two.harmed, two.since, two.until, two.longest) == (UNITS[1:2], 10_000, 90_000, 50_000)
    (none,) = made([happened(CUT)], lookups._replace(units=UNITS[:1]), clients=clients)
    assert (none.harmed, none.harm, none.units) == (UNITS[:1], Harm.NONE, UNITS[:1])


def test_wait_of_clients_that_is_not_over_lasts_as_long_as_the_report_of_it() -> None:
    stalled = found("recovery-stalled", WARNING, UNITS[:1], 30_000, END, DIED)
    (one,) = made([happened(DIED)], stalled, clients={UNITS[0]: client((40_000, RECORDED, False))})
    assert (one.end, one.since) == (End.LASTS, 110_000)


def test_hits_and_findings_of_one_death_are_one_incident() -> None:
    hit = Hit(DIED, UNITS[3], 111_000, 140_000, 29_000)
    (one,) = made([happened(DIED)], found("unit-is-available", WARNING, UNITS[:1], 112_000, 150_000, DIED), hits=(hit,))
    assert (one.harmed, one.since, one.until) == ((UNITS[0], UNITS[3]), 111_000, 150_000)


def test_outage_in_which_the_harm_begins_is_the_root_though_a_later_event_lasts_longer() -> None:
    wait = found("unit-is-available", WARNING, UNITS[:2], 45_000, END, AWAY, DIED)
    (one,) = made([happened(AWAY, 50_000), happened(DIED)], wait)
    assert kind_of(one) == HappeningKind.OUTAGE
    (other,) = made(
        [happened(AWAY, 50_000), happened(DIED)], wait._replace(window=Window(70_000, RECORDED, 70_000, END))
    )
    assert kind_of(other) == HappeningKind.DIED
