"""
The progress of long work on standard error: one line, overwritten, removed before a result is printed.

In the log of a build server, which keeps every line, at most one in some seconds is written.
"""

import math
import sys
import time

from oneowner.checkers.report.control_characters import visible


class ProgressLine:
    """Shows progress: on a terminal one line that changes, elsewhere a line each time, or each *every* seconds."""

    def __init__(self, every: float = 0) -> None:
        self._pending = False
        self._every = every
        self._said = -math.inf

    def __call__(self, words: str) -> None:
        words = visible(words)
        on_terminal = sys.stderr.isatty()
        now = time.monotonic()
        if not on_terminal and now - self._said < self._every:
            return
        self._said = now
        sys.stderr.write(f"\r\x1b[K{words}" if on_terminal else f"{words}\n")
        sys.stderr.flush()
        self._pending = on_terminal

    def clear(self) -> None:
        """Take the line away, if there is one."""
        if self._pending:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._pending = False
