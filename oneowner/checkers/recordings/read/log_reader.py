"""
One file of a log is read once: lines are cut and parsed, for the loggers that matter.

What follows on a line without a head of its own (a stack trace, a dump of several lines) belongs to it. A line that is
cut short, or that starts within another, is Broken and stands for itself: neither half is trusted, but a whole line
that begins in the middle is read.
"""

import re
from collections.abc import Callable, Generator, Iterator, Mapping

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.json_layouts import head_of, line_of, may_be_object
from oneowner.checkers.recordings.read.lines import Chunk, Damage, FileKind, chunks_of, read_texts
from oneowner.checkers.recordings.read.log_clock import Clock
from oneowner.checkers.recordings.read.log_lines import (
    HEAD,
    SECOND,
    BrokenLine,
    ChunkRead,
    LogLine,
    Tail,
    name_of,
    text_of,
)
from oneowner.checkers.recordings.read.log_prefixes import Numbered
from oneowner.checkers.recordings.read.log_texts import LogTexts
from oneowner.checkers.recordings.read.log_times import time_in, time_of
from oneowner.checkers.recordings.read.record_lines import RecordLines, RecordReader, in_order
from oneowner.checkers.recordings.read.unread_logs import is_client
from oneowner.checkers.recordings.read.usual_lines import UsualLines
from oneowner.checkers.recordings.read.wanted_lines import Filter, LineIndex, Passed, WantedLines

_BEHEADED = re.compile(rb"\.loadbalance\.[\w.$]+ - |\bServiceUnitState\w+ - ")
"""The rest of a line whose beginning is lost: a logger in the form that only a head has."""
_STARTS = b"main"
"""The thread that starts a broker, and no other: an attempt to start one writes before it announces itself."""
_WITHIN = "a line starts within it; its own end is lost"
_CUT = "the last line has no end"


