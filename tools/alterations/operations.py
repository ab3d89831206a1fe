"""Operations change one thing in a list of lines: drop, repeat, swap, move in time, change one field."""

import copy
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

Line = Any
"""A line: an object of a JSON file, the text of a log's line."""


class Change(NamedTuple):
    """The result of an operation on some lines."""

    lines: list[Line]
    touched: tuple[Line, ...]
    """The lines that are changed, as they were and as they are."""


Operation = Callable[[Sequence[Line], int, Random], Change | None]
"""Changes the lines at a place; None if that place cannot be changed so."""


def drop(lines: Sequence[Line], at: int, chance: Random) -> Change:
    """Leave the line out."""
    return Change([*lines[:at], *lines[at + 1 :]], (lines[at],))


def repeat(lines: Sequence[Line], at: int, chance: Random) -> Change:
    """Write the line twice."""
    return Change([*lines[: at + 1], lines[at], *lines[at + 1 :]], (lines[at],))


def swap(lines: Sequence[Line], at: int, chance: Random) -> Change | None:
    """Swap the line and the one after it."""
    if at + 1 >= len(lines) or lines[at] == lines[at + 1]:
        return None
    return Change([*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]], (lines[at], lines[at + 1]))


def swap_all_but(*kept: str) -> Operation:
    """Swap the line and the one after it, except for the fields that number and time them."""

    def swapped(lines: Sequence[Line], at: int, chance: Random) -> Change | None:
        if at + 1 >= len(lines):
            return None
        one, other = lines[at], lines[at + 1]
        before, after = ({**new, **{k: old[k] for k in kept}} for old, new in ((one, other), (other, one)))
        return None if before == one else Change([*lines[:at], before, after, *lines[at + 2 :]], (one, other))

    return swapped


def move(by: int, *fields: str) -> Operation:
    """Move the line's times by so many milliseconds."""

    def moved(lines: Sequence[Line], at: int, chance: Random) -> Change | None:
        times = {name: lines[at][name] + by for name in fields if isinstance(lines[at].get(name), int)}
        return _with(lines, at, {**lines[at], **times}) if times else None

    return moved


def change(path: str, to: Callable[[Any, Sequence[Any], Random], Any]) -> Operation:
    """
    Change one field, such as ``value.state``, by the function *to*.

    *to* is given the value, all others that the field has in the file, and chance.
    """
    *outer, name = path.split(".")

    def changed(lines: Sequence[Line], at: int, chance: Random) -> Change | None:
        held = [value for line in lines if (value := _inner(line, outer)) is not None and name in value]
        own = _inner(lines[at], outer)
        if own is None or name not in own:
            return None
        others = sorted({repr(one[name]): one[name] for one in held if one[name] != own[name]}.items())
        new = to(own[name], [value for _, value in others], chance)
        if new == own[name]:
            return None
        line = copy.deepcopy(lines[at])
        inner = _inner(line, outer)
        assert inner is not None  # it is there, as in the original
        inner[name] = new
        return _with(lines, at, line)

    return changed


def _inner(line: Line, outer: Sequence[str]) -> dict[str, Any] | None:
    for name in outer:
        line = line.get(name)
        if not isinstance(line, dict):
            return None
    return line


def _with(lines: Sequence[Line], at: int, line: Line) -> Change:
    return Change([*lines[:at], line, *lines[at + 1 :]], (lines[at], line))


# ---- what a field is changed to ----


def another(value: Any, others: Sequence[Any], chance: Random) -> Any:
    """Return another value that the field has elsewhere in the file, or the same one if it has none."""
    fitting = [other for other in others if type(other) is type(value)]
    return chance.choice(fitting) if fitting else value


def added(by: int) -> Callable[[Any, Sequence[Any], Random], Any]:
    """Return the number and *by*."""
    return lambda value, others, chance: value + by if isinstance(value, int) else value


def negated(value: Any, others: Sequence[Any], chance: Random) -> Any:
    """Return the other truth value."""
    return not value


def always(new: Any) -> Callable[[Any, Sequence[Any], Random], Any]:
    """Return *new*, whatever it was."""
    return lambda value, others, chance: new


def without_one(value: Any, others: Sequence[Any], chance: Random) -> Any:
    """Return the list without one of its units."""
    units = [one for one in value or () if "0x00000000_0xffffffff" not in one]
    left_out = chance.choice(units) if units else None
    return [one for one in value if one != left_out] if units else value


def next_entry(value: Any, others: Sequence[Any], chance: Random) -> Any:
    """Return the message id with another entry, which no message has."""
    ledger, entry, *rest = value.split(":")
    return ":".join((ledger, str(int(entry) + 100_000), *rest))


def another_record(value: Any, others: Sequence[Any], chance: Random) -> Any:
    """Return a record of the file."""
    return chance.choice([other for other in others if other is not None])


def another_broker(value: Any, others: Sequence[Any], chance: Random) -> Any:
    """Return the text with another broker's id in place of its own, as nodes name brokers."""
    ids = _NODE_OF.findall(value)
    brokers = sorted({one for text in (value, *others) if isinstance(text, str) for one in _NODE_OF.findall(text)})
    return value.replace(ids[0], next_of(ids[0], brokers)) if ids else value


_NODE_OF = re.compile(r'(?:/brokers/|"brokerId":")([\w.-]+:\d+)')
"""The places where the path or the data of a node names a broker."""


def next_of(value: str, all_of_them: Sequence[str]) -> str:
    """Return the one that follows, the first after the last."""
    return all_of_them[(all_of_them.index(value) + 1) % len(all_of_them)]


def send_again(lines: Sequence[Line], at: int, chance: Random) -> Change:
    """Append the record to the topic once more, under a message id of its own."""
    ledger, entry = lines[-1]["messageId"].split(":")[:2]
    again = {**lines[at], "messageId": f"{ledger}:{int(entry) + 1}"}
    return Change([*lines, again], (lines[at], again))
