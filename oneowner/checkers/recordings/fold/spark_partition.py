"""Items of work are spread over a Spark cluster: each is a task, and its parts wait on disk for the driver."""

import pickle
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import pyarrow as pa
from pyspark import SparkFiles, StorageLevel
from pyspark.sql import DataFrame, SparkSession, functions

from oneowner.checkers.recordings.fold.gc_pause import gc_disabled
from oneowner.checkers.recordings.read.kept_lines import Block
from oneowner.checkers.recordings.read.partition import Executor, copies_lie_in, parts_lie_here
from oneowner.checkers.spark_session import is_local, session, streamed

Part = TypeVar("Part")

SHARE = 2**25
"""
Bytes of input whose parts go to the driver at once, about: the JVM holds the rest of them several times over.

Of 500 MB of logs it took 790 MB in one share, 750 MB in shares of 2**27 and 550 MB in these.
"""

_PARTS = "number int, place int, size long, body binary"
"""Part *place* of item *number*, packed."""


class OnCluster:
    """
    Runs work on the cluster, whose input has *size* bytes; the work and the items travel there as pickles.

    Blocks of lines wait there for the work that is done ``beside`` them, unless all of it is this machine.
    """

    def __init__(self, size: int, master: str | None) -> None:
        self._size, self._master = size, master
        self._waiting: DataFrame | None = None

    def __call__(
        self, work: Callable[[Any], Iterator[Part]], items: Sequence[Any], files: Sequence[str] = ()
    ) -> Iterator[Part]:
        """Run the work; every executor on another machine fetches a copy of a file of *files* when it needs one."""
        if not items:
            return
        spark = session(self._master)
        packed = [(number, pickle.dumps(item)) for number, item in enumerate(items)]
        rows = spark.createDataFrame(packed, "number int, item binary").repartitionByRange(len(items), "number")
        # Sorting reads its input twice.
        parts = rows.mapInArrow(_task(work), _PARTS).persist(StorageLevel.DISK_ONLY)
        _send(spark, files)
        for number, part in self._streamed(parts, len(items)):
            waits = isinstance(part, Block) and not is_local(spark)
            if waits:
                self._wait(parts)
            yield _marked(part, number) if waits else part
        if self._waiting is not parts:
            parts.unpersist()

    @contextmanager
    def beside(self, items: Sequence[Collection[int]]) -> Iterator[Executor]:
        """Yield an executor next to the waiting parts of *items* of the work before: they are shuffled there once."""
        assert self._waiting is not None, "no part waits"
        spark = session(self._master)
        whose = [(number, task) for task, some in enumerate(items) for number in some]
        lines = self._waiting.join(functions.broadcast(spark.createDataFrame(whose, "number int, task int")), "number")
        marks = [(task, -1, -1, 0, b"") for task in range(len(items))]  # no task is without a row
        rows = spark.createDataFrame(marks, f"task int, {_PARTS}").union(lines.select("task", *_NAMES))
        rows = rows.repartitionById(len(items), functions.col("task")).sortWithinPartitions("number", "place")
        rows = rows.persist(StorageLevel.DISK_ONLY)
        try:
            yield partial(self._beside, rows)
        finally:
            rows.unpersist()
            self._wait(None)

    def _beside(
        self, rows: DataFrame, work: Callable[[Any], Iterator[Part]], items: Sequence[Any], files: Sequence[str] = ()
    ) -> Iterator[Part]:
        _send(session(self._master), files)
        parts = rows.mapInArrow(_task_beside(work, items), _PARTS).persist(StorageLevel.DISK_ONLY)
        for _, part in self._streamed(parts, len(items)):
            yield part
        parts.unpersist()

    def _wait(self, parts: DataFrame | None) -> None:
        """Keep *parts* waiting, and no others."""
        if self._waiting is not None and self._waiting is not parts:
            self._waiting.unpersist()
        self._waiting = parts

    def _streamed(self, parts: DataFrame, items: int) -> Iterator[tuple[int, Any]]:
        """Yield parts in the order of items, and of which each is."""
        # Not by the session's setting of partitions: findings of the channel are still to be sorted by that.
        ordered = parts.repartitionByRange(max(items, self._size // SHARE), "number", "place")
        packing = pa.Codec("zstd", 1)
        for row in streamed(ordered.sortWithinPartitions("number", "place").select("number", "size", "body")):
            yield row["number"], pickle.loads(packing.decompress(row["body"], row["size"]))


def _marked(block: Any, number: int) -> Any:
    """Return a block of lines with the number of its item."""
    return replace(block, item=number)


def _send(spark: SparkSession, files: Sequence[str]) -> None:
    if files and not is_local(spark):
        spark.addArtifacts(*files, file=True)


def _task(work: Callable[[Any], Iterator[Any]]) -> Any:
    """Return the task that works on the items of one partition."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        copies_lie_in(SparkFiles.getRootDirectory())
        with gc_disabled():
            for batch in batches:
                for number, packed in zip(batch.column(0), batch.column(1), strict=True):
                    yield from _packed(number.as_py(), work(pickle.loads(packed.as_py())))

    return run


def _task_beside(work: Callable[[Any], Iterator[Any]], items: Sequence[Any]) -> Any:
    """Return the task that works on the item that the first row of a partition marks, beside the parts that follow."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        copies_lie_in(SparkFiles.getRootDirectory())
        rows = (row for batch in batches for row in zip(*batch.columns, strict=True))
        with gc_disabled():
            item = next(rows)[0].as_py()
            parts_lie_here(_unpacked(rows))
            yield from _packed(item, work(items[item]))

    return run


def _packed(number: int, parts: Iterable[Any]) -> Iterator[pa.RecordBatch]:
    packing = pa.Codec("zstd", 1)
    for place, part in enumerate(parts):
        plain = pickle.dumps(part, 5)
        body = packing.compress(plain, asbytes=True)  # a tenth of it: lines are much alike
        arrays = [pa.array([n], pa.int32()) for n in (number, place)]
        arrays += [pa.array([len(plain)], pa.int64()), pa.array([body], pa.binary())]
        yield pa.RecordBatch.from_arrays(arrays, _NAMES)


def _unpacked(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, Any]]:
    packing = pa.Codec("zstd", 1)
    for _, number, _, size, body in rows:
        yield number.as_py(), pickle.loads(packing.decompress(body.as_buffer(), size.as_py()))


_NAMES = ["number", "place", "size", "body"]