class LogReader:
    """Reads one file of a log once."""

    def __init__(
        self,
        piece: int,
        path: str,
        wanted: Callable[[str], Callable[[bytes], bool] | None],
        source: str | None = None,
        classes: Mapping[str, Filter | None] | None = None,
        part: tuple[int, int | None] = (0, None),
        records: RecordReader | None = None,
        usual: UsualLines | None = None,
    ) -> None:
        """
        *classes* are those of all wanted loggers outside of the load balancer's package, each with its filter by
        *wanted*; None: look at each line.

        *part* names the first chunk that is read, and the one behind the last: from head to head, see ``log_parts``.
        Lines are numbered from its first chunk. *records* reads usual lines that print one; *usual* rewrites others.
        """
        self.path = path
        self.has_heads = False
        """True if a line has a head of a known layout."""
        self.first: int | None = None
        self.last: int | None = None
        """The times of the first and the last of them."""
        self.is_empty = True
        """True if it holds no line, or only blank ones."""
        self.tail: Tail | None = None
        self.chunks: list[ChunkRead] = []
        """The properties of each chunk that was read to its end."""
        self._piece, self._wanted, self._records = piece, wanted, records
        self._opening: bytes | None = None
        """The first bytes of an object of a JSON layout in this file; None before the first one."""
        self._known: dict[bytes, Callable[[bytes], bool] | None] = {}
        self._finder = None if classes is None else WantedLines(classes)
        self._done: list[LogLine | RecordLines | BrokenLine] = []
        self._held: LogLine | None = None
        self._latest: re.Match[bytes] | None = None
        self._running: tuple[Origin, re.Match[bytes]] | None = None
        self.texts = LogTexts(source, usual or UsualLines(Clock(), {}))
        self._beheaded: list[BrokenLine] = []
        """The first line, if its beginning is lost: unless no line has a head."""
        self._part = part
        self._is_before, self._is_behind, self._is_over = part[0] > 0, False, False
        """
        The position of the reader: before the first head of its part, behind the part, behind the part's last line.
        """
        self._before = 0
        """The number of lines before the chunk."""
        self._passed: list[Passed] = []
        """The lines passed over since the last head of a process that runs."""

    @property
    def is_client(self) -> bool:
        """True if a client of Pulsar wrote all lines."""
        return not self.texts.is_server and is_client([text_of(name) for name in self._known])

    def read(self) -> Iterator[LogLine | RecordLines | BrokenLine]:
        """Yield the lines of wanted loggers, and every broken line, in the order of the file."""
        first, behind = self._part
        before = 0
        for chunk in chunks_of(0, self._piece, self.path, FileKind.LOG):
            if chunk.number >= first and not self._is_over:
                self._is_behind = behind is not None and chunk.number >= behind
                self._is_over = self._is_behind and self._is_before
                read = yield from self._of_chunk(chunk, before)
                before += read.lines
                if not self._is_behind:
                    self.chunks.append(read)
        self._end()
        self._look_back()
        yield from self._beheaded if self.has_heads else ()
        yield from self._done
        yield from (BrokenLine(number, _CUT) for number in self.texts.unfinished())
        if self._latest is not None:
            self.last = time_in(self._latest)
        if self._running is not None:
            origin, stamp = self._running
            self.tail = Tail(origin, time_in(stamp), stamp.string)

    def _of_chunk(self, chunk: Chunk, before: int) -> Generator[LogLine | RecordLines | BrokenLine, None, ChunkRead]:
        """Yield the lines in a chunk; return its properties; *before* counts the lines before it."""
        line, is_blank, unreadable, self._before = 0, True, list[tuple[int, str]](), before
        for read in read_texts(chunk):
            if self._is_over:
                break
            is_blank = is_blank and isinstance(read, bytes) and read.isspace()
            self.is_empty = self.is_empty and is_blank
            if isinstance(read, Damage):
                line += 1
                unreadable.append((line, read.why))
                if not self._is_before:
                    self._broken(before + line, read.why)
                continue
            is_begin = not self.has_heads and not self._is_before
            text = self.texts.find(read) if is_begin else self.texts.cut(read)
            end = text.rfind(b"\n") + 1
            lines = self.texts.of(text[:end], Origin(self._piece, chunk.number, line + 1), before)
            line += text.count(b"\n")
            for number, raw, mixed in self._cut(lines, chunk.number):
                if (self._is_before or self._is_behind) and HEAD.match(raw) is not None:
                    self._is_before, self._is_over = False, self._is_behind
                if self._is_over:
                    break
                if not self._is_before:
                    self._look_at(raw, mixed, Origin(self._piece, chunk.number, number))
            if end < len(text) and not self._is_over:
                line += 1
                if not self._is_before:
                    self._broken(before + line, _CUT)
            yield from self._done
            self._done.clear()
        return ChunkRead(chunk.number, line, is_blank, tuple(unreadable))

    def _look_at(self, raw: bytes, mixed: bool, origin: Origin) -> None:
        """Examine a line, within which another one may begin."""
        number = self._before + origin.line
        if mixed and (second := SECOND.search(raw)) is not None:
            self._broken(number, _WITHIN)
            raw = raw[second.start() :]  # the line that is whole
        self._one(raw, origin, number)

    def _cut(self, lines: Numbered, chunk: int) -> Iterator[tuple[int, bytes, bool]]:
        """
        Yield lines that may matter with their numbers, and for each whether another may begin within it.

        At the start of a log, before any head, and behind its part, that is each line.
        """
        text, begin, at = lines.text, 0, 0
        is_all = self._finder is None or self.texts.is_rewritten or self._is_behind
        while begin < len(text) and (is_all or self.first is None):
            end = text.index(b"\n", begin)
            yield lines.numbers[at], text[begin:end], True
            begin, at = end + 1, at + 1
        if begin < len(text):
            assert self._finder is not None
            lines = Numbered(text[begin:], lines.numbers[at:])
            yield from self._wanted_of(lines, self._finder.find(lines.text), chunk)

    def _wanted_of(self, lines: Numbered, found: LineIndex, chunk: int) -> Iterator[tuple[int, bytes, bool]]:
        """Yield the lines that may matter, with possible continuations; lines that print a record are consumed."""
        begins, mixed, at, last = found.begins.tolist(), {*found.mixed.tolist()}, 0, len(found.begins) - 1
        text, numbers = lines
        place = self._piece, chunk, self._before
        usual = None if self._records is None else self._records.read(lines, found, place)
        for wanted, records in (*in_order(found, usual), (last, None)):
            while self._held is not None and at < wanted:
                yield numbers[at], text[begins[at] : begins[at + 1] - 1], False
                at += 1
            if records is not None:
                self._take(records)
                at = records.behind
                continue
            if at < wanted:
                self._passed.append(Passed(text, begins[at : wanted + 1], chunk, numbers[at:wanted]))
            if at <= wanted < last:
                yield numbers[wanted], text[begins[wanted] : begins[wanted + 1] - 1], wanted in mixed
            at = max(at, wanted + 1)
        self._look_back()

    def _take(self, records: RecordLines) -> None:
        """Consume lines that print a record: no line between or before them is needed."""
        self._end()
        self._done.append(records)
        origin, raw = records.end()
        head = HEAD.match(raw)
        assert head is not None, "it was read as a line with a head"
        self._latest, self._running = head, (origin, head)
        self._passed.clear()

    def _look_back(self) -> None:
        """Note the last head in the lines passed over, and the last one of a process that runs."""
        passed, self._passed = self._passed, []
        is_latest = True
        for line, raw in (told for one in reversed(passed) for told in one.backwards()):
            if (head := HEAD.match(raw)) is not None:
                self._latest, is_latest = head if is_latest else self._latest, False
                if head[4] != _STARTS:
                    self._running = Origin(self._piece, line[0], line[1]), head
                    return

    def _one(self, raw: bytes, origin: Origin, number: int) -> None:
        head = HEAD.match(raw)
        if head is not None:
            thread = head[4]
            if thread != _STARTS:
                self._running = origin, head
                self._passed.clear()
            elif self._passed:
                self._look_back()
            self._latest = head
            if self.first is None:
                self.first = time_in(head)
                self._done, self._beheaded = [*self._done, *self._beheaded], []
            self.has_heads = True
            if self._held is not None:
                self._end()
            if (logger := head[6]) not in self._known:
                self._known[logger] = self._wanted(text_of(logger))
            if (matters := self._known[logger]) is None:
                return
            if (self.texts.is_rewritten or matters(raw)) and (time := time_of(*head.group(1, 2, 3))) >= 0:
                self._held = LogLine(
                    origin, number, time, name_of(head[5]), name_of(logger), name_of(thread),
                    text_of(raw[head.end() :]).rstrip(), None, [],
                )  # fmt: skip
            elif time_in(head) < 0:
                self._done.append(BrokenLine(number, f"no such time: {text_of(head[1])}"))
        elif (b"{" in raw or self._opening is not None) and may_be_object(raw, self._opening is not None):
            self._object(raw, origin, number)
        elif (self.has_heads or number == 1) and b" - " in raw and _BEHEADED.search(raw) is not None:
            (self._done if self.has_heads else self._beheaded).append(BrokenLine(number, "its beginning is lost"))
        elif self._held is not None:
            self._held.more.append(raw)

    def _object(self, raw: bytes, origin: Origin, number: int) -> None:
        """Read a line of a JSON layout, or the possible rest of one."""
        self._end()
        self.has_heads = True
        self._opening = self._opening or raw[: raw.find(b'"', raw.find(b'"') + 1) + 1]
        if (second := raw.rfind(self._opening)) > 0:
            self._broken(number, _WITHIN)
            raw = raw[second:]
        if (head := head_of(raw)) is None:
            self._done.append(BrokenLine(number, "no JSON object that names its logger"))
            return
        if head.logger not in self._known:
            self._known[head.logger] = self._wanted(text_of(head.logger))
        if head.stamp is not None:
            self._look_back()
            self._latest = head.stamp
            self.first = time_in(head.stamp) if self.first is None else self.first
            if head.thread not in (b"", _STARTS):
                self._running = origin, head.stamp
        if self._known[head.logger] is None:
            return
        try:
            line = line_of(raw)
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
            self._done.append(BrokenLine(number, f"not a line of the JSON layout: {error!r}"))
            return
        first, *more = line.message.split("\n")
        self._held = LogLine(
            origin, number, line.time, line.level, line.logger, line.thread, first.rstrip(), line.attributes,
            [one.encode("utf-8", "replace") for one in more],
        )  # fmt: skip

    def _broken(self, number: int, why: str) -> None:
        self._end()
        self._done.append(BrokenLine(number, why))

    def _end(self) -> None:
        if self._held is not None:
            self._done.append(self._held)
            self._held = None
