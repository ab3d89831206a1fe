"""
Recovery that a leader puts off, as its session was lost or is new: the cause of whatever waits for it.

A leader skips its monitor and schedules clean-ups late while it does not trust its session
(``ServiceUnitStateChannelImpl.getMetadataState``): for three minutes after each loss, so a session that flaps holds
recovery up for as long as it does.
"""

from collections.abc import Iterator
from typing import Final

from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.broker_processes import all_lives, lines_of
from oneowner.checkers.recordings.scene.explanations import why_away
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.times import lasting

SKIPS: Final = ("monitor-skipped-unstable", "cleanup-ignored-unstable")
SCHEDULED: Final = "cleanup-scheduled"


def postponements(scene: Scene) -> list[Happening]:
    """
    Return the times for which leaders put recovery off, one for each process.

    A session timeout and a monitor run are no delay: a recovery may take them.
    """
    return [one for life in all_lives(scene) for one in _of(scene, life)]


def _of(scene: Scene, life: Life) -> Iterator[Happening]:
    lines = [line for line in lines_of(scene, life, *SKIPS, SCHEDULED) if line.event != SCHEDULED or _delay(line)]
    if not lines:
        return
    since, until = lines[0].time, max(line.time + _delay(line) for line in lines)
    if until - since <= scene.limits.session + scene.limits.monitor:
        return
    cause = Cause(HappeningKind.PUT_OFF, life.broker, since)
    dead = sorted({str(line.values["subject"]) for line in lines if line.values.get("subject")})
    words = (
        f"the leader {life.broker} put recovery{' after ' if dead else ''}{' and '.join(dead)} off for "
        f"{lasting(until - since)}, as its session with the metadata store was lost or new"
    )
    behind = why_away(scene, life.broker, since - 2 * scene.limits.session, since)
    repair = f"check that {life.broker} reaches ZooKeeper"
    yield Happening(cause, until, words, (life.broker,), (lines[0], *lines[1:][-1:]), behind, repair)


def _delay(line: LogEvent) -> int:
    """Return for how many milliseconds a line puts a clean-up off."""
    return 1_000 * int(line.values.get("seconds") or 0) if line.event == SCHEDULED else 0
