"""
One cluster followed in this process: its source, its watch, its journal and its checkpoint, in this order.

Lines are judged, findings reported, and only then the place behind the lines is written. So a watch that is killed in
between restarts before its unreported findings.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.live.channel_watch import ChannelWatch, LiveFinding, kind_of
from oneowner.checkers.recordings.live.evidence import Evidence
from oneowner.checkers.recordings.live.explained_units import ExplainedUnits
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.watch.answers import AnswerCollector
from oneowner.checkers.watch.checkpoint import Checkpoint, State
from oneowner.checkers.watch.clusters import Cluster
from oneowner.checkers.watch.journal import Journal, Sink
from oneowner.checkers.watch.readings import Readings, reading_of
from oneowner.checkers.watch.sources import Batch, Place, Source

MOST: Final = 5_000
"""Lines that are judged together."""
WAIT: Final = 0.25
"""The seconds of a source's wait for more lines, which is also the delay of reports by time."""
EVERY: Final = 1.0
"""Seconds between two checkpoints, and between two checks of the laws of time and of states; the latter's budget."""

Open = Callable[[Cluster, Place | None], Source]


class Terms(NamedTuple):
    """The terms for all watched clusters."""

    question: Question
    clock_skew: int
    """Milliseconds by which the clocks of brokers may be behind that of the watch."""
    checkpoint: Path | None
    sinks: Sequence[Sink]
    ask: Callable[[Cluster], AnswerCollector] | None = None
    """Starts the queries to the brokers of a cluster that has an admin-url."""


class Follower:
    """Follows one cluster."""

    def __init__(self, cluster: Cluster, terms: Terms, open_source: Open, readings: Readings) -> None:
        """
        Begin, or continue from the checkpoint.

        :raises Misuse: the source or the checkpoint refuses.
        """
        self.cluster, self._terms, self._readings = cluster, terms, readings
        folder = None if terms.checkpoint is None else terms.checkpoint / cluster.name
        self._checkpoint = None if folder is None else Checkpoint(folder, cluster.name)
        state = None if self._checkpoint is None else self._checkpoint.read()
        self.source = open_source(cluster, state.place if state else None)
        memory = state.watch if state else None
        self.watch = ChannelWatch(cluster.name, self.source.file, terms.question, memory)
        try:
            self._asking = terms.ask(cluster) if terms.ask is not None and cluster.admin_url else None
        except Misuse:
            self.source.close()
            raise
        self._evidence = Evidence(
            cluster.name, self.source.file, terms.question, terms.clock_skew, memory.get("open", ()) if memory else ()
        )
        explaining = memory.get("explaining") if memory else None
        self._units = ExplainedUnits(cluster.name, cluster.folder, explaining) if cluster.folder else None
        self._journal = Journal(folder, terms.sinks)
        self._batch = state.batch if state else 0
        self._journal.begin(self._batch)
        self._looked = self._written = 0.0
        self._is_changed = False
        self.found: Counter[tuple[str, str]] = Counter()
        """The findings reported by this process, by law and severity."""

    def run(self, is_ended: Callable[[], bool]) -> None:
        """Follow the cluster until its source or *is_ended* ends."""
        try:
            while not (is_ended() or self.source.is_over):
                self.step()
            self._write_state()
        finally:
            self.close()

    def step(self) -> None:
        """Read once, judge, report, and write the state if it is due."""
        batch = self.source.read(MOST, WAIT)
        found = self.watch.take(batch.lines)
        is_due = time.monotonic() >= self._looked + EVERY or self.source.is_over
        if is_due and batch.is_at_end:
            found += self.watch.pass_time(batch.clock - (0 if self.cluster.replay else self._terms.clock_skew))
        if self._asking is not None:
            found += self._asked(batch, self._asking)
        if self._units is not None:
            self._units.take(self.watch.judged)
            if is_due and batch.is_at_end:
                records = self.watch.fold.tally.events
                found += self._units.judge(batch.clock, records, self.source.is_over, EVERY)
        self.found.update(kind_of(one) for one in self._journal.tell(found))
        self._is_changed = self._is_changed or bool(batch.lines or found)
        self._place = batch.place
        if is_due:
            self._looked = time.monotonic()
            self._show(batch)
        if self._is_changed and time.monotonic() >= self._written + EVERY:
            self._write_state()

    def _asked(self, batch: Batch, asking: AnswerCollector) -> list[LiveFinding]:
        """Return the findings of answers, once all earlier records have been read."""
        self._evidence.take(self.watch.judged)
        self._evidence.answered(asking.fetch())
        if not batch.is_at_end:
            return []
        self._evidence.begin(self.watch.fold.units)
        return self._evidence.judge(batch.clock, asking.brokers)

    def _show(self, batch: Batch) -> None:
        last, counts = self.watch.fold.tally.last_time, self.watch.counts(batch.clock)
        reading = reading_of(self.source.is_up, batch.is_at_end, last, counts)
        if (units := self._units) is not None:
            reading = reading._replace(explained=units.explained, behind=units.left, doubts=tuple(units.doubts()))
        self._readings.set(self.cluster.name, reading, self._journal.found_in(self.cluster.name))

    def _write_state(self) -> None:
        if self._is_changed:
            self._batch += 1
            if self._checkpoint is not None:
                self._journal.prepare(self._batch)
                explaining = {} if self._units is None else {"explaining": self._units.memory()}
                memory = {**self.watch.memory(), "open": self._evidence.memory(), **explaining}
                self._checkpoint.write(State(self._batch, self._place, memory))
            self._journal.begin(self._batch)
        self._written, self._is_changed = time.monotonic(), False

    def close(self) -> None:
        """Release the open resources."""
        if self._asking is not None:
            self._asking.stop()
        self.source.close()
        self._journal.close()
        if self._checkpoint is not None:
            self._checkpoint.close()
