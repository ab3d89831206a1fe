"""Inputs of a decision, all of some sizes or random; the laws judged on them, and answers unlike the original's."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.decision import Decision


def every_input(decision: Decision, sizes: Bounds) -> Iterator[Any]:
    """Yield every input of some *sizes* in the order of its choices: by the first, then by the second, and so on."""
    chosen: list[tuple[int, int]] = []  # what was chosen, and the most that can be
    while True:
        place = iter(range(len(chosen)))

        def choose(least: int, most: int, known: Iterator[int] = place) -> int:
            check(decision, least, most)
            at = next(known, None)
            if at is None:
                chosen.append((least, most))
                return least
            return chosen[at][0]

        yield decision.draw(choose, sizes)
        while chosen and chosen[-1][0] == chosen[-1][1]:
            chosen.pop()
        if not chosen:
            return
        value, most = chosen.pop()
        chosen.append((value + 1, most))


def random_inputs(decision: Decision, sizes: Bounds, number: int, seed: int) -> Iterator[Any]:
    """Yield so many random inputs of some *sizes*; the same seed gives the same inputs."""
    random = Random(seed)

    def choose(least: int, most: int) -> int:
        check(decision, least, most)
        return random.randint(least, most)

    for _ in range(number):
        yield decision.draw(choose, sizes)


def check(decision: Decision, least: int, most: int) -> None:
    """Raise ValueError for a choice of nothing."""
    if least > most:
        raise ValueError(f"choice refused: from {least} to {most}, by {decision.name}; there is no number to choose")


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
