"""Progress says on standard error how far long work is: one line, overwritten, gone before a result is printed."""

from __future__ import annotations

import sys

from oneowner.checkers.report.control_characters import visible


class ProgressLine:
    """Shows progress: on a terminal one line that changes, elsewhere a line each time."""

    def __init__(self) -> None:
        self._pending = False

    def __call__(self, words: str) -> None:
        words = visible(words)
        on_terminal = sys.stderr.isatty()
        sys.stderr.write(f"\r\x1b[K{words}" if on_terminal else f"{words}\n")
        sys.stderr.flush()
        self._pending = on_terminal

    def clear(self) -> None:
        """Take the line away, if there is one."""
        if self._pending:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._pending = False
