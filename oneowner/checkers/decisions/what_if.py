"""
The smallest changes of loads and settings, each alone, that turn a decision.

A decision is taken as a function, and asked again with one number of its input changed: a little at first, then more,
until it decides otherwise; the change is then halved until three digits of it are known. What is not found that way
may exist: a decision need not be monotone.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

Row = Mapping[str, Any]
Decide = Callable[[Row], Sequence[str]]
"""Return the decision for a snapshot: a line for each move."""
At = tuple[str | int, ...]
"""The path of a number, such as ``("brokers", 0, "load")``."""

SHARES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 5.0, 10.0)
"""The steps by which a number is changed, as parts of its scale."""
HALVINGS: Final = 10
NOT_CHANGED: Final = frozenset({"id", "available", "updatedAt"})


class Turn(NamedTuple):
    """A change of one value that turns the decision."""

    name: str
    """The changed value: a key of broker.conf, or a field with its broker."""
    before: Any
    after: Any
    share: float
    """The change as a share of the scale: the largest value of that field, or the value itself; 1 for a switch."""
    decided: tuple[str, ...]
    """The decision after the change."""


def turns(row: Row, decide: Decide, defaults: Mapping[str, Any], most: int = 5) -> list[Turn]:
    """
    Return the changes that turn the decision for a snapshot: *most* of settings, then *most* of what brokers report.

    Of either kind the smallest comes first.

    *defaults* are the settings that the decision reads, with the values that they have if the snapshot is silent. A
    decision that raises ValueError or KeyError for a changed input has no answer to it, and is not turned by it.
    """
    full = {**row, "conf": {**defaults, **(row.get("conf") or {})}}
    decided = tuple(decide(full))
    found = [turn for knob in knobs(full, defaults) if (turn := turned(full, decide, decided, knob)) is not None]
    found.sort(key=lambda turn: (turn.share, turn.name))
    settings = [turn for turn in found if turn.name in defaults]
    return settings[:most] + [turn for turn in found if turn.name not in defaults][:most]


class Knob(NamedTuple):
    """A value that can be changed."""

    at: At
    name: str
    value: Any
    scale: float
    whole: bool


def knobs(row: Row, defaults: Mapping[str, Any]) -> Iterator[Knob]:
    """Yield every setting that the shedder reads, and every load value of a broker."""
    for key, default in defaults.items():
        value = row["conf"][key]
        if isinstance(default, bool):
            yield Knob(("conf", key), key, str(value).strip().lower() == "true", 1.0, True)
        elif isinstance(default, (int, float)):
            yield Knob(("conf", key), key, float(value), abs(float(value)) or 1.0, float(default).is_integer())
    brokers: Sequence[Row] = row["brokers"]
    for number, broker in enumerate(brokers):
        place: At = ("brokers", number)
        yield Knob((*place, "available"), f"available of {broker['id']}", broker.get("available", True), 1.0, True)
        for field, at, value in numbers_of(broker):
            others = [abs(told) for other in brokers for name, _, told in numbers_of(other) if name == field]
            scale = max(others) or 1.0
            yield Knob((*place, *at), f"{field} of {broker['id']}", value, scale, isinstance(value, int))


def numbers_of(broker: Row) -> Iterator[tuple[str, At, float]]:
    """Yield the load values of a broker: name, path, value; for a pair (usage, limit) the usage."""
    for field, value in broker.items():
        if field in NOT_CHANGED or isinstance(value, bool):
            continue
        if isinstance(value, (int, float)):
            yield field, (field,), value
        elif isinstance(value, list) and len(value) == 2 and all(isinstance(one, (int, float)) for one in value):
            yield field, (field, 0), value[0]


def turned(row: Row, decide: Decide, decided: tuple[str, ...], knob: Knob) -> Turn | None:
    """Return the smallest change of one value, up or down, that turns the decision; None: none was found."""

    def answer(value: Any) -> tuple[str, ...]:
        try:
            return tuple(decide(changed(row, knob.at, value)))
        except (ValueError, KeyError, ArithmeticError):
            return decided

    if isinstance(knob.value, bool):
        other = answer(not knob.value)
        return None if other == decided else Turn(knob.name, knob.value, not knob.value, 1.0, other)
    last = 0.0
    for share in SHARES:
        for sign in (-1, 1):
            value = shifted(knob, sign * share)
            if value is not None and answer(value) != decided:
                found = nearest(knob, sign * last, value, decided, answer)
                return Turn(knob.name, knob.value, found, abs(found - knob.value) / knob.scale, answer(found))
        last = share
    return None


def nearest(knob: Knob, share: float, value: float, decided: Any, answer: Callable[[Any], Any]) -> float:
    """Return a value that turns the decision, as near as may be to the one at *share*, which does not."""
    keeps = knob.value + share * knob.scale
    for _ in range(HALVINGS):
        middle = (keeps + value) / 2
        middle = round(middle) if knob.whole else float(f"{middle:.4g}")
        if middle in (keeps, value):
            break
        if answer(middle) == decided:
            keeps = middle
        else:
            value = middle
    return value


def shifted(knob: Knob, share: float) -> float | None:
    """Return the value of a knob changed by a share of its scale; None: below zero, or no change at all."""
    value = knob.value + share * knob.scale
    value = round(value) if knob.whole else float(f"{value:.6g}")
    return value if value >= 0 and value != knob.value else None


def changed(row: Row, at: At, value: Any) -> Row:
    """Return a copy of a snapshot with another value at one place."""
    other = copy.deepcopy(dict(row))
    place: Any = other
    for step in at[:-1]:
        place = place[step]
    place[at[-1]] = value
    return other
