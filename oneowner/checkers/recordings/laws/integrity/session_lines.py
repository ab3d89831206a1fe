"""
A report on ZooKeeper sessions: the sessions in brokers' logs are in the history.

A client logs the session that the server assigned, and the notification of its end (``PulsarZooKeeperClient``).
Innocent, and not reported: sessions of another ensemble, such as that of a configuration store, and events before or
after the history.
"""

from typing import Final

from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, told
from oneowner.checkers.recordings.laws.integrity.zookeeper_transactions import number_of
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.absences import BEGUN
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso
from oneowner.model.kernel.law import Severity

LAW: Final = "sessions-begin-and-end"
EXPIRED: Final = "zk-session-expired"


def _sessions_begin_and_end(scene: Scene) -> LawOutcome:
    begins = {number_of(write.session): write for write in scene.writes if write.op == "createSession"}
    ends = {number_of(write.session): write for write in scene.writes if write.op == "closeSession"}
    servers = {number >> 16 for number in begins if number is not None}
    if not begins:
        return LawOutcome()
    found: list[Contradiction] = []
    lines = scene.lines(BEGUN, EXPIRED)
    last = scene.writes[-1].time - scene.limits.clock_skew
    for line in lines:
        session = number_of(str(line.values.get("session")))
        if session is None or session >> 16 not in servers or line.time > last:
            continue
        if session not in begins and session > min(filter(None, begins)):
            found.append(_of(line, f"has session {session:#x}, which never began in the history"))
        elif line.event == EXPIRED and session not in ends:
            found.append(_of(line, f"was told that session {session:#x} had ended, which never ends in the history"))
    return told(LAW, len(lines), found)


def _of(line: LogEvent, words: str) -> Contradiction:
    return Contradiction(f"at {iso(line.time)}, {line.broker} {words}", (line,), (line.broker,))


LAWS: Final = (
    SceneLaw(
        LAW,
        "A session that a broker says it has begins in the ZooKeeper history, and one that is over ends there.",
        "PulsarZooKeeperClient; ServiceUnitStateChannelImpl.handleMetadataSessionEvent acts on it",
        needs=(Source.LOGS, Source.ZOOKEEPER),
        judge=_sessions_begin_and_end,
        severity=Severity.WARNING,
    ),
)
