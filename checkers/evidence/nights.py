"""Files of different nights in one folder: what is judged together must tell of one time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from checkers.evidence.scene import Scene
from checkers.times import iso, lasting

APART: Final = 3_600_000
"""Milliseconds without any record between two sources that make it two nights."""


class _Span(NamedTuple):
    what: str
    since: int
    until: int


def nights_apart(scene: Scene) -> Iterator[str]:
    """
    Yield which sources tell of times with an hour or more between them; nothing that is judged of both means anything.

    Brokers may come and go, so logs are held against the rest alone; and a channel may be silent for days before
    anything else begins, so only one that begins too late is amiss.
    """
    logs = [_Span(f"the log of {broker}", own[0].time, own[-1].time) for broker, own in scene.said.items() if own]
    asked = [
        _Span(what, min(one.start for one in seen), max(one.end for one in seen))
        for what, seen in (("lookups", scene.lookups), ("polls", scene.polls), ("admin calls", scene.calls))
        if seen
    ]
    asked += [_Span("sends", scene.sends[0].time, scene.sends[-1].time)] if scene.sends else []
    times = [write.time for write in scene.writes]
    asked += [_Span("the ZooKeeper history", min(times), max(times))] if times else []
    published = [step.message.time for step in scene.channel.timeline]
    channel = [_Span("the channel", min(published), max(published))] if published else []
    for number, one in enumerate(asked):
        for other in [*asked[:number], *logs]:
            if one.since - other.until > APART or other.since - one.until > APART:
                yield _words(scene, one, other)
    for one in channel:
        for other in [*asked, *logs]:
            if one.since - other.until > APART:
                yield _words(scene, one, other)


def _words(scene: Scene, one: _Span, other: _Span) -> str:
    first, second = sorted((one, other), key=lambda span: span.since)
    return (
        f"{scene.name}: {first.what} to {iso(first.until)}, {second.what} from {iso(second.since)} on, "
        f"{lasting(second.since - first.until)} later: files of two different times are in one folder"
    )
