"""
Answers and lists that precede the record that explains them show that an observer's clock is behind a publisher's.

No broker names an owner, or lists a bundle as its own, before the record is published that assigns it. Where the times
contradict this for two brokers or more, and the record follows soon, the two clocks differ by at least that much. One
broker alone shows nothing: that would be a false answer. Nothing shows a clock that is ahead: a view may lag.
"""

from collections.abc import Iterator
from typing import Final

from oneowner.checkers.recordings.laws.answers.views_by_prefix import StagesByTopic
from oneowner.checkers.recordings.read.events import brokers_named
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.tables import Table
from oneowner.checkers.recordings.scene.topics import is_outside
from oneowner.checkers.recordings.scene.unsure_records import begins_late
from oneowner.model.channel.record import FIRST_VERSION

MOST: Final = 10_000
"""Milliseconds after which a record does not explain an answer before it."""

Early = dict[str, tuple[frozenset[str], int]]
"""By producer of the record: which brokers knew it early, and by how many milliseconds at most."""


def _early(scene: Scene) -> Early:
    found: Early = {}
    for producer, broker, by in (*_of_lookups(scene), *_of_polls(scene)):
        if 0 < by <= MOST:
            brokers, most = found.get(producer, (frozenset(), 0))
            found[producer] = brokers | {broker}, max(by, most)
    return found


def _of_lookups(scene: Scene) -> Iterator[tuple[str, str, int]]:
    """Yield for answers that only a later record explains: its producer, the asked broker, the lead in time."""
    by_topic = scene.of_run(StagesByTopic)
    for lookup in scene.lookups:
        named = lookup.answer or lookup.redirect
        stages = None if named not in scene.brokers or is_outside(lookup.topic) else by_topic.stages(lookup.topic)
        if named is None or stages is None:
            continue
        last = stages.last_by(lookup.end)
        if stages.first_naming(named, 0, last) is None:
            later = stages.first_naming(named, last + 1, len(stages.stages) - 1)
            step = None if later is None else stages.stages[later].step
            if step is not None:
                yield step.producer, lookup.asked, step.time - lookup.end


def _of_polls(scene: Scene) -> Iterator[tuple[str, str, int]]:
    """Yield for claims that only a later record explains: its producer, the asked broker, the lead in time."""
    first: dict[tuple[str, str], Step | None] = {}
    for poll in scene.polls:
        for unit in poll.claims if poll.status == 200 else ():
            key = unit, poll.asked
            if key not in first:
                first[key] = _first_of(scene, *key)
            step = first[key]
            if step is not None:
                yield step.producer, poll.asked, step.time - poll.end


def _first_of(scene: Scene, unit: str, broker: str) -> Step | None:
    """Return the first record of a unit that names a broker, if the channel has how the unit began."""
    history = scene.channel.units.get(unit)
    accepted = () if history is None else history.accepted
    if not accepted or accepted[0].record.version != FIRST_VERSION or scene.of_run(begins_late):
        return None
    return next((step for step in accepted if broker in brokers_named(step.record)), None)


def _of_both(one: Early, other: Early) -> Early:
    for producer, (brokers, by) in other.items():
        others, most = one.get(producer, (frozenset(), 0))
        one[producer] = others | brokers, max(by, most)
    return one


def _most(_: Scene, found: Early) -> int:
    return max((by for brokers, by in found.values() if len(brokers) > 1), default=0)


EARLY: Final = Table(_early, _of_both, _most)
"""The least milliseconds by which an observer's clock is behind a publisher's; 0: without a sign of it."""
