"""
The end of a dump whose channel goes on: a dump is often older than the files collected beside it.

After it the channel shows no owners, so later observations accuse no broker. Two signs show that a dump is older:
records that a view took and the dump lacks, made and printed after its last one; and the agreement of two brokers after
it. They agree by lookups at both that name a broker which no record of the topic's bundles names, or which is not the
owner by the channel, itself one of the two; or by lists, of which one has a bundle, and that of its owner by the
channel lacks it, or does not come. Without such a sign the channel is taken to rest.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from oneowner.checkers.recordings.laws.answers.views_by_prefix import StagesByTopic
from oneowner.checkers.recordings.laws.views.line_record_join import absent, made_and_said, views
from oneowner.checkers.recordings.read.observations import Lookup
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.tables import Table
from oneowner.checkers.recordings.scene.timeline import END, Timeline
from oneowner.checkers.recordings.scene.topics import is_outside
from oneowner.model.channel.record import owner
from oneowner.model.channel.rules import Storage

LAG: Final = 3_000
"""Milliseconds by which a view may lag behind the last record of a bundle without a word."""


def dump_end(scene: Scene) -> int | None:
    """Return the publish time of the last record of a dump that is certainly older; None: it is not."""
    run = scene.whole or scene
    end = run.once(_last)
    return end if end is not None and LATEST.of(scene) > end + scene.limits.clock_skew else None


def after_dump(scene: Scene) -> Timeline:
    """Return the time after the end of a dump that is certainly older: ownership is unknown there."""
    end = dump_end(scene)
    return Timeline() if end is None else Timeline([(end + 1, END)])


def beyond(many: int, what: str) -> list[str]:
    """Return a doubt about observations after the end of a dump; none without any."""
    return [f"{many} {what} come after the end of the dump, which is older than that"] * bool(many)


def _last(scene: Scene) -> int | None:
    """Return the last moment that the dump covers; of a ZooKeeper history that is its last write of any kind."""
    known = [*scene.channel.timeline.span()]
    if scene.storage == Storage.METADATA_STORE:
        known += [write.time for write in scene.writes[-1:]]
    return max(known, default=None)


class Named(NamedTuple):
    """A broker that lookups of a topic name after the end of the dump, though its last record does not."""

    topic: str
    broker: str
    owner: str
    """The owner by the channel, where another record names that broker; empty: none does."""


class _Signs(NamedTuple):
    """The signs of some brokers for the time after the last record of the dump."""

    record: int
    """The latest record that they have taken and the dump has not, epoch milliseconds; 0 if there is none."""
    owners: dict[Named, tuple[frozenset[str], int]]
    """By broker and topic that the last record does not name: the brokers that name it, and their last time."""
    taken: dict[str, int]
    """Units in lists of others than their owners by the channel, with the last time."""
    left: dict[str, int]
    """Units missing in lists of their owners by the channel, with the last time."""


def _signs(scene: Scene) -> _Signs:
    end = scene.of_run(_last)
    if end is None:
        return _Signs(0, {}, {}, {})
    owners: dict[Named, tuple[frozenset[str], int]] = {}
    for lookup, named in _other_owners(scene, end):
        asked, latest = owners.get(named, (frozenset(), 0))
        owners[named] = asked | {lookup.asked}, max(latest, lookup.start)
    return _Signs(max([0, *_unknown_records(scene)]), owners, *_listed(scene, end))


def _of_both(one: _Signs, other: _Signs) -> _Signs:
    owners = dict(one.owners)
    for key, (asked, latest) in other.owners.items():
        others, before = owners.get(key, (frozenset(), 0))
        owners[key] = others | asked, max(before, latest)
    taken, left = _latest_of(one.taken, other.taken), _latest_of(one.left, other.left)
    return _Signs(max(one.record, other.record), owners, taken, left)


def _latest_of(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {unit: max(one.get(unit, 0), other.get(unit, 0)) for unit in {**one, **other}}


def _latest(_: Scene, signs: _Signs) -> int:
    named = (
        latest
        for one, (asked, latest) in signs.owners.items()
        if len(asked) > 1 and (not one.owner or one.owner in asked)
    )
    return max([signs.record, *named, *(signs.taken[unit] for unit in signs.taken.keys() & signs.left.keys())])


def _unknown_records(scene: Scene) -> Iterator[int]:
    """Yield the times of records that the dump lacks, made and printed by views that read no more records of it."""
    for view in views(scene):
        last = view.requests.where(view.requests.table["number"] > 0).last()
        for joined in absent(view):
            if last is None or joined.said.origin > last:
                yield made_and_said(joined)


def _other_owners(scene: Scene, end: int) -> Iterator[tuple[Lookup, Named]]:
    """Yield lookups after *end* that name another broker than the last record of their topic's bundles."""
    by_topic = scene.of_run(StagesByTopic)
    for lookup in scene.lookups:
        named = lookup.answer or lookup.redirect
        if lookup.start <= end or named not in scene.brokers or is_outside(lookup.topic):
            continue
        stages = by_topic.stages(lookup.topic)
        if stages is None or named in stages.stages[-1].names:
            continue
        if not any(named in stage.names or not stage.is_known for stage in stages.stages):
            yield lookup, Named(lookup.topic, named, "")
        elif lookup.start > _time(stages.stages[-1].step) + LAG and len(stages.stages[-1].names) == 1:
            yield lookup, Named(lookup.topic, named, *stages.stages[-1].names)


def _time(step: Step | None) -> int:
    return 0 if step is None else step.time


def _listed(scene: Scene, end: int) -> tuple[dict[str, int], dict[str, int]]:
    """Return the units that others than their owners list after *end*, and those missing in their owners' lists."""
    taken, left = dict[str, int](), dict[str, int]()
    polls = [poll for poll in scene.polls if poll.status in (200, None) and poll.start > end]
    last = scene.of_run(_last_owners) if polls else {}
    for poll in polls:
        claims = set(poll.claims)
        if scene.storage == Storage.METADATA_STORE and (not claims or last.keys() <= claims):
            continue  # a broker that lost its session lists all that it knew, and after that nothing for a while
        settled = {unit: owner for unit, (owner, since) in last.items() if poll.start > since + LAG}
        taken |= {unit: poll.start for unit in claims if settled.get(unit, poll.asked) != poll.asked}
        left |= {unit: poll.start for unit in settled if settled[unit] == poll.asked and unit not in claims}
    return taken, left


def _last_owners(scene: Scene) -> dict[str, tuple[str, int]]:
    """Return the owner that each unit has when the dump ends, and when its last record was published."""
    held = ((key, unit.held, unit.accepted[-1].time) for key, unit in scene.channel.units.items() if unit.accepted)
    return {key: (str(owner(record)), time) for key, record, time in held if owner(record)}


LATEST: Final[Table[_Signs, int]] = Table(_signs, _of_both, _latest)
"""The latest sign that the channel went on after its last record in the dump, epoch milliseconds; 0: there is none."""
