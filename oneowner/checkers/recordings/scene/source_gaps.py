"""Sources that lie hours apart are not of one run: each gap between the times that they cover is a doubt."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.observations import moments_of
from oneowner.checkers.recordings.scene.packed_logs import times_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso, lasting

APART: Final = 3_600_000
"""Milliseconds without any record between two sources that make them two recordings."""
CHANNEL: Final = "the channel"


class _Span(NamedTuple):
    what: str
    since: int
    until: int


def gaps_between_sources(scene: Scene) -> Iterator[str]:
    """
    Yield the gaps of an hour or more between the times that some sources cover and those of all others.

    A judgement by both means nothing. But a channel may be silent for days before anything else begins.
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
    """Yield the time that each source covers, from its first to its last moment."""
    for broker, own in scene.said.items():
        yield from _span(f"the log of {broker}", times_of(own))
    yield from _span("lookups", moments_of(scene.lookups))
    yield from _span("polls", moments_of(scene.polls))
    yield from _span("admin calls", moments_of(scene.calls))
    yield from _span("sends", moments_of(scene.sends))
    yield from _span("the ZooKeeper history", [write.time for write in scene.writes])
    yield from _span(CHANNEL, scene.channel.timeline.span())


def _span(what: str, times: Sequence[int]) -> Iterator[_Span]:
    if times:
        yield _Span(what, min(times), max(times))
