"""Items of work are spread over a Spark cluster: each is a task, and its parts wait on disk for the driver."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import pyarrow as pa
from pyspark import SparkFiles, StorageLevel

from oneowner.checkers.recordings.fold.gc_pause import no_cycles
from oneowner.checkers.recordings.read.partition import copies_lie_in
from oneowner.checkers.spark_session import is_local, session, streamed

Part = TypeVar("Part")

SHARE = 2**25
"""
Bytes of input whose parts go to the driver at once, about: the JVM holds what is left of them several times over.

Of 500 MB of logs it took 790 MB in one share, 750 MB in shares of 2**27 and 550 MB in these.
"""


def on_cluster(
    work: Callable[[Any], Iterator[Part]],
    items: Sequence[Any],
    files: Sequence[str] = (),
    *,
    size: int,
    master: str | None,
) -> Iterator[Part]:
    """
    Do the work on the cluster, whose input has *size* bytes; *work* and the items travel there as pickles.

    Of *files* every executor on another machine fetches a copy when it needs one.
    """
    if not items:
        return
    spark, shares = session(master), max(len(items), size // SHARE)
    if files and not is_local(spark):
        spark.addArtifacts(*files, file=True)
    rows = spark.createDataFrame([(n, pickle.dumps(item)) for n, item in enumerate(items)], "number int, item binary")
    parts = rows.repartitionByRange(len(items), "number").mapInArrow(
        _task(work), "number int, place int, size long, body binary"
    )
    parts = parts.persist(StorageLevel.DISK_ONLY)  # what is sorted is looked at twice
    # Not by the session's setting of partitions: findings of the channel are still to be sorted by that.
    ordered = parts.repartitionByRange(shares, "number", "place").sortWithinPartitions("number", "place")
    packing = pa.Codec("zstd", 1)
    for row in streamed(ordered.select("size", "body")):
        yield pickle.loads(packing.decompress(row["body"], row["size"]))
    parts.unpersist()


def _task(work: Callable[[Any], Iterator[Any]]) -> Any:
    """Return the task that works on the items of one partition."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packing = pa.Codec("zstd", 1)
        copies_lie_in(SparkFiles.getRootDirectory())
        with no_cycles():
            for batch in batches:
                for number, packed in zip(batch.column(0), batch.column(1), strict=True):
                    for place, part in enumerate(work(pickle.loads(packed.as_py()))):
                        plain = pickle.dumps(part, 5)
                        body = packing.compress(plain, asbytes=True)  # a tenth of it: lines are much alike
                        arrays = [pa.array([n], pa.int32()) for n in (number.as_py(), place)]
                        arrays += [pa.array([len(plain)], pa.int64()), pa.array([body], pa.binary())]
                        yield pa.RecordBatch.from_arrays(arrays, _NAMES)

    return run


_NAMES = ["number", "place", "size", "body"]
