"""
Lookups and brokers' own lists of a cluster that runs, judged by the audit's laws.

The scene covers the last minutes: the entries of each bundle, and the answers. It is judged when answers arrive; an
answer waits until every record that it may depend on has been read.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from oneowner.checkers.recordings.fold.chunk_reader import unreadable
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.unit_memory import Units
from oneowner.checkers.recordings.judge.finding_json import finding_json, shortened
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_law import finding
from oneowner.checkers.recordings.laws.serving.owner_answers import OWNER
from oneowner.checkers.recordings.live.channel_watch import LiveFinding
from oneowner.checkers.recordings.read.companion_files import lookup_of, poll_of
from oneowner.checkers.recordings.read.dump import Unreadable
from oneowner.checkers.recordings.read.events import Event, Finding, Origin, Row
from oneowner.checkers.recordings.read.observations import Lookup, Poll, Printed, Source
from oneowner.checkers.recordings.scene.channel_history import Channel, History, Steps
from oneowner.checkers.recordings.scene.gather import span_of
from oneowner.checkers.recordings.scene.message_columns import Message, MessageColumns
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.checkers.times import lasting
from oneowner.model.channel.record import is_absent, owner
from oneowner.model.kernel.law import Severity

LAWS: Final = tuple(law for law in SCENE_LAWS if law.is_live)
"""Laws that need only the channel, lookups and lists; the others need logs, or a finished run."""
WINDOW: Final = 300_000
"""Milliseconds for which answers and former entries are kept, longer than the time-outs of a hand-over."""
SETTLES: Final = 1_000
"""Milliseconds by which a record may reach this process later than a broker."""
SILENT: Final = 10_000
"""Milliseconds without an answer after which an owner is reported: before its session ends, which gives units away."""
ANSWERS: Final = "readable-answers"
"""The law of an unreadable answer, which is no record and leaves no gap."""
FILES: Final = {1: "lookups", 2: "owned"}

Key = tuple[str, ...]
Answer = dict[str, Any]
"""A line of `lookups.jsonl` or `owned.jsonl`."""


class Evidence:
    """The last minutes of one cluster as a scene."""

    def __init__(self, cluster: str, file: str, question: Question, skew: int, known: Iterable[Any] = ()) -> None:
        """:param known: reported findings, from `memory`; :param skew: the difference of clocks in milliseconds."""
        self._cluster, self._files = cluster, {0: file, **FILES}
        self._limits = Limits(in_flight=question.in_flight_limit, clock_skew=skew)
        self._storage = question.storage
        self._channel: Channel | None = None
        self._lookups: list[Lookup] = []
        self._polls: list[Poll] = []
        self._waiting: list[tuple[int, str, Answer]] = []
        self._number = 0
        self._pruned = 0
        self._open: dict[Key, int] = {tuple(key): seen for key, seen in known}
        """The reported violations, and when each was last seen."""

    def begin(self, units: Units) -> None:
        """Begin with the present entry of each bundle."""
        if self._channel is None:
            self._channel = Channel(MessageColumns(self._storage))
            for unit in units.by_key.values():
                if unit.written is not None:
                    self._channel.take(_message(unit.written), is_refused=False)

    def take(self, judged: Iterable[tuple[Row, bool]]) -> None:
        """Add records, each with whether the fold of the watch refused it; those before `begin` are in its units."""
        if self._channel is not None:
            for row, is_refused in judged:
                self._channel.take(_message(row), is_refused)

    def answered(self, answers: Iterable[tuple[str, Answer]]) -> None:
        """Hold answers until they can be judged."""
        self._waiting += [(line["t_end"], name, line) for name, line in answers]

    def judge(self, now: int, brokers: Iterable[str]) -> list[LiveFinding]:
        """Return new findings of answers; every record published by *now* must have been taken."""
        ready = [one for one in self._waiting if one[0] <= now - SETTLES]
        if not ready or self._channel is None:
            return []
        self._waiting = [one for one in self._waiting if one[0] > now - SETTLES]
        unread = [why for _, name, line in ready for why in self._keep(name, line)]
        self._forget(now - WINDOW)
        scene = self._scene(self._channel, brokers)
        return [self._named(one) for one in self._new([*unread, *_broken(scene), *self._silent(scene)], now)]

    def _keep(self, name: str, line: Mapping[str, Any]) -> Iterator[Finding]:
        """Store an answer; yield a finding if it is malformed."""
        self._number += 1
        raw = json.dumps(line).encode()
        try:
            if name == "lookups.jsonl":
                self._lookups.append(lookup_of(raw, Origin(1, 0, self._number)))
            else:
                self._polls.append(poll_of(raw, Origin(2, 0, self._number)))
        except Unreadable as error:
            origin = Origin(1 if name == "lookups.jsonl" else 2, 0, self._number)
            yield unreadable(origin, f"a broker's answer: {error}")._replace(law=ANSWERS, guard=ANSWERS)

    def _scene(self, channel: Channel, brokers: Iterable[str]) -> Scene:
        scene = Scene(self._cluster, self._storage, self._limits, channel=channel)
        scene.lookups = sorted(self._lookups, key=lambda one: (one.start, one.origin))
        scene.polls = sorted(self._polls, key=lambda one: (one.start, one.origin))
        there = {Source.CHANNEL: True, Source.LOOKUPS: bool(self._lookups), Source.POLLS: bool(self._polls)}
        scene.present = frozenset(source for source, is_there in there.items() if is_there)
        asked = {*(one.asked for one in self._lookups), *(one.asked for one in self._polls)}
        scene.brokers = tuple(sorted({*brokers, *asked}))
        scene.start, scene.end = span_of(scene)
        return scene

    def _silent(self, scene: Scene) -> Iterator[Finding]:
        """Yield the owners that have not answered for a while; one that answers may be reported again later."""
        answers: dict[str, list[Lookup | Poll]] = {}
        given: list[Lookup | Poll] = [*scene.lookups, *scene.polls]
        for answer in given:
            answers.setdefault(answer.asked, []).append(answer)
        for broker, own in answers.items():
            answered = max((one.end for one in own if one.status is not None), default=None)
            unanswered = [one for one in own if answered is None or one.end > answered]
            if not unanswered:
                self._open.pop((OWNER, "", "", broker), None)
                continue
            since = max(answered or 0, min(one.start for one in unanswered))
            units = [key for key, unit in scene.channel.units.items() if str(owner(unit.held)) == broker]
            if units and max(one.end for one in unanswered) - since >= SILENT:
                lasted = lasting(max(one.end for one in unanswered) - since)
                bundles = f"{len(units)} bundle{'s' if len(units) > 1 else ''}"
                why = f"{broker} owns {bundles} and has answered nobody for {lasted}; it is gone, or stands still"
                yield finding(OWNER, Severity.WARNING, why, unanswered[:1], brokers=[broker], units=units)

    def _new(self, found: Iterable[Finding], now: int) -> Iterator[Finding]:
        """Yield new findings; a lasting violation is reported once."""
        for one in found:
            key = _key(one)
            if key not in self._open:
                yield one
            self._open[key] = now

    def _named(self, one: Finding) -> LiveFinding:
        shown = finding_json(one, lambda origin: (self._files[origin.piece], origin.line))
        return LiveFinding(" ".join((*_key(one), str(one.time))), self._cluster, shortened(shown))

    def _forget(self, before: int) -> None:
        """Drop answers and replaced entries before a moment, at most once a minute."""
        if before - self._pruned < WINDOW // 5 or self._channel is None:
            return
        self._pruned = before
        self._lookups = [one for one in self._lookups if one.end >= before]
        self._polls = [one for one in self._polls if one.end >= before]
        self._open = {key: seen for key, seen in self._open.items() if seen >= before}
        steps = (step for unit in self._channel.units.values() for step in _since(unit, before))
        self._channel = self._channel.part(sorted(steps, key=lambda step: step.position))

    def memory(self) -> list[Any]:
        """Return the reported findings that may still last, as JSON values."""
        return [[list(key), seen] for key, seen in self._open.items()]


def _broken(scene: Scene) -> Iterator[Finding]:
    for law in LAWS:
        if not law.lacks(scene):
            yield from law.judge(scene).findings


def _since(unit: History, before: int) -> Steps:
    """Return the steps of a unit from a moment on, and its last accepted step before."""
    first = next((n for n, step in enumerate(unit.steps) if step.time >= before), len(unit.steps))
    had = next((n for n in range(first - 1, -1, -1) if unit.steps[n].is_accepted), first)
    return unit.steps[had:]


def _message(row: Row) -> Message:
    event = Event(*row)
    printed = None if is_absent(event.record) else Printed(event.record, event.time, event.children)
    return Message(event.position, event.origin, event.message_id, event.time, event.key, printed, event.producer, None)


def _key(one: Finding) -> Key:
    """Return the identity of a finding: its law, its record, its unit and its brokers."""
    return one.law, one.message_id or "", one.unit or "", *one.brokers
