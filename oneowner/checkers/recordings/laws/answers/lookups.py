"""
Laws of lookups: some prefix of the channel explains every answer, and no later answer needs a shorter one.

A broker's view is a prefix of the channel: all records up to some place, folded (models.S29). It may lag, but it cannot
contain unpublished records, nor lose handled ones; and for one unit its answers never go back (models.S30), for
concurrent lookups of a bundle share one future. A view's answer is ``getAssigned`` (channel.7): of Owned, Assigning and
Releasing the destination, of Splitting the source; without one the lookup waits, or a broker is selected, and then the
answer is a record that comes after.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.laws.answers.lookup_answers import (
    Answered,
    LookupAnswer,
    Unjudged,
    after_dump,
    answers,
    client_clock,
    other_name,
    overlap,
    told_of_answers,
)
from oneowner.checkers.recordings.laws.answers.stale_answers import behind
from oneowner.checkers.recordings.laws.answers.views_by_prefix import before_dump
from oneowner.checkers.recordings.laws.scene_law import (
    BOUNDARIES,
    CLUSTER,
    InParts,
    LawOutcome,
    SceneLaw,
    Scope,
    finding,
)
from oneowner.checkers.recordings.laws.views.dead_entries import carried_over
from oneowner.checkers.recordings.laws.views.first_sightings import seen_since
from oneowner.checkers.recordings.laws.views.joined_lines import JoinedLines
from oneowner.checkers.recordings.laws.views.line_record_join import View, views
from oneowner.checkers.recordings.read.events import Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.happening import Happening
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso, seconds
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity

FOLLOWS = "lookup-follows-the-log"
MONOTONE = "lookups-are-monotone"


# ---- models.S29 ----


class _Proof(NamedTuple):
    """A line that proves how far a process has read: one of many, few of which are ever shown."""

    lines: JoinedLines | list[LogEvent]
    line: int

    @property
    def said(self) -> LogEvent:
        found = self.lines[self.line]
        return found if isinstance(found, LogEvent) else found.said


class _Consumed:
    """The place up to which each process is proved to have consumed the topic, by time; places only grow."""

    def __init__(self, scene: Scene) -> None:
        self._is_topic = scene.storage == Storage.SYSTEM_TOPIC
        self._proofs: dict[tuple[str, int, str], list[tuple[int, int, _Proof]]] = defaultdict(list)
        for view in views(scene):
            for time, place, unit, seen in _proved(scene, view):
                proofs = self._proofs[view.life.broker, view.life.number, "" if self._is_topic else unit]
                if not proofs or place > proofs[-1][1]:
                    proofs.append((time, place, seen))

    def by(self, answer: LookupAnswer, time: int) -> tuple[int, _Proof | None]:
        """Return up to which place the asked process had consumed the topic by *time*, and the line that proves it."""
        found: tuple[int, _Proof | None] = (-1, None)
        for scope in ("", *answer.stages.units):
            proofs = self._proofs.get((answer.lookup.asked, answer.life, scope), ())
            done = bisect_right(proofs, time, key=itemgetter(0))  # the proofs of a process come in the order of time
            if done and proofs[done - 1][1] > found[0]:
                found = proofs[done - 1][1:]
        return found


def _proved(scene: Scene, view: View) -> Iterator[tuple[int, int, str, _Proof]]:
    """Yield (time, place, unit, proof): its view reads all existing records before it starts, then handles new ones."""
    if view.started is not None:
        begun = view.life.start - scene.limits.clock_skew
        early = [step for step in scene.channel.timeline if seen_since(scene, step) < begun]
        if early:
            yield view.started.time, max(step.place for step in early), "", _Proof([view.started], 0)
    latest = view.started.time if view.started is not None else view.life.start
    taken = view.taken.where(view.taken.table["place"] >= 0)
    for line, (time, place) in enumerate(taken.table[["time", "first"]].tolist()):
        latest = max(latest, time)
        yield latest, place, taken.unit(line) or "", _Proof(taken, line)


def _latest(scene: Scene, answer: LookupAnswer) -> int:
    """Return the last stage that the view can have reached by the answer's end, on a clock that is a second behind."""
    return answer.stages.last_by(answer.lookup.end + max(scene.limits.clock_skew, client_clock.of(scene)))


