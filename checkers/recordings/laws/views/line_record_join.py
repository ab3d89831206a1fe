"""
Log lines are joined to the channel's records by all fields that a line prints.

Order comes from the channel, never from clocks. A line joins the records of its unit that are equal in state, brokers,
force, version, split and time of making, as a multiset per process: a restarted broker skips old records once more, and
a re-sent record is in the dump twice (run.G8). A tombstone prints null, so it joins by order, between its neighbours.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.laws.views.first_times import FirstTimes
from oneowner.checkers.recordings.read.observations import Printed, Said
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.tables import Table
from oneowner.model.channel.rules import Storage

REQUEST: Final = "handle-request"
"""Every record that a view takes, in the order of the topic; with loadBalancerDebugModeEnabled only."""
SKIPPED: Final = "skipped"
"""A record that a view of the system topic drops; always printed."""
TAKEN: Final = {
    REQUEST: "data",
    "handled": "cur",
    "failed-to-handle": "cur",
    "handler-failed": "data",
    "node-applied": "value",
}
"""Lines that say that a view took a record, and which of their values it is."""
HELD: Final = {"loaded-data": "data", "existing-node-applied": "value", "override": "orphan", "still-owned": "data"}
"""Lines that print an entry of a view."""
SNAPSHOT: Final = "ownership-entry-set"
"""All entries of a view, which SplitScheduler prints in debug mode."""
LOADED: Final = ("loaded-data", "existing-node-applied")
STARTED: Final = ("channel-started", "channel-tableview-started")
CLOSING: Final = ("broker-closing", "broker-shut-down", "channel-view-closed", "channel-closed")
CLEANUP: Final = "cleanup-started"


class Joined(NamedTuple):
    """A line that prints a record, and which record of the channel that is."""

    said: Said
    printed: Printed | None
    """None: a tombstone."""
    steps: tuple[Step, ...]
    """All records that it may be, in the order of the topic; none: the channel has no such record."""
    step: Step | None
    """The one of them that falls to this line; None if there is none, or if lines are more than records."""

    @property
    def is_loaded(self) -> bool:
        """Whether the line shows an entry that was there when the view started."""
        return self.said.event in LOADED

    @property
    def is_only_accepted(self) -> bool:
        return bool(self.steps) and all(step.is_accepted for step in self.steps)

    @property
    def is_only_refused(self) -> bool:
        return bool(self.steps) and not any(step.is_accepted for step in self.steps)


@dataclass(slots=True)
class View:
    """What one process of a broker shows of its view of the channel; lists in the order of its log."""

    life: Life
    taken: list[Joined] = field(default_factory=list)
    """Without the lines that only repeat a handle request for a tombstone."""
    skipped: list[Joined] = field(default_factory=list)
    held: list[Joined] = field(default_factory=list)
    lines: Sequence[Said] = ()
    """All that this process said."""
    started: Said | None = None
    """Since when every accepted record is handled: before, records are loaded as existing ones (channel.4.1)."""
    closing: Said | None = None
    """When the broker began to stop: from then on, its channel is Disabled (channel.6)."""
    requests: list[Joined] = field(default_factory=list)
    """The handle requests among those taken, which come in the order of the topic."""

    @property
    def until(self) -> int:
        """Return until when the view is known to live and to be asked for everything."""
        return self.life.end if self.closing is None else self.closing.time


_places: Final = partial(array, "i")


class Places:
    """Where every message of a channel stands, and which messages are equal in all that is printed."""

    def __init__(self, scene: Scene) -> None:
        self.timeline = scene.channel.timeline
        self._hashes: array[int] = array("q")
        """Of the records that are no tombstones, in their order; many have a unit and a time of making together."""
        self._erased: dict[str, array[int]] = defaultdict(_places)
        """Of each unit, the places of its tombstones, in order."""
        told = _places()
        for step in self.timeline:
            printed = step.printed
            if printed is None:
                self._erased[step.key].append(step.place)
            else:
                told.append(step.place)
                self._hashes.append(hash((step.key, _plain(printed))))
        order = np.argsort(np.array(self._hashes), kind="stable")
        self._hashes = array("q", np.array(self._hashes)[order].tobytes())
        self._told = array("i", np.array(told)[order].tobytes())
        """Their places, by these hashes."""

    def equal(self, unit: str, printed: Printed) -> tuple[Step, ...]:
        """Return the records of *unit* that print like this, in the order of the topic."""
        plain = _plain(printed)
        sought = hash((unit, plain))
        first, last = bisect_left(self._hashes, sought), bisect_right(self._hashes, sought)
        steps = (self.timeline[place] for place in self._told[first:last])
        return tuple(
            step for step in steps if step.key == unit and step.printed is not None and _plain(step.printed) == plain
        )

    def tombstone(self, unit: str, after: int, before: int) -> Step | None:
        """Return the first tombstone of *unit* between two places."""
        places = self._erased.get(unit, ())
        found = bisect_right(places, after)
        return self.timeline[places[found]] if found < len(places) and places[found] < before else None


def places_of(scene: Scene) -> Places:
    """Return where every message of the scene's channel stands."""
    return scene.of_run(Places)


def views(scene: Scene) -> list[View]:
    """Return the views of all processes whose logs are there, with every line joined; they are not to be changed."""
    return scene.once(_views)


