"""
Snapshots show the entry of a unit in a broker's view, and its age by the channel.

``failed to wait for owner ..; Trying to return the current owner:..`` prints the view's entry of that moment
(``ServiceUnitStateChannelImpl.deferGetOwner``): the owner of Owned or Splitting, ``Optional.empty`` for Free and for no
entry, ``null`` for Assigning, Releasing and Deleted. It is printed without debug mode. The ``state`` in ``failed to get
active owner broker`` is that of the lookup's beginning, so it proves nothing about the end.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from oneowner.checkers.recordings.laws.views.line_record_join import SNAPSHOT, View, entries_shown
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.channel.record import DELETED, FREE, NOTHING, TOMBSTONE, Record, is_in_flight, owner
from oneowner.model.channel.rules import Storage

LAG: Final = 5_000
"""Milliseconds. In the recordings a view is behind by some 10 ms, and by 1 s while the channel topic moves."""
GAVE_UP: Final = "owner-wait-timed-out"
NULL, EMPTY = "null", "Optional.empty"
_PRINTED: Final = re.compile(r"owner[:=] ?(null|Optional\.empty)\b")


class Sighting(NamedTuple):
    """One printed owner, and its proof about the view."""

    said: LogEvent
    owner: str
    """As printed: a broker, ``null`` or ``Optional.empty``; of a snapshot, the entry."""
    taken: int
    """The view has taken at least the record at this place of the channel; -1: maybe none."""
    missed: Step | None
    """The record that ended the last entry which fits, more than LAG ago: the view has not taken it."""
    behind: int
    """Its age, in milliseconds; 0 if the entry may be the channel's own."""

    @property
    def words(self) -> str:
        """The entry of the view, in words."""
        if self.said.event == SNAPSHOT:
            return f"{self.owner} as entry of {self.said.unit}"
        if self.owner == NULL:
            return f"{self.said.unit} in flight"
        return f"no owner of {self.said.unit}" if self.owner == EMPTY else f"{self.owner} as owner of {self.said.unit}"


def sightings(scene: Scene, view: View) -> list[Sighting]:
    """Return the owners that a process printed, in the order of its log, for units that the channel has."""
    found: list[Sighting] = []
    for said in of_kinds(view.lines, GAVE_UP, SNAPSHOT):
        if said.event == GAVE_UP and said.unit in scene.channel.units:
            shown = owner_printed(said)
            if shown != EMPTY or scene.storage == Storage.SYSTEM_TOPIC:  # a lost session empties the other view
                found += _sighting(scene, said, shown, partial(_fits, shown=shown))
        elif said.event == SNAPSHOT:
            for entry in entries_shown(said):
                if entry.unit in scene.channel.units:
                    record = entry.values["entry"].record
                    found += _sighting(scene, entry, str(record), record.__eq__)
    return found


def owner_printed(said: LogEvent) -> str:
    """Return the owner as printed: a broker, ``null`` or ``Optional.empty``."""
    absent = _PRINTED.search(said.text)
    return absent[1] if absent else str(said.values.get("owner") or NULL)


def _sighting(scene: Scene, said: LogEvent, shown: str, fits: Callable[[Record], bool]) -> Iterator[Sighting]:
    assert said.unit is not None
    skew = scene.limits.clock_skew
    entries = _entries(scene.channel.units[said.unit].accepted)
    fitting = [number for number, (since, _, record) in enumerate(entries) if fits(record) and
               since <= said.time + skew]  # fmt: skip
    if not fitting:
        return
    first, last = entries[fitting[0]], fitting[-1]
    taken = first[1].place if first[1] is not None else -1
    following = entries[last + 1] if last + 1 < len(entries) else None
    behind = 0 if following is None else said.time - skew - following[0]
    if following is None or behind <= LAG:
        yield Sighting(said, shown, taken, None, 0)
    else:
        yield Sighting(said, shown, taken, following[1], behind)


def _entries(accepted: Sequence[Step]) -> list[tuple[int, Step | None, Record]]:
    """Return the entries of the unit, each with its start; publish times that go back are clamped."""
    found: list[tuple[int, Step | None, Record]] = [(-(2**63), None, TOMBSTONE)]
    for step in accepted:
        found.append((max(found[-1][0], step.time), step, step.record))
    return found


def _fits(record: Record, shown: str) -> bool:
    if shown == NULL:
        return (is_in_flight(record) and not owner(record)) or record.state == DELETED
    if shown == EMPTY:
        return record.state in (NOTHING, FREE)
    return bool(owner(record)) and str(owner(record)) == shown
