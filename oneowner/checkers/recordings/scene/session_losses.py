"""Losses of a session are read from brokers' lines about their clients: lost, after 5/6 of the timeout, and back."""

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.packed_logs import times_of
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_from_logs import BACK, LOST, SESSION
from oneowner.checkers.recordings.scene.scene import Scene

WATCH: Final = "watch-not-recreated"
NEAR: Final = 1_000
"""Milliseconds between a process's last word and its end, or between the end of a pause and its first word."""


def losses(scene: Scene) -> Sequence[LogEvent]:
    """Return the lines, in order, by which brokers lost their sessions, but for those that a pause explains."""
    return scene.once(_losses)


def backs(scene: Scene) -> Sequence[LogEvent]:
    """Return the lines by which brokers had a session again."""
    return scene.once(_backs)


def since_when(scene: Scene, lost: LogEvent) -> int:
    """Return the time from which ZooKeeper was out of reach: a client reports it after 5/6 (``ZKSessionWatcher``)."""
    return lost.time - scene.limits.session * 5 // 6


def silent_before(scene: Scene, broker: str, lost: int) -> int:
    """Return for how many milliseconds the log of a broker had no line before those about the loss of its session."""
    times = np.asarray(times_of(scene.said.get(broker, ())), np.int64)
    before = times[times < lost - NEAR]
    return int(lost - before.max()) if len(before) else 0


def lost_watch(scene: Scene, brokers: Collection[str], window: Window) -> bool:
    """
    Return whether a broker could not set its watch in a new session, and never printed that it had the session.

    Then its other tasks do not learn of the session: it neither registers nor runs for the lead (apache/pulsar#25913).
    """
    since = (window.possible_since or 0) - scene.limits.session
    failed = [one for one in scene.lines(WATCH) if one.broker in brokers and since <= one.time <= window.possible_until]
    again = [(one.broker, one.time) for one in backs(scene)]
    return any(
        not any(broker == one.broker and one.time <= time <= window.possible_until for broker, time in again)
        for one in failed
    )


def _losses(scene: Scene) -> Sequence[LogEvent]:
    lost = [line for line in scene.lines(SESSION) if line.values.get("event") == LOST]
    return sorted(
        (line for line in lost if not _ended_in_pause(scene, line)), key=lambda line: (line.time, line.broker)
    )


def _backs(scene: Scene) -> Sequence[LogEvent]:
    return [line for line in scene.lines(SESSION) if line.values.get("event") == BACK]


def _ended_in_pause(scene: Scene, lost: LogEvent) -> bool:
    """Return whether ZooKeeper was up and ended a session while its broker stood still, which later logs it."""
    ends = [held.until for held in registry_of(scene).of(lost.broker)]
    return any(
        away.is_loss(lost.time)
        or (away.is_pause and 0 <= lost.time - away.until <= NEAR and any(map(away.covers, ends)))
        for away in absences(scene, lost.broker)
    )
