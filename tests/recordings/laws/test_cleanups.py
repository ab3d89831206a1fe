"""Laws of clean-ups."""

from dataclasses import replace

import pytest

from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Source
from oneowner.checkers.recordings.read.zookeeper import BROKERS
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from tests.recordings.laws.cases import Case, case, each, note, warning
from tests.recordings.laws.crafted import B1, B2, B3, UNIT, channel, logs, message, printed, said, scene, write
from tests.recordings.laws.test_leadership import elected

RUNS, HITS, CALLED_OFF = "recovery-runs", "cleanup-hits-the-dead", "cleanup-is-called-off"
BY_LEADER = "cleanup-is-by-the-leader"
DIES = (said(2, 45_000, "x", broker=B2),)


def dead_broker(
    *lines: LogEvent, subject: tuple[LogEvent, ...] = DIES, writes: tuple[NodeWrite, ...] = (), owner: str = B2
) -> Scene:
    """B2 owns the unit and dies at 45 s, its session ends at 50 s; *lines* are of B1, which lives to 300 s."""
    own = [said(1, 0, "broker-starting"), *lines, said(99, 300_000, "owner-returned")]
    begin = [
        write(1, 900, "create", BROKERS + B1, "0x1"),
        write(2, 1_000, "create", BROKERS + B2, "0x2"),
        write(3, 50_000, "closeSession", session="0x2"),
    ]
    return scene(
        said=logs(*own, said(1, 0, "broker-starting", broker=B2), *subject),
        writes=[*begin, *writes],
        channel=channel(message(0, 2_000, printed("Owned", 1, owner))),
    )


def handled(time: int) -> LogEvent:
    return said(2, time, "cleanup-handled", subject=B2, state="Stable", at=0)


def cleanup(subject: str) -> list[LogEvent]:
    """B1 cleans up after a broker from 51 s on, and gives one unit away."""
    orphan, override = printed("Owned", 1, B2), printed("Owned", 2, B1, B2, force=True)
    return [
        said(2, 51_000, "cleanup-started", subject=subject),
        said(3, 51_010, "override", UNIT, inactive=subject, orphan=orphan, override=override),
        said(4, 51_020, "cleanup-completed", subject=subject, orphans=1),
    ]


NOBODY_LEADS = said(2, 50_010, "deletion-failed", error="There is no channel owner now.")
REGISTERED_AGAIN = write(4, 50_020, "create", BROKERS + B2, "0x3")
SCHEDULED = said(2, 50_030, "cleanup-scheduled", subject=B2)
HEALTHY = said(3, 50_300, "cleanup-skipped-healthy", subject=B2)
STOPS = said(2, 44_000, "broker-closing", broker=B2), said(3, 60_000, "x", broker=B2)

B1_LED = elected(0, 950, B1, "0x1")
B3_ELECTED = write(4, 50_500, "closeSession", session="0x1"), elected(5, 50_600, B3, "0x3")
LATE_SCHEDULED = said(1, 50_020, "cleanup-scheduled", subject=B2, seconds=1)
FOLLOWS = said(1, 50_700, "plays-follower")


def by(*writes: NodeWrite, before: tuple[LogEvent, ...] = (LATE_SCHEDULED, FOLLOWS), subject: str = B2) -> Scene:
    """B1 cleans up after *subject* from 51 s on; *writes* name the leader."""
    lines = [*before, *cleanup(subject), said(99, 300_000, "owner-returned")]
    return scene(said=logs(said(1, 0, "broker-starting"), *lines), writes=list(writes))


LIVES_ON = dead_broker(*cleanup(B2), subject=(*DIES, said(3, 60_000, "x", broker=B2)))
BY_LOGS_ALONE = (
    said(1, 900, "elected"), LATE_SCHEDULED, FOLLOWS, *cleanup(B2), said(9, 60_000, "x"),
    said(1, 50_600, "elected", broker=B3), said(2, 60_000, "x", broker=B3),
)  # fmt: skip

