"""
Log lines are joined to the channel's records by all fields that a line prints.

Order comes from the channel, never from clocks. A line joins the records of its unit that are equal in state, brokers,
force, version, split and time of making, as a multiset per process: a restarted broker skips old records once more, and
a re-sent record is in the dump twice (run.G8). A tombstone prints null, so it joins by order, between its neighbours.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from oneowner.checkers.recordings.laws.views.first_times import FirstTimes
from oneowner.checkers.recordings.laws.views.joined_lines import Joined, JoinedLines
from oneowner.checkers.recordings.laws.views.record_places import Places, places_of
from oneowner.checkers.recordings.read.line_columns import DROPPED, NOTHING, TAKEN
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.broker_processes import CLOSING
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.packed_logs import columns_of, of_kinds
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.tables import Table, as_it_is
from oneowner.model.channel.rules import Storage

REQUEST: Final = "handle-request"
"""Every record that a view takes, in the order of the topic; with loadBalancerDebugModeEnabled only."""
SKIPPED: Final = "skipped"
"""A record that a view of the system topic drops; always printed."""
HELD: Final = {"loaded-data": "data", "existing-node-applied": "value", "override": "orphan", "still-owned": "data"}
"""Lines that print an entry of a view."""
ENTRY: Final = "entry"
SNAPSHOT: Final = "ownership-entry-set"
"""All entries of a view, which SplitScheduler prints in debug mode."""
STARTED: Final = ("channel-started", "channel-tableview-started")
CLEANUP: Final = "cleanup-started"


@dataclass(eq=False)
class View:
    """The view of the channel that one process of a broker shows; lists in the order of its log."""

    life: Life
    taken: JoinedLines
    """Without the lines that only repeat a handle request for a tombstone."""
    skipped: JoinedLines
    held: list[Joined]
    lines: Sequence[LogEvent]
    """All lines of this process."""
    started: LogEvent | None
    """
    The line from which every accepted record is handled: before, records are loaded as existing ones (channel.4.1).
    """
    closing: LogEvent | None
    """The line at which the broker began to stop: from then on, its channel is Disabled (channel.6)."""

    @property
    def requests(self) -> JoinedLines:
        """The handle requests among those taken, which come in the order of the topic."""
        return self.taken.where(self.taken.are((REQUEST,)))

    @property
    def until(self) -> int:
        """Return the time until which the view is certainly live and must take every record."""
        return self.life.end if self.closing is None else self.closing.time


def views(scene: Scene) -> list[View]:
    """Return the views of all processes whose logs are there, with every line joined; they are not to be changed."""
    return scene.once(_views)


def _views(scene: Scene) -> list[View]:
    places, is_topic = places_of(scene), scene.storage == Storage.SYSTEM_TOPIC
    return [_view(scene, places, life, is_topic) for broker in scene.lives for life in scene.lives[broker]]


def _view(scene: Scene, places: Places, life: Life, is_topic: bool) -> View:
    lines = scene.said.get(life.broker, ())[life.first : life.last]
    started, closing = None, None
    for said in of_kinds(lines, *STARTED, *CLOSING, CLEANUP):
        if said.event in STARTED:
            started = said
        elif closing is None and _closes(said, life):
            closing = said
    columns = columns_of(lines)
    kinds = columns.table["kind"]
    is_taken = columns.are(TAKEN) & ((kinds >= 0) | (columns.are((REQUEST,)) & (kinds == NOTHING)))
    taken, skipped = (
        JoinedLines.join(lines, columns, np.flatnonzero(told), places)
        for told in (is_taken, columns.are(DROPPED) & (kinds >= 0))
    )
    _join_tombstones(taken, places, is_topic)
    return View(life, taken, skipped, _held(lines, places), lines, started, closing)


def _held(lines: Sequence[LogEvent], places: Places) -> list[Joined]:
    """Return the entries of a view that *lines* print."""
    found: list[Joined] = []
    for said in of_kinds(lines, *HELD, SNAPSHOT):
        for entry in entries_shown(said) if said.event == SNAPSHOT else (said,):
            printed = entry.values.get(HELD.get(said.event, ENTRY))
            if entry.unit is not None and isinstance(printed, Printed):
                steps = places.equal(entry.unit, printed)
                first = next((step for step in steps if step.is_accepted), next(iter(steps), None))
                found.append(Joined(entry, printed, steps, first))
    return found


def entries_shown(said: LogEvent) -> Iterator[LogEvent]:
    """Yield the entries of a snapshot, each as a line of its own."""
    for unit, printed in said.values["entries"]:
        yield said._replace(unit=unit, values={ENTRY: printed}, words=f"{said.text} {unit}: {printed.record}")


def _closes(said: LogEvent, life: Life) -> bool:
    return said.event in CLOSING or (said.event == CLEANUP and said.values.get("subject") == life.broker)


def _join_tombstones(taken: JoinedLines, places: Places, is_topic: bool) -> None:
    """
    Join the tombstones among *taken*: each to the first of its unit that lies between its neighbours.

    A reader of the topic takes all units in one order, so its neighbours are any requests; the watches of the metadata
    store keep order within a unit only (channel.4.2).
    """
    is_request, units, place_of = taken.are((REQUEST,)), taken.table["unit"], taken.table["place"]
    tombstones = np.flatnonzero(taken.table["kind"] == NOTHING)
    if not len(tombstones):
        return
    known = np.flatnonzero(is_request & (place_of >= 0))
    scopes = np.zeros(len(taken), np.int64) if is_topic else units
    end = len(places.timeline)
    ahead: dict[int, int] = defaultdict(lambda: end)
    following: dict[int, int] = {}
    for line in sorted((*known.tolist(), *tombstones.tolist()), reverse=True):
        scope, place = int(scopes[line]), int(place_of[line])
        if place < 0:
            following[line] = ahead[scope]
        else:
            ahead[scope] = place
    last: dict[int, int] = defaultdict(lambda: -1)
    for line in sorted((*known.tolist(), *tombstones.tolist())):
        scope, place = int(scopes[line]), int(place_of[line])
        if place < 0:
            found = places.tombstone(taken.unit(line) or "", last[scope], following[line])
            place = -1 if found is None else found
            taken.table[["first", "number", "place"]][line] = place, place >= 0, place
        last[scope] = max(last[scope], place)


def first_handled(scene: Scene, shown: Iterable[View]) -> FirstTimes:
    """Return the first handling of each record in some views."""
    first = FirstTimes(len(scene.channel.timeline))
    for view in shown:
        known = view.requests.where(view.requests.table["place"] >= 0)
        first.note_all(known.table["place"], known.table["time"])
    return first


def _appended(scene: Scene) -> FirstTimes:
    return first_handled(scene, views(scene))


APPENDED: Final = Table(_appended, FirstTimes.note, as_it_is)
"""
The first handling of each record that some broker handled, by place.

A message carries the time at which it was first sent, which is long before it is in the topic if the topic's
broker hangs (run.G3).
"""


def named(step: Step) -> str:
    """Return a record as a sentence names it."""
    return f"{step.message_id} {step.record} of {step.key}"


def absent(view: View) -> list[Joined]:
    """Return the lines of a view about records that the dump has not, in the order of the log."""
    found = [joined for lines in (view.taken, view.skipped) for joined in lines.where(lines.table["number"] == 0)]
    return sorted((*found, *(one for one in view.held if not one.steps)), key=lambda joined: joined.said.origin)


def made_and_said(joined: Joined) -> int:
    """Return the earlier of the times of a record and of a line about it; a tombstone has no own one."""
    return joined.said.time if joined.printed is None else min(joined.said.time, joined.printed.timestamp)
