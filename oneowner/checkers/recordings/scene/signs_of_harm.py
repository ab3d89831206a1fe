"""
Signs of harm are happenings after which bundles may have had no owner, or two, though no law finds that they did.

Where the channel is missing, its records show the harm only as far as brokers print them. A run in which a broker died,
or was stopped amid a split, is therefore not to be reported like one in which nothing happened.
"""

from collections.abc import Iterator
from typing import Final

from oneowner.checkers.recordings.scene.broker_processes import all_lives, lines_of
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.scene import Scene

PUBLISHED: Final = "split-published"
ENDED: Final = ("split-event-completed", "split-event-timed-out", "split-event-failed")
LEAVES: Final = (HappeningKind.STOPPED, HappeningKind.DIED, HappeningKind.EXITED)
"""The ends of a process."""
_RANK: Final = {kind: rank for rank, kind in enumerate(HappeningKind)}


def signs_of_harm(scene: Scene) -> tuple[str, ...]:
    """Return the signs in words, without their times: a process that ended amid a split, then others by their rank."""
    cut: list[str] = []
    others: list[str] = []
    of_brokers = (one for one in happenings_of(scene).found.values() if one.brokers)
    for happening in sorted(of_brokers, key=lambda one: (_RANK[HappeningKind(one.cause.kind)], one.since)):
        units = sorted(set(_open_splits(scene, happening))) if happening.cause.kind in LEAVES else []
        words = happening.words.partition(": ")[0] if units else happening.words
        many = f"{len(units)} splits" if len(units) > 1 else f"the split of {units[0]}" if units else ""
        (cut if units else others).append(f"{words} amid {many}" if units else words)
    return (*cut, *others)


def _open_splits(scene: Scene, end: Happening) -> Iterator[str]:
    """Yield the bundles whose split the broker had published and had not seen ended when its process ended."""
    for life in (one for one in all_lives(scene) if one.broker in end.brokers and one.start <= end.since):
        done = lines_of(scene, life, *ENDED)
        for begun in lines_of(scene, life, PUBLISHED):
            is_under_way = begun.time <= end.since < begun.time + int(begun.values.get("timeout") or 0)
            if is_under_way and not any(begun.time <= one.time and one.unit == begun.unit for one in done):
                yield str(begun.unit)
