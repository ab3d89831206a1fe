"""Bookies that take no writes show in the logs of brokers alone."""

from oneowner.checkers.recordings.laws.units_hit import units_hit
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from tests.recordings.laws.crafted import B1, B2, UNIT, channel, logs, message, printed, said, scene, send

FULL, FENCED = "Not enough non-faulty bookies available error code: -6", "Error while using MetaStore error code: -1"
TOPIC = "persistent://t/n/a"


def failing(broker: str, since: int, until: int, error: str = FULL) -> list[LogEvent]:
    return [
        said(n, time, "publish-not-persisted", broker=broker, topic=TOPIC, error=error)
        for n, time in enumerate(range(since, until, 1_000))
    ]


def run(*lines: LogEvent, end: int = 200_000, **fields: object) -> Scene:
    said_ = logs(*sorted(lines, key=lambda line: line.time))
    return scene(said=said_, channel=channel(message(0, 100, printed("Owned", 1, B1))), end=end, **fields)


def times(found: Scene) -> list[tuple[int, int]]:
    known = happenings_of(found).found.values()
    return [(one.since, one.until) for one in known if one.cause.kind == HappeningKind.UNWRITTEN]


def test_errors_of_bookies_at_several_brokers_are_one_event_that_hits_their_units() -> None:
    found = run(*failing(B1, 50_000, 120_000), *failing(B2, 52_000, 121_000))
    assert times(found) == [(50_000, 120_000)]
    (hit,) = units_hit(found)
    assert (hit.cause.kind, hit.unit, hit.since, hit.until) == (HappeningKind.UNWRITTEN, UNIT, 50_000, 120_000)


def test_errors_up_to_the_end_of_the_logs_last() -> None:
    assert times(run(*failing(B1, 50_000, 120_000), *failing(B2, 52_000, 121_000), end=122_000)) == [(50_000, END)]


def test_errors_of_one_broker_among_several_or_of_its_fenced_ledgers_or_short_ones_are_no_such_event() -> None:
    other = said(99, 60_000, "monitor-started", broker=B2)
    assert times(run(*failing(B1, 50_000, 120_000), other)) == []
    assert times(run(*failing(B1, 50_000, 120_000, FENCED), *failing(B2, 50_000, 120_000, FENCED))) == []
    assert times(run(*failing(B1, 50_000, 55_000), *failing(B2, 50_000, 55_000))) == []
    assert times(run(*failing(B1, 50_000, 120_000))) == [(50_000, 119_000)]  # the only log


def test_clients_decide_where_they_are_recorded() -> None:
    lines = *failing(B1, 50_000, 120_000), *failing(B2, 52_000, 121_000)
    found = run(*lines, sends=[send(0, 60_000, 60_005, TOPIC)])
    assert times(found) == []
    assert units_hit(found) == []
