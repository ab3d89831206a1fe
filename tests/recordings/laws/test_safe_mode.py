"""Laws of bad times."""

from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.cases import Case, case, each, note, warning
from tests.recordings.laws.crafted import B1, B2, B3, UNIT, call, logs, lookup, said, scene, session_event

STABLE, STAYS_UP, REDIRECTS = "recovery-is-stable", "no-broker-exits-by-itself", "redirects-end"


def skipped_every(interval: int, *events: LogEvent, state: str = "Unstable") -> Scene:
    """A monitor skips recovery three times, after *events* of the session."""
    lines = [said(n, n * interval, "monitor-skipped-unstable", state=state) for n in (1, 2, 3)]
    return scene(said=logs(*events, *lines))


LOST, BACK = session_event(1, 100, "SessionLost"), session_event(2, 150, "SessionReestablished")
JOB = said(3, 200, "cleanup-started", subject=B2)

CASES = {
    # recovery-is-stable
    "skipped recovery is one note": case(STABLE, skipped_every(15_000), note(why="skipped recovery 3 times")),
    "recovery skipped for long is a warning":
        case(STABLE, skipped_every(60_000), warning(symptom=Symptom.SESSION_BACK)),
    "recovery skipped for long after the session is back looks like the known bug":
        case(STABLE, skipped_every(60_000, LOST, BACK), warning(symptom=Symptom.SESSION_BACK)),
    "recovery skipped while the state of a new session is jittery is by design":
        case(STABLE, skipped_every(60_000, LOST, BACK, state="Jittery"), warning(symptom=None)),
    "recovery skipped for as long as ZooKeeper is away looks like no bug":
        case(STABLE, skipped_every(60_000, LOST), warning(symptom=None)),
    "old job that acts while the session is lost is a note": case(STABLE, scene(said=logs(LOST, JOB)), note()),
    "job after the session is back is well": case(STABLE, scene(said=logs(LOST, BACK, JOB)), occasions=1),
    "clean-up in a jittery state is a note":
        case(STABLE, scene(said=logs(said(1, 200, "cleanup-handled", subject=B2, state="Jittery", at=100))), note()),
    # no-broker-exits-by-itself
    "broker that exits is a warning":
        case(STAYS_UP, scene(said=logs(said(1, 100, "view-shut-down"), said(2, 110, "broker-shut-down"))),
             warning(B1, why="could not be filled again")),
    "broker that is told to stop is well":
        case(STAYS_UP, scene(said=logs(said(1, 100, "broker-closing"), said(2, 200, "broker-closed"))), occasions=1),
    # redirects-end
    "call in a circle is a note":
        case(REDIRECTS, scene(calls=[call(1, 100, 300, "unload", UNIT, 500, asked=B1, hops=(B2, B1, B3))]),
             note(B1, B2, B3)),
    "call that comes back to the new owner is well":
        case(REDIRECTS, scene(calls=[call(1, 100, 300, "unload", asked=B1, hops=(B2, B1))]), occasions=1),
    "lookups redirected to each other are a note":
        case(REDIRECTS,
             scene(lookups=[lookup(1, 100, 200, B1)._replace(status=307, redirect=B2),
                            lookup(2, 150, 250, B2)._replace(status=307, redirect=B1)]),
             note()),
    # empty scenes
    **{f"empty scene is no occasion of {law}": case(law, scene(), occasions=0)
       for law in (STABLE, STAYS_UP, REDIRECTS)},
}  # fmt: skip


@each(CASES)
def test_bad_times_are_judged_by_what_brokers_did_in_them(case: Case) -> None:
    case.check()
