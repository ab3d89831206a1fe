"""An outage of ZooKeeper is told from one broker's loss of it by how many brokers lose it at one time."""

from __future__ import annotations

from typing import Final

from oneowner.checkers.recordings.read.observations import Said
from oneowner.checkers.recordings.scene.registry_from_logs import BACK, LOST, SESSION
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.signs_of_life import all_lives, lines_of
from oneowner.checkers.times import iso

GONE: Final = ("ConnectionLost", LOST)
HERE: Final = ("Reconnected", BACK)


def out_of_reach(scene: Scene, since: int, until: int) -> tuple[str, list[Said]]:
    """
    Return words and lines on an outage that began before *until*, and that may have ended sessions by *since*.

    Nothing is said of fewer than two brokers: one may be cut off, or stand still.
    """
    lost: dict[str, Said] = {}
    back: dict[str, int] = {}
    for life in all_lives(scene):
        for line in lines_of(scene, life, SESSION):
            if not since - 2 * scene.limits.session <= line.time <= until:
                continue
            if line.values.get("event") in GONE:
                lost.setdefault(life.broker, line)
                back.pop(life.broker, None)
            elif line.values.get("event") in HERE and life.broker in lost:
                back.setdefault(life.broker, line.time)
    if len(lost) < 2:
        return "", []
    first = min(lost.values(), key=lambda line: (line.time, line.origin))
    here = f"; the last of them had it back at {iso(max(back.values()))}" if len(back) == len(lost) else ""
    many = f"{len(lost)} of {len(scene.said)} brokers with logs"
    return f". ZooKeeper was out of reach: {many} lost it from {iso(first.time)} on{here}", [first]
