"""Brokers that mishandled one record are accused together, by a few of their lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from oneowner.checkers.recordings.laws.scene_law import LawOutcome, added
from oneowner.checkers.recordings.laws.views.joined_lines import Joined
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.unsure_records import unsure

MOST_LINES: Final = 6
"""Lines that a finding shows where it stands for many."""


class Handled(NamedTuple):
    """The handling of records by some views, and a few lines of each wrong one, by place."""

    judged: LawOutcome
    broken: dict[int, Accused]


class Accused(NamedTuple):
    """The brokers that did so with one record, in the order of their lines."""

    brokers: tuple[str, ...]
    lines: tuple[LogEvent, ...]
    """The first and the last."""


def accused(broken: dict[int, list[Joined]]) -> dict[int, Accused]:
    """Return the brokers accused by lines, and a few of these, by place of the record."""
    return {
        place: Accused(
            tuple(dict.fromkeys(joined.said.broker for joined in lines)), tuple(few([one.said for one in lines]))
        )
        for place, lines in broken.items()
    }


def told_of_accused(
    tell: Callable[[Scene, Step, Accused], Finding], scene: Scene, parts: Sequence[Handled]
) -> LawOutcome:
    """Return the outcome for all parts: each record once, for any number of brokers."""
    judged, timeline = added(part.judged for part in parts), scene.channel.timeline
    unknown = scene.of_run(unsure)
    for place in sorted({place for part in parts for place in part.broken}):
        if place in unknown:
            judged.doubts.append(f"the dump begins too late to know whether {timeline[place].message_id} was refused")
            continue
        ones = [part.broken[place] for part in parts if place in part.broken]
        brokers = tuple(dict.fromkeys(broker for one in ones for broker in one.brokers))
        shown = tuple(few([line for one in ones for line in one.lines]))
        judged.findings.append(tell(scene, timeline[place], Accused(brokers, shown)))
    return judged


def few(lines: Sequence[LogEvent]) -> list[LogEvent]:
    """Return the first and the last of many lines; of some few together, those of all."""
    half = MOST_LINES // 2
    return [*lines] if len(lines) <= MOST_LINES else [*lines[:half], *lines[-half:]]


def in_words(names: Sequence[str]) -> str:
    """
    Return names as a sentence has them.

    >>> in_words(["b1", "b2", "b3"])
    'b1, b2 and b3'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def says(said: LogEvent) -> str:
    """Return a line as a sentence names it."""
    return f"{said.broker} says {said.text[:160]!r}"
