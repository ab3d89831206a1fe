"""Lost sessions are reported where logs alone are there."""

from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from tests.recordings.laws.cases import LAWS, Case, case, each, warning
from tests.recordings.laws.crafted import B1, logs, said, scene, session_event

LAW = "sessions-last"
LOST = session_event(2, 40_000, "SessionLost")
BACK = session_event(3, 53_000, "SessionReestablished")


def alone(*lines: object) -> Scene:
    """The log of B1, which has *lines* between its first and its last, and no other file."""
    own = [said(1, 0, "broker-starting"), *lines, said(9, 200_000, "owner-returned")]
    return scene(said=logs(*own), present=frozenset({Source.LOGS}))  # type: ignore[arg-type]


CASES = {
    "session that comes back is reported with the time without it":
        case(LAW, alone(LOST, BACK), warning(B1, window=(15_000, 53_000), why="had one again 13.0 s later")),
    "registration that comes late is reported, too":
        case(LAW, alone(LOST, BACK, said(4, 93_000, "registered")), warning(why="registered 53.0 s after the loss")),
    "session that never comes back is reported to the end":
        case(LAW, alone(LOST), warning(B1, window=(15_000, END), why="does not log that it had one again")),
    "connection that is lost for a moment is no lost session":
        case(LAW, alone(session_event(2, 40_000, "ConnectionLost"), session_event(3, 41_000, "Reconnected"))),
    "log without lines of sessions is no occasion": case(LAW, alone(), occasions=0),
}  # fmt: skip


@each(CASES)
def test_lost_session_is_reported(case: Case) -> None:
    case.check()


def test_sessions_are_left_to_other_laws_where_the_channel_is_there() -> None:
    law = LAWS[LAW]
    assert law.concerns({Source.LOGS})
    assert not law.concerns({Source.LOGS, Source.CHANNEL})
