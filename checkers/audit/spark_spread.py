"""
Work on many items, spread over a Spark cluster: an item is a task, and its parts wait on disk for the driver.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import pyarrow as pa
from pyspark import StorageLevel

from checkers.audit.garbage import no_cycles
from checkers.audit.session import session, streamed

Part = TypeVar("Part")

SHARE = 2**25
"""
Bytes of input whose parts go to the driver at once, about: the JVM holds what is left of them several times over.

Of 500 MB of logs it took 790 MB in one share, 750 MB in shares of 2**27 and 550 MB in these.
"""


def on_cluster(
    work: Callable[[Any], Iterator[Part]], items: Sequence[Any], size: int, master: str | None
) -> Iterator[Part]:
    """Do the work on the cluster, whose input has *size* bytes; *work* and the items travel there as pickles."""
    if not items:
        return
    spark, shares = session(master), max(len(items), size // SHARE)
    rows = spark.createDataFrame([(n, pickle.dumps(item)) for n, item in enumerate(items)], "number int, item binary")
    parts = rows.repartitionByRange(len(items), "number").mapInArrow(_task(work), "number int, place int, body binary")
    parts = parts.persist(StorageLevel.DISK_ONLY)  # what is sorted is looked at twice
    # Not by the session's setting of partitions: findings of the channel are still to be sorted by that.
    ordered = parts.repartitionByRange(shares, "number", "place").sortWithinPartitions("number", "place")
    for row in streamed(ordered.select("body")):
        yield pickle.loads(zlib.decompress(row["body"]))
    parts.unpersist()


def _task(work: Callable[[Any], Iterator[Any]]) -> Any:
    """Return the task that works on the items of one partition."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with no_cycles():
            for batch in batches:
                for number, packed in zip(batch.column(0), batch.column(1), strict=True):
                    for place, part in enumerate(work(pickle.loads(packed.as_py()))):
                        body = zlib.compress(pickle.dumps(part, 5), 1)  # a tenth of it: lines are much alike
                        arrays = [pa.array([number.as_py()], pa.int32()), pa.array([place], pa.int32())]
                        yield pa.RecordBatch.from_arrays([*arrays, pa.array([body], pa.binary())], _NAMES)

    return run


_NAMES = ["number", "place", "body"]