class _Unexplained(NamedTuple):
    answer: LookupAnswer
    step: Step | None
    """The last record that it may have consumed by its end."""
    proof: Citable | None
    """The line that proves that it had consumed more; None: no prefix explains the answer at all."""
    dead: Happening | None
    """The reason of an answer by an entry that is deleted, if it is one."""


@excuse("a lagging view: what it took less than a lookup's timeout before may be missing in an answer")
def waiting_time(scene: Scene) -> int:
    return scene.limits.in_flight_wait


def _follows_the_log(scene: Scene) -> Answered:
    judged, unjudged = LawOutcome(), Unjudged()
    consumed = _Consumed(scene)
    found: dict[tuple[str, int, tuple[str, ...], str], list[_Unexplained]] = defaultdict(list)
    stale: dict[str, tuple[int, int]] = {}
    for answer in answers(scene, unjudged):
        judged.exercised += 1
        lookup, stages = answer.lookup, answer.stages
        last = _latest(scene, answer)
        place, proof = consumed.by(answer, lookup.start - waiting_time.of(scene) - scene.limits.clock_skew)
        first = min(stages.at(place), last)
        if stages.first_naming(answer.named, first, last) is None:
            is_stale = stages.first_naming(answer.named, 0, last) is not None
            if after_dump.of(scene, lookup):
                unjudged.beyond += 1
                continue
            key = lookup.asked, answer.life, stages.units, answer.named
            shown, dead = (proof.said, _dead(scene, answer, place)) if is_stale and proof else (None, None)
            found[key].append(_Unexplained(answer, stages.stages[last].step, shown, dead))
        elif late := behind(scene, answer, last):
            number, most = stale.get(lookup.asked, (0, 0))
            stale[lookup.asked] = number + 1, max(most, late)
    judged.doubts += [
        f"{broker} gave {number} answers by what the channel had replaced, up to {seconds(late)} before: its view has "
        "stopped, or lags"
        for broker, (number, late) in stale.items()
    ]
    judged.happenings += {one.dead.cause: one.dead for cases in found.values() for one in cases if one.dead}.values()
    judged.findings += [_contrary(scene, cases) for cases in found.values()]
    return Answered(judged, unjudged)


def _dead(scene: Scene, answer: LookupAnswer, place: int) -> Happening | None:
    """Return the cause of an entry that the asked broker answers by, for a view that had read up to *place*."""
    stages = answer.stages.stages[: answer.stages.at(place) + 1]
    held = next((stage.step for stage in reversed(stages) if answer.named in stage.names), None)
    return None if held is None else carried_over(scene, answer.lookup.asked, held, place)


def _contrary(scene: Scene, cases: Sequence[_Unexplained]) -> Finding:
    first, last = cases[0].answer.lookup, cases[-1].answer.lookup
    unit = cases[0].answer.stages.units[0]
    step, proof = cases[0].step, cases[0].proof
    said = "says nothing of it" if step is None else f"says {step.entry} since {step.message_id}"
    cause = (
        f"no record published by then names it, the channel {said}"
        if proof is None
        else f"it had consumed more than {seconds(scene.limits.in_flight_wait)} before, and the channel {said}"
    )
    often = (
        f"{len(cases)} times from {iso(first.start)} to {iso(last.end)}" if len(cases) > 1 else f"at {iso(first.start)}"
    )
    why = f"{first.asked} answered {cases[0].answer.named} for {first.topic} in {unit} {often}: {cause}"
    shown: list[Citable] = [
        first,
        *([last] if len(cases) > 1 else []),
        *([proof] if proof else []),
        *([step] if step else []),
    ]
    return finding(
        FOLLOWS, Severity.VIOLATION, why, shown, unit=unit, brokers=(first.asked, cases[0].answer.named),
        time=first.start, window=Window(first.start, last.end, first.start, last.end),
        guard="an answer is what a prefix of the channel says (ServiceUnitStateChannelImpl.getOwnerAsync)",
        repair=f"the channel allows {_allowed(cases[0].answer, scene)}",
        causes=[one.dead.cause for one in cases if one.dead],
    )  # fmt: skip


def _allowed(answer: LookupAnswer, scene: Scene) -> str:
    last = _latest(scene, answer)
    names = sorted({name for stage in answer.stages.stages[: last + 1] for name in stage.names})
    return " or ".join(names) or "no answer yet"


