"""A stay is the time for which a unit had one entry of the channel, by publish times."""

from itertools import zip_longest
from typing import NamedTuple

from oneowner.checkers.recordings.read.events import brokers_named
from oneowner.checkers.recordings.scene.channel_history import Channel, History, Step
from oneowner.checkers.recordings.scene.time_spans import Spans
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.channel.record import Record, is_in_flight, owner


class Stay(NamedTuple):
    """The time for which a unit had one entry: [since, until); until END: to the end of the dump."""

    step: Step
    since: int
    until: int
    """Never before ``since``: publish times can go back in topic order, and durations are clamped at 0."""
    ended_by: Step | None

    @property
    def record(self) -> Record:
        return self.step.record

    @property
    def owner(self) -> str | None:
        """The broker that owns the unit meanwhile: of Owned the destination, of Splitting the source."""
        return str(owner(self.record)) if owner(self.record) else None

    @property
    def parties(self) -> tuple[str, ...]:
        """The brokers that the unit depends on meanwhile: its owner, or both sides of a hand-over."""
        return brokers_named(self.record) if is_in_flight(self.record) else (self.owner,) if self.owner else ()


def stays(unit: History | None) -> list[Stay]:
    """Return the entries that *unit* had, one after the other; a tombstone ends one and begins none."""
    found: list[Stay] = []
    accepted = [*unit.accepted] if unit is not None else []
    for step, following in zip_longest(accepted, accepted[1:]):
        since = step.time
        until = END if following is None else max(since, following.time)
        if not step.is_tombstone:
            found.append(Stay(step, since, until, following))
    return found


def entry_at(unit: History, time: int) -> Step | None:
    """Return the last accepted step of *unit* that was published by *time*, None before the first."""
    latest = [step for step in unit.accepted if step.time <= time]
    return latest[-1] if latest else None


class StaysByUnit:
    """The stays of each unit of a channel, by time; of millions of units, only the requested ones are computed."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._known: dict[str, Spans[Stay]] = {}

    def __contains__(self, unit: str) -> bool:
        return unit in self._channel.units

    def get(self, unit: str) -> Spans[Stay] | None:
        """Return the stays of a unit; None if the channel has no record of it."""
        if unit not in self._known and unit in self:
            self._known[unit] = Spans(stays(self._channel.units[unit]))
        return self._known.get(unit)
