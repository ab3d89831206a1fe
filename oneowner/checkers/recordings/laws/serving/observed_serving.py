"""
Intervals show the observed servers of each topic: by their own answers, and by topics that they had loaded.

The two kinds are kept apart. *Answers*: a lookup with 200 that names the asked broker; one that names another is a
redirect, by design while a unit is Assigning or Releasing. It holds at some moment of its own time and is never carried
forward; only between two such answers, without a record of the unit in between, the broker's view has held one entry,
for views are monotone (models.S30). That is not so before a history that begins late, nor after the end of a dump that
is older. *Loaded*: a topic that the broker's log created and has not unloaded. A broker's list of its own units is a
claim, not serving (run.G4); a confirmed send names no broker.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import Excuse, excuse
from oneowner.checkers.recordings.laws.answers.dump_end import after_dump
from oneowner.checkers.recordings.laws.serving.causes import UNLOADED, begins, distinct, took
from oneowner.checkers.recordings.laws.views.handle_counters import HOLES
from oneowner.checkers.recordings.read.observations import LogEvent, Lookup
from oneowner.checkers.recordings.scene.absences import Absence, absences, awake
from oneowner.checkers.recordings.scene.broker_processes import informs_until
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.timeline import Timeline
from oneowner.checkers.recordings.scene.topics import Topics, is_outside, namespace_of
from oneowner.checkers.recordings.scene.unsure_records import begins_late

CREATED, UNLOADING, CLOSED, DELETED = "topic-created", "topic-unloading", "topic-closed", "topic-deleted"
OF_TOPICS = (CREATED, UNLOADING, CLOSED, DELETED, UNLOADED)


class ServingKind(StrEnum):
    """The kind of evidence."""

    ANSWERS = "answers"
    LOADED = "loaded"


class Spell(NamedTuple):
    """Some time for which one broker served one topic, as far as was seen."""

    kind: ServingKind
    broker: str
    topic: str
    unit: str
    """The unit of the topic at its beginning."""
    since: int
    until: int
    fades: int
    """The time until which it is possible: a topic that is being closed takes nothing any more, but still exists."""
    evidence: tuple[Citable, ...]
    """Its first and its last line."""

    def is_certain(self, since: int, until: int) -> bool:
        """Return whether the broker served at each moment of a time: answers show it from the first to the last."""
        if self.kind == ServingKind.LOADED:
            return self.since <= since and until <= self.until
        first, last = self.evidence[0], self.evidence[-1]
        return isinstance(first, Lookup) and isinstance(last, Lookup) and first.end <= since and until <= last.start


class OwnAnswer(NamedTuple):
    """One lookup that a broker answered with itself, and from when on that answer can be."""

    unit: str
    since: int
    lookup: Lookup

    @property
    def until(self) -> int:
        """The answer was there by then."""
        return self.lookup.end


def is_own(lookup: Lookup) -> bool:
    """The asked broker answered "I own it"."""
    return lookup.status == 200 and lookup.answer == lookup.asked


def away_of(scene: Scene) -> dict[str, list[Absence]]:
    """Return the absences of every broker."""
    return {broker: absences(scene, broker) for broker in scene.brokers}


@excuse("a redirect during a hand-over: only a broker that names itself answers as owner")
def is_redirect(scene: Scene, lookup: Lookup) -> bool:
    """Return whether the asked broker named another one."""
    return lookup.answer != lookup.asked


@excuse("a topic that is closing: it accepts nothing, so it only widens the possible window")
def closing_time(scene: Scene, begun: int, ended: int) -> int:
    """Return for how many milliseconds a topic was closing."""
    return ended - begun


@excuse("a log that drops the level INFO: a loaded topic may have been closed since")
def log_level(scene: Scene, life: Life) -> int:
    """Return for how many milliseconds at its end the log of a process lacks the level INFO."""
    return life.end - informs_until(scene, life)


STOPPED = Excuse("a stopped process: it serves nobody, and its answer counts from when it resumed", away_of)
MISSING_LINES = Excuse("missing log lines, by its counters: a loaded topic may have been closed since", HOLES.of)
OLDER_DUMP = Excuse("a dump that is older than the answer, which is a doubt", after_dump)


def own_answers(scene: Scene, topics: Topics, away: dict[str, list[Absence]]) -> list[OwnAnswer]:
    """Return all answers "I own it", by time; those during which the topic changed its unit are left out."""
    found: list[OwnAnswer] = []
    for lookup in scene.lookups:
        if (
            lookup.status == 200
            and not is_redirect.of(scene, lookup)
            and (unit := topics.unit(lookup.topic, lookup.start, lookup.end)) is not None
        ):
            found.append(OwnAnswer(unit, awake(lookup.start, lookup.end, away.get(lookup.asked, ())), lookup))
    return found


def answering(scene: Scene, topics: Topics, away: dict[str, list[Absence]]) -> list[Spell]:
    """Return for how long brokers were seen to answer for a topic; any other answer of theirs ends a spell."""
    own = {answer.lookup.origin: answer for answer in own_answers(scene, topics, away)}
    runs: dict[tuple[str, str], list[OwnAnswer]] = {}
    answered = {answer.unit for answer in own.values()} & scene.channel.units.keys()
    changes = {unit: sorted(step.time for step in scene.channel.units[unit].accepted) for unit in answered}
    unknown, found = OLDER_DUMP.of(scene), list[Spell]()
    for lookup in scene.lookups:
        key = lookup.asked, lookup.topic
        answer, run = own.get(lookup.origin), runs.setdefault(key, [])
        is_known = answer is not None and answer.until not in unknown
        if run and (answer is None or not is_known or not _holds_between(scene, changes, run[-1], answer)):
            found.append(_spell(run))
            run.clear()
        if answer is not None:
            run.append(answer)
    return [*found, *(_spell(run) for run in runs.values() if run)]


def _spell(run: list[OwnAnswer]) -> Spell:
    first, last = run[0], max(run, key=lambda answer: answer.until)
    ends = distinct((first.lookup, last.lookup))
    place = first.lookup
    return Spell(ServingKind.ANSWERS, place.asked, place.topic, first.unit, first.since, last.until, last.until, ends)


def _holds_between(scene: Scene, changes: dict[str, list[int]], one: OwnAnswer, other: OwnAnswer) -> bool:
    """No record of the unit and no new process of the broker came between two answers."""
    if one.unit != other.unit or one.unit not in changes:
        return False
    since, until = one.lookup.start - scene.limits.clock_skew, other.until + scene.limits.clock_skew
    records = changes[one.unit]
    is_whole = begins(scene.channel.units[one.unit]) and not scene.of_run(begins_late)
    if not is_whole and since <= min(records, default=since):
        return False
    births = (life.start for life in scene.lives.get(one.lookup.asked, ()))
    return bisect_right(records, since) >= bisect_left(records, until) and not any(since < at < until for at in births)


def loaded(scene: Scene, topics: Topics, away: dict[str, list[Absence]]) -> list[Spell]:
    """
    Return the times in which topics were loaded, by each broker's log; not while its process was paused.

    In a log that lacks lines, unlogged events may have happened: after a hole nothing is seen any more, nor after its
    last line of level INFO.
    """
    found: list[Spell] = []
    lacking = MISSING_LINES.of(scene)
    for broker, lives in scene.lives.items():
        pauses = [one for one in away.get(broker, ()) if one.is_pause]
        for life in lives:
            lines = scene.said[broker][life.first : life.last]
            ends = life.end - log_level.of(scene, life), life.end
            for spell in _of_life(scene, of_kinds(lines, *OF_TOPICS), ends, lines[-1], topics):
                seen = _until_a_hole(spell, lacking.get((broker, life.number), ()))
                found += _without(seen, pauses)
    return found


def _of_life(
    scene: Scene, lines: Sequence[LogEvent], ends: tuple[int, int], last: LogEvent, topics: Topics
) -> Iterator[Spell]:
    """
    Yield the topics that one process had loaded, each from its creation to the beginning of its first close.

    *ends* are the end of the log's reliable part, and that of the log.
    """
    opened: dict[str, LogEvent] = {}
    inside: dict[str, dict[str, None]] = {}
    """The same topics by namespace: a bundle is of one."""
    closing: dict[str, int] = {}
    for line in lines:
        topic = line.values.get("topic")
        gone: list[str] = []
        if line.event == CREATED and isinstance(topic, str) and not is_outside(topic):
            opened.setdefault(topic, line)
            inside.setdefault(namespace_of(topic), {})[topic] = None
        elif line.event == UNLOADING and topic in opened:
            closing.setdefault(topic, line.time)
        elif line.event in (CLOSED, DELETED) and topic in opened:
            gone = [topic]
        elif line.event == UNLOADED and line.unit is not None:
            own = inside.get(line.unit.rpartition("/0x")[0], ())
            gone = [topic for topic in own if topics.unit(topic, line.time) == line.unit]
        for topic in gone:
            inside[namespace_of(topic)].pop(topic)
            begun = closing.pop(topic, line.time - took(line) if line.event == UNLOADED else line.time)
            until = line.time - closing_time.of(scene, begun, line.time)
            yield from _loaded(opened.pop(topic), topic, until, line.time, line, topics)
    for topic, line in opened.items():
        yield from _loaded(line, topic, closing.get(topic, ends[0]), ends[1], last, topics)


def _loaded(first: LogEvent, topic: str, until: int, fades: int, last: LogEvent, topics: Topics) -> Iterator[Spell]:
    unit = topics.unit(topic, first.time)
    if unit is not None:
        ends = distinct((first, last))
        yield Spell(
            ServingKind.LOADED,
            first.broker,
            topic,
            unit,
            first.time,
            max(until, first.time),
            max(fades, first.time),
            ends,
        )


def _until_a_hole(spell: Spell, lacking: Sequence[tuple[int, int]]) -> Spell:
    """Return the spell as far as it was seen: it may have ended where lines are missing, that of its end too."""
    begun = [since for since, until in lacking if spell.since < until and since < spell.fades]
    return spell._replace(until=max(spell.since, min([spell.until, *begun])))


def _without(spell: Spell, pauses: list[Absence]) -> Iterator[Spell]:
    """Yield the parts of a spell outside of *pauses* that precede its close: a stopped process serves no client."""
    stopped = Timeline.of(pause for pause in pauses if pause.since < spell.until)
    for since, until in Timeline([(spell.since, spell.fades + 1)]) - stopped:  # its last millisecond counts
        seen = min(max(since, spell.until), until)
        yield spell._replace(since=since, until=seen, fades=min(until, spell.fades))
