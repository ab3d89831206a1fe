"""``judge`` applies the laws of a decision to many inputs, and finds answers that differ from the original's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oneowner.model.kernel.decision import Decision

TOLD_EVERY = 20_000
"""So many inputs are judged between two words of progress."""


@dataclass(slots=True)
class Tally:
    """The tally of one law over many inputs."""

    exercised: int = 0
    """On how many inputs it could have failed."""
    broken_by: tuple[Any, Any] | None = None
    """The first input that breaks it, and the answer."""


@dataclass(slots=True)
class Judgement:
    """The findings of many inputs."""

    decision: Decision
    laws: Mapping[str, Tally]
    inputs: int = 0
    stopped: str = ""
    """The reason that not all inputs were judged; empty if all were."""
    seconds: float = 0.0


def judge(
    decision: Decision,
    inputs: Iterable[Any],
    names: Sequence[str] = (),
    most: int | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Judgement:
    """Judge the answers to *inputs*, or to *most* of them, by all laws or by those that are named."""
    started = time.monotonic()
    laws = [law for law in decision.laws if not names or law.name in names]
    judgement = Judgement(decision, {law.name: Tally() for law in laws})
    pairs = [(law, judgement.laws[law.name]) for law in laws]
    for given in inputs:
        if judgement.inputs == most:
            judgement.stopped = f"{most:,} inputs"
            break
        judgement.inputs += 1
        answer = decision.decide(given)
        for law, tally in pairs:
            if law.when(given, answer):
                tally.exercised += 1
                if tally.broken_by is None and not law.holds(given, answer):
                    tally.broken_by = given, answer
        if on_progress is not None and judgement.inputs % TOLD_EVERY == 0:
            on_progress(f"{judgement.inputs:,} inputs")
    judgement.seconds = time.monotonic() - started
    return judgement


def differences(decision: Decision, facts: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield where the answers are not those of the original: facts are plain data, with ``input`` and ``answer``."""
    for fact in facts:
        given = decision.read(fact["input"])
        answer = decision.told(decision.decide(given))
        if answer != fact["answer"]:
            yield f"{in_words(decision, given)} is {answer}; the original answers {fact['answer']}"


def in_words(decision: Decision, given: Any) -> str:
    """Return an input as a call of its decision, as in ``find-bundle(namespace=(0, 8), point=3)``."""
    words = shown(given)
    return decision.name.rpartition("/")[2] + (words if words.startswith("(") else f"({words})")


def shown(value: Any) -> str:
    """
    Return an input in words: of a record without the fields that have their default.

    >>> shown(((1, 2), 3))
    '((1, 2), 3)'
    """
    if not isinstance(value, tuple):
        return str(value)
    if not hasattr(value, "_fields"):
        return f"({', '.join(map(shown, value))}{',' if len(value) == 1 else ''})"
    defaults: Mapping[str, Any] = getattr(value, "_field_defaults", {})
    if not defaults and not str(value).startswith(f"{type(value).__name__}("):
        return str(value)  # it has words of its own
    pairs = zip(value._fields, value, strict=True)
    told = [f"{name}={shown(part)}" for name, part in pairs if part != defaults.get(name, ...)]
    return f"({', '.join(told)})"
