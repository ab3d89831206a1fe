"""
The events of a text: a line with a time or a level, and the lines that belong to it.

No layout is required. Whatever stands before the message is looked through for a time, a level and the name of a class,
in full, abbreviated (``o.a.p.b.n.NamespaceService``) or with a line (``NamespaceService:577``).
"""

import re
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import Final

from oneowner.checkers.bugs.signature import squeezed

_HEAD: Final = 400
"""The letters in which time, level and class are sought."""
_LEVEL: Final = r"TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|SEVERE|FATAL|[DIWEF](?= *[|\]])"
LEVEL: Final = re.compile(rf"(?<![\w.$-])({_LEVEL})(?![\w.$=-])")
_BEGIN: Final = re.compile(
    r"\W{0,3}(?:[\w./@:-]{1,80} ){0,3}?\W{0,2}"
    r"(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,]\d{3}|\d\d? [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d"
    r"|\d{2}/[A-Z][a-z]{2}/\d{4}:\d\d|[A-Z][a-z]{2} [ \d]\d,? (?:\d{4},? )?\d\d:\d\d:\d\d"
    rf"|(?:{_LEVEL})[\s:\]])"
)
_DATED: Final = re.compile(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?\s?(Z|UTC|[+-]\d\d:?\d\d)?"
)
_CLOCK: Final = re.compile(r"(?<![\d:])(\d\d):(\d\d):(\d\d)[.,](\d{3})")
_STRUCTURE: Final = re.compile(
    r"\s*(?:at [\w.$/@<>~-]+\(|\.\.\. \d+ (?:more|common)|Caused by|Suppressed|[\w.$]+(?:Exception|Error)\b)"
)
CLASS: Final = re.compile(
    r"(?<![\w/])(?:[a-z][\w$]*\.)+((?:[A-Z][\w]*)(?:\$\w+)*)(?![\w(.]|:/)|(?<![\w./$])([A-Z][A-Za-z]+[a-z])(?=[:@]\d+\b)"
)
_MIDNIGHT: Final = 12 * 3_600_000


def begins(line: str) -> bool:
    """
    Return whether a line begins an event: it has a time or a level at its beginning.

    >>> begins("14:37:37.641 [x] WARN  o.a.A - b"), begins("\\tat a.B.c(B.java:1)"), begins("pod | 2021-11-09 14:37:37")
    (True, False, True)
    """
    return _BEGIN.match(line) is not None


def is_structure(line: str) -> bool:
    """Return whether a line is a part of a stack trace, and no rest of a line that was wrapped."""
    return _STRUCTURE.match(line) is not None


class Event:
    """A line of a log with the lines that belong to it."""

    def __init__(self, file: str, number: int, lines: list[str], log: str = "") -> None:
        self.file = file
        self.log = log or file
        """The log that it is of: a file may hold the lines of several."""
        self.number = number
        """The number of its first line, from 1."""
        self.lines = lines

    @cached_property
    def body(self) -> str:
        """Its text without white space; a line of a stack trace begins after a line break."""
        parts: list[str] = []
        for line in "\n".join(self.lines).split("\n"):
            if parts and not is_structure(line):
                parts[-1] += f"\n{line}"
            else:
                parts.append(line)
        return "\n".join(map(squeezed, parts))

    @cached_property
    def message(self) -> str:
        """Its body without the frames of a stack trace."""
        return "\n".join(line for line in self.body.split("\n") if not line.startswith("at"))

    @cached_property
    def head(self) -> str:
        """The beginning of its first line."""
        return self.lines[0][:_HEAD]

    @cached_property
    def level(self) -> str:
        """Its level, such as WARN, or an empty text."""
        found = LEVEL.search(self.head)
        return found[1] if found else ""

    @cached_property
    def logger(self) -> str:
        """The simple name of the class that logged it, or an empty text."""
        found = CLASS.search(self.head)
        return (found[1] or found[2]).partition("$")[0] if found else ""

    @cached_property
    def moment(self) -> int | None:
        """Its time: milliseconds since the epoch, or since midnight for a time without a date; None without a time."""
        return moment_of(self.head)


def moment_of(head: str) -> int | None:
    """
    Return the time in the beginning of a line, in milliseconds; a time without a zone is taken for UTC.

    >>> moment_of("2024-02-05T10:02:23,199+0000 [x]"), moment_of("2024-02-05 18:02:23.199 +0800 [x]")
    (1707127343199, 1707127343199)
    >>> moment_of("10:02:23.199 [x]"), moment_of("WARN x")
    (36143199, None)
    """
    found = _DATED.search(head)
    if found is not None:
        return _epoch(*found.groups(default=""))
    clock = _CLOCK.search(head)
    if clock is None:
        return None
    hour, minute, second, millis = map(int, clock.groups())
    return ((hour * 60 + minute) * 60 + second) * 1000 + millis


def has_date(moment: int) -> bool:
    """Return whether a moment has a date: it is none of the first day of the epoch."""
    return moment >= 2 * _MIDNIGHT


@lru_cache(maxsize=1024)
def _epoch(year: str, month: str, day: str, hour: str, minute: str, second: str, part: str, zone: str) -> int | None:
    offset = "+00:00" if zone in ("", "Z", "UTC") else f"{zone[:3]}:{zone[-2:]}"
    try:
        at = datetime.fromisoformat(f"{year}-{month}-{day}T{hour}:{minute}:{second}{offset}")
    except ValueError:
        return None
    return int(at.astimezone(UTC).timestamp()) * 1000 + int((part + "000")[:3])
