"""The tasks of a level run on a Spark cluster: a job with one shuffle for a level, one without for a way back."""

import pickle
from collections.abc import Iterable, Iterator
from threading import Timer
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import functions

from oneowner.checkers.engines.compile.watched import OUT_OF_TIME, Stopped
from oneowner.checkers.engines.spark.tasks import Back, back_part, expand_part, merge_part
from oneowner.checkers.engines.spark.work import Run, Summary, Work
from oneowner.checkers.spark_session import failing_in_a_line, parallelism, session, where
from oneowner.checkers.verdict import EngineError

_BLOCKS = pa.schema({"part": pa.int32(), "kind": pa.int32(), "body": pa.binary()})
_ANSWERS = pa.schema({"body": pa.binary()})


class Cluster:
    """A Spark cluster, which all of whose machines see the folder of the checkpoint."""

    def __init__(self, master: str | None) -> None:
        self._spark = session(master)
        if not hasattr(self._spark, "_jsc"):
            raise EngineError("the engine spark needs a session of its own, not Spark Connect")

    def __str__(self) -> str:
        return where(self._spark)

    @property
    def cores(self) -> int:
        return parallelism(self._spark)

    def level(self, work: Work, seconds: float | None = None) -> list[Summary]:
        """Expand a level and merge what it leads to; raise Stopped if that takes longer, EngineError if it fails."""
        numbers = self._spark.range(0, work.partitions, 1, work.partitions)
        blocks = numbers.mapInArrow(_expanding(work), "part int, kind int, body binary")
        # Partition n gets the blocks of number n: the only shuffle.
        merged = blocks.repartitionById(work.partitions, functions.col("part"))
        return self._collected(merged.mapInArrow(_merging(work), "body binary"), seconds)

    def back(self, back: Back, seconds: float | None = None) -> list[Run]:
        """Find what lies on ways back through a level."""
        numbers = self._spark.range(0, back.work.partitions, 1, back.work.partitions)
        return self._collected(numbers.mapInArrow(_going_back(back), "body binary"), seconds)

    def _collected(self, answers: Any, seconds: float | None) -> list[Any]:
        late: list[bool] = []
        context = self._spark.sparkContext

        def end() -> None:
            late.append(True)
            context.cancelAllJobs()

        timer = Timer(max(seconds, 0.0), end) if seconds is not None else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            with failing_in_a_line():
                return [pickle.loads(row["body"]) for row in answers.collect()]
        except EngineError:
            if late:
                raise Stopped(OUT_OF_TIME) from None
            raise
        except KeyboardInterrupt:
            context.cancelAllJobs()
            raise
        finally:
            if timer is not None:
                timer.cancel()


def _expanding(work: Work) -> Any:
    def expand(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in _numbers(batches):
            for block in expand_part(work, part):
                arrays = [pa.array([value], kind) for value, kind in zip(block, _BLOCKS.types, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=_BLOCKS)

    return expand


def _merging(work: Work) -> Any:
    def merge(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None, "it runs in a task"
        yield _answer(merge_part(work, context.partitionId(), _blocks_in(batches)))

    return merge


def _going_back(back: Back) -> Any:
    def go(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in _numbers(batches):
            yield _answer(back_part(back, part))

    return go


def _numbers(batches: Iterable[pa.RecordBatch]) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


def _blocks_in(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Any]]:
    for batch in batches:
        for kind, body in zip(batch.column("kind"), batch.column("body"), strict=True):
            yield kind.as_py(), body.as_buffer()


def _answer(found: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([pickle.dumps(found)], pa.binary())], schema=_ANSWERS)
