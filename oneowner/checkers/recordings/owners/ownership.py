"""The ownership of a unit at a moment: by the channel's entry, or by the lock."""

from typing import NamedTuple

from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.lock_nodes import is_by_locks, locks_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import entry_at, stays
from oneowner.model.channel.record import ASSIGNING, RELEASING, ServiceUnitState


class Ownership(NamedTuple):
    """The owner of a unit at a moment."""

    unit: str
    state: str
    """The state of the entry, ``nothing`` without one; of a lock ``locked`` or ``free``."""
    owner: str | None
    since: int
    """The time from which on this broker owns it without a break, or from which on nobody does."""
    first: Step | NodeWrite | LogEvent
    """The record or write that made it so."""
    last: Step | NodeWrite | LogEvent
    """The latest record of this owner, such as one of a split."""


def ownership_at(scene: Scene, unit: str, time: int) -> Ownership | None:
    """Return the ownership of *unit* by the last record, or lock, of *time* or before; None if there is none."""
    if is_by_locks(scene):
        return _by_lock(scene, unit, time)
    history = scene.channel.units.get(unit)
    last = None if history is None else entry_at(history, time)
    if history is None or last is None:
        return None
    entry = last.entry
    if last.is_tombstone:
        return Ownership(unit, ServiceUnitState.NOTHING.value, None, last.time, last, last)
    known = [stay for stay in stays(history) if stay.step.place <= last.place]
    first = known[-1]
    for before in reversed(known[:-1]):
        is_alike = before.owner == first.owner if first.owner else before.record.state == first.record.state
        if not is_alike or before.ended_by is None or before.ended_by.is_tombstone:
            break
        first = before
    return Ownership(unit, entry.state.value, known[-1].owner, first.step.time, first.step, last)


def _by_lock(scene: Scene, unit: str, time: int) -> Ownership | None:
    known = [held for held in locks_of(scene).held.get(unit, ()) if held.since <= time]
    if not known:
        return None
    held = known[-1]
    if held.until <= time and held.ended is not None:
        return Ownership(unit, "free", None, held.until, held.ended, held.ended)
    return Ownership(unit, "locked", held.broker or None, held.since, held.made, held.made)


def parties(one: Ownership) -> str:
    """Return the brokers of a hand-over under way, in words; empty if there is none."""
    if not isinstance(one.last, Step) or one.last.is_tombstone:
        return ""
    record = one.last.record
    if record.state == ASSIGNING:
        return f"on its way to {record.destination}" + (f" from {record.source}" if record.source else "")
    if record.state == RELEASING:
        return f"being released by {record.source}" + (f" for {record.destination}" if record.destination else "")
    return ""
