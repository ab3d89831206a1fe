"""
The time range and the waivers in force decide which findings are reported.

They are plain values, since every worker needs them; a history is read from its start whatever the range.
"""

from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.waivers import Waiver
from oneowner.checkers.recordings.read.events import Finding, Waived
from oneowner.checkers.times import iso, moment_ms
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.law import Severity

DAMAGE: Final = frozenset(("message-order", "node-chain", "readable-input"))
"""Faults of the input itself: they are reported whatever the range, since they make the whole history doubtful."""


class Scope(NamedTuple):
    """The time range (epoch milliseconds, both ends included, None is open), and the waivers in force."""

    since: int | None = None
    until: int | None = None
    waivers: tuple[Waiver, ...] = ()

    @property
    def is_all_time(self) -> bool:
        return self.since is None and self.until is None

    def has(self, time: int) -> bool:
        """Return whether a moment lies in the range."""
        return self.touches(time, time)

    def touches(self, start: int, end: int | None) -> bool:
        """Return whether some of *start*..*end* lies in the range; None is the end of the run."""
        is_over = self.since is not None and end is not None and max(start, end) < self.since
        return not is_over and (self.until is None or start <= self.until)

    def kept(self, finding: Finding, until: int | None = None) -> Finding | None:
        """
        Return a finding as it is reported: None outside the range, marked if it is waived.

        *until* is the time of its end, if it lasted. Only a violation can be waived.
        """
        if finding.law not in DAMAGE and not self._is_in(finding, until):
            return None
        if finding.severity != Severity.VIOLATION:
            return finding
        by = next((waiver for waiver in self.waivers if waiver.covers(finding.law, finding.unit)), None)
        return finding if by is None else finding._replace(waived=Waived(by.number, by.reason, by.expires))

    def _is_in(self, finding: Finding, until: int | None) -> bool:
        if finding.window is not None:
            return self.touches(finding.window.possible_since, finding.window.possible_until)
        if finding.time is None:
            return True
        last = max((cite.time for cite in finding.evidence), default=finding.time)
        return self.touches(finding.time, max(finding.time, last) if until is None else until)

    @property
    def range_in_words(self) -> str:
        """The range in the form of a sentence: from A to B, from A on, up to B."""
        since = "" if self.since is None else f"from {iso(self.since)}"
        until = "" if self.until is None else f"{'to' if since else 'up to'} {iso(self.until)}"
        return " ".join(part for part in (since, until or "on") if part)


ALL: Final = Scope()


def range_of(text: str) -> tuple[int | None, int | None]:
    """
    Return both ends of ``FROM..TO`` in epoch milliseconds, None for an open one.

    >>> range_of("1795219600000..1795219660000"), range_of("2026-11-21T00:00:00Z..")
    ((1795219600000, 1795219660000), (1795219200000, None))
    """
    first, dots, last = text.partition("..")
    if not dots or not (first.strip() or last.strip()):
        raise Misuse(f"time range refused: {text}; FROM..TO, of which one may be left out, is allowed")
    since = moment_ms(first) if first.strip() else None
    until = moment_ms(last) if last.strip() else None
    if since is not None and until is not None and since > until:
        raise Misuse(f"time range refused: {text}; it ends before it begins")
    return since, until
