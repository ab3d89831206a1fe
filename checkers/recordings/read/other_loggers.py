"""
Most lines of a broker's log are of loggers that no law reads; runs of them are passed over without a look at each.

A run is matched as a whole by one regular expression, which has the names of the loggers that were met often. Whatever
is not exactly such a line ends the run, and is read as a line of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from oneowner.checkers.recordings.read.log_times import TIME

LEVELS = rb"(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)"
OFTEN = 8
"""Lines after which the name of a logger goes into the expression."""
MOST = 150
"""Names that the expression has at most: they are tried one after the other."""
_HEAD = re.sub(rb"\((?!\?)", b"(?:", TIME) + rb" \[[^\]\n]*\] " + LEVELS + rb" +"
_REST = rb" - [^\n]*\n(?:(?![\d{])(?:[^\n ]++| (?!- ))*+\n)*+"
"""What follows on a logger's name: the rest of the line, and lines that can have no head, such as frames of a stack."""


class Run(NamedTuple):
    """Whole lines of loggers that nobody wants, one after the other, with what follows on them."""

    text: bytes
    lines: int


class OtherLoggers:
    """Learns which loggers nobody wants, and cuts a text into lines and runs of theirs."""

    def __init__(self) -> None:
        self._met: Counter[bytes] = Counter()
        self._names: list[bytes] = []
        self._next = 1
        self._run: Callable[[bytes, int], re.Match[bytes] | None] | None = None

    def meet(self, logger: bytes) -> None:
        """Note a line of a logger that nobody wants."""
        self._met[logger] += 1
        if self._met[logger] == OFTEN and len(self._names) < MOST:
            self._names.append(re.escape(logger))
            if len(self._names) >= self._next:  # an expression takes milliseconds to compile
                self._next = len(self._names) * 5 // 4 + 1
                names = b"|".join(self._names)
                self._run = re.compile(rb"(?:" + _HEAD + rb"(?:" + names + rb")" + _REST + rb")+").match

    def cut(self, text: bytes) -> Iterator[bytes | Run]:
        """
        Yield the lines of *text* without their ends, and the runs among them; each line of it has an end.

        >>> known = OtherLoggers()
        >>> for _ in range(OFTEN):
        ...     known.meet(b"a.B")
        >>> line = b"2026-11-21T00:18:19,896+0000 [main] INFO  a.B - words"
        >>> [run.lines if isinstance(run, Run) else run for run in known.cut(line + b"\\n" + line + b"\\n at a.B\\n")]
        [3]
        """
        at, size = 0, len(text)
        while at < size:
            run = None if self._run is None else self._run(text, at)
            if run is not None:
                yield Run(run[0], run[0].count(b"\n"))
                at = run.end()
            else:
                end = text.find(b"\n", at)
                yield text[at:end]
                at = end + 1
