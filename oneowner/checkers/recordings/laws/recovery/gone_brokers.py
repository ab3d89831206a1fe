"""
Brokers that were gone are found with the units that they left behind.

A broker is gone while its process is away, or from the end of its registration until it is registered again. A unit is
its orphan if it owned it then or was a party of its hand-over (channel.9.3).
"""

from typing import NamedTuple

from oneowner.checkers.recordings.scene.absences import Absence, absences
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.registry import Held, Registry
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import Stay, stays
from oneowner.checkers.recordings.scene.timeline import END, is_at, meets
from oneowner.model.channel.record import is_active


class Gone(NamedTuple):
    """One broker that was gone: its process was away, or its registration ended."""

    broker: str
    since: int
    """Last sign of life; of a live broker, the end of its registration."""
    certain: int
    """By then it was gone: it was asked in vain, or its registration had ended."""
    unlisted: int | None
    """The end of its registration."""
    until: int
    """The time of its return: its process, and its registration if that had ended; END: it never returned."""
    away: Absence | None
    evidence: tuple[Citable, ...]


class Orphan(NamedTuple):
    """One unit of a broker that was gone."""

    gone: Gone
    stay: Stay
    """The entry that named the broker."""
    until: int
    """The time when another record took its place, or the broker returned; END: neither came."""
    is_reassigned: bool

    def lasted(self, end: int) -> int:
        """From the last sign of life, or from the entry, on."""
        return (end if self.until == END else self.until) - max(self.gone.since, self.stay.since)

    def lasted_certainly(self, end: int) -> int:
        """Return its duration, from the time at which the broker was certainly gone."""
        return (end if self.until == END else self.until) - max(self.gone.certain, self.stay.since)


def departures(scene: Scene, registry: Registry) -> list[Gone]:
    """Return all times at which a broker was gone, by time."""
    found: list[Gone] = []
    for broker in scene.brokers:
        held = registry.of(broker)
        taken: list[Absence] = []
        away = absences(scene, broker)
        for number, one in enumerate(held):
            if one.ended is None:
                continue
            absent = next((a for a in away if meets(a, one.until, one.until)), None)
            if absent is not None:
                taken.append(absent)
            again = held[number + 1].since if number + 1 < len(held) else END
            shown: tuple[Citable, ...] = (*(absent.evidence[:2] if absent else ()), one.ended)
            found.append(_unlisted(one, absent, again, shown))
        found += [
            Gone(broker, one.since, one.asked, None, one.until, one, one.evidence)
            for one in away
            if one not in taken and not one.is_pause
        ]
    return sorted(found, key=lambda gone: (gone.since, gone.broker))


def _unlisted(held: Held, absent: Absence | None, again: int, shown: tuple[Citable, ...]) -> Gone:
    ended = held.until
    if absent is None:
        return Gone(held.broker, ended, ended, ended, again, None, shown)
    return Gone(held.broker, absent.since, min(absent.asked, ended), ended, again, absent, shown)


def orphans(scene: Scene, gone: Gone) -> list[Orphan]:
    """Return the units that a broker left behind."""
    at = gone.since if gone.unlisted is None else gone.unlisted
    found: list[Orphan] = []
    for unit in scene.channel.units.values():
        history = stays(unit)
        for number, stay in enumerate(history):
            if not is_at(stay, at) or gone.broker not in stay.parties:
                continue
            later = [other for other in history[number + 1 :] if gone.broker not in other.parties]
            freed = later[0].since if later else END
            if stay.ended_by is not None and not is_active(stay.ended_by.record):
                freed = stay.until
            found.append(Orphan(gone, stay, min(freed, gone.until), freed < END and freed <= gone.until))
    return found
