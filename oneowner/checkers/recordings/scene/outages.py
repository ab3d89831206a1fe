"""
An outage of the metadata store: several brokers lose it at once, and it lasts until all that live have sessions again.

What the server writes ends no outage: when it starts again, it ends the sessions of before itself.
"""

from collections.abc import Sequence
from typing import NamedTuple

from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.absences import BEGUN
from oneowner.checkers.recordings.scene.broker_processes import life_at
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.session_losses import NEAR, backs, losses, since_when
from oneowner.checkers.recordings.scene.timeline import END


class Outage(NamedTuple):
    """One outage of the metadata store."""

    since: int
    until: int
    """The time when the last of its brokers had a session again; END: one that lives has none."""
    brokers: tuple[str, ...]
    """Those that lost the metadata store."""
    lost: tuple[LogEvent, ...]
    """Their lines about it."""
    unregistered: tuple[str, ...]
    """Those that live and are not registered when the recording ends."""


def outages(scene: Scene) -> list[Outage]:
    """Return the outages: several brokers that lose the metadata store within a session timeout have lost it."""
    found: list[Outage] = []
    group: list[LogEvent] = []
    for line in (*losses(scene), None):
        if line is not None and (not group or line.time - group[0].time <= scene.limits.session):
            group.append(line)
            continue
        if len({one.broker for one in group}) > 1 and not _is_known(scene, found, group[0]):
            found.append(_outage(scene, group))
        group = [] if line is None else [line]
    return found


def _is_known(scene: Scene, before: Sequence[Outage], lost: LogEvent) -> bool:
    """Return whether a loss belongs to the outage before it: no broker has logged since that its session was back."""
    earlier = [outage.since for outage in before if outage.since <= lost.time]
    return bool(earlier) and not any(earlier[-1] < line.time < lost.time for line in backs(scene))


def _outage(scene: Scene, lost: Sequence[LogEvent]) -> Outage:
    first = {line.broker: line for line in reversed(lost)}
    back = {broker: _back(scene, line) for broker, line in first.items()}
    until = max((time for time in back.values() if time is not None), default=END)
    brokers = tuple(sorted(first))
    return Outage(since_when(scene, lost[0]), until, brokers, tuple(lost[:3]), _unregistered(scene, brokers))


def _back(scene: Scene, lost: LogEvent) -> int | None:
    """
    Return when the broker of a loss had a session again, by its log or its node; END: not before its log ends.

    None: its process ended meanwhile, and no other began, so that it needs none.
    """
    signs = [line.time for line in backs(scene) if line.broker == lost.broker and line.time > lost.time]
    signs += [line.time for line in scene.lines(BEGUN) if line.broker == lost.broker and line.time > lost.time]
    signs += [held.since for held in registry_of(scene).of(lost.broker) if held.since > lost.time]
    if signs:
        return min(signs)
    life = life_at(scene, lost.broker, lost.time)
    others = max((one.end for lives in scene.lives.values() for one in lives if one.broker != lost.broker), default=0)
    is_gone = life is not None and life.end + scene.limits.session + NEAR < others
    return None if is_gone else END


def _unregistered(scene: Scene, brokers: Sequence[str]) -> tuple[str, ...]:
    registry, end = registry_of(scene), scene.end or 0
    alive = [broker for broker in brokers if any(life.end > end - scene.limits.session for life in scene.lives[broker])]
    return tuple(broker for broker in alive if all(held.until < END for held in registry.of(broker)))
