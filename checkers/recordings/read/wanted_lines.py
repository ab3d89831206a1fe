"""
Most lines of a broker's log are of loggers that no law reads; which lines may matter is found without a look at each.

A logger's name ends before " - ", and its last letters are compared as numbers, for all lines of a text at once. What
is found is more than what matters: whoever reads it looks closely. What is not found has no head of a wanted logger,
is no rest of one, and has no second head within it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

LETTERS: Final = 8
"""Of the name of a class, the last ones are compared: as many as a number holds."""

_END, _SPACE, _DASH, _OBJECT = b"\n -{"
_WORDS = (re.compile(rb"loadbalance"), re.compile(rb"ServiceUnitState"))
"""All loggers of the load balancer have one of these, and so has the rest of a line whose beginning is lost."""
_CLOCK_WITHIN = re.compile(rb"T(?<=[^\n].{10}T)\d\d:\d\d:\d\d[.,]\d{3}[Z+-]", re.DOTALL)
"""A line may have a head that does not begin it; quick, as it begins to look at a letter."""


Filter = Callable[[bytes], bool]
"""Tells whether a line matters."""

_TIME = re.compile(
    rb"\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    rb"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d[.,]\d{3}(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d) "
)
"""A time that there surely is: a line of a wanted logger whose time there is not is broken, whatever it says."""


class Found:
    """Where the lines of a text begin, and which of them may matter."""

    def __init__(self, begins: Array, wanted: Array, mixed: Array) -> None:
        self.begins: list[int] = begins.tolist()
        """Of each line, and where the text ends."""
        self.wanted: list[int] = wanted.tolist()
        """Lines that may matter, by number from 0, in order."""
        self.mixed = frozenset(mixed.tolist())
        """Those within which another line may begin."""


class Passed(NamedTuple):
    """Lines that were passed over, one after the other."""

    text: bytes
    begins: Sequence[int]
    """Where in the text each of them begins, and where the last one ends."""
    chunk: int
    before: int
    """How many lines of the chunk are before them."""

    def backwards(self) -> Iterator[tuple[tuple[int, int], bytes]]:
        """Yield chunk and number of each line, and the line, from the last one."""
        for at in range(len(self.begins) - 2, -1, -1):
            yield (self.chunk, self.before + at + 1), self.text[self.begins[at] : self.begins[at + 1] - 1]


class WantedLines:
    """Finds the lines of loggers whose classes have some names, or that are in a package of the load balancer."""

    def __init__(self, classes: Mapping[str, Filter | None]) -> None:
        """*classes* have what tells which of their lines matter; None: all."""
        assert min(map(len, classes)) >= LETTERS, "the name of a class is too short to be compared"
        filters: dict[bytes, list[Filter | None]] = {}
        for name, matters in classes.items():
            filters.setdefault(name.encode()[-LETTERS:], []).append(matters)
        self._ends = np.unique(np.frombuffer(b"".join(filters), np.uint64))
        self._filters = [filters[end.tobytes()] for end in self._ends]

    def find(self, text: bytes) -> Found:
        """
        Find the lines of *text* that may matter; each of its lines has an end.

        >>> head = b"2026-11-21T00:18:19,896+0000 [main] INFO  org.example."
        >>> WantedLines({"ServerCnx": None}).find(head + b"Other - a\\n" + head + b"ServerCnx - b\\n at c\\n").wanted
        [1]
        """
        letters = np.frombuffer(text, np.uint8)
        begins = np.concatenate([[0], np.flatnonzero(letters == _END) + 1])
        places = [self._named(letters, text, begins), *(_places(words, text) for words in _WORDS)]
        mixed = _lines(begins, _places(_CLOCK_WITHIN, text))
        objects = np.flatnonzero(letters[begins[:-1]] == _OBJECT)
        return Found(begins, np.unique(np.concatenate([_lines(begins, np.concatenate(places)), mixed, objects])), mixed)

    def _named(self, letters: Array, text: bytes, begins: Array) -> Array:
        """Return where the name of a wanted class ends, in lines that may matter."""
        if len(letters) < LETTERS + 3:
            return np.zeros(0, np.int64)
        dashes = (letters[LETTERS:-2] == _SPACE) & (letters[LETTERS + 1 : -1] == _DASH)
        places = np.flatnonzero(dashes & (letters[LETTERS + 2 :] == _SPACE))
        ends = letters[places[:, None] + np.arange(LETTERS)].view(np.uint64)[:, 0]
        codes = np.minimum(np.searchsorted(self._ends, ends), len(self._ends) - 1)
        is_wanted = self._ends[codes] == ends
        places, codes = places[is_wanted] + LETTERS, codes[is_wanted]
        lines = np.searchsorted(begins, places, "right") - 1
        bounds = zip(begins[lines].tolist(), (begins[lines + 1] - 1).tolist(), codes.tolist(), strict=True)
        kept: Array = places[[self._matters(text[begin:end], self._filters[code]) for begin, end, code in bounds]]
        return kept

    def _matters(self, raw: bytes, filters: Sequence[Filter | None]) -> bool:
        if _TIME.match(raw) is None:
            return True
        for matters in filters:  # noqa: SIM110  # of each of millions of lines: a generator would take twice as long
            if matters is None or matters(raw):
                return True
        return False


def _places(words: re.Pattern[bytes], text: bytes) -> Array:
    return np.array([found.start() for found in words.finditer(text)], np.int64)


def _lines(begins: Array, places: Array) -> Array:
    """Return the numbers of the lines in which some places are, each once."""
    return np.unique(np.searchsorted(begins, places, "right") - 1)
