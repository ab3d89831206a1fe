"""
A record is in the channel from its first sighting by a view, not from its publish time.

A message carries the time at which its producer first sent it. While a bookie stalls it is in no view for as long, and
no broker can act on it. Brokers in debug mode log every record that they handle: where one ran at the publish time,
the first that handled the record, or one that comes after it in the topic, tells from when on it was there. Without
such lines, and for a record that nobody was seen to handle, the publish time stays; but then nobody may be accused of
not having read it (``is_seen``), unless something else shows that it was there.
"""

from __future__ import annotations

from collections.abc import Mapping

from oneowner.checkers.recordings.laws.views.line_record_join import places_of, views
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.model.channel.record import is_in_flight
from oneowner.model.channel.rules import Storage


def seen_since(scene: Scene, step: Step) -> int:
    """Return from when on a record was in the channel, epoch milliseconds; never before its publish time."""
    return max(step.message.time, scene.once(_sightings).get(places_of(scene).index(step), 0))


def is_seen(scene: Scene, step: Step, until: int) -> bool:
    """
    Say whether something shows that a record was in the channel by *until*, not only its publish time.

    A view handled it; or a send of anybody that was made after it was confirmed, so the bookies wrote; or another
    broker named the owner whom no record in flight before had named.
    """
    at, owner = step.message.time, str(step.message.record.destination)
    if places_of(scene).index(step) in scene.once(_sightings):
        return seen_since(scene, step) <= until
    if any(send.acknowledged is not None and at <= send.time and send.acknowledged <= until for send in scene.sends):
        return True
    if is_in_flight(step.held):
        return False
    topics = scene.once(Topics)
    return any(
        lookup.asked != owner and owner in (lookup.answer, lookup.redirect)
        and at <= lookup.end <= until and topics.unit(lookup.topic, lookup.end) == step.message.key
        for lookup in scene.lookups
    )  # fmt: skip


def _sightings(scene: Scene) -> Mapping[int, int]:
    """Return when records were first handled, by their places in the topic."""
    places = places_of(scene)
    shown = [view for view in views(scene) if view.life.debug_since is not None and view.started is not None]
    first: dict[int, int] = {}
    for view in shown:
        for joined in view.requests:
            if joined.step is not None:
                place = places.index(joined.step)
                first[place] = min(first.get(place, joined.said.time), joined.said.time)
    if scene.storage == Storage.SYSTEM_TOPIC:  # who took a later one has had this one
        latest: int | None = None
        for place in range(len(places.timeline) - 1, -1, -1):
            if place in first:
                latest = first[place] = first[place] if latest is None else min(first[place], latest)
    running = [(max(v.life.debug_since or 0, v.started.time if v.started else 0), v.until) for v in shown]
    return {
        place: time
        for place, time in first.items()
        if any(since <= places.timeline[place].message.time <= until for since, until in running)
    }
