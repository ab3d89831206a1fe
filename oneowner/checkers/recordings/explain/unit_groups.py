"""
Units that must be explained together form a group: one unit, or a parent with the two children of its split.

A child that is split in its turn is a parent of its own: with its parent it is explained up to its first Splitting
record, or to the hand-over that this meets, and with its children from its beginning on. There its first record, which
its parent's split published, is *given*: it is in the log, and no broker of that model has to publish it.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from oneowner.checkers.recordings.explain.recording import NO_WAITS, PublishedRecord, Recording, RegistryStep, Waits
from oneowner.model.channel.record import ASSIGNING, RELEASING, SPLITTING


class Append(NamedTuple):
    """A record of the log; *unit* is its unit's number in the model."""

    unit: int
    written: PublishedRecord
    is_given: bool = False
    counts: bool = True
    """False: the unit's other explanation counts it."""


class Opening(NamedTuple):
    """A line of a broker's log about loading a topic of a unit; the search shows it where it can."""

    place: str
    time: int
    unit: int
    broker: int


Observed = Append | RegistryStep | Opening

Placed = tuple[int, PublishedRecord]
"""A record, and its place in the topic, from 0."""


@dataclass(frozen=True, slots=True)
class UnitGroup:
    """Units that are explained together, by number from 1, with the observations of them, in order."""

    keys: tuple[str, ...]
    timeline: tuple[Observed, ...]
    is_cut: bool = False
    """True if a child's records go on after the last one here: records owed at the end are then reported elsewhere."""
    waits: Waits = NO_WAITS
    """The ages that the leader's monitor waits for."""

    @property
    def name(self) -> str:
        return self.keys[0]

    @property
    def records(self) -> int:
        """Return the number of records to be explained here."""
        return sum(isinstance(seen, Append) and seen.counts for seen in self.timeline)


def unit_groups_of(recording: Recording) -> Iterator[UnitGroup]:
    """Yield all units of *recording*, each where it is explained, by name."""
    by_key: dict[str, list[Placed]] = {}
    for place, record in enumerate(recording.records):
        by_key.setdefault(record.key, []).append((place, record))
    children = _children(recording.records)
    child_of = {child: parent for parent, pair in children.items() for child in pair}
    splits_from = {parent: _first_split(by_key[parent]) for parent in children}
    for key in sorted(by_key):
        if key in children or key not in child_of:
            keys = (key, *children.get(key, ()))
            records = sorted(chain.from_iterable(by_key.get(one, ()) for one in keys))
            timeline = tuple(_timeline(recording.steps, keys, records, splits_from, is_child=key in child_of))
            yield UnitGroup(keys, timeline, any(child in splits_from for child in keys[1:]), recording.waits)


def with_openings(group: UnitGroup, openings: Iterable[Opening]) -> UnitGroup:
    """Return *group* with the opening of topics, each before the first later observation."""
    waiting, latest = sorted(openings, key=lambda one: one.time), 0
    timeline: list[Observed] = []
    for seen in group.timeline:
        latest = max(latest, seen.written.time if isinstance(seen, Append) else seen.time)
        while waiting and waiting[0].time < latest:
            timeline.append(waiting.pop(0))
        timeline.append(seen)
    return replace(group, timeline=(*timeline, *waiting))


def registered_first(group: UnitGroup) -> UnitGroup:
    """
    Return *group* with the registration of a broker that is elected amid it moved before the election.

    Where a new session registers its broker, model and code do so at once; the election runs beside it, and may be
    first by some milliseconds (zk-restart on 4.2.4: 65). Both are writes of that session, by the history.
    """
    timeline = list(group.timeline)
    for seen in group.timeline:
        if isinstance(seen, RegistryStep) and seen.action == "elect":
            later = (one for one in timeline[timeline.index(seen) + 1 :] if isinstance(one, RegistryStep))
            own = next((one for one in later if one.broker == seen.broker), None)
            is_its_own = own is not None and own.action == "register" and own.session == seen.session
            if own is not None and is_its_own and own.time - seen.time <= TOGETHER:
                timeline.remove(own)
                timeline.insert(timeline.index(seen), own)
    return replace(group, timeline=tuple(timeline))


TOGETHER = 1_000
"""Milliseconds between two concurrent steps of one new session."""


def registry_alone(recording: Recording) -> UnitGroup:
    """Return a unit without records, with the steps of the registry."""
    return UnitGroup(("(no channel)",), recording.steps)


def _children(records: tuple[PublishedRecord, ...]) -> dict[str, tuple[str, ...]]:
    """Return the children of each unit that was split, in the order in which they were first written."""
    places: dict[str, int] = {}
    for place, record in enumerate(records):
        places.setdefault(record.key, place)
    found: dict[str, tuple[str, ...]] = {}
    never = len(records)
    for record in records:
        if record.record.state == SPLITTING and len(record.children) == 2:
            children = tuple(sorted(record.children, key=lambda child: places.get(child, never)))
            if record.key not in found or children[0] in places:  # a split that lost its race has no children
                found[record.key] = children
    return found


def _first_split(records: Sequence[Placed]) -> int:
    """Return the place of a unit's first split, or of the hand-over that it may have met: its answer comes later."""
    own = [(place, one.record.state) for place, one in records]
    at = next(number for number, (_, state) in enumerate(own) if state == SPLITTING)
    while at and own[at - 1][1] in (RELEASING, ASSIGNING):
        at -= 1
    return own[at][0]


def _timeline(
    all_steps: Sequence[RegistryStep],
    keys: tuple[str, ...],
    records: Sequence[Placed],
    splits_from: dict[str, int],
    is_child: bool,
) -> Iterator[Observed]:
    """
    Yield records in topic order, each step of the registry before the first record that was sent at its time or later.

    Records behind one that was sent later keep their place: the topic's order is that of the log.
    """
    number = {key: index for index, key in enumerate(keys, 1)}
    steps, latest = deque(all_steps), 0
    seen: set[int] = set()
    for place, written in records:
        unit = number[written.key]
        latest = max(latest, written.time)
        while steps and steps[0].time <= latest:
            yield steps.popleft()
        begins = splits_from.get(written.key)
        if unit == 1:
            is_begun = not is_child or begins is None or place >= begins
            yield Append(unit, written, is_given=is_child and unit not in seen, counts=is_begun)
        elif begins is None or place < begins:
            yield Append(unit, written)
        seen.add(unit)
    yield from steps
