"""A stay is the time for which a unit had one entry of the channel, by publish times."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

from oneowner.checkers.recordings.scene.channel_history import Channel, History, Step
from oneowner.checkers.recordings.scene.time_spans import Spans
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.channel.record import Record, owner


class Stay(NamedTuple):
    """The time for which a unit had one entry: [since, until); until None: to the end of the dump."""

    step: Step
    since: int
    until: int | None
    """Never before ``since``: publish times can go back in topic order, and durations are clamped at 0."""
    ended_by: Step | None

    @property
    def record(self) -> Record:
        return self.step.record

    @property
    def span(self) -> tuple[int, int]:
        """Return its interval for a timeline."""
        return self.since, END if self.until is None else self.until

    @property
    def owner(self) -> str | None:
        """The broker that owns the unit meanwhile: of Owned the destination, of Splitting the source."""
        return str(owner(self.record)) if owner(self.record) else None


def stays(unit: History) -> list[Stay]:
    """Return the entries that *unit* had, one after the other; a tombstone ends one and begins none."""
    found: list[Stay] = []
    accepted = [*unit.accepted]
    for step, following in zip_longest(accepted, accepted[1:]):
        since = step.time
        until = None if following is None else max(since, following.time)
        if not step.is_tombstone:
            found.append(Stay(step, since, until, following))
    return found


def entry_at(unit: History, time: int) -> Step | None:
    """Return the last accepted step of *unit* that was published by *time*, None before the first."""
    latest = [step for step in unit.accepted if step.time <= time]
    return latest[-1] if latest else None


class StaysByUnit:
    """The stays of each unit of a channel, by time; of millions of units, only those asked for are worked out."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._known: dict[str, Spans[Stay]] = {}

    def __contains__(self, unit: str) -> bool:
        return unit in self._channel.units

    def get(self, unit: str) -> Spans[Stay] | None:
        """Return the stays of a unit; None if the channel has no record of it."""
        if unit not in self._known and unit in self:
            found = stays(self._channel.units[unit])
            self._known[unit] = Spans(found, lambda stay: stay.span)
        return self._known.get(unit)
