"""
Most lines of a broker's log are of loggers that no law reads; lines that may matter are found without a look at each.

A logger's name ends before " - ", and its last letters are compared as numbers, for all lines of a text at once. More
lines are found than matter: their reader checks each. A line that is not found has no head of a wanted logger, is no
rest of one, and has no second head within it.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

Array = np.ndarray[Any, Any]

LETTERS: Final = 8
"""The number of letters compared at the end of a class name: as many as a number holds."""

_END, _SPACE, _DASH, _OBJECT, _TILDE = b"\n -{~"
_WORDS = (re.compile(rb"loadbalance"), re.compile(rb"ServiceUnitState"))
"""All loggers of the load balancer have one of these, and so has the rest of a line whose beginning is lost."""
_CLOCK_WITHIN = re.compile(rb"T(?<=[^\n].{10}T)\d\d:\d\d:\d\d[.,]\d{3}[Z+-]", re.DOTALL)
"""A line may have a head that does not begin it; the pattern is fast because it begins with a letter."""


class Filter(Protocol):
    """A test of whether a line matters."""

    words: Sequence[bytes]
    """A line that has one of them matters."""
    ends: Collection[bytes]
    """The last LETTERS of lines that matter without those words, blanks left out."""

    def __call__(self, raw: bytes) -> bool: ...


_TIME = re.compile(
    rb"\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    rb"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d[.,]\d{3}(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d) "
)
"""A time that certainly exists: a line of a wanted logger with an impossible time is broken, whatever its content."""
_LONGEST: Final = len("2026-11-21T00:18:19,896+00:00 ")
_OF_SECOND: Final = [17, 18, 20, 21, 22]
"""The places of the seconds and milliseconds of a time; consecutive lines seldom differ elsewhere in it."""
_OF_MINUTE: Final = [place for place in range(_LONGEST) if place not in _OF_SECOND]
_MOST: Final = np.frombuffer(b"59999", np.uint8) - ord("0")


class LineIndex:
    """The places at which the lines of a text begin, and the lines that may matter."""

    def __init__(self, begins: Array, wanted: Array, mixed: Array) -> None:
        self.begins = begins
        """The beginning of each line, and the end of the text."""
        self.wanted = wanted
        """Lines that may matter, by number from 0, in order."""
        self.mixed = np.unique(mixed)
        """The lines within which another one may begin."""


class Passed(NamedTuple):
    """Consecutive lines that were passed over."""

    text: bytes
    begins: Sequence[int]
    """The offset of each of them in the text, and the end of the last one."""
    chunk: int
    numbers: Sequence[int]
    """Their numbers in the chunk."""

    def backwards(self) -> Iterator[tuple[tuple[int, int], bytes]]:
        """Yield chunk and number of each line, and the line, from the last one."""
        for at in range(len(self.begins) - 2, -1, -1):
            yield (self.chunk, self.numbers[at]), self.text[self.begins[at] : self.begins[at + 1] - 1]


class WantedLines:
    """Finds the lines of loggers with classes of some names, or in a package of the load balancer."""

    def __init__(self, classes: Mapping[str, Filter | None]) -> None:
        """*classes* have the filter for their lines that matter; None: all."""
        assert min(map(len, classes)) >= LETTERS, "the name of a class is too short to be compared"
        filters: dict[bytes, list[Filter | None]] = {}
        for name, matters in classes.items():
            filters.setdefault(name.encode()[-LETTERS:], []).append(matters)
        self._ends = _numbers(filters)
        known = [filters[end.tobytes()] for end in self._ends]
        self._filters = [[] if None in some else [matters for matters in some if matters is not None] for some in known]
        """None where every line matters."""
        self._has_filters = np.array([bool(some) for some in self._filters])
        self._cut = _numbers({end for some in self._filters for matters in some for end in matters.ends})

    def find(self, text: bytes) -> LineIndex:
        """
        Find the lines of *text* that may matter; each of its lines has an end.

        >>> head = b"2026-11-21T00:18:19,896+0000 [main] INFO  org.example."
        >>> text = head + b"Other - a\\n" + head + b"ServerCnx - b\\n at c\\n"
        >>> WantedLines({"ServerCnx": None}).find(text).wanted.tolist()
        [1]
        """
        letters = np.frombuffer(text, np.uint8)
        begins = np.concatenate([[0], np.flatnonzero(letters == _END) + 1])
        places = [self._named(letters, text, begins), *(_places(words, text) for words in _WORDS)]
        mixed = _lines(begins, _places(_CLOCK_WITHIN, text))
        objects = np.flatnonzero(letters[begins[:-1]] == _OBJECT)
        return LineIndex(
            begins, np.unique(np.concatenate([_lines(begins, np.concatenate(places)), mixed, objects])), mixed
        )

    def _named(self, letters: Array, text: bytes, begins: Array) -> Array:
        """Return the offsets at which the name of a wanted class ends, in lines that may matter."""
        if len(letters) < LETTERS + 3:
            return np.zeros(0, np.int64)
        dashes = (letters[LETTERS:-2] == _SPACE) & (letters[LETTERS + 1 : -1] == _DASH)
        places = np.flatnonzero(dashes & (letters[LETTERS + 2 :] == _SPACE))
        ends = letters[places[:, None] + np.arange(LETTERS)].view(np.uint64)[:, 0]
        codes = np.minimum(np.searchsorted(self._ends, ends), len(self._ends) - 1)
        is_wanted = self._ends[codes] == ends
        places, codes = places[is_wanted] + LETTERS, codes[is_wanted]
        lines = np.searchsorted(begins, places, "right") - 1
        is_kept, some = ~self._has_filters[codes], np.flatnonzero(self._has_filters[codes])
        if len(some):
            is_kept[some] = self._matter(letters, text, begins[lines[some]], begins[lines[some] + 1] - 1, codes[some])
        kept: Array = places[is_kept]
        return kept

    def _matter(self, letters: Array, text: bytes, begins: Array, ends: Array, codes: Array) -> Array:
        """Return which lines may matter, for classes of which not every line does."""
        is_kept = ~_are_timed(letters, text, begins, ends)
        last, tails = letters[ends - 1], letters[ends[:, None] + np.arange(-LETTERS, 0)].view(np.uint64)[:, 0]
        is_close = (last <= _SPACE) | (last > _TILDE) | np.isin(tails, self._cut)
        for code in np.unique(codes).tolist():
            rows = np.flatnonzero(codes == code)
            raw = [text[begin:end] for begin, end in zip(begins[rows].tolist(), ends[rows].tolist(), strict=True)]
            filters = self._filters[code]
            of_lines = np.concatenate([[0], np.cumsum(ends[rows] - begins[rows] + 1)])
            together = b"\n".join(raw)
            for word in {word for matters in filters for word in matters.words}:
                if word in together:
                    is_kept[rows[_lines(of_lines, _places(re.compile(re.escape(word)), together))]] = True
            for place in np.flatnonzero(is_close[rows]).tolist():
                is_kept[rows[place]] |= any(matters(raw[place]) for matters in filters)
        return is_kept


def _numbers(ends: Collection[bytes]) -> Array:
    """Return letters, LETTERS at a time, as sorted numbers."""
    return np.unique(np.frombuffer(b"".join(ends), np.uint64))


def _are_timed(letters: Array, text: bytes, begins: Array, ends: Array) -> Array:
    """Report which lines begin with a valid time; one of each minute is parsed."""
    times = letters[np.minimum(begins[:, None] + np.arange(_LONGEST), len(letters) - 1)]
    minutes = times[:, _OF_MINUTE]
    is_new = np.concatenate([[True], (minutes[1:] != minutes[:-1]).any(axis=1)])
    bounds = zip(begins[is_new].tolist(), ends[is_new].tolist(), strict=True)
    are_times = np.array([_TIME.match(text, begin, end) is not None for begin, end in bounds])
    is_timed: Array = are_times[np.cumsum(is_new) - 1] & (times[:, _OF_SECOND] - ord("0") <= _MOST).all(axis=1)
    return is_timed


def _places(words: re.Pattern[bytes], text: bytes) -> Array:
    return np.array([found.start() for found in words.finditer(text)], np.int64)


def _lines(begins: Array, places: Array) -> Array:
    """Return the number of the line of each place, as many as there are places."""
    return np.searchsorted(begins, places, "right") - 1
