"""Files of different nights in one folder: what is judged together must tell of one time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso, lasting

APART: Final = 3_600_000
"""Milliseconds without any record between two sources that make it two nights."""


CHANNEL: Final = "the channel"


class _Span(NamedTuple):
    what: str
    since: int
    until: int


def nights_apart(scene: Scene) -> Iterator[str]:
    """
    Yield where an hour or more lies between what some sources tell of and all that others do.

    Nothing that is judged of both means anything. But a channel may be silent for days before anything else begins.
    """
    before: list[_Span] = []
    for span in sorted(_spans(scene), key=lambda span: (span.since, span.until)):
        last = max(before, key=lambda one: one.until, default=span)
        if span.since - last.until > APART and any(one.what != CHANNEL for one in before):
            yield (
                f"{scene.name}: {last.what} to {iso(last.until)}, {span.what} from {iso(span.since)} on, "
                f"{lasting(span.since - last.until)} later: files of two different times are in one folder"
            )
        before.append(span)


def _spans(scene: Scene) -> Iterator[_Span]:
    """Yield from when to when each source tells of anything."""
    for broker, own in scene.said.items():
        yield from _span(f"the log of {broker}", [line.time for line in own])
    yield from _span("lookups", [time for one in scene.lookups for time in (one.start, one.end)])
    yield from _span("polls", [time for one in scene.polls for time in (one.start, one.end)])
    yield from _span("admin calls", [time for one in scene.calls for time in (one.start, one.end)])
    yield from _span("sends", [one.time for one in scene.sends])
    yield from _span("the ZooKeeper history", [write.time for write in scene.writes])
    yield from _span(CHANNEL, [step.message.time for step in scene.channel.timeline])


def _span(what: str, times: Sequence[int]) -> Iterator[_Span]:
    if times:
        yield _Span(what, min(times), max(times))
