"""
Actions that the lines of a broker's log show, by the binding table.

Lines are judged in their order; each process of the broker begins anew.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from oneowner.checkers.ledger.binding import CHANNEL, NAMED, Condition, Statement, Words, bindings, pattern_of
from oneowner.checkers.recordings.read.log_patterns import class_of


class Line(NamedTuple):
    """One line of a broker's log."""

    cls: str
    message: str
    event: str
    """The id of its row in the table of log lines; empty if it has none."""
    values: Mapping[str, Any]
    time: int = 0


STARTING: Final = "broker-starting"
"""The first statement of a process."""


def shown_by(lines: Iterable[Line], broker: str, system: str = CHANNEL) -> Iterator[tuple[str, Statement]]:
    """Yield each action that a line of *broker*'s log shows, with the statement, in the order of the lines."""
    statements = _statements(system)
    for number, printed in enumerate(_processes(lines)):
        process = _Process(broker, printed, system)
        for place, line in enumerate(printed):
            shown = [
                (action, statement)
                for key in (line.event, line.cls)
                for action, statement in statements.get(key, ())
                if (number > 1 or not statement.again) and process.shows(statement, place)
            ]
            yield from shown
            process.add(line, {action for action, _ in shown})


def _processes(lines: Iterable[Line]) -> list[list[Line]]:
    """Return the lines of each process; the first part is that of one whose start the log does not have."""
    found: list[list[Line]] = [[]]
    for line in lines:
        if line.event == STARTING:
            found.append([])
        found[-1].append(line)
    return found


class _Process:
    """The lines of one process of *broker*, and those so far that statements of the table depend on."""

    def __init__(self, broker: str, lines: Sequence[Line], system: str) -> None:
        self._broker, self._lines, self._system = broker, lines, system
        self._before = defaultdict[Condition, list[Line]](list)
        self._last: dict[tuple[str, Any], Line] = {}
        """The last line of a row and a unit."""

    def shows(self, statement: Statement, place: int) -> bool:
        """Return whether the line in a *place* is a statement, by its words, its values and the lines around it."""
        line = self._lines[place]
        return (
            self._is(statement.words, line)
            and all(self._holds(one, statement, line) for one in statement.after)
            and not any(self._holds(one, statement, line) for one in statement.unless)
            and (not statement.leap or self._leaps(statement.leap, line))
            and self._lines[-1].time - line.time >= 1000 * statement.goes_on
            and not any(later.event in statement.never for later in self._lines[place + 1 :])
        )

    def add(self, line: Line, actions: set[str]) -> None:
        """Add *line*, which shows *actions*."""
        for ended in _ended_by(self._system).get(line.event, ()):
            self._before.pop(ended, None)
        for name in (line.event, line.cls, *actions):
            for condition in _conditions(self._system).get(name, ()):
                if condition.words is None or self._is(condition.words, line):
                    self._before[condition].append(line)
        self._last[line.event, line.values.get("unit")] = line

    def _is(self, words: Words, line: Line) -> bool:
        if words.event:
            return all(self._has(line.values.get(field), value) for field, value in words.where)
        found = re.search(pattern_of(words.text), line.message)
        return found is not None and all(self._has(found[int(number)], value) for number, value in words.where)

    def _has(self, found: Any, wanted: str) -> bool:
        """Return whether the value of a field is as a declaration demands."""
        if wanted in NAMED:
            return wanted == ("none" if found is None else "self" if found == self._broker else "other")
        return re.fullmatch(wanted, str(getattr(found, "record", found))) is not None

    def _holds(self, condition: Condition, statement: Statement, line: Line) -> bool:
        return any(
            all(_is_in(line.values.get(field), before.values.get(other)) for field, other in statement.same)
            for before in self._before.get(condition, ())
        )

    def _leaps(self, field: str, line: Line) -> bool:
        """Return whether the version of the record in *line* is no successor of the unit's last one."""
        before = self._last.get((line.event, line.values.get("unit")))
        held, version = (_version_in(one.values.get(field)) if one else None for one in (before, line))
        return held is not None and version is not None and version > held + 1


def _is_in(value: Any, others: Any) -> bool:
    return value in others if isinstance(others, (tuple, list)) else bool(value == others)


def _version_in(value: Any) -> int | None:
    """Return the version of a printed record; None for a deletion."""
    version: int | None = getattr(getattr(value, "record", value), "version", None)
    return version


@cache
def _statements(system: str) -> dict[str, list[tuple[str, Statement]]]:
    """Return the statements of every action, and of those that are the same event, by their row or class."""
    every = bindings(system)
    return _grouped(
        ((name, statement), _key(statement.words))
        for name, binding in every.items()
        for one in (name, *binding.same_as)
        for statement in every[one].statements
    )


@cache
def _conditions(system: str) -> dict[str, list[Condition]]:
    """Return the conditions of all statements, by their row, class or action."""
    return _grouped((one, one.action or _key(one.words)) for one in _every_condition(system) if one.action or one.words)


@cache
def _ended_by(system: str) -> dict[str, list[Condition]]:
    """Return the conditions that a row of the table of log lines ends."""
    return _grouped((one, event) for one in _every_condition(system) for event in one.until)


def _every_condition(system: str) -> dict[Condition, None]:
    statements = [one for binding in bindings(system).values() for one in binding.statements]
    return dict.fromkeys(condition for one in statements for condition in (*one.after, *one.unless))


def _key(words: Words | None) -> str:
    return "" if words is None else words.event or class_of(words.cls)


def _grouped(pairs: Iterable[tuple[Any, str]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for one, key in pairs:
        found.setdefault(key, []).append(one)
    return found


def every_words(system: str) -> list[Words]:
    """Return the statements of the table, and those before them that it names."""
    words = [one.words for binding in bindings(system).values() for one in binding.statements]
    return list(dict.fromkeys([*words, *(one.words for one in _every_condition(system) if one.words)]))


@cache
def classes(system: str) -> frozenset[str]:
    """Return the classes of the statements that are named by their words."""
    return frozenset(class_of(one.cls) for one in every_words(system) if one.cls)
