"""
Numbering finds contents that a dump of the channel alone cannot have if it is whole and unaltered.

It looks at consecutive messages of one part of a file, as columns: entries of a ledger without holes, each record made
before it was published, and the runs in which a producer numbers its messages by the order of its clock. Parts are then
compared as their messages are, so that it does not matter where a file is cut. Where a run has logs, the laws in
``laws/integrity`` check the same, and more. They list the innocent causes of a broken promise, file by file.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.fold.numbered_runs import STEP, Mark, OpenRun, Run, follows_on, marks_of
from oneowner.checkers.recordings.read.coded_table import taken
from oneowner.checkers.recordings.read.event_columns import Columns
from oneowner.checkers.recordings.read.events import Finding, Position
from oneowner.checkers.times import seconds
from oneowner.model.kernel.law import Severity

ENTRIES: Final = "no-entry-is-missing"
SEQUENCES: Final = "no-sequence-is-broken"
TIMES: Final = "publish-time-is-the-publishers"
TWICE: Final = "sent-once"
WAITED: Final = 30_000
"""Milliseconds that a record may wait for its producer: the send timeout (``ProducerConfigurationData``)."""
MOST_LISTED: Final = 20
"""Findings of one law that are listed; where there are more, the recording as a whole is in question."""
MOST_RUNS: Final = 1_000
"""Runs of the producers of one part that are kept."""
REPAIR: Final = "record the run again, or ask who changed the files"


class NumberingBreak(NamedTuple):
    """A promise of numbering that some messages break."""

    law: str
    why: str
    at: Mark
    severity: Severity = Severity.WARNING
    is_proof: bool = False
    """True if nothing innocent explains it: then the run is unknown."""

    def finding(self) -> Finding:
        """Return it as a finding."""
        at = self.at
        return Finding(
            self.law, self.severity, at.key, at.position, at.origin, at.message_id, at.time, (), self.why, None, None,
            self.law, REPAIR,
        )  # fmt: skip


class Numbered(NamedTuple):
    """The numbering of one part of a dump."""

    breaks: tuple[NumberingBreak, ...] = ()
    """Those of entries and of records; ``judge/lone_dump.py`` judges its runs."""
    exercised: tuple[tuple[str, int], ...] = ()
    first: Mark | None = None
    last: Mark | None = None
    runs: tuple[Run, ...] = ()


def missing(before: Position | None, place: Position) -> str:
    """
    Return the range of ids missing between two successive messages of a dump; empty if there is none.

    >>> missing((3, 7, -1), (3, 10, 0)), missing((3, 7, -1), (4, 0, -1)), missing((3, 7, 1), (3, 7, 3))
    ('3:8 to 3:9', '', '3:7:-1:2')
    """
    ledger, entry, index = place
    last = before[1] if before is not None and before[0] == ledger else -1
    if entry > last + 1:
        return f"{ledger}:{last + 1}" + (f" to {ledger}:{entry - 1}" if entry > last + 2 else "")
    first = before[2] + 1 if before is not None and before[:2] == (ledger, entry) else 0
    return f"{ledger}:{entry}:-1:{first}" if index > first else ""


class Numbering:
    """The state of the numbering of one part of a dump."""

    def __init__(self) -> None:
        self._breaks: list[NumberingBreak] = []
        self._counts: Counter[str] = Counter()
        self._exercised: Counter[str] = Counter()
        self._first: Mark | None = None
        self._last: Mark | None = None
        self._runs: list[OpenRun] = []
        self._open: dict[str, OpenRun] = {}

    def take(self, columns: Columns) -> None:
        """Take messages in the order of the file."""
        named = np.flatnonzero(columns.table["producer"])
        if not len(named):
            return
        if len(named) < len(columns.table):
            columns = columns.with_rows(taken(columns.table, named))
        self._exercised.update({ENTRIES: len(named), TIMES: len(named)})
        self._add(self._of_entries(columns))
        self._add(_of_records(columns))
        self._take_runs(columns)

    def _of_entries(self, columns: Columns) -> Iterator[NumberingBreak]:
        """Yield gaps of entries, and entries with two publish times."""
        table = columns.table
        ledger, entry, batch, time = (table[name] for name in ("ledger", "entry", "batch", "time"))
        begin, end = marks_of(columns, np.array([0, len(table) - 1]))
        if self._last is not None:
            yield from breaks_between(self._last, begin)
        same, begins = ledger[1:] == ledger[:-1], batch[1:] <= 0
        follows = same & (entry[1:] == entry[:-1]) & (batch[1:] == batch[:-1] + 1) & (time[1:] == time[:-1])
        follows |= (begins & same & (entry[1:] == entry[:-1] + 1)) | (begins & ~same & (entry[1:] == 0))
        for row in np.flatnonzero(~follows):
            yield from breaks_between(*marks_of(columns, np.array([row, row + 1])))
        self._first, self._last = self._first or begin, end

    def _take_runs(self, columns: Columns) -> None:
        numbered = np.flatnonzero(columns.table["sequence"] >= 0)
        if not len(numbered):
            return
        self._exercised.update({SEQUENCES: len(numbered), TWICE: len(numbered)})
        order = numbered[np.argsort(columns.table["producer"][numbered], kind="stable")]
        producer, number, time = (columns.table[name][order] for name in ("producer", "sequence", "time"))
        follows = (producer[1:] == producer[:-1]) & (number[1:] == number[:-1] + 1) & (time[1:] >= time[:-1] - STEP)
        starts = np.flatnonzero(np.concatenate([[True], ~follows]))
        ends = np.append(starts[1:], len(order))
        sides = (column[at].tolist() for at in (starts, ends - 1) for column in (number, time))
        for start, end, name, *numbers in zip(
            starts.tolist(), ends.tolist(), producer[starts].tolist(), *sides, strict=True
        ):
            first, last = (numbers[0], numbers[1]), (numbers[2], numbers[3])
            text = columns.producers[name]
            run = self._open.get(text)
            if run is None or not follows_on(*run.end, *first):
                if len(self._runs) == MOST_RUNS:
                    continue
                run = self._open[text] = OpenRun(text)
                self._runs.append(run)
            run.take(columns, order[start:end], last)

    def _add(self, breaks: Iterator[NumberingBreak]) -> None:
        for one in breaks:
            self._counts[one.law] += 1
            if self._counts[one.law] <= MOST_LISTED:
                self._breaks.append(one)

    def result(self) -> Numbered:
        """Return the summary of all messages taken."""
        exercised = tuple(sorted(self._exercised.items()))
        return Numbered(tuple(self._breaks), exercised, self._first, self._last, tuple(run.run() for run in self._runs))


def breaks_between(before: Mark, mark: Mark) -> Iterator[NumberingBreak]:
    """Yield that messages are missing before one, and that its entry has another publish time than the one before."""
    if mark.position <= before.position:
        return  # a message id that repeats or goes back is a finding of its own
    lacking = missing(before.position, mark.position)
    if lacking:
        why = f"{lacking} is not in the dump, which goes on with {mark.message_id}"
        yield NumberingBreak(ENTRIES, why, mark)
    if before.position[:2] == mark.position[:2] and before.time != mark.time:
        why = f"{before.message_id} and {mark.message_id} are one entry, and their publish times are "
        yield NumberingBreak(TIMES, f"{why}{seconds(abs(before.time - mark.time))} apart", mark, is_proof=True)


def _of_records(columns: Columns) -> Iterator[NumberingBreak]:
    """Yield records that were published before they were made, or long after; a batch has the time of its first."""
    time, made = columns.table["time"], columns.table["made"]
    is_first = columns.table["batch"] <= 0
    odd = np.flatnonzero(is_first & (made > 0) & ((made > time + STEP) | (made < time - WAITED)))
    for mark in marks_of(columns, odd):
        apart, is_early = seconds(abs(mark.made - mark.time)), mark.made > mark.time
        why = f"{mark.message_id} was published {apart} {'before' if is_early else 'after'} its record was made"
        if is_early:
            why += ": its publisher's clock was set back, which proves nothing, or the time is not its own"
        yield NumberingBreak(TIMES, why, mark)
