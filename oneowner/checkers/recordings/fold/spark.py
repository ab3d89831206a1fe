"""
The Spark engine does the same reading, fold and laws as inline, spread over a cluster.

Chunks of files are read in parallel; their blocks are shuffled so that the namespaces of one bucket come to one
task in topic order; each task folds its buckets as streams, so memory is per unit and not per event. The outcomes come
back sorted, and are streamed to the driver.

Workers need the project's own packages, which travel as one zip, and its dependencies (msgspec, numpy), which must
be installed there. Input files must be readable by the same path or URI on every worker.
"""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeVar

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, functions

from oneowner.checkers.recordings.fold.blocks import Block, read_chunk
from oneowner.checkers.recordings.fold.bucket import BucketResult, fold_bucket, fold_places
from oneowner.checkers.recordings.fold.chunk_reader import Summary
from oneowner.checkers.recordings.fold.column_formulas import Formulas, traced
from oneowner.checkers.recordings.fold.fold import Outcome
from oneowner.checkers.recordings.fold.gc_pause import gc_disabled
from oneowner.checkers.recordings.fold.intervals import Intervals
from oneowner.checkers.recordings.fold.outcomes import Outcomes, in_order, sort_key
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.read.events import NOWHERE, Finding, Refused, Tally
from oneowner.checkers.recordings.read.lines import Chunk, FileKind, weight
from oneowner.checkers.spark_session import failing_in_a_line, parallelism, session, streamed, where
from oneowner.model.channel.rules import Storage

Item = TypeVar("Item")

SHARED = -1
"""The bucket of rows that belong to no namespace: findings about lines, summaries of chunks."""

PART = 3 * 2**28
"""
Bytes of input that one partition holds at most, about: its sort holds a row of each of its spills in memory.

More partitions mean smaller blocks, and more work: with three times as many, a fifth more of it.
"""

SHARE = 2**23
"""Bytes of outcomes that come to the driver at once, about: the JVM holds them several times over."""

_CHUNK_SCHEMA = "chunk binary"
_BLOCK_SCHEMA = "partition int, run int, bucket int, ledger long, entry long, batch long, body binary"
_OUTCOME_SCHEMA = "kind int, run int, ledger long, entry long, batch long, unit string, body binary"
_TALLY, _FINDING, _REFUSED, _INTERVAL = range(4)


