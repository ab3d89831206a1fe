"""
Lines of a broker's log have one of three layouts (channel.13.1), each with its own head.

- text, 3.0 to 4.0.x: ``2026-11-21T00:18:19,896+0000 [thread] INFO  logger - message``;
- text of the 5.0 line: the same, with its attributes `` {k=v, k2=v2}`` at the end, for ``log_values.split_attributes``;
- JSON: one object per line, in a layout of ``json_layouts``.
"""

import re
import sys
from functools import lru_cache
from typing import NamedTuple

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.json_layouts import LOGGER_NAMES
from oneowner.checkers.recordings.read.log_times import TIME


class Tail(NamedTuple):
    """The last line of a file that a running broker wrote, whatever its logger: the process was live then."""

    origin: Origin
    time: int
    raw: bytes

    @property
    def text(self) -> str:
        return text_of(self.raw.rstrip())[:300]


class LogLine(NamedTuple):
    """One line of a log, with its continuation."""

    origin: Origin
    number: int
    """Its line within the file."""
    time: int
    level: str
    logger: str
    thread: str
    message: str
    """Its first line; in the text of the 5.0 line its attributes are still at its end."""
    attributes: dict[str, str] | None
    """Those of the JSON layout of the 5.0 line; None in text, and in other JSON."""
    more: list[bytes]
    """The lines that continue it."""


class ChunkRead(NamedTuple):
    """The properties of a chunk of a log that was read, whatever the content of its lines."""

    number: int
    lines: int
    is_blank: bool
    """True if it holds no line, or only blank ones."""
    unreadable: tuple[tuple[int, str], ...]
    """The lines that could not be read at all, with the reason."""


class BrokenLine(NamedTuple):
    """A line that cannot be trusted."""

    number: int
    why: str


_LEVELS = rb"(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)"
HEAD = re.compile(TIME + rb" \[(.*?)\] (" + _LEVELS + rb") +(\S+) - ", re.DOTALL)
_BEGINS = TIME + rb" \[[^\]\n]*\] " + _LEVELS + rb" +\S+ - "
SECOND = re.compile(rb"(?<=[^\n])" + _BEGINS)
"""A head within a line: a writer was killed there, or two wrote at once."""
LINE = re.compile(
    _BEGINS + rb'|\{\s*\\?"(?!(?:[^\n]*[{,]\s*")?log"\s*:\s*")(?=[^\n]*\\?"' + LOGGER_NAMES + rb'\\?"\s*:)'
)
"""The beginning of a line after any prefix; also of a JSON layout, which Docker escapes once more."""


def text_of(raw: bytes) -> str:
    """Return a line, or a part of one, as text."""
    return raw.decode("utf-8", "replace")


@lru_cache(maxsize=16_384)  # units, brokers, threads, loggers are few
def name_of(raw: bytes) -> str:
    """Return a name that many lines have, as text."""
    return sys.intern(text_of(raw))
