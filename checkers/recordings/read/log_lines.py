"""
The lines of a broker's log are cut and parsed in three layouts (channel.13.1), for the loggers that matter.

- text, 3.0 to 4.0.x: ``2026-11-21T00:18:19,896+0000 [thread] INFO  logger - message``;
- text of the 5.0 line: the same, with its attributes `` {k=v, k2=v2}`` at the end, for ``log_values.split_attributes``;
- JSON of the 5.0 line: one object per line, Timestamp, SeverityText, Body, Attributes.

What follows on a line without a head of its own (a stack trace, a dump of several lines) belongs to it. A line that is
cut short, or that starts within another, is Broken and stands for itself: neither half is trusted, but a whole line
that begins in the middle is read.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.lines import Damage, FileKind, chunks_of, read_texts
from oneowner.checkers.recordings.read.log_prefixes import Unwrapper, form_of
from oneowner.checkers.recordings.read.other_loggers import LEVELS, TIME, OtherLoggers, Run


class Tail(NamedTuple):
    """The last line of a file that a running broker wrote, whatever logger it is of: the process lived then."""

    origin: Origin
    stamp: tuple[bytes, bytes, bytes]
    raw: bytes

    @property
    def time(self) -> int:
        return time_of(*self.stamp)

    @property
    def text(self) -> str:
        return _text(self.raw.rstrip())[:300]


class LogLine(NamedTuple):
    """One line of a log, with what follows on it."""

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
    """Those of the JSON layout; None in text."""
    more: list[bytes]
    """The lines that follow on it."""


class BrokenLine(NamedTuple):
    """A line that cannot be trusted."""

    number: int
    why: str


HEAD = re.compile(TIME + rb" \[(.*?)\] (" + LEVELS + rb") +(\S+) - ", re.DOTALL)
_BEGINS = TIME + rb" \[[^\]\n]*\] " + LEVELS + rb" +\S+ - "
_SECOND = re.compile(rb"(?<=[^\n])" + _BEGINS)
"""A head within a line: a writer was killed there, or two wrote at once."""
LINE = re.compile(_BEGINS + rb'|\{\\?"(?!log":)(?=[^\n]*\\?"SeverityText\\?")')
"""Where a line begins, whatever stands before it; of the JSON layout, which Docker escapes once more, too."""
_CLOCK_WITHIN = re.compile(rb"T(?<=[^\n].{10}T)\d\d:\d\d:\d\d[.,]\d{3}[Z+-]", re.DOTALL)
"""A line may have a head that does not begin it; quick, as it begins to look at a letter."""
_BEHEADED = re.compile(rb"\.loadbalance\.[\w.$]+ - |\bServiceUnitState\w+ - ")
"""The rest of a line whose beginning is lost: a logger as only a head has it."""
_OURS = re.compile(rb"\bloadbalance\b|[sS]erviceUnit")
_JSON_LOGGER = re.compile(rb'"code\.namespace"\s*:\s*"([^"]*)"')
_JSON_THREAD = re.compile(rb'"thread\.name"\s*:\s*"([^"]*)"')
_STARTS = b"main"
"""The thread that starts a broker, and no other: an attempt to start one writes before it says that it does."""
JSON_TIME = re.compile(TIME)
_LAYOUT = ("thread.name", "thread.id", "code.namespace")
_WITHIN = "a line starts within it; its own end is lost"
_CUT = "the last line has no end"


class LogReader:
    """Reads one file of a log once."""

    def __init__(
        self, piece: int, path: str, wanted: Callable[[str], Callable[[bytes], bool] | None], source: str | None = None
    ) -> None:
        self.path = path
        self.has_heads = False
        """Whether a line has a head of a known layout."""
        self.first: int | None = None
        self.last: int | None = None
        """When the first and the last of them were written."""
        self.is_empty = True
        """Whether it holds no line, or blank ones alone."""
        self.is_ours = False
        """Whether words of the load balancer were seen before any line of a known layout."""
        self.tail: Tail | None = None
        self._piece, self._wanted, self._source = piece, wanted, source
        self._known: dict[bytes, Callable[[bytes], bool] | None] = {}
        self._others = OtherLoggers()
        self._done: list[LogLine | BrokenLine] = []
        self._held: LogLine | None = None
        self._latest: re.Match[bytes] | None = None
        self._running: tuple[Origin, re.Match[bytes]] | None = None

    def read(self) -> Iterator[LogLine | BrokenLine]:
        """Yield the lines of wanted loggers, and every broken line, in the order of the file."""
        before = 0
        wrapped: Unwrapper | None = None
        for chunk in chunks_of(0, self._piece, self.path, FileKind.LOG):
            line = 0
            for text in read_texts(chunk):
                self.is_empty = self.is_empty and isinstance(text, bytes) and text.isspace()
                if isinstance(text, Damage):
                    line += 1
                    self._broken(before + line, text.why)
                    continue
                end = text.rfind(b"\n") + 1
                if wrapped is None and not self.has_heads:
                    form = form_of(text[:end].split(b"\n"), LINE)
                    wrapped = None if form is None else Unwrapper(form, self._source)
                self.is_ours = self.is_ours or (not self.has_heads and _OURS.search(text) is not None)
                for raw, mixed in self._cut(text[:end]) if wrapped is None else _each(text[:end]):
                    if isinstance(raw, Run):
                        self._pass_over(raw, chunk.number, line)
                        line += raw.lines
                        continue
                    line += 1
                    origin, number = Origin(self._piece, chunk.number, line), before + line
                    if wrapped is not None:
                        if (whole := wrapped.line(raw, origin, number)) is None:
                            continue
                        raw, _, origin, number = whole  # noqa: PLW2901 -- the line as the broker wrote it
                    if mixed and (second := _SECOND.search(raw)) is not None:
                        self._broken(number, _WITHIN)
                        raw = raw[second.start() :]  # noqa: PLW2901 -- the line that is whole
                    self._one(raw, origin, number)
                if end < len(text):
                    line += 1
                    self._broken(before + line, _CUT)
                yield from self._done
                self._done.clear()
            before += line
        self._end()
        yield from self._done
        yield from (BrokenLine(number, _CUT) for number in (wrapped.unfinished() if wrapped is not None else ()))
        if self._latest is not None:
            self.last = time_in(self._latest)
        if self._running is not None:
            origin, stamp = self._running
            self.tail = Tail(origin, (stamp[1], stamp[2], stamp[3]), stamp.string)

    def _cut(self, text: bytes) -> Iterator[tuple[bytes | Run, bool]]:
        """Yield lines and runs of lines, and of each whether another line may begin within it."""
        at = 0
        for clock in _CLOCK_WITHIN.finditer(text):
            if (start := text.rfind(b"\n", 0, clock.start()) + 1) >= at:
                yield from ((one, False) for one in self._others.cut(text[at:start]))
                end = text.index(b"\n", start)
                yield text[start:end], True
                at = end + 1
        yield from ((one, False) for one in self._others.cut(text[at:]))

    def _pass_over(self, run: Run, chunk: int, before: int) -> None:
        """Note what lines of loggers that nobody wants tell; so many lines of the chunk are *before* them."""
        self._end()
        lines, latest = run.text.split(b"\n"), None
        for number in range(run.lines, 0, -1):
            if (head := HEAD.match(lines[number - 1])) is not None:
                latest = latest or head
                if head[4] != _STARTS:
                    self._running = Origin(self._piece, chunk, before + number), head
                    break
        self._latest = latest

    def _one(self, raw: bytes, origin: Origin, number: int) -> None:
        head = HEAD.match(raw)
        if head is not None:
            self._latest = head
            thread, logger = head.group(4, 6)
            if thread != _STARTS:
                self._running = origin, head
            if self.first is None:
                self.first = time_in(head)
            self.has_heads = True
            if self._held is not None:
                self._end()
            if logger not in self._known:
                self._known[logger] = self._wanted(_text(logger))
            if (matters := self._known[logger]) is None:
                self._others.meet(logger)
            elif matters(raw) and (time := time_in(head)) >= 0:
                self._held = LogLine(
                    origin, number, time, sys.intern(_text(head[5])), sys.intern(_text(logger)),
                    sys.intern(_text(thread)), _text(raw[head.end() :]).rstrip(), None, [],
                )  # fmt: skip
            elif time_in(head) < 0:
                self._done.append(BrokenLine(number, f"no such time: {_text(head[1])}"))
        elif raw.startswith(b"{") and b'"SeverityText"' in raw:
            self._end()
            self._object(raw, origin, number)
        elif (self.has_heads or number == 1) and b" - " in raw and _BEHEADED.search(raw) is not None:
            self._done.append(BrokenLine(number, "its beginning is lost"))
        elif self._held is not None:
            self._held.more.append(raw)

    def _object(self, raw: bytes, origin: Origin, number: int) -> None:
        """Read a line of the JSON layout (conf/OtelLogLayout.json)."""
        self.has_heads = True
        named = _JSON_LOGGER.search(raw)
        if named is None or not raw.rstrip().endswith(b"}"):
            self._done.append(BrokenLine(number, "no JSON object with the logger in code.namespace"))
            return
        if named[1] not in self._known:
            self._known[named[1]] = self._wanted(_text(named[1]))
        if (stamp := JSON_TIME.search(raw)) is not None:
            self._latest = stamp
            self.first = time_in(stamp) if self.first is None else self.first
            if (thread := _JSON_THREAD.search(raw)) is not None and thread[1] != _STARTS:
                self._running = origin, stamp
        if self._known[named[1]] is None:
            return
        try:
            self._held = _line_of(json.loads(raw), origin, number)
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
            self._done.append(BrokenLine(number, f"not a line of the JSON layout: {error!r}"))

    def _broken(self, number: int, why: str) -> None:
        self._end()
        self._done.append(BrokenLine(number, why))

    def _end(self) -> None:
        if self._held is not None:
            self._done.append(self._held)
            self._held = None


def _each(text: bytes) -> Iterator[tuple[bytes | Run, bool]]:
    """Yield the lines of *text* one by one: behind a prefix another line may begin within any of them."""
    return ((raw, True) for raw in text.split(b"\n")[:-1])


def _line_of(data: Any, origin: Origin, number: int) -> LogLine:
    attributes = {name: str(value) for name, value in data["Attributes"].items()}
    stamp = JSON_TIME.fullmatch(data["Timestamp"].encode())
    if stamp is None:
        raise ValueError(data["Timestamp"])
    body, *more = data["Body"].split("\n")
    own = {name: text for name, text in attributes.items() if name not in _LAYOUT}
    return LogLine(
        origin, number, time_in(stamp), data["SeverityText"], attributes["code.namespace"],
        attributes["thread.name"], body.rstrip(), own, [line.encode() for line in more],
    )  # fmt: skip


def time_of(second: bytes, millis: bytes, offset: bytes) -> int:
    """
    Return epoch milliseconds; less than 0 for a time that there is not.

    >>> time_of(b"2026-11-21T01:18:19", b"896", b"+0100")
    1795220299896
    """
    return _second(second, offset) + int(millis)


def time_in(stamp: re.Match[bytes]) -> int:
    """Return the epoch milliseconds of a match whose first groups are those of ``TIME``."""
    return time_of(stamp[1], stamp[2], stamp[3])


@lru_cache(maxsize=1024)  # lines of one second stand together
def _second(second: bytes, offset: bytes) -> int:
    zone = offset.decode()
    try:
        if zone == "Z":
            return int(datetime.fromisoformat(second.decode()).replace(tzinfo=UTC).timestamp()) * 1000
        return int(datetime.fromisoformat(second.decode() + zone).timestamp()) * 1000
    except ValueError:  # the 31st of February
        return -1_000


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