def audit_spark(runs: Sequence[Run], master: str | None = None, with_evidence: bool = True) -> tuple[Outcomes, str]:
    """
    Read and judge *runs* on Spark; return the outcomes and the name of the cluster.

    Files beside the channel are only read *with_evidence*.
    """
    spark = session(master)
    chunks = [chunk for number, run in enumerate(runs) for chunk in run.chunks(number, with_evidence)]
    size = sum(weight(piece.path) for run in runs for piece in run.pieces if piece.kind != FileKind.LOG)
    buckets = partitions = max(2 * parallelism(spark), size // PART)
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    questions = {number: run.question for number, run in enumerate(runs)}
    rows = spark.createDataFrame([(pickle.dumps(chunk),) for chunk in chunks], _CHUNK_SCHEMA)
    blocks = rows.repartition(min(len(chunks), 8 * partitions) or 1).mapInArrow(_reader(buckets), _BLOCK_SCHEMA)
    if not with_evidence and not all(run.is_alone for run in runs):
        blocks = blocks.persist(StorageLevel.DISK_ONLY)  # the judge of files beside a channel takes them, too
    # By number: hashes of so few numbers would leave some partitions empty, and one with half of the work.
    by_bucket = blocks.repartitionById(partitions, functions.col("partition"))
    by_bucket = by_bucket.sortWithinPartitions("run", "bucket", "ledger", "entry", "batch").drop("partition")
    formulas = {storage: traced(storage) for storage in {question.storage for question in questions.values()}}
    said = by_bucket.mapInArrow(_folder(questions, formulas, buckets), _OUTCOME_SCHEMA)
    said = said.persist(StorageLevel.DISK_ONLY)  # kept once; parts lost with an executor are computed again
    outcomes = Outcomes(blocks=lambda run: _blocks_of(blocks, run, buckets))
    for number in questions:
        outcomes.note(number, Tally())
    with failing_in_a_line():
        for row in said.filter(f"kind = {_TALLY}").select("run", "body").collect():
            outcomes.note(row["run"], pickle.loads(row["body"]))
        sizes = said.groupBy("kind").agg(functions.sum(functions.octet_length("body")).alias("bytes")).collect()
    shares = Counter({row["kind"]: row["bytes"] // SHARE + 1 for row in sizes})
    place = "ledger", "entry", "batch"
    outcomes.findings = lambda: in_order(_unpickled(_stream(said, _FINDING, shares, *place)))
    outcomes.refusals = lambda: in_order(_unpickled(_stream(said, _REFUSED, shares, *place)))
    outcomes.intervals = lambda: _unpickled(_stream(said, _INTERVAL, shares, "unit", *place))
    return outcomes, where(spark)


def _reader(buckets: int) -> Any:
    """Return the task that turns chunks into blocks."""

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with gc_disabled():
            for batch in batches:
                for packed in batch.column(0):
                    chunk: Chunk = pickle.loads(packed.as_py())
                    for part in read_chunk(chunk, buckets):
                        yield _block_row(chunk.run, part, buckets)

    return read


def _block_row(run: int, part: Block | list[Finding] | Summary, buckets: int) -> pa.RecordBatch:
    if isinstance(part, Block):
        bucket, position = part.bucket, part.first
    else:
        bucket, position = SHARED, NOWHERE
    body = pickle.dumps(part, 5)
    arrays = [pa.array([number], pa.int32()) for number in ((run + bucket) % buckets, run, bucket)]
    arrays += [pa.array([number], pa.int64()) for number in position]
    return pa.RecordBatch.from_arrays([*arrays, pa.array([body], pa.binary())], _BLOCK_NAMES)


_BLOCK_NAMES = ["partition", "run", "bucket", "ledger", "entry", "batch", "body"]


def _folder(questions: dict[int, Question], formulas: dict[Storage, Formulas], buckets: int) -> Any:
    """Return the task that folds the buckets of one partition; *formulas* are traced on the driver."""

    def fold_all(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with gc_disabled():
            for (run, bucket), members in groupby(_blocks_in(batches), key=lambda row: row[:2]):
                parts = (pickle.loads(body) for _, _, body in members)
                if bucket == SHARED:
                    yield from (_outcome_rows(run, part if isinstance(part, list) else [part]) for part in parts)
                elif bucket < buckets:
                    question = questions[run]
                    yield from _rows_said(run, fold_bucket(question, formulas[question.storage], parts))
                else:
                    yield from _rows_said(run, fold_places(questions[run], parts))

    return fold_all


_OUTCOMES_PER_BATCH = 1_000
_OUTCOMES_PER_ROW = 100


def _rows_said(run: int, said: Iterator[BucketResult]) -> Iterator[pa.RecordBatch]:
    lasted: list[Intervals] = []
    for part in said:
        if isinstance(part, Intervals):
            lasted.append(part)
        if lasted and (len(lasted) == _OUTCOMES_PER_BATCH or not isinstance(part, Intervals)):
            yield _intervals(run, lasted)
            lasted = []
        if isinstance(part, Tally):
            yield _outcome_rows(run, [part])
        elif isinstance(part, list):
            for first in range(0, len(part), _OUTCOMES_PER_BATCH):
                yield _outcome_rows(run, part[first : first + _OUTCOMES_PER_BATCH])
    if lasted:
        yield _intervals(run, lasted)


def _intervals(run: int, lasted: Sequence[Intervals]) -> pa.RecordBatch:
    return _batch([(_INTERVAL, run, *one.first(), one.units[0], pickle.dumps(one, 5)) for one in lasted])


def _blocks_in(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, int, Any]]:
    for batch in batches:
        runs, buckets = batch.column(0), batch.column(1)
        for index, body in enumerate(batch.column(5)):
            yield runs[index].as_py(), buckets[index].as_py(), body.as_buffer()


def _outcome_rows(run: int, items: Sequence[Outcome | Summary | Tally]) -> pa.RecordBatch:
    return _batch(list(_rows_of(run, items)))


def _batch(rows: Sequence[tuple[Any, ...]]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(_OUTCOME_NAMES)
    types = [pa.int32(), pa.int32(), pa.int64(), pa.int64(), pa.int64(), pa.string(), pa.binary()]
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, _OUTCOME_NAMES)


_OUTCOME_NAMES = ["kind", "run", "ledger", "entry", "batch", "unit", "body"]


def _rows_of(run: int, items: Sequence[Outcome | Summary | Tally]) -> Iterator[tuple[Any, ...]]:
    """Yield rows of findings and of refusals, in order; and one for every count."""
    by_kind: dict[int, list[Finding | Refused]] = {_FINDING: [], _REFUSED: []}
    for item in items:
        if isinstance(item, Finding):
            by_kind[_FINDING].append(item)
        elif isinstance(item, Refused):
            by_kind[_REFUSED].append(item)
        else:
            yield _TALLY, run, *NOWHERE, "", pickle.dumps(item, 5)
    for kind, members in by_kind.items():
        members.sort(key=lambda item: sort_key(run, item))
        for some in _cut(members):
            yield kind, run, *some[0].position, "", pickle.dumps(some, 5)


def _cut(items: list[Item]) -> Iterator[list[Item]]:
    """Cut a list into pieces that rows can hold: the JVM has many rows at once."""
    for first in range(0, len(items), _OUTCOMES_PER_ROW):
        yield items[first : first + _OUTCOMES_PER_ROW]


def _stream(said: DataFrame, kind: int, shares: Mapping[int, int], *order: str) -> Iterator[tuple[int, bytes]]:
    """Yield the outcomes of one *kind*, in order."""
    return _in_order(said.filter(f"kind = {kind}"), shares[kind], *order)


def _blocks_of(blocks: DataFrame, run: int, buckets: int) -> Iterator[Block]:
    """Yield the blocks of the channel of a run, by the place of their first event."""
    found = blocks.filter(f"run = {run} and bucket between 0 and {buckets - 1}")
    with failing_in_a_line():
        (total,) = found.agg(functions.sum(functions.octet_length("body")).alias("bytes")).collect()
    rows = _in_order(found, (total["bytes"] or 0) // SHARE + 1, "ledger", "entry", "batch")
    return (block for _, block in _unpickled(rows))


def _in_order(rows: DataFrame, shares: int, *order: str) -> Iterator[tuple[int, bytes]]:
    """Yield runs and bodies in order; they come to the driver by parts, each of which the JVM holds."""
    by_place = rows.repartitionByRange(max(1, shares), "run", *order).sortWithinPartitions("run", *order)
    return ((row["run"], row["body"]) for row in streamed(by_place.select("run", "body")))


def _unpickled(rows: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, Any]]:
    return ((run, pickle.loads(body)) for run, body in rows)
