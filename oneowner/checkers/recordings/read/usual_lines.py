"""
Lines of a log in another layout are rewritten in the usual one, which all readers read.

A file is rewritten if any line at its beginning needs it: a layout of ``log_layouts.yaml``, a logger whose packages are
abbreviated, a line that a mail program or a terminal wrapped. A head that is wrapped is joined here, a message where
the table of patterns reads it (``log_files.py``). Other lines stay as they are: most continue the line before them.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from oneowner.checkers.recordings.read.json_layouts import head_of
from oneowner.checkers.recordings.read.log_clock import Clock, LogTimes
from oneowner.checkers.recordings.read.log_layouts import WHEN, Cut, layouts
from oneowner.checkers.recordings.read.log_lines import HEAD, LINE
from oneowner.checkers.recordings.read.log_prefixes import Numbered

_SAMPLE = 128 * 1024
BEGINNING = 32 * 1024
"""Bytes at the beginning of a file that show its layout, if any line has a head there."""
MOST_WRAPPED = 256 * 1024
"""Bytes of a text in which wrapped lines are looked for: a person pasted it."""
_MOST_JOINED = 3
"""Lines over which a head may be wrapped."""
_MOST_VAIN = 1000
"""Lines that are no line of a layout, not even together, after which a file is taken for one that wraps none."""
_MOST_BEFORE = 200
"""Characters that may stand before a line as a prefix."""
_LEVEL = re.compile(rb"\b(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL|SEVERE|CRITICAL)", re.IGNORECASE)
_QUOTE = re.compile(rb"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_COLOUR = re.compile(rb"\x1b\[[\d;]*m")
_ANYWHERE = re.compile(rb"")
STACK = re.compile(
    rb"\s*(?:at |\.\.\. \d+ (?:more|common)|(?:Caused|Wrapped) by: |Suppressed: )"
    rb"|[\w.$]+(?:Exception|Error|Throwable)\b"
)
"""A line of a stack trace."""


def unquoted(text: bytes) -> bytes:
    """
    Return a text without colours, and without the quotation marks of mail, if most of its lines have them.

    >>> unquoted(b"> a\\n>> b\\n> \\n")
    b'a\\nb\\n\\n'
    """
    text = _COLOUR.sub(b"", text) if b"\x1b[" in text else text
    if b"\n>" not in text[:BEGINNING] and not text.startswith(b">"):
        return text
    return _QUOTE.sub(b"", text) if 2 * len(_QUOTE.findall(text)) > text.count(b"\n") else text


def sample_of(text: bytes) -> bytes:
    """Return the beginning of a text without any usual line: enough to find another layout."""
    return text if LINE.search(text) is not None else text[: text.find(b"\n", _SAMPLE) + 1] or text


class AnyHead:
    """Finds the beginning of a line of any layout in a line, after a possible prefix."""

    def search(self, raw: bytes) -> re.Match[bytes] | None:
        """Return a match that begins there; None if there is none."""
        if (usual := LINE.search(raw)) is not None:
            return usual
        if _LEVEL.search(raw) is None or raw.lstrip().startswith(b"{"):
            return None
        line = raw.decode("utf-8", "replace")
        for at in _places(raw):
            if any(layout.pattern.match(line, at) is not None for layout in layouts().texts):
                return _ANYWHERE.match(raw, at)
        return None


def _places(raw: bytes) -> Iterator[int]:
    """Yield the places at which a line of some layout may begin: its own begin, and at or before each time in it."""
    yield 0
    for found in WHEN.finditer(raw[:1000]):
        at = found.start()
        if 0 < at <= _MOST_BEFORE and _LEVEL.search(raw, 0, at) is None:
            yield at - raw[at - 1 : at].count(b"[")


def full_name(logger: str, known: Mapping[str, str]) -> str:
    """
    Return a logger without abbreviations, if *known* has its class or its package.

    >>> known = {"PulsarService": "org.apache.pulsar.broker.PulsarService"}
    >>> [full_name(name, known) for name in ("o.a.p.b.PulsarService", "PulsarService")]
    ['org.apache.pulsar.broker.PulsarService', 'org.apache.pulsar.broker.PulsarService']
    >>> full_name("o.a.p.b.Other", known), full_name("com.example.PulsarService", known)
    ('org.apache.pulsar.broker.Other', 'com.example.PulsarService')
    """
    *own, name = logger.split(".")
    if name in known:
        packages = known[name].split(".")[:-1]
        if len(own) <= len(packages) and _abbreviates(own, packages[len(packages) - len(own) :]):
            return known[name]
    if own and len(own[0]) == 1:
        for package in sorted({full.rpartition(".")[0] for full in known.values()}):
            if _abbreviates(own, parts := package.split(".")) and len(parts) == len(own):
                return f"{package}.{name}"
    return logger


def _abbreviates(own: Sequence[str], packages: Sequence[str]) -> bool:
    return all(full.startswith(short) for short, full in zip(own, packages, strict=False))


class UsualLines:
    """Rewrites the lines of one file."""

    def __init__(self, clock: Clock, loggers: Mapping[str, str]) -> None:
        """*loggers* are full names by class."""
        self._times, self._loggers = LogTimes(clock), loggers
        self.lead = clock.lead
        """The lead by which the times of all lines are corrected, when they are in the usual layout; None: none."""
        self._names: dict[str, str] = {}
        self._order = deque(layouts().texts)
        """The layouts, the latest one that fitted first."""
        self._is_timeless = False
        """True if no line of the file has a time."""
        self._vain = 0
        """The lines since the last one in a layout that were put together with those behind them in vain."""

    def notes(self) -> Iterator[str]:
        """Yield the suppositions about the lines so far."""
        yield from self._times.notes()

    @property
    def is_of_unknown_day(self) -> bool:
        return self._times.is_of_unknown_day

    def are_needed(self, text: bytes, is_short: bool) -> bool:
        """Return whether any line at the beginning of a text would be rewritten, or, if it *is_short*, is wrapped."""
        is_held = False
        end = text.find(b"\n", BEGINNING) + 1
        if end and HEAD.search(text, 0, end) is not None:
            text = text[:end]
        if is_short and not any(map(AnyHead().search, text.split(b"\n"))):
            self._is_timeless = any(self._without_time(raw) is not None for raw in text.split(b"\n"))
        for raw in text.split(b"\n"):
            if (head := HEAD.match(raw)) is not None:
                if not self._is_full(head):
                    return True
                is_held = is_short
            elif raw.startswith(b"{"):
                if UsualLines(Clock(), self._loggers)._of_object(raw) is not None:
                    return True
            elif LINE.search(raw) is not None:
                continue  # a usual line behind some other text: the reader judges that
            elif self._is_timeless or AnyHead().search(raw) is not None or (is_short and _may_be_wrapped(raw, is_held)):
                return True
        return False

    def of(self, lines: Numbered) -> Numbered:
        """Return lines in the usual layout; a line of several parts has the number of the first."""
        raw = lines.text.split(b"\n")[:-1]
        found, numbers, at = list[bytes](), list[int](), 0
        while at < len(raw):
            taken, usual = self._one(raw, at)
            found += usual
            numbers += [lines.numbers[at]] * len(usual)
            at += taken
        return Numbered(b"".join(line + b"\n" for line in found), numbers)

    def _one(self, lines: Sequence[bytes], at: int) -> tuple[int, list[bytes]]:
        """Return the number of lines that make the one at a place, and how they are written."""
        raw = lines[at].rstrip(b"\r")
        if (cut := self._cut(raw)) is not None:
            self._vain = 0
            return 1, self._written(cut)
        if HEAD.match(raw) is not None:
            self._vain = 0
        elif self._vain < _MOST_VAIN and _begins_timed(raw):
            self._vain += 1
            for behind in range(at + 2, min(at + 1 + _MOST_JOINED, len(lines)) + 1):
                if HEAD.match(lines[behind - 1]) is not None or self._cut(lines[behind - 1]) is not None:
                    break  # it begins a line of its own: the head before it is torn, not wrapped
                for between in (b" ", b""):
                    parts = [one.rstrip(b"\r") for one in lines[at:behind]]
                    whole = between.join([parts[0], *(one.strip() for one in parts[1:])])
                    if (cut := self._cut(whole)) is not None:
                        return behind - at, self._written(cut)
                    if HEAD.match(whole) is not None:
                        return behind - at, [whole]
        return 1, [raw]

    def _cut(self, raw: bytes) -> Cut | None:
        """Return the parts of a line of another layout; None for the usual one, and for no line of a log."""
        if (head := HEAD.match(raw)) is not None:
            return None if self._is_full(head) else self._of_text(raw.decode("utf-8", "replace"), 0)
        if raw.lstrip().startswith(b"{"):
            return self._of_object(raw)
        if _LEVEL.search(raw) is None:
            return None
        if self._is_timeless:
            return self._without_time(raw)
        line = raw.decode("utf-8", "replace")
        return next((cut for at in _places(raw) if (cut := self._of_text(line, at)) is not None), None)

    def _without_time(self, raw: bytes) -> Cut | None:
        """Return the parts of a line whose time is left out; None if its logger is no class with its packages."""
        line = raw.decode("utf-8", "replace").strip()
        cuts = (layout.cut(line, 0, LogTimes(Clock())) for layout in layouts().timeless)
        cut = next((cut for cut in cuts if cut is not None and "." in self._full(cut.logger)), None)
        return None if cut is None else cut._replace(time=self._times.none())

    def _of_object(self, raw: bytes) -> Cut | None:
        """Return the parts of a JSON object, or of the line in it; None if the reader of JSON reads it as it is."""
        if _is_usual_object(raw):
            return None
        line = raw.decode("utf-8", "replace")
        if (cut := layouts().json.cut(line, self._times)) is not None:
            return cut
        text = layouts().json.line_in(line)
        return None if text is None else self._of_text(text, 0)

    def _of_text(self, line: str, at: int) -> Cut | None:
        for layout in self._order:
            if (cut := layout.cut(line, at, self._times)) is not None:
                if layout is not self._order[0]:
                    self._order.remove(layout)
                    self._order.appendleft(layout)
                return cut
        return None

    def _is_full(self, head: re.Match[bytes]) -> bool:
        """Return whether the logger of a usual line is not abbreviated."""
        return self._full(head[6].decode("utf-8", "replace")).encode() == head[6]

    def _full(self, logger: str) -> str:
        if logger not in self._names:
            self._names[logger] = full_name(logger, self._loggers)
        return self._names[logger]

    def _written(self, cut: Cut) -> list[bytes]:
        head = f"{_text_of(cut.time)} [{cut.thread}] {cut.level} {self._full(cut.logger)} - "
        text = f"{head}{cut.message}" + (f"\n{cut.more}" if cut.more else "")
        return [line.rstrip("\r").encode("utf-8", "replace") for line in text.split("\n")]


def _begins_timed(raw: bytes) -> bool:
    """Return whether a line begins with a time, perhaps in a bracket."""
    return (found := WHEN.search(raw)) is not None and found.start() < 2


def _may_be_wrapped(raw: bytes, is_held: bool) -> bool:
    """Return whether a line may be the rest of a message, if one *is_held*, else the begin of a wrapped head."""
    return (bool(raw.strip()) and STACK.match(raw) is None) if is_held else _begins_timed(raw)


def _is_usual_object(raw: bytes) -> bool:
    """Return whether a JSON object has the names and the time that ``json_layouts`` reads."""
    head = head_of(raw)
    return head is not None and head.stamp is not None


def _text_of(time: int) -> str:
    return f"{_second_of(time // 1000)},{time % 1000:03}+0000" if time >= 0 else "0000-00-00T00:00:00,000+0000"


@lru_cache(maxsize=1024)  # lines of one second stand together
def _second_of(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