def _views(scene: Scene) -> list[View]:
    places, is_topic = places_of(scene), scene.storage == Storage.SYSTEM_TOPIC
    return [_view(scene, places, life, is_topic) for broker in scene.lives for life in scene.lives[broker]]


def _view(scene: Scene, places: Places, life: Life, is_topic: bool) -> View:
    view = View(life, lines=scene.said.get(life.broker, ())[life.first : life.last])
    used: dict[tuple[str, int], int] = defaultdict(int)
    for said in view.lines:
        if said.event in STARTED:
            view.started = said
        elif view.closing is None and _closes(said, life):
            view.closing = said
        elif said.event in TAKEN:
            view.taken += _joined(said, TAKEN[said.event], places, used, accepted_first=True)
        elif said.event in HELD:
            view.held += _joined(said, HELD[said.event], places, None, accepted_first=True)
        elif said.event == SNAPSHOT:
            for entry in entries_shown(said):
                view.held += _joined(entry, "entry", places, None, accepted_first=True)
        elif said.event == SKIPPED or said.event == "node-skipped":
            view.skipped += _joined(said, "value", places, used, accepted_first=False)
    view.taken = list(_with_tombstones(view.taken, places, is_topic))
    view.requests = [joined for joined in view.taken if joined.said.event == REQUEST]
    return view


def entries_shown(said: Said) -> Iterator[Said]:
    """Yield the entries of a snapshot, each as a line of its own."""
    for unit, printed in said.values["entries"]:
        yield said._replace(unit=unit, values={"entry": printed}, words=f"{said.text} {unit}: {printed.record}")


def _closes(said: Said, life: Life) -> bool:
    return said.event in CLOSING or (said.event == CLEANUP and said.values.get("subject") == life.broker)


def _joined(
    said: Said, name: str, places: Places, used: dict[tuple[str, int], int] | None, accepted_first: bool
) -> Iterator[Joined]:
    """
    Yield the line with its record; *used* counts equal lines of this process, by the first of the records they may be.

    A view takes accepted records and skips refused ones, so of equal records those are given away first.
    """
    printed = said.values.get(name)
    if printed is None:
        if said.event == REQUEST:  # the line that follows when it is done says no more
            yield Joined(said, None, (), None)
        return
    if said.unit is None or not isinstance(printed, Printed):
        return
    steps = places.equal(said.unit, printed)
    choice = steps if len(steps) < 2 else sorted(steps, key=lambda step: step.is_accepted != accepted_first)
    if used is None:
        yield Joined(said, printed, steps, choice[0] if choice else None)
        return
    number = 0
    if steps:
        number = used[said.event, steps[0].place]
        used[said.event, steps[0].place] = number + 1
    yield Joined(said, printed, steps, choice[number] if number < len(choice) else None)


def _with_tombstones(taken: Sequence[Joined], places: Places, is_topic: bool) -> Iterator[Joined]:
    """
    Yield *taken*, its tombstones joined: each to the first of its unit that lies between its neighbours.

    A reader of the topic takes all units in one order, so its neighbours are any requests; the watches of the metadata
    store keep order within a unit only (channel.4.2).
    """
    following = _following(taken, places, is_topic)
    last: dict[str, int] = defaultdict(lambda: -1)
    for number, line in enumerate(taken):
        unit = line.said.unit or ""
        scope = "" if is_topic else unit
        found = places.tombstone(unit, last[scope], following[number]) if line.printed is None else None
        joined = line if found is None else line._replace(steps=(found,), step=found)
        if joined.said.event == REQUEST and joined.step is not None:
            last[scope] = max(last[scope], joined.step.place)
        yield joined


def _following(taken: Sequence[Joined], places: Places, is_topic: bool) -> list[int]:
    """Return, for each line, the place of the next request whose record is known."""
    end = len(places.timeline)
    ahead: dict[str, int] = defaultdict(lambda: end)
    found = [end] * len(taken)
    for number in range(len(taken) - 1, -1, -1):
        joined = taken[number]
        scope = "" if is_topic else joined.said.unit or ""
        found[number] = ahead[scope]
        if joined.said.event == REQUEST and joined.step is not None:
            ahead[scope] = joined.step.place
    return found


def first_handled(scene: Scene, shown: Iterable[View]) -> FirstTimes:
    """Return when each record was first handled in some views."""
    first = FirstTimes(len(scene.channel.timeline))
    for view in shown:
        for joined in view.requests:
            if joined.step is not None:
                first.note(joined.step.place, joined.said.time)
    return first


def _appended(scene: Scene) -> FirstTimes:
    return first_handled(scene, views(scene))


def _first_of_all(_: Scene, pieces: Sequence[FirstTimes]) -> FirstTimes:
    return FirstTimes.earliest(pieces)


APPENDED: Final = Table(_appended, _first_of_all)
"""
When each record that some broker handled was handled first, by its place.

A message carries the time at which it was first sent, which is long before it is in the topic if the topic's
broker hangs (run.G3).
"""


def named(step: Step) -> str:
    """Return a record as a sentence names it."""
    return f"{step.message_id} {step.record} of {step.key}"


def _plain(printed: Printed) -> Printed:
    """The ranges of a split come in no order."""
    return printed if printed.children is None else printed._replace(children=tuple(sorted(printed.children)))
