"""
What a law of evidence is: a name, a sentence, what it needs, and a function of the scene.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from oneowner.checkers.recordings.read.events import NOWHERE, Cite, Finding, Origin, Severity, Window
from oneowner.checkers.recordings.read.observations import Call, Lookup, NodeWrite, Poll, Said, Send, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso, lasting
from oneowner.model.channel.record import Record, is_absent

Seen = Said | Lookup | Poll | Call | Send | NodeWrite | Step
"""What can be shown as evidence."""


@dataclass(slots=True)
class Judged:
    """What a law has to say about a scene."""

    exercised: int = 0
    """How often it could have been broken."""
    findings: list[Finding] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    """Why it cannot be said to hold even if nothing was found: an ambiguous join, a cap that was hit."""


LONG = 1_000
"""Milliseconds from which on the end of an answer is told, too: it is what proves something."""

CLUSTER = (Source.LOGS, Source.LOOKUPS, Source.POLLS, Source.ZOOKEEPER)
"""What tells who lives, is registered and answers."""
BOUNDARIES = (Source.BUNDLES, Source.ZOOKEEPER)
"""What tells in which unit a topic lies, beside the channel."""


class Law(NamedTuple):
    """One law; it is not asked where something of ``needs`` is missing, and then unknown for itself."""

    name: str
    statement: str
    needs: tuple[Source, ...]
    judge: Callable[[Scene], Judged]
    uses: tuple[Source, ...] = ()
    """What else it reads where it is there: damaged, it makes the law unknown, too. ``one_of`` is among it."""
    one_of: tuple[Source, ...] = ()
    """Of these, too, one must be there."""
    decides: bool = True
    """Whether it can be broken. A report cannot: it warns, notes or doubts, and no run is valid for its sake."""


def finding(
    law: str,
    severity: Severity,
    why: str,
    evidence: Iterable[Seen],
    *,
    unit: str | None = None,
    brokers: Iterable[str] = (),
    step: Step | None = None,
    window: Window | None = None,
    time: int | None = None,
    guard: str = "",
    repair: str = "",
    upstream: str = "",
) -> Finding:
    """
    Return a finding: one sentence, and the lines that prove it (never none).

    It stands at *step*, if it is about a record, else at its first line. *repair* is the nearest legal alternative;
    *upstream* the known bug that it looks like, such as ``looks like #25379, fixed in 4.0.7``.
    """
    shown = list(evidence)
    cites = tuple(cite(seen) for seen in shown)
    assert cites, f"{law}: a finding without evidence"
    origin = step.message.origin if step is not None else cites[0].origin
    held = None if step is None or is_absent(step.held) else step.held
    return Finding(
        law, severity, unit, NOWHERE if step is None else step.message.position, origin,
        None if step is None else step.message.message_id, cites[0].time if time is None else time,
        tuple(dict.fromkeys(brokers)), why, held, None if step is None else _record(step), guard or law, repair,
        cites, window, upstream,
    )  # fmt: skip


def cite(seen: Seen) -> Cite:
    """Return a piece of evidence as findings carry it: where, when, and what it says in one line."""
    if isinstance(seen, Step):
        message = seen.message
        verdict = "accepted" if seen.refused is None else f"refused by {seen.refused.rule}"
        what = "tombstone" if message.printed is None else str(message.record)
        return Cite(message.origin, message.message_id, message.time, f"{message.key} {what}: {verdict}")
    if isinstance(seen, Said):
        return Cite(seen.origin, None, seen.time, f"{seen.broker}: {seen.text}")
    if isinstance(seen, Lookup):
        answer = seen.answer or (f"redirect to {seen.redirect}" if seen.redirect else f"{seen.status} {seen.error}")
        took = seen.end - seen.start
        late = f", after {lasting(took)}, at {iso(seen.end)}" if took > LONG else ""
        return Cite(seen.origin, None, seen.start, f"lookup of {seen.topic} at {seen.asked}: {answer}{late}")
    if isinstance(seen, Poll):
        words = f"{seen.broker} says that it owns {len(seen.claims)} bundles, leader {seen.leader}"
        return Cite(seen.origin, None, seen.start, words)
    if isinstance(seen, Call):
        words = f"{seen.action} at {seen.asked}: {seen.status} {seen.result}"
        return Cite(seen.origin, None, seen.start, " ".join(words.split()))
    if isinstance(seen, Send):
        return Cite(seen.origin, None, seen.time, f"send to {seen.topic}: {seen.result}")
    words = f"{seen.op} {seen.path} by session {seen.session}"
    return Cite(seen.origin, f"zxid:{seen.zxid}", seen.time, words)


def _record(step: Step) -> Record | None:
    return None if step.message.printed is None else step.message.record


def at(seen: Seen) -> Origin:
    """Return where something was read."""
    return seen.message.origin if isinstance(seen, Step) else seen.origin
