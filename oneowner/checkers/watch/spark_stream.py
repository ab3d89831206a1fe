"""
Clusters watched by Spark Structured Streaming: the fold of each is its state, and a batch's findings are reported once.

A batch is the next lines of each cluster. The task of a cluster takes its memory out of the state, judges the lines by
the same watch as inline, and puts the memory back. Its findings go to the driver, which reports them by the journal of
the batch; a batch that Spark restarts after a kill has the same findings, and the journal skips those already reported.
"""

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from oneowner.checkers.collect.channel_reader import Say
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.live.channel_watch import ChannelWatch, Counts, LiveFinding, kind_of
from oneowner.checkers.spark_session import failing_in_a_line, parallelism, session
from oneowner.checkers.verdict import EngineError
from oneowner.checkers.watch.checkpoint import Checkpoint, State
from oneowner.checkers.watch.clusters import Cluster
from oneowner.checkers.watch.inline import Terms
from oneowner.checkers.watch.journal import Journal
from oneowner.checkers.watch.readings import Readings, reading_of
from oneowner.checkers.watch.spark_source import FORMAT, channels
from oneowner.checkers.watch.watching import LOOKS_EVERY, source_of

TRIGGER: Final = "200 milliseconds"
KEPT: Final = "4"
"""Batches whose state Spark keeps, so that it can go back."""

TRIES: Final = 3
"""The number of failures in succession without a reported batch: on a busy machine a worker may start too late."""

_OUT: Final = "cluster string, told string"
_STATE: Final = "memory string"


class SparkWatching:
    """All clusters of one process, followed by one query."""

    def __init__(
        self, clusters: Sequence[Cluster], terms: Terms, speed: float | None, master: str | None,
        readings: Readings, say: Say,
    ) -> None:  # fmt: skip
        """
        Check that every cluster is readable, and begin.

        :raises Misuse: one is not readable, or the checkpoint is another's.
        """
        self._clusters, self._terms, self._readings, self._say = clusters, terms, readings, say
        self._speed, self._master = speed, master
        self.found: Counter[tuple[str, str]] = Counter()
        self._over: set[str] = set()
        self._batches = 0
        """The findings reported by this process."""
        for cluster in clusters:
            source_of(cluster, None, say=say).close()
        self._temporary = tempfile.TemporaryDirectory(prefix="oneowner-watch-")
        folder = (terms.checkpoint or Path(self._temporary.name)) / "spark"
        self._checkpoint = Checkpoint(folder, ", ".join(sorted(cluster.name for cluster in clusters)))
        if self._checkpoint.read() is None:
            self._checkpoint.write(State(0, {}, {}))
        self._journal = Journal(folder, terms.sinks)
        self._folder = folder

    def run(self, seconds: float | None) -> None:
        """
        Watch until all sources have ended, for at most *seconds*, or until Ctrl-C.

        :raises EngineError: Spark gives up, or a cluster was lost.
        """
        until = None if seconds is None else time.monotonic() + seconds
        spark = session(self._master)
        spark.conf.set("spark.sql.shuffle.partitions", str(min(len(self._clusters), parallelism(spark))))
        spark.conf.set("spark.sql.streaming.minBatchesToRetain", KEPT)
        spark.dataSource.register(channels(self._clusters, self._speed))
        for cluster in self._clusters:
            self._say(f"{cluster.name}: watching {cluster.file} by Spark")
        failed, batches = 0, self._batches
        try:
            while True:
                try:
                    with failing_in_a_line():
                        self._follow(spark, until)
                    return
                except EngineError as error:
                    failed, batches = 1 if self._batches > batches else failed + 1, self._batches
                    if failed == TRIES:
                        raise
                    self._say(f"{error}; the query is begun again, {TRIES - failed} times more at most")
        except KeyboardInterrupt:
            self._say("interrupted: reported findings are recorded")
        finally:
            self._journal.close()
            self._checkpoint.close()

    def _follow(self, spark: SparkSession, until: float | None) -> None:
        """Run the query until the end or for *seconds*; raise its failure."""
        told = (
            spark.readStream.format(FORMAT).load().groupBy("cluster").applyInPandasWithState(
                judging(self._clusters, self._terms), _OUT, _STATE, "update", GroupStateTimeout.NoTimeout
            )
        )  # fmt: skip
        query = (
            told.writeStream.foreachBatch(self._tell).outputMode("update").trigger(processingTime=TRIGGER)
            .option("checkpointLocation", str(self._folder / "stream")).start()
        )  # fmt: skip
        try:
            while query.isActive and len(self._over) < len(self._clusters):
                time.sleep(LOOKS_EVERY)
                if until is not None and time.monotonic() >= until:
                    return
            if query.isActive:
                query.processAllAvailable()
            if (lost := query.exception()) is not None:
                raise lost
        finally:
            query.stop()

    def _tell(self, frame: DataFrame, batch: int) -> None:
        """Report the findings of a batch."""
        told = [json.loads(row["told"]) for row in frame.collect()]
        self._journal.begin(batch)
        self._batches += 1
        found = [LiveFinding(*one) for part in told for one in part["found"]]
        self.found.update(kind_of(one) for one in self._journal.tell(found))
        for part in told:
            name, counts = part["cluster"], Counts(*part["counts"])
            reading = reading_of(part["is_up"], part["is_at_end"], part["last"], counts)
            self._readings.set(name, reading, self._journal.found_in(name))
            if part["is_over"]:
                self._over.add(name)


def judging(
    clusters: Sequence[Cluster], terms: Terms
) -> Callable[[Any, Iterable[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]:
    """Return the task of one cluster, without sinks, which stay with the driver."""
    files = {cluster.name: cluster.file for cluster in clusters}
    question: Question = terms.question
    skew = {cluster.name: 0 if cluster.replay else terms.clock_skew for cluster in clusters}

    def judge(key: Any, frames: Iterable[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        (name,) = key
        memory = json.loads(state.get[0]) if state.exists else None
        watch = ChannelWatch(name, files[name], question, memory)
        for frame in frames:
            for row in frame.itertuples(index=False):
                found = watch.take(BytesIO(row.lines))
                if row.is_at_end:
                    found += watch.pass_time(int(row.clock) - skew[name])
                state.update((json.dumps(watch.memory(), separators=(",", ":")),))
                told = {
                    "cluster": name, "found": found, "counts": watch.counts(int(row.clock)),
                    "last": watch.fold.tally.last_time, "is_at_end": bool(row.is_at_end),
                    "is_over": bool(row.is_over), "is_up": bool(row.is_up),
                }  # fmt: skip
                yield pd.DataFrame({"cluster": [name], "told": [json.dumps(told)]})

    return judge
