"""
Pairs of events on an observer's clock and on a publisher's: admin calls, lookups, and polls beside records.

A call that succeeds begins before its record is published, and ends after it: a unit's calls and records pair in order,
if they are equally many, and one skew explains all of them. No broker names an owner, or lists a bundle as its own,
before the first record that names that owner; a lone broker shows nothing, as its answer may be false.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from oneowner.checkers.recordings.laws.answers.admin_calls import ASKS
from oneowner.checkers.recordings.laws.answers.clock_pairs import (
    GRAIN,
    NO_MACHINE,
    Machine,
    Pair,
    clocks_of_records,
)
from oneowner.checkers.recordings.laws.answers.views_by_prefix import StagesByTopic
from oneowner.checkers.recordings.read.events import brokers_named
from oneowner.checkers.recordings.read.observations import Call, Lookup, Poll
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.topics import is_outside
from oneowner.checkers.recordings.scene.unsure_records import begins_late
from oneowner.model.channel.record import FIRST_VERSION

CALLS: Final = Machine("file", "actions")
LOOKUPS: Final = Machine("file", "lookups")
POLLS: Final = Machine("file", "owned")
SENDS: Final = Machine("file", "clients")
OBSERVERS: Final = (CALLS, LOOKUPS, POLLS, SENDS)
DONE: Final = 204
FEW: Final = 2
"""Calls, or asked brokers, of which one alone may be wrong."""


def of_observers(scene: Scene) -> Iterator[Pair]:
    """Yield the pairs of calls, lookups and polls with records, if these alone decide who owns a bundle."""
    if scene.migration:
        return
    clock, machines = clocks_of_records(scene)

    def clock_of(step: Step) -> Machine:
        return machines[int(clock[step.place])]

    by_clock: dict[Machine, list[tuple[Call, Step]]] = defaultdict(list)
    for call, step in _calls(scene):
        by_clock[clock_of(step)].append((call, step))
    for own, some in by_clock.items():
        if own != NO_MACHINE and len(some) >= FEW and _agree(some):
            for call, step in some:
                yield Pair(CALLS, own, step.time - call.start, call.start, call, step)
                yield Pair(own, CALLS, call.end - step.time, step.time, step, call)
    yield from _second_earliest(LOOKUPS, ((seen, step, clock_of(step)) for seen, step in _named(scene)))
    yield from _second_earliest(POLLS, ((seen, step, clock_of(step)) for seen, step in _claimed(scene)))


def _calls(scene: Scene) -> Iterator[tuple[Call, Step]]:
    """Yield the calls of a unit that were done, each with its record."""
    done: dict[str, list[Call]] = defaultdict(list)
    for call in scene.calls:
        if call.unit in scene.channel.units and call.action in ASKS and call.status == DONE:
            done[call.unit or ""].append(call)
    for unit, calls in done.items():
        states = {ASKS[call.action] for call in calls}
        asked = [step for step in scene.channel.units[unit].accepted if step.record.state in states]
        if len(asked) == len(calls) and not any(step.record.force for step in asked):
            calls.sort(key=lambda call: call.start)
            if all(ASKS[call.action] == step.record.state for call, step in zip(calls, asked, strict=True)):
                yield from zip(calls, asked, strict=True)


def _agree(some: Iterable[tuple[Call, Step]]) -> bool:
    """Return whether one difference of the clocks puts each record within its call."""
    some = list(some)
    least = max(call.start - step.time for call, step in some)
    return least <= min(call.end - step.time for call, step in some) + 2 * GRAIN


def _named(scene: Scene) -> Iterator[tuple[Lookup, Step]]:
    """Yield the first answer of each broker that names an owner of a topic, with the first record that does."""
    by_topic, known = scene.of_run(StagesByTopic), set[tuple[str, str, str]]()
    for lookup in scene.lookups:
        named = lookup.answer or lookup.redirect
        if named is None or named not in scene.brokers or (lookup.asked, lookup.topic, named) in known:
            continue
        known.add((lookup.asked, lookup.topic, named))
        stages = None if is_outside(lookup.topic) else by_topic.stages(lookup.topic)
        if stages is not None and (first := stages.first_naming(named, 0, len(stages.stages) - 1)) is not None:
            step = stages.stages[first].step
            if step is not None and stages.stages[first].is_known:
                yield lookup, step


def _claimed(scene: Scene) -> Iterator[tuple[Poll, Step]]:
    """Yield the first list of each broker that has a bundle, with the first record that names the broker."""
    known = set[tuple[str, str]]()
    for poll in scene.polls:
        for unit in poll.claims if poll.status == 200 else ():
            if (unit, poll.asked) not in known:
                known.add((unit, poll.asked))
                step = _first_of(scene, unit, poll.asked)
                if step is not None:
                    yield poll, step


def _first_of(scene: Scene, unit: str, broker: str) -> Step | None:
    """Return the first record of a unit that names a broker, if the channel has how the unit began."""
    history = scene.channel.units.get(unit)
    accepted = () if history is None else history.accepted
    if not accepted or accepted[0].record.version != FIRST_VERSION or scene.of_run(begins_late):
        return None
    return next((step for step in accepted if broker in brokers_named(step.record)), None)


def _second_earliest(observer: Machine, seen: Iterable[tuple[Lookup | Poll, Step, Machine]]) -> Iterator[Pair]:
    """Yield for each clock the closest pair but for those of one broker: that one may answer falsely."""
    closest: dict[Machine, dict[str, Pair]] = defaultdict(dict)
    for one, step, own in seen:
        if own != NO_MACHINE:
            pair = Pair(own, observer, one.end - step.time, step.time, step, one)
            before = closest[own].get(one.asked)
            if before is None or pair.gap < before.gap:
                closest[own][one.asked] = pair
    for by_broker in closest.values():
        yield from chain(sorted(by_broker.values(), key=lambda pair: pair.gap)[1:FEW])
