"""
A broker's log lines are split into its processes, and signs of life bound the proved lifetime of each.

A log goes on over restarts, also after kill -9. ``Starting Pulsar Broker service`` is the first line of every process;
where it is missing, a second ``Created service unit state tableview`` separates them, since a process creates one.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from oneowner.checkers.recordings.read.broker_logs import LAST
from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.packed_logs import (
    columns_in_parts,
    numbered,
    of_kinds,
    times_of,
    times_of_debug,
)
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.timeline import Timeline

STARTING = "broker-starting"
CREATED = "channel-tableview-created"
READY = "broker-ready"
_RELEASE: Final = re.compile(r"\d+\.\d+\.\d+")
DEBUG_SETTING = "loadBalancerDebugModeEnabled"
CLOSING: Final = ("broker-closing", "broker-shut-down", "channel-view-closed", "channel-closed")
"""Lines by which a process begins to stop: from then on its channel is Disabled (channel.6)."""


def lives_of(lines: Sequence[LogEvent]) -> list[Life]:
    """Return the processes whose lines, in the order of the log, these are."""
    lives = []
    times = times_of(lines)
    for number, (first, last) in enumerate(_spans(lines)):
        own = times[first:last]  # threads write out of order by milliseconds
        shown = times_of_debug(lines[first:last])  # it can be switched on meanwhile
        is_configured = any(_is_set(said.values) for said in of_kinds(lines[first:last], READY))
        since = min(own) if is_configured else min(shown, default=None)
        lives.append(Life(lines[first].broker, number, min(own), max(own), first, last, since))
    return lives


def _spans(lines: Sequence[LogEvent]) -> Iterator[tuple[int, int]]:
    first, is_created = 0, False
    for at, said in numbered(lines, STARTING, CREATED):
        if said.event == STARTING or (said.event == CREATED and is_created):
            if at > first:
                yield first, at
            first, is_created = at, said.event == CREATED
        elif said.event == CREATED:
            is_created = True
    if first < len(lines):
        yield first, len(lines)


def _is_set(values: Mapping[str, Any]) -> bool:
    """Return whether a printed configuration has the debug mode on."""
    return (values.get("settings") or {}).get(DEBUG_SETTING) == "true"


def releases_of(scene: Scene, broker: str) -> tuple[str, ...]:
    """Return the releases that the processes of *broker* print when they start, by time."""
    lines = of_kinds(scene.said.get(broker, ()), STARTING)
    named = (_RELEASE.match(line.values.get("version") or "") for line in lines)
    return tuple(dict.fromkeys(found[0] for found in named if found is not None))


def log_begins_amid_process(scene: Scene, broker: str) -> int | None:
    """Return the first time in the log of *broker* if it begins amid a process, so that earlier lines are missing."""
    lives = scene.lives.get(broker, ())
    return lives[0].start if lives and not lines_of(scene, lives[0], STARTING) else None


def log_ends_amid_process(scene: Scene, broker: str) -> int | None:
    """
    Return the last time in the log of *broker* if it ends amid a process, so that later lines are missing.

    The process answers after it for longer than its log was ever silent; one that is stopped logs that first.
    """
    lives = scene.lives.get(broker, ())
    if not lives or lines_of(scene, lives[-1], *CLOSING):
        return None
    life = lives[-1]
    silent = np.diff(np.sort(times_of(lines_of(scene, life)))).max(initial=scene.limits.session)
    return life.end if max(_answers(scene)[broker], default=life.end) - life.end > silent else None


def lived(lives: Iterable[Life]) -> Timeline:
    """Return when at least one process of *lives* lived."""
    return Timeline((life.start, life.end) for life in lives)


def all_lives(scene: Scene) -> list[Life]:
    """Return the processes of all brokers."""
    return [life for lives in scene.lives.values() for life in lives]


def living(scene: Scene) -> list[Life]:
    """
    Return the processes of all brokers, each to its last sign of life: a line of its log, or an answer.

    An answer proves a process only if it began to answer before the next process of the broker started. Where logs are
    the only evidence of registrations, they alone limit the time for which these are looked for.
    """
    if Source.ZOOKEEPER not in scene.present:
        return all_lives(scene)
    answered, found = _answers(scene), list[Life]()
    for broker, lives in scene.lives.items():
        for number, life in enumerate(lives):
            following = lives[number + 1].start - scene.limits.clock_skew if number + 1 < len(lives) else None
            signs = [time for time in answered[broker] if following is None or time < following]
            found.append(life._replace(end=max([life.end, *signs])))
    return found


def _answers(scene: Scene) -> Mapping[str, list[int]]:
    """Return by broker the times at which it answered lookups and polls."""
    answered: dict[str, list[int]] = defaultdict(list)
    for lookup in scene.lookups:
        if lookup.status is not None:
            answered[lookup.asked].append(lookup.end)
    for poll in scene.polls:
        if poll.status is not None:
            answered[poll.asked].append(poll.end)
    return answered


def life_at(scene: Scene, broker: str, time: int) -> Life | None:
    """Return the process of *broker* that lived at *time*."""
    return next((life for life in scene.lives.get(broker, ()) if life.start <= time <= life.end), None)


def lines_of(scene: Scene, life: Life, *events: str) -> Sequence[LogEvent]:
    """Return the lines of these kinds that one process wrote; all of them if no kind is named."""
    lines = scene.said.get(life.broker, ())[life.first : life.last]
    return of_kinds(lines, *events) if events else lines


_INFORMS: Final = re.compile(r"\b(?:TRACE|DEBUG|INFO)\b")


def informs_until(scene: Scene, life: Life) -> int:
    """
    Return the time up to which a process provably writes lines of level INFO; its level can be changed while it runs.

    After that, an event that is missing from its log may have happened all the same.
    """
    lines = scene.said[life.broker][life.first : life.last]
    latest, last, informing = life.start, lines[-1], table().events_below("WARN")
    for part in columns_in_parts(lines):
        latest = int(part.table["time"][part.are(informing)].max(initial=latest))
    return max(latest, last.time) if last.event == LAST and _INFORMS.search(last.text[:LONG]) else latest


LONG: Final = 500
"""The number of leading characters of a line that contain its level."""
