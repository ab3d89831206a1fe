"""
The time in which some brokers run with the extensible load manager, and others with one of locks.

Brokers that restart one by one with the other manager pass through it: neither kind sees the owners of the other, so
that a lookup at a broker of one kind assigns a bundle that a broker of the other kind still serves (channel.11).
"""

from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.broker_processes import READY, all_lives, lines_of
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.migrations import EXTENSIBLE, LOAD_MANAGER
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import Timeline

WORDS = "brokers ran with either load manager at once, and neither kind sees the owners of the other"
REPAIR = "restart every broker with the same load manager: until then a bundle can have two owners"


def mixed_managers(scene: Scene) -> list[Happening]:
    """Return the times in which brokers with either load manager were ready."""
    spans: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    first: dict[bool, LogEvent] = {}
    for life in all_lives(scene):
        for line in lines_of(scene, life, READY)[:1]:
            if name := line.values["settings"].get(LOAD_MANAGER):
                is_extensible = name.endswith(EXTENSIBLE)
                spans[is_extensible].append((line.time, life.end))
                first.setdefault(is_extensible, line)
    return [
        Happening(Cause(HappeningKind.MANAGERS, "", since), until, WORDS, (), (first[False], first[True]), (), REPAIR)
        for since, until in Timeline(spans[True]) & Timeline(spans[False])
    ]
