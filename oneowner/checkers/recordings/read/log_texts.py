"""
The text of one log file becomes the lines that a broker wrote, in the usual layout: unquoted, unwrapped, rewritten.
"""

import re
from collections.abc import Iterator
from copy import deepcopy

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.log_lines import LINE, text_of
from oneowner.checkers.recordings.read.log_prefixes import BareLines, Numbered
from oneowner.checkers.recordings.read.unread_logs import SERVER
from oneowner.checkers.recordings.read.usual_lines import MOST_WRAPPED, AnyHead, UsualLines, sample_of, unquoted

MOST_TRIED = 2
"""Texts of a file, of a MB or more, at whose beginning another layout than the usual one is looked for."""

_OURS = re.compile(rb"\bloadbalance\b|[sS]erviceUnit")


class LogTexts:
    """Returns the lines of one file, once its layout is found."""

    def __init__(self, source: str | None, usual: UsualLines) -> None:
        """:param source: the source whose lines are returned, if the file has several; None: all."""
        self._bare, self._usual, self._is_quoted = BareLines(source), usual, False
        self._tried = 0
        self.is_rewritten = False
        """True if its lines have another layout than the usual one, or a person wrapped them."""
        self.first_line = ""
        """The first line before any head that is not blank."""
        self.is_ours = False
        """True if words of the load balancer came before any line of a known layout."""
        self.is_server = False
        """True if it has words that a client alone does not write."""

    def find(self, text: bytes) -> bytes:
        """Find the prefix and the layout of the lines of a text, before any head; return the text to be cut."""
        text = text.removeprefix(b"\xef\xbb\xbf")
        self._look(text)
        self.is_ours = self.is_ours or _OURS.search(text) is not None
        self.first_line = self.first_line or text_of(text.lstrip().partition(b"\n")[0].rstrip())
        bare = unquoted(text)
        self._is_quoted = bare != text
        whole = bare if bare.endswith(b"\n") else bare + b"\n"
        self._tried += 1
        sample = sample_of(whole)
        if sample is not whole and self._tried > MOST_TRIED:
            return bare
        if not self._bare.is_known:
            self._bare.find(sample, LINE if LINE.search(sample) is not None else AnyHead())
        trial = deepcopy(self._bare)  # the parts of a line that it holds are not those of the file
        if self._is_quoted or self._usual.are_needed(
            trial.of(sample, Origin(0, 0, 1), 0).text, len(whole) <= MOST_WRAPPED
        ):
            self.is_rewritten = True
            return whole  # a person pasted it, and seldom with the end of its last line
        return bare

    def cut(self, text: bytes) -> bytes:
        """Return a later text of the file as ``find`` returns the first."""
        self._look(text)
        return unquoted(text) if self._is_quoted else text

    def _look(self, text: bytes) -> None:
        self.is_server = self.is_server or SERVER.search(text) is not None

    def of(self, text: bytes, first: Origin, before: int) -> Numbered:
        """Return the lines of a text, which begins at *first*; *before* counts the lines before its chunk."""
        lines = self._bare.of(text, first, before)
        lines = self._usual.of(lines) if self.is_rewritten else lines
        lead = self._usual.lead
        return lines if lead is None else Numbered(lead.of_lines(lines.text), lines.numbers)

    def unfinished(self) -> Iterator[int]:
        """Yield the number of every line whose last part is lost."""
        yield from self._bare.unfinished()
