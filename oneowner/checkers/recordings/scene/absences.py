"""
Absences are times when a broker gave no sign of life despite requests: a pause of its process, or its death.

A silence is one of its log and of its answers. Without a request it proves nothing, unless the process itself reports
it: its ZooKeeper client, if connected, gives up a server that is silent for a session's time-out, and measures a longer
time only if it did not run. Lines that are missing from a log prove no absence.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Request, Source
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.packed_logs import of_kinds, times_of
from oneowner.checkers.recordings.scene.registry import Held, registry_of
from oneowner.checkers.recordings.scene.registry_from_logs import DELETED, GONE, SESSION
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END, Timeline

BEGUN: Final = "zk-session-begun"
NOT_HEARD: Final = "zk-not-heard"
SILENCE = 3_000
"""Milliseconds without a log line and without an answer that count as absence, if the broker was asked meanwhile."""
SOON = 1_000
"""Milliseconds between the first sign of life of a process that goes on and the report of its ZooKeeper client."""


class Absence(NamedTuple):
    """Some time for which a process gave no sign of life though it was asked: (since, until), both signs of life."""

    broker: str
    since: int
    until: int
    """END: it never came back."""
    is_pause: bool
    """The same process went on; else it ended, and a new one may have begun."""
    asked: int
    """
    The time from which it was surely away: that of the first request without an answer, or with an answer only at the
    end, or the time by which its ZooKeeper client had to act.
    """
    evidence: tuple[Citable, ...]

    def covers(self, time: int) -> bool:
        """Return whether the broker was away at *time*."""
        return self.since < time < self.until

    def is_loss(self, lost: int) -> bool:
        """Return whether a session whose loss the broker logs at *lost* had ended while its process stood still."""
        is_reported = any(isinstance(seen, LogEvent) and seen.event == NOT_HEARD for seen in self.evidence)
        return is_reported and 0 <= lost - self.until <= SOON


def absences(scene: Scene, broker: str) -> list[Absence]:
    """
    Return the absences of a broker's processes, in order.

    A silence counts if somebody asked in vain meanwhile, if another process begins after it, or if the process itself
    reports it. A log that ends counts if somebody asked in vain afterwards, or if the process's session ended later
    without another line. A quiet log is no silence while a session lives: its process has sent heartbeats.
    """
    known = scene.of_run(absences_of_run)
    return known[broker] if broker in known else _absences(scene.whole or scene, broker)


def absences_of_run(scene: Scene) -> dict[str, list[Absence]]:
    """Return the absences of each broker."""
    return {broker: _absences(scene, broker) for broker in scene.brokers}


def _absences(scene: Scene, broker: str) -> list[Absence]:
    registered = registry_of(scene).of(broker)
    requests: list[Request] = [item for item in scene.lookups if item.asked == broker]
    requests += [item for item in scene.polls if item.asked == broker]
    requests.sort(key=lambda item: item.start)
    if not scene.said.get(broker) and not requests:  # that its session ends is no sign of what its process does
        return []
    signs = _Signs(scene.said.get(broker, ()))
    signs.add((item.end, item) for item in requests if item.status is not None)
    signs.add(_heartbeats(scene, registered))
    standstills = _standstills(scene, broker)
    signs.add((one.heard, one.line) for one in standstills)
    starts = [item.start for item in requests]
    births = [life.start for life in scene.lives.get(broker, ())[1:]]
    found: list[Absence] = []
    for (last, before), (first, after) in signs.apart(births):
        asked = requests[bisect_right(starts, last) : bisect_left(starts, first)]
        is_new = any(last < birth <= first for birth in births)
        reported = [one for one in standstills if one.is_between(last, first)]
        if is_new or reported or (first - last > SILENCE and _in_vain(asked, first)):
            away = min([first, *(item.start for item in asked[:1]), *(one.due for one in reported)])
            report = [one.line for one in reported[:1] if one.line not in (before, after)]
            seen = (before, *asked[:1], *report, after)
            found.append(Absence(broker, last, first, not is_new, away, seen))
    final = signs.final()
    if final is not None:
        last, before = final
        asked = requests[bisect_right(starts, last) :]
        closed = [one for one in registered if last < one.until < END]
        missed = [] if closed else _missed_by_others(scene, broker, last)
        late: list[Citable] = [
            *asked[:1],
            *asked[-1:],
            *(one.ended for one in closed if one.ended is not None),
            *missed,
        ]
        if late and (closed or missed or max(item.end for item in asked) - last > SILENCE):
            vain = asked[0].start if asked else min([*(one.until for one in closed), *(line.time for line in missed)])
            found.append(Absence(broker, last, END, False, vain, (before, *late)))
    return found


class _Standstill(NamedTuple):
    """A report of a process's ZooKeeper client that it did not run when it had to."""

    heard: int
    """The time at which it had heard from its server last; while it runs, it pings that thrice in a session's time."""
    due: int
    """The time by which it had to give the server up."""
    line: LogEvent

    def is_between(self, last: int, first: int) -> bool:
        """Return whether the process stood still between these signs of life, and reports it when it goes on."""
        pinged = self.heard + (self.due - self.heard) // 3
        return self.heard <= last <= pinged and first <= self.line.time <= first + SOON


