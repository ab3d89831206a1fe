"""
Which units the end or the silence of a process hit: those that its broker owned, or that were on their way.

Where clients are recorded, by how long they waited; else by how long the records name a broker that was not there. The
laws of availability speak of waits that are longer than a recovery may take; here also shorter ones count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from oneowner.checkers.recordings.laws.serving.waits import Wait, all_waits
from oneowner.checkers.recordings.read.events import Cause, brokers_named
from oneowner.checkers.recordings.scene.absences import SILENCE
from oneowner.checkers.recordings.scene.channel_history import stays
from oneowner.checkers.recordings.scene.happenings import Happening, HappeningKind, happenings_of
from oneowner.checkers.recordings.scene.lock_nodes import is_by_locks, locks_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.model.channel.record import is_in_flight

OF_PROCESSES: Final = (HappeningKind.PAUSED, HappeningKind.EXITED, HappeningKind.DIED, HappeningKind.STOPPED)
WORTH_TELLING: Final = 5_000
"""Milliseconds from which on a wait is told that no law speaks of: a hand-over without a failure takes less."""


class Hit(NamedTuple):
    """One unit that clients could not use, and why."""

    cause: Cause
    unit: str
    since: int
    until: int | None
    """When a client could use it again, or another broker owned it; None: not before the end."""
    lasted: int
    """Milliseconds for which it is known that nobody could."""


def units_hit(scene: Scene) -> list[Hit]:
    """Return the units that were not served because the process of their broker was not there."""
    waits: dict[str, list[Wait]] = defaultdict(list)
    topics = Topics(scene)
    for wait in all_waits(scene):
        waits[topics.unit(wait.topic, wait.since) or ""].append(wait)
    found: list[Hit] = []
    for cause, happening in happenings_of(scene).found.items():
        if cause.kind in OF_PROCESSES:
            found += _hits(scene, happening, waits)
    return sorted(found, key=lambda hit: (hit.since, hit.unit, hit.cause))


def _hits(scene: Scene, happening: Happening, waits: dict[str, list[Wait]]) -> Iterator[Hit]:
    cause, end = happening.cause, scene.end or happening.cause.since
    last = end if happening.until is None else happening.until
    for unit, times in _named(scene, cause.subject).items():
        met = [(max(a, cause.since), last if b is None else min(b, last)) for a, b in times]
        met = [(a, b) for a, b in met if a < b]
        if not met:
            continue
        first, final = min(a for a, _ in met), max(b for _, b in met)
        if unit in waits:
            yield from _waited(cause, unit, waits[unit], first, final)
        elif final - first > WORTH_TELLING:
            yield Hit(cause, unit, first, None if final == end else final, final - first)


def _waited(cause: Cause, unit: str, waits: Sequence[Wait], first: int, final: int) -> Iterator[Hit]:
    for wait in waits:
        is_then = cause.since - SILENCE <= wait.since <= final and first <= wait.until
        if is_then and wait.lasted > WORTH_TELLING:
            yield Hit(cause, unit, wait.since, wait.until if wait.is_over else None, wait.lasted)


def _named(scene: Scene, broker: str) -> dict[str, list[tuple[int, int | None]]]:
    """Return when records, or locks, named *broker* as owner of each unit, or as a side of its hand-over."""
    found: dict[str, list[tuple[int, int | None]]] = defaultdict(list)
    if is_by_locks(scene):
        for unit, times in locks_of(scene).held.items():
            found[unit] += [(held.since, held.until) for held in times if held.broker == broker]
        return found
    for unit, history in scene.channel.units.items():
        for stay in stays(history):
            parties = brokers_named(stay.record) if is_in_flight(stay.record) else (stay.owner,)
            if broker in parties:
                found[unit].append((stay.since, stay.until))
    return found
