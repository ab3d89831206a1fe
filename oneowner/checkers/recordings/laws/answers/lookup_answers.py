"""
Answers of lookups that name a broker are gone through in order, and those that decide nothing are counted as doubts.

A broker may be named by a listener or by another port than that of its id, the channel may lack the namespace, and the
dump may have been taken before the answer came.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.numbered_runs import STEP
from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.laws.answers.views_by_prefix import Stages, StagesByTopic
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, added
from oneowner.checkers.recordings.laws.views.line_record_join import views
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.line_columns import NOTHING
from oneowner.checkers.recordings.read.observations import Lookup
from oneowner.checkers.recordings.scene.packed_logs import times_of_debug
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.tables import Table
from oneowner.checkers.recordings.scene.topics import is_outside
from oneowner.model.channel.rules import Storage


class LookupAnswer(NamedTuple):
    """One lookup that names a broker, and the possible answers of views for its topic."""

    lookup: Lookup
    named: str
    life: int
    """The number of the asked process."""
    stages: Stages


@dataclass(slots=True)
class Unjudged:
    """Answers that decide nothing, and cannot be proved right."""

    unknown: int = 0
    """Answers about a namespace without a unit in the channel."""
    strange: dict[str, tuple[tuple[int, int, Origin], int]] = field(default_factory=dict)
    """Answers with a name that is no broker's id: the first of them, and their number."""
    beyond: int = 0
    """Those after the end of the dump, which it does not explain."""

    def add(self, other: Unjudged) -> None:
        """Add those of others."""
        self.unknown += other.unknown
        self.beyond += other.beyond
        for name, (first, count) in other.strange.items():
            before, number = self.strange.get(name, (first, 0))
            self.strange[name] = min(before, first), number + count

    def doubts(self) -> list[str]:
        """Return a sentence for each kind of them."""
        unknown, beyond = self.unknown, self.beyond
        strange = sorted(self.strange.items(), key=lambda item: item[1])
        return [
            *[f"{unknown} lookups name a broker for topics of which the channel has no unit"] * bool(unknown),
            *(f"{count} lookups name {name}, which is no broker's id" for name, (_, count) in strange),
            *[f"{beyond} answers come after the end of the dump, and it does not explain them"] * bool(beyond),
        ]


class Answered(NamedTuple):
    """The outcome for the answers of some brokers."""

    judged: LawOutcome
    unjudged: Unjudged


def told_of_answers(_: Scene, parts: Sequence[Answered]) -> LawOutcome:
    """Return the outcome for the answers of all brokers."""
    judged, unjudged = added(part.judged for part in parts), Unjudged()
    for part in parts:
        unjudged.add(part.unjudged)
    judged.doubts += unjudged.doubts()
    return judged


@excuse("an answer that names the broker by a listener or another port, which is a doubt")
def other_name(scene: Scene, named: str) -> bool:
    return named not in scene.brokers


def answers(scene: Scene, unjudged: Unjudged) -> Iterator[LookupAnswer]:
    """Yield the lookups that name a broker, in order; those that decide nothing are *unjudged*."""
    channel = scene.of_run(StagesByTopic)
    for lookup in sorted(scene.lookups, key=lambda one: (one.start, one.end, one.origin)):
        named = lookup.answer or lookup.redirect
        if named is None or is_outside(lookup.topic):
            continue
        if other_name.of(scene, named):
            first, count = unjudged.strange.get(named, ((lookup.start, lookup.end, lookup.origin), 0))
            unjudged.strange[named] = first, count + 1
            continue
        stages = channel.stages(lookup.topic)
        if stages is None:
            unjudged.unknown += 1
            continue
        begun = [life.number for life in scene.lives.get(lookup.asked, ()) if life.start <= lookup.end]
        yield LookupAnswer(lookup, named, begun[-1] if begun else 0, stages)


def _shown(scene: Scene) -> tuple[bool, int]:
    """Return whether the dump has all that views handled which show all of it, and until when they are known to."""
    shown = [view for view in views(scene) if view.life.is_debug]
    has_all = all(((view.taken.table["number"] > 0) | (view.taken.table["kind"] == NOTHING)).all() for view in shown)
    return has_all, max((time for view in shown for time in times_of_debug(view.lines)), default=0)


def _of_both(one: tuple[bool, int], other: tuple[bool, int]) -> tuple[bool, int]:
    return one[0] and other[0], max(one[1], other[1])


def _attested(scene: Scene, shown: tuple[bool, int]) -> int:
    known = [*scene.channel.timeline.span()]
    has_all, end = shown
    if scene.storage == Storage.METADATA_STORE:
        known += [write.time for write in scene.writes[-1:]]
    elif has_all:
        known.append(end)
    return max(known, default=0)


ATTESTED: Final = Table(_shown, _of_both, _attested)
"""
The time until which the dump certainly holds all records: a later unexplained answer decides nothing.

To its last record for sure; a ZooKeeper history to its last write; a dump of the topic to the last line by which a log
shows that it has every handle request, if the dump has all of these: debug mode can be switched off.
"""


@excuse("a record up to a second after the answer: the client's clock may be behind")
def client_clock(scene: Scene) -> int:
    return STEP


@excuse("an answer after the dump was taken")
def after_dump(scene: Scene, lookup: Lookup) -> bool:
    return lookup.end > ATTESTED.of(scene) + scene.limits.clock_skew


@excuse("overlapping lookups, which share one future")
def overlap(scene: Scene, end: int, later: Lookup) -> bool:
    return end >= later.start