CASES = {
    # recovery-runs
    "deletion that nobody handles is a warning":
        case(RUNS, dead_broker(NOBODY_LEADS),
             warning(B2, window=(50_000, 300_000),
                     why="b1:8080 heard of it and did nothing: 1 bundles that named it waited")),
    "deletion that the next monitor run finds is a note":
        case(RUNS, dead_broker(handled(90_000)), note(window=(50_000, 90_000))),
    "deletion handled at once is well": case(RUNS, dead_broker(handled(50_020)), occasions=1),
    "deletion of a broker that owned nothing needs no handling": case(RUNS, dead_broker(owner=B1), occasions=1),
    "broker that registers again at once needs no handling":
        case(RUNS, dead_broker(writes=(REGISTERED_AGAIN,)), occasions=0),
    # cleanup-hits-the-dead
    "cleanup of a dead broker is well": case(HITS, dead_broker(*cleanup(B2)), occasions=1),
    "cleanup of a live broker is a note":
        case(HITS, LIVES_ON,
             note(B1, B2, why=("gave 1 bundles of b2:8080 away", "it said something again 9.0 s later"))),
    "cleanup of a live broker is a warning where logs alone are there":
        case(HITS, replace(LIVES_ON, present=frozenset({Source.LOGS})), warning(B1, B2, units=(UNIT,))),
    "cleanup of a broker whose log is missing is a warning":
        case(HITS, scene(said=logs(*cleanup(B2), said(9, 60_000, "x")), present=frozenset({Source.LOGS})),
             warning(B1, B2, why="gave 1 bundles of b2:8080 away by force", units=(UNIT,), window=(51_000, 51_010))),
    "cleanup of a broker whose log is missing that takes nothing is well":
        case(HITS, scene(said=logs(cleanup(B2)[0], said(9, 60_000, "x")))),
    "cleanup by a departing broker is a note":
        case(HITS, scene(said=logs(*cleanup(B1), said(9, 60_000, "broker-closed"))), note(why="was stopping")),
    "cleanup of a broker that stops is well": case(HITS, dead_broker(*cleanup(B2), subject=STOPS)),
    # cleanup-is-called-off
    "cleanup of a healthy broker is called off with a note":
        case(CALLED_OFF, dead_broker(SCHEDULED, HEALTHY, writes=(REGISTERED_AGAIN,)),
             note(B1, B2, times=[50_000, 50_020, 50_300])),
    "cleanup that is not called off is well": case(CALLED_OFF, dead_broker(SCHEDULED), occasions=1),
    # cleanup-is-by-the-leader
    "cleanup by a former leader that follows and overrides is a warning":
        case(BY_LEADER, by(B1_LED, *B3_ELECTED),
             warning(B1, B3, times=[50_500, 50_600, 50_020, 50_700, 51_000, 51_010], window=(51_000, 51_010),
                     why=("0.4 s after b3:8080 was elected, and gave 1 bundles away", "plays a follower since",
                          "it scheduled that at"))),
    "cleanup by a former leader that has not heard of another is a note":
        case(BY_LEADER, by(B1_LED, *B3_ELECTED, before=()), note(B1, B3, why_not="plays a follower")),
    "cleanup by a former leader that finds nothing is a note":
        case(BY_LEADER, by(B1_LED, *B3_ELECTED, before=(FOLLOWS, said(2, 51_000, "cleanup-started", subject=B3))),
             note(B1, B3, why="gave 0 bundles away", why_not="it scheduled"), warning(B1, B3)),
    "cleanup by a broker that never led is a warning":
        case(BY_LEADER, by(elected(0, 950, B3, "0x3")), warning(B1, B3)),
    "former leader is told of by logs alone":
        case(BY_LEADER, scene(said=logs(*BY_LOGS_ALONE), present=frozenset({Source.LOGS})), warning(B1, B3)),
    "cleanup as another is elected, by clocks that differ, is well":
        case(BY_LEADER, replace(by(B1_LED, *B3_ELECTED), limits=Limits(clock_skew=1_000)), occasions=1),
    "cleanup by the leader is well": case(BY_LEADER, by(B1_LED), occasions=1),
    "cleanup after the leader's session, while nobody leads, is well":
        case(BY_LEADER, by(B1_LED, B3_ELECTED[0]), occasions=1),
    "cleanup begun before another is elected is well":
        case(BY_LEADER, by(B1_LED, write(4, 51_004, "closeSession", session="0x1"), elected(5, 51_005, B3, "0x3")),
             occasions=1),
    "cleanup of a broker that stops, by itself, is nobody else's":
        case(BY_LEADER, by(B1_LED, *B3_ELECTED, subject=B1), occasions=0),
    "cleanup where nobody tells who led is no occasion": case(BY_LEADER, by(), occasions=0),
    "election told twice is a doubt":
        case(BY_LEADER, by(B1_LED, elected(5, 60_000, B1, "0x1")), doubts=1),
}  # fmt: skip


@each(CASES)
def test_cleanup_is_judged_by_what_became_of_its_broker(case: Case) -> None:
    case.check()


@pytest.mark.parametrize(("lines", "repair"), [
    ((NOBODY_LEADS,), "check that a leader is elected"), ((handled(90_000),), "none is needed"),
])  # fmt: skip
def test_only_a_deletion_that_nobody_has_handled_needs_a_leader(lines: tuple[LogEvent, ...], repair: str) -> None:
    (found,) = case(RUNS, dead_broker(*lines)).judged().findings
    assert found.repair.startswith(repair)
