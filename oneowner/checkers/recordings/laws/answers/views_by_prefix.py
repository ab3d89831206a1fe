"""
The views of all prefixes of the channel are listed for one topic, stage after stage, with the brokers that each names.

A stage lasts from one accepted record of these units to the next. A topic's units are all whose ranges hold its hash,
before and after splits: which of them a broker asks for depends on its bundle data, so any may explain an answer.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.scene.channel_history import History, Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.topics import namespace_of
from oneowner.checkers.recordings.scene.unsure_records import begins_late
from oneowner.model.channel.answers import named_by
from oneowner.model.channel.record import FIRST_VERSION, NOBODY, TOMBSTONE, Record
from oneowner.model.pulsar.boundaries import includes, topic_hash


@excuse("a record before the beginning of the dump, also of units that begin in it, as children do")
def before_dump(scene: Scene, place: int, may_lack: bool) -> bool:
    """Return whether views that had read up to *place* may have had a record that the dump lacks."""
    return may_lack or (place < 0 and scene.of_run(begins_late))


class Stage(NamedTuple):
    """The entry of some units in the view of a prefix, from the record ``step`` on; None: before all of them."""

    place: int
    """Of the record in the topic; -1 before all of them."""
    step: Step | None
    names: frozenset[str]
    is_known: bool
    """True if the dump has the records before it."""


@dataclass(slots=True)
class Stages:
    """All possible answers of views for the units of one topic, one after the other."""

    units: tuple[str, ...]
    stages: list[Stage] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    reached: list[int] = field(default_factory=list)
    """Of each stage, by when it or a later one can be reached: publish times may go back."""

    def at(self, place: int) -> int:
        """Return the number of the stage that a view is in which has consumed the topic up to *place*."""
        return max(0, bisect_right(self.places, place) - 1)

    def last_by(self, time: int) -> int:
        """Return the last stage that a view can have reached by *time*."""
        return max(0, bisect_right(self.reached, time) - 1)

    def first_naming(self, broker: str, first: int, last: int) -> int | None:
        """Return the first stage from *first* to *last* in which *broker* is named."""
        for number in range(first, last + 1):
            if broker in self.stages[number].names or not self.stages[number].is_known:
                return number
        return None


class StagesByTopic:
    """The stages of every topic that is asked for."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._by_units: dict[tuple[str, ...], Stages] = {}
        self._by_topic: dict[str, Stages | None] = {}

    def stages(self, topic: str) -> Stages | None:
        if topic not in self._by_topic:
            point = topic_hash(topic)
            around = [
                unit for unit in self._scene.channel.of_namespace(namespace_of(topic)) if includes(unit.range, point)
            ]
            self._by_topic[topic] = self._of(around) if around else None
        return self._by_topic[topic]

    def _of(self, units: Sequence[History]) -> Stages:
        key = tuple(sorted(unit.key for unit in units))
        if key not in self._by_units:
            self._by_units[key] = self._folded(key, units)
        return self._by_units[key]

    def _folded(self, key: tuple[str, ...], units: Sequence[History]) -> Stages:
        """Fold the accepted records of *units*, in the order of the topic, into the answer after each."""
        steps = sorted((step for unit in units for step in unit.accepted), key=lambda step: step.place)
        entries: dict[str, Record] = dict.fromkeys(key, TOMBSTONE)
        known = {unit.key: not unit.accepted or unit.accepted[0].record.version == FIRST_VERSION for unit in units}
        is_late = not all(known.values())  # then the dump may lack the children of a split
        found = Stages(key)
        self._add(found, -1, None, entries, known, is_late)
        for step in steps:
            entries[step.key] = step.entry
            known[step.key] = True
            self._add(found, step.place, step, entries, known, is_late)
        found.reached = list(accumulate(reversed(found.reached), min))[::-1]
        return found

    def _add(
        self, found: Stages, place: int, step: Step | None, entries: dict[str, Record], known: dict[str, bool],
        is_late: bool,
    ) -> None:  # fmt: skip
        names = frozenset(str(named_by(entry)) for entry in entries.values() if named_by(entry) != NOBODY)
        may_lack = not all(known.values()) or (is_late and not names)
        found.stages.append(Stage(place, step, names, not before_dump.of(self._scene, place, may_lack)))
        found.places.append(place)
        found.reached.append(0 if step is None else step.time)
