"""
A record is in the channel from its first sighting by a view, not from its publish time.

A message carries the time at which its producer first sent it. While a bookie stalls it is in no view for as long, and
no broker can act on it. Brokers in debug mode log every record that they handle: where one ran at the publish time, the
first line of the record, or of one that comes after it in the topic, is its first sighting. Without such lines, and for
a record that nobody was seen to handle, the publish time stays; but then nobody may be accused of not having read it
(``is_seen``), unless something else shows that it was there.
"""

from typing import Final

import numpy as np

from oneowner.checkers.recordings.laws.views.first_times import FirstTimes
from oneowner.checkers.recordings.laws.views.line_record_join import first_handled, views
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
    Return whether anything but its publish time shows that a record was in the channel by *until*.

    A view handled it; or a send of anybody that was made after it was confirmed, so the bookies wrote; or another
    broker named an owner that no record in flight before had named.
    """
    at, owner = step.time, str(step.record.destination)
    if step.place in SIGHTINGS.of(scene):
        return seen_since(scene, step) <= until
    if any(at <= send.start and send.end <= until for send in scene.sends):
        return True
    if is_in_flight(step.held):
        return False
    topics = scene.of_run(Topics)
    return any(
        lookup.asked != owner and owner in (lookup.answer, lookup.redirect)
        and at <= lookup.end <= until and topics.unit(lookup.topic, lookup.end) == step.key
        for lookup in scene.lookups
    )  # fmt: skip


Part = tuple[FirstTimes, list[tuple[int, int]]]
"""Of some views: when each record was handled first, by its place; and when those were there that show all of it."""


def _seen(scene: Scene) -> Part:
    shown = [view for view in views(scene) if view.life.debug_since is not None and view.started is not None]
    there = [(max(v.life.debug_since or 0, v.started.time if v.started else 0), v.until) for v in shown]
    return first_handled(scene, shown), there


def _of_both(one: Part, other: Part) -> Part:
    return one[0].note(other[0]), one[1] + other[1]


def _sightings(scene: Scene, seen: Part) -> FirstTimes:
    """Return the first handling of records, by their places in the topic."""
    first, running = seen
    if scene.storage == Storage.SYSTEM_TOPIC:  # a view that took a later one has had this one
        first.no_later_than_what_follows()
    published = scene.channel.columns.array("time")
    is_shown = np.zeros(len(published), bool)
    for since, until in running:
        is_shown |= (since <= published) & (published <= until)
    first.forget(~is_shown)
    return first


SIGHTINGS: Final = Table(_seen, _of_both, _sightings)
"""The first handling of records, by place, where a view that shows all ran when they were published."""
