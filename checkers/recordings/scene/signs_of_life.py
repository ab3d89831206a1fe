"""Signs of life bound how long each process of a broker is known to have lived, and what it said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from oneowner.checkers.recordings.read.observations import Said, Source
from oneowner.checkers.recordings.scene.scene import Life, Scene


def alive(lives: Iterable[Life], since: int, until: int) -> list[tuple[int, int]]:
    """Return the parts of [since, until] in which at least one process of *lives* lived."""
    parts: list[tuple[int, int]] = []
    for life in sorted(lives, key=lambda life: life.start):
        start, end = max(life.start, since), min(life.end, until)
        if start >= end:
            continue
        if parts and start <= parts[-1][1]:
            parts[-1] = parts[-1][0], max(end, parts[-1][1])
        else:
            parts.append((start, end))
    return parts


def all_lives(scene: Scene) -> list[Life]:
    """Return the processes of all brokers."""
    return [life for lives in scene.lives.values() for life in lives]


def living(scene: Scene) -> list[Life]:
    """
    Return the processes of all brokers, each to its last sign of life: a line of its log, or an answer.

    An answer proves a process only if it began to answer before the next process of the broker started. Where logs
    alone tell of registrations, they alone tell how long to look for them.
    """
    if Source.ZOOKEEPER not in scene.present:
        return all_lives(scene)
    answered: dict[str, list[int]] = defaultdict(list)
    for lookup in scene.lookups:
        if lookup.status is not None:
            answered[lookup.asked].append(lookup.end)
    for poll in scene.polls:
        if poll.status is not None:
            answered[poll.broker].append(poll.end)
    found: list[Life] = []
    for broker, lives in scene.lives.items():
        for number, life in enumerate(lives):
            following = lives[number + 1].start - scene.limits.clock_skew if number + 1 < len(lives) else None
            signs = [time for time in answered[broker] if following is None or time < following]
            found.append(life._replace(end=max([life.end, *signs])))
    return found


def life_at(scene: Scene, broker: str, time: int) -> Life | None:
    """Return the process of *broker* that lived at *time*."""
    return next((life for life in scene.lives.get(broker, ()) if life.start <= time <= life.end), None)


def lines_of(scene: Scene, life: Life, *events: str) -> Sequence[Said]:
    """Return the lines of these kinds that one process wrote; all of them if no kind is named."""
    lines = scene.said.get(life.broker, ())[life.first : life.last]
    return [said for said in lines if said.event in events] if events else lines