def _standstills(scene: Scene, broker: str) -> list[_Standstill]:
    """Return the reports of clients that were connected, as the log shows: others hear nothing while they run."""
    lines = scene.said.get(broker, ())
    timeout = max((line.values["ms"] for line in of_kinds(lines, BEGUN)), default=scene.limits.session)
    found, is_connected = list[_Standstill](), True
    for line in of_kinds(lines, NOT_HEARD, SESSION):
        if line.event == SESSION:
            is_connected = line.values.get("event") not in GONE
            continue
        heard = line.time - line.values["ms"]
        if is_connected and lines[0].time <= heard < line.time - timeout - SILENCE:
            found.append(_Standstill(heard, heard + timeout, line))
    return found


def _missed_by_others(scene: Scene, broker: str, last: int) -> list[LogEvent]:
    """Return a line by which another broker logs that its registration ended, soon after its *last* sign of life."""
    if Source.ZOOKEEPER in scene.present:  # which shows that itself
        return []
    soon = last + scene.limits.recovery
    ends = (line for line in scene.lines(DELETED) if line.values.get("subject") == broker != line.broker)
    return [line for line in ends if last < line.time <= soon][:1]


def _in_vain(asked: Sequence[Request], first: int) -> bool:
    """Return whether it did not answer, or only after the silence: a request with a prompt answer was sent after it."""
    return any(item.status is None or first - item.start > SILENCE for item in asked)


class _Signs:
    """Signs of life of a broker: the lines of its log, which may be millions, and others."""

    def __init__(self, lines: Sequence[LogEvent]) -> None:
        self._lines = lines
        self._others: list[tuple[int, Citable]] = []

    def add(self, signs: Iterable[tuple[int, Citable]]) -> None:
        """Add others."""
        self._others += signs

    def apart(self, births: Sequence[int]) -> Iterator[tuple[tuple[int, Citable], tuple[int, Citable]]]:
        """Yield signs that follow each other, by time, where a silence or one of *births* is between."""
        others = np.array([time for time, _ in self._others], np.int64)
        times = np.concatenate([np.asarray(times_of(self._lines), np.int64), others])
        order = np.argsort(times, kind="stable")
        times = times[order]
        places = set(np.flatnonzero(np.diff(times) > SILENCE).tolist())
        for birth in births:  # that of the first sign at its time or later, which comes after one before it
            place = int(np.searchsorted(times, birth)) - 1
            places |= {place} if 0 <= place < len(times) - 1 else set()
        for place in sorted(places):
            yield self._sign(int(order[place])), self._sign(int(order[place + 1]))

    def final(self) -> tuple[int, Citable] | None:
        """Return the last of all."""
        times = times_of(self._lines)
        latest = max(max(times, default=-END), max((time for time, _ in self._others), default=-END))
        number = max((number for number, time in enumerate(times) if time == latest), default=None)
        later = [sign for sign in self._others if sign[0] == latest]
        return later[-1] if later else None if number is None else self._sign(number)

    def _sign(self, number: int) -> tuple[int, Citable]:
        if number >= len(self._lines):
            return self._others[number - len(self._lines)]
        line = self._lines[number]
        return line.time, line


def _heartbeats(scene: Scene, registered: Iterable[Held]) -> Iterator[tuple[int, Citable]]:
    """Yield moments at which a process lived for sure: ZooKeeper ends a session only when it was silent so long."""
    for one in registered:
        if isinstance(one.made, NodeWrite):
            yield one.since, one.made
        if isinstance(one.ended, NodeWrite):
            silent = 0 if one.is_given_up else scene.limits.session + SILENCE
            yield max(one.since, one.ended.time - silent), one.ended


def silences(scene: Scene, broker: str, since: int, until: int, least: int = SILENCE) -> Timeline:
    """
    Return the times, about a range, in which a broker logged no line and nobody asked it: it may have stood still.

    They are longer than *least* milliseconds. Where it was asked, its absences show whether it did.
    """
    times = np.sort(np.asarray(times_of(scene.said.get(broker, ())), np.int64))
    first, last = max(0, int(np.searchsorted(times, since)) - 1), int(np.searchsorted(times, until, "right")) + 1
    ends = pairwise([-END, *times[first:last].tolist(), END])
    quiet = [(before, after) for before, after in ends if after - before > least]
    requests: Iterable[Request] = chain[Request](scene.lookups, scene.polls)
    asked = Timeline((one.start, one.end) for one in requests if one.asked == broker)
    return Timeline(gap for gap in quiet if not asked.overlaps(*gap))


def awake(start: int, end: int, away: Iterable[Absence]) -> int:
    """Return from when on an answer given in *start* .. *end* can be: a paused process answers when it goes on."""
    pauses = [pause.until for pause in away if pause.is_pause and pause.covers(start)]
    return min(max([start, *pauses]), end)
