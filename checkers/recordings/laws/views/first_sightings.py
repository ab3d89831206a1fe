"""
A record is in the channel from its first sighting by a view, not from its publish time.

A message carries the time at which its producer first sent it. While a bookie stalls it is in no view for as long, and
no broker can act on it. Brokers in debug mode log every record that they handle: where one ran at the publish time,
the first that handled the record, or one that comes after it in the topic, tells from when on it was there. Without
such lines, and for a record that nobody was seen to handle, the publish time stays; but then nobody may be accused of
not having read it (``is_seen``), unless something else shows that it was there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from oneowner.checkers.recordings.laws.views.line_record_join import earliest, views
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.tables import Table
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.model.channel.record import is_in_flight
from oneowner.model.channel.rules import Storage


def seen_since(scene: Scene, step: Step) -> int:
    """Return from when on a record was in the channel, epoch milliseconds; never before its publish time."""
    return max(step.time, SIGHTINGS.of(scene).get(step.place, 0))


def is_seen(scene: Scene, step: Step, until: int) -> bool:
    """
    Say whether something shows that a record was in the channel by *until*, not only its publish time.

    A view handled it; or a send of anybody that was made after it was confirmed, so the bookies wrote; or another
    broker named the owner whom no record in flight before had named.
    """
    at, owner = step.time, str(step.record.destination)
    if step.place in SIGHTINGS.of(scene):
        return seen_since(scene, step) <= until
    if any(send.acknowledged is not None and at <= send.time and send.acknowledged <= until for send in scene.sends):
        return True
    if is_in_flight(step.held):
        return False
    topics = scene.of_run(Topics)
    return any(
        lookup.asked != owner and owner in (lookup.answer, lookup.redirect)
        and at <= lookup.end <= until and topics.unit(lookup.topic, lookup.end) == step.key
        for lookup in scene.lookups
    )  # fmt: skip


Part = tuple[dict[int, int], list[tuple[int, int]]]
"""Of some views: when each record was handled first, by its place; and when those were there that show all of it."""


def _seen(scene: Scene) -> Part:
    shown = [view for view in views(scene) if view.life.debug_since is not None and view.started is not None]
    first = earliest(
        {joined.step.place: joined.said.time}
        for view in shown for joined in view.requests if joined.step is not None
    )  # fmt: skip
    return first, [(max(v.life.debug_since or 0, v.started.time if v.started else 0), v.until) for v in shown]


def _sightings(scene: Scene, parts: Sequence[Part]) -> Mapping[int, int]:
    """Return when records were first handled, by their places in the topic."""
    first, timeline = earliest(part[0] for part in parts), scene.channel.timeline
    if scene.storage == Storage.SYSTEM_TOPIC:  # who took a later one has had this one
        latest: int | None = None
        for place in range(len(timeline) - 1, -1, -1):
            if place in first:
                latest = first[place] = first[place] if latest is None else min(first[place], latest)
    running = [time for part in parts for time in part[1]]
    return {
        place: time
        for place, time in first.items()
        if any(since <= timeline[place].time <= until for since, until in running)
    }


SIGHTINGS: Final = Table(_seen, _sightings)
"""When records were first handled, by their places, where a view that shows all was there when they were published."""
