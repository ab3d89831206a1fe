"""
The events of a text that hold words of signatures.

A text is searched for the stems of all templates at once, without white space; an event is made only of the lines
around a stem. So a large log costs little more than its reading.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple

from oneowner.checkers.bugs.events import Event, begins, has_date, is_structure
from oneowner.checkers.bugs.signature import squeezed
from oneowner.checkers.bugs.sources import Block

_DAY: Final = 86_400_000
_FAR: Final = 400
"""Lines of one event: a stack trace has hundreds."""
_MOST_WORDS: Final = 200
"""Occurrences of a word in one text that count."""
_MOST_LINES: Final = 20_000
"""Lines of one log that are searched for words, which are many."""
_EDGE: Final = 10
"""Lines at the edges of a block whose times are read."""
_WIDE: Final = 60
"""The least length of a line that may go on in the next one, in a text without times and levels."""


@dataclass
class Extent:
    """The size and the times of one log."""

    file: str
    log: str
    """The file's name, or that of a pod or a file whose lines it holds."""
    lines: int = 0
    events: int = 0
    """Lines that begin an event, of the first block."""
    first: int | None = None
    last: int | None = None

    @property
    def dated(self) -> bool:
        """True if its times have a date."""
        return self.first is not None and has_date(self.first)


@dataclass
class Found:
    """An event with the stems that it holds."""

    event: Event
    stems: set[str] = field(default_factory=set)
    moment: int | None = None
    """Its time, or that of the event before it; days are counted where there is no date."""


class Search(NamedTuple):
    """The logs of a text, and their events that hold a stem."""

    extents: list[Extent]
    found: list[Found]


class Searcher:
    """The search of one log for stems, block by block."""

    def __init__(self, file: str, log: str, stems: Iterable[str], words: Iterable[str] = ()) -> None:
        """Search for all *stems*, and for the first occurrences of *words*, which are frequent."""
        self.extent = Extent(file, log)
        self._stems = tuple(sorted({*stems, *words}))
        self._budget = dict.fromkeys({*words} - {*stems}, _MOST_WORDS)
        self._days = 0
        self._headed: bool | None = None
        self._numbers: list[int] = []
        self._lines: list[str] = []
        """The last event so far, which may go on in the next block."""

    def feed(self, numbers: Sequence[int], lines: Sequence[str]) -> Iterator[Found]:
        """Yield the events that hold a stem, up to the last event, in the order of the text."""
        if self._headed is None:
            self._headed = any(map(begins, lines[:1000]))
        self._numbers += numbers
        self._lines += lines
        self.extent.lines += len(lines)
        end = self._last_begin(self._lines)
        numbers, lines = self._numbers[:end], self._lines[:end]
        self._numbers, self._lines = self._numbers[end:], self._lines[end:]
        yield from self._in_lines(lines, numbers)

    def finish(self) -> Iterator[Found]:
        """Yield the last event, if it holds a stem."""
        yield from self._in_lines(self._lines, self._numbers)

    def _last_begin(self, lines: Sequence[str]) -> int:
        """Return the index of the last event of some lines; the number of lines, if it is too long to wait for."""
        for at in range(len(lines) - 1, max(0, len(lines) - _FAR), -1):
            if self._begins(lines, at):
                return at
        return len(lines) if len(lines) > _FAR else 0

    def _begins(self, lines: Sequence[str], at: int) -> bool:
        if self._headed:
            return begins(lines[at])
        line = lines[at]
        if not line.strip() or line[0].isspace() or is_structure(line):
            return False
        return at == 0 or len(lines[at - 1]) < _WIDE or not line[0].islower()

    def _in_lines(self, lines: Sequence[str], numbers: Sequence[int]) -> Iterator[Found]:
        if not lines:
            return
        short = [squeezed(line) for line in lines]
        text = "".join(short)
        ends = list(accumulate(map(len, short)))
        found: dict[int, Found] = {}
        if self._budget and self.extent.lines > _MOST_LINES:
            self._stems = tuple(one for one in self._stems if one not in self._budget)
            self._budget = {}
        for stem in self._stems:
            at = text.find(stem) if self._budget.get(stem, 1) else -1
            while at >= 0:
                first = bisect_right(ends, at)
                begin = self._begin_of(lines, first)
                if begin not in found:
                    event = list(lines[begin : self._end_of(lines, begin)])
                    found[begin] = Found(Event(self.extent.file, numbers[begin], event, self.extent.log))
                found[begin].stems.add(stem)
                if stem in self._budget:
                    self._budget[stem] -= 1
                at = text.find(stem, at + 1) if self._budget.get(stem, 1) else -1
        self.extent.events += (
            sum(self._begins(lines, at) for at in range(len(lines))) if len(lines) < _FAR else len(lines)
        )
        self._note(lines[:_EDGE])
        for begin in sorted(found):
            one = found[begin]
            one.moment = self._moment(one.event.moment)
            yield one
        self._note(lines[-_EDGE:])

    def _begin_of(self, lines: Sequence[str], at: int) -> int:
        for begin in range(at, max(-1, at - _FAR), -1):
            if self._begins(lines, begin):
                return begin
        return at

    def _end_of(self, lines: Sequence[str], begin: int) -> int:
        for end in range(begin + 1, min(len(lines), begin + _FAR)):
            if self._begins(lines, end):
                return end
        return min(len(lines), begin + _FAR)

    def _note(self, lines: Iterable[str]) -> None:
        """Take the times of some lines for the extent of the text."""
        for line in lines:
            if begins(line):
                self._moment(Event("", 0, [line]).moment)

    def _moment(self, moment: int | None) -> int | None:
        """Return a moment on the day that it is of, in a text without dates; the text reaches up to it."""
        if moment is None:
            return self.extent.last
        if not has_date(moment):
            last = self.extent.last
            self._days += last is not None and moment + self._days * _DAY < last - _DAY // 2
            moment += self._days * _DAY
        self.extent.first = moment if self.extent.first is None else self.extent.first
        self.extent.last = moment if self.extent.last is None else max(moment, self.extent.last)
        return moment


def search(source: str, blocks: Iterable[Block], stems: Sequence[str], words: Sequence[str]) -> Search:
    """Search a text for stems; it may hold the lines of several logs."""
    searchers: dict[str, Searcher] = {}
    found: list[Found] = []
    for block in blocks:
        if block.log not in searchers:
            searchers[block.log] = Searcher(source, block.log, stems, words)
        found += searchers[block.log].feed(block.numbers, block.lines)
    for one in searchers.values():
        found += one.finish()
    return Search([one.extent for one in searchers.values()], found)
