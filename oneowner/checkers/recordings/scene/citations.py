"""Citations show the evidence of a law: its place, its time, and its text in one line."""

from oneowner.checkers.recordings.read.events import Cite, Origin
from oneowner.checkers.recordings.read.observations import Call, LogEvent, Lookup, NodeWrite, Operation, Poll, Send
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.times import iso, lasting

Citable = LogEvent | Operation | NodeWrite | Step
"""The types that can be shown as evidence."""

LONG = 1_000
"""Milliseconds from which on the end of an answer is shown, too: the end is the proof."""


def cite(seen: Citable) -> Cite:
    """Return a piece of evidence as findings carry it: its place, its time, and its text in one line."""
    if isinstance(seen, Step):
        verdict = "accepted" if seen.refused is None else f"refused by {seen.refused.rule}"
        what = "tombstone" if seen.is_tombstone else str(seen.record)
        return Cite(seen.origin, seen.message_id, seen.time, f"{seen.key} {what}: {verdict}")
    if isinstance(seen, LogEvent):
        return Cite(seen.origin, None, seen.time, f"{seen.broker}: {seen.text}")
    if isinstance(seen, Lookup):
        answer = seen.answer or (
            f"redirect to {seen.redirect}" if seen.redirect else f"{seen.status or 'no answer:'} {seen.error}"
        )
        took = seen.end - seen.start
        late = f", after {lasting(took)}, at {iso(seen.end)}" if took > LONG else ""
        return Cite(seen.origin, None, seen.start, f"lookup of {seen.topic} at {seen.asked}: {answer}{late}")
    if isinstance(seen, Poll):
        words = f"{seen.asked} says that it owns {len(seen.claims)} bundles, leader {seen.leader}"
        return Cite(seen.origin, None, seen.start, words)
    if isinstance(seen, Call):
        words = f"{seen.action} at {seen.asked}: {seen.status} {seen.result}"
        return Cite(seen.origin, None, seen.start, " ".join(words.split()))
    if isinstance(seen, Send):
        return Cite(seen.origin, None, seen.start, f"send to {seen.topic}: {seen.result}")
    words = f"{seen.op} {seen.path} by session {seen.session}"
    return Cite(seen.origin, f"zxid:{seen.zxid}", seen.time, words)


def origin_of(seen: Citable) -> Origin:
    """Return the place at which evidence was read."""
    return seen.origin
