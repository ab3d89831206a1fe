"""A decision so small that all of its inputs can be written down: pairs, and their sum."""

from dataclasses import dataclass
from typing import Any

from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose, Decision, InputLaw, Thrown
from oneowner.model.kernel.law import LawKind, Status


@dataclass(frozen=True, slots=True)
class Most(Bounds):
    """The largest numbers of the inputs."""

    most: int = size(2, "the greatest number")


def ascending(choose: Choose, sizes: Most) -> tuple[int, ...]:
    """Return up to two numbers in order."""
    numbers: list[int] = []
    for _ in range(choose(0, 2)):
        numbers.append(choose(numbers[-1] if numbers else 0, sizes.most))
    return tuple(numbers)


def add(numbers: tuple[int, ...]) -> int | Thrown:
    """Return the sum; of none there is none."""
    return sum(numbers) if numbers else Thrown("IllegalArgumentException", "no number")


SUM = Decision(
    "toys/sum",
    "The sum of up to two numbers",
    Most,
    ascending,
    add,
    (
        InputLaw(
            "sum-of-one",
            "Of one it is that one.",
            "",
            lambda n, _: len(n) == 1,
            lambda n, s: bool(s == n[0]),
            kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "sum-is-even",
            "It is even.",
            "",
            lambda n, _: bool(n),
            lambda _, s: s % 2 == 0,
            Status.DOCUMENTED,
            kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "never-asked", "There are three.", "", lambda n, _: len(n) == 3, lambda *_: False, kind=LawKind.PROTOCOL
        ),
    ),
    lambda row: tuple(row["numbers"]),
)
ALL: list[Any] = [(), (0,), (1,), (2,), (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
"""All inputs of the sizes that it has by default, in the order in which they are drawn."""