# ---- models.S30 ----


@dataclass(slots=True)
class _Asked:
    """The answers of one process about the units of one topic, as far as they are ended."""

    needed: int = 0
    by: LookupAnswer | None = None
    open: list[tuple[int, int, LookupAnswer]] = field(default_factory=list)
    """(end, stage, answer) of those that may overlap later ones."""
    back: list[tuple[LookupAnswer, LookupAnswer, int]] = field(default_factory=list)
    """(later, earlier, stage that the earlier one needed)"""


def _are_monotone(scene: Scene) -> Answered:
    judged, unjudged = LawOutcome(), Unjudged()
    asked: dict[tuple[str, int, tuple[str, ...]], _Asked] = defaultdict(_Asked)
    for answer in answers(scene, unjudged):
        own = asked[answer.lookup.asked, answer.life, answer.stages.units]
        for end, stage, earlier in own.open:
            if stage > own.needed and not overlap.of(scene, end, answer.lookup):
                own.needed, own.by = stage, earlier
        own.open = [one for one in own.open if one[0] >= answer.lookup.start]
        judged.exercised += own.by is not None
        last = _latest(scene, answer)
        allowed = answer.stages.first_naming(answer.named, own.needed, last)
        if allowed is not None:
            own.open.append((answer.lookup.end, allowed, answer))
        elif own.by is not None and answer.stages.first_naming(answer.named, 0, last) is not None:
            if after_dump.of(scene, answer.lookup):
                unjudged.beyond += 1
            else:
                own.back.append((answer, own.by, own.needed))
    judged.findings += [_went_back(own.back) for own in asked.values() if own.back]
    return Answered(judged, unjudged)


def _went_back(back: Sequence[tuple[LookupAnswer, LookupAnswer, int]]) -> Finding:
    later, earlier, stage = back[0]
    last = back[-1][0].lookup
    step = later.stages.stages[stage].step
    unit = later.stages.units[0]
    often = "" if len(back) == 1 else f" ({len(back)} times, to {iso(last.end)})"
    since = f", which it cannot know before {step.message_id}" if step is not None else ""
    why = (
        f"{later.lookup.asked} went back: it answered {earlier.named} for {unit} at {iso(earlier.lookup.start)}"
        f"{since}, and {later.named} at {iso(later.lookup.start)}{often}"
    )
    shown: list[Citable] = [earlier.lookup, *([step] if step else []), later.lookup, *([last] if len(back) > 1 else [])]
    return finding(
        MONOTONE, Severity.VIOLATION, why, shown, unit=unit, brokers=(later.lookup.asked, earlier.named, later.named),
        time=later.lookup.start, window=Window(later.lookup.start, last.end, earlier.lookup.end, last.end),
        guard="answers of one process about one unit never go back (ServiceUnitStateChannelImpl.getOwnerAsync)",
        repair=f"{earlier.named}, or who is named after it",
    )  # fmt: skip


LOOKUP_FOLLOWS_THE_LOG = SceneLaw(
FOLLOWS,
"Every answer of a lookup is what some prefix of the channel says that the broker can have consumed.",
"ServiceUnitStateChannelImpl.getOwnerAsync",
excuses=(waiting_time, client_clock, other_name, before_dump, after_dump),
order=30,
is_live=True,
needs=(Source.LOOKUPS, Source.CHANNEL),
judge=InParts(_follows_the_log, told_of_answers),
scope=Scope.BROKER,
uses=(*CLUSTER, *BOUNDARIES, Source.SENDS),
)  # fmt: skip
LOOKUPS_ARE_MONOTONE = SceneLaw(
    MONOTONE,
    "One process's answers about one unit never go back in the channel.",
    "ServiceUnitStateChannelImpl.getOwnerAsync",
    excuses=(overlap, after_dump),
    order=30,
    needs=(Source.LOOKUPS, Source.CHANNEL, Source.LOGS),
    judge=InParts(_are_monotone, told_of_answers),
    scope=Scope.BROKER,
    uses=(Source.ZOOKEEPER,),
)
LAWS = (LOOKUP_FOLLOWS_THE_LOG, LOOKUPS_ARE_MONOTONE)
