"""
A bucket is folded: blocks of some namespaces, or of some places in the topic, become their outcomes.

It is the work of one task, of Spark or of a process. Blocks and outcomes may lie on disk meanwhile, so that the caller
holds neither.
"""

import errno
import pickle
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NamedTuple

from oneowner.checkers.recordings.fold.blocks import Block, Packed, merge, read_chunk, repeats
from oneowner.checkers.recordings.fold.chunk_reader import Summary
from oneowner.checkers.recordings.fold.column_fold import ColumnFold
from oneowner.checkers.recordings.fold.column_formulas import Formulas
from oneowner.checkers.recordings.fold.fold import Outcome
from oneowner.checkers.recordings.fold.intervals import MOST, Intervals
from oneowner.checkers.recordings.fold.outcomes import sort_key
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.read.event_columns import Columns
from oneowner.checkers.recordings.read.events import Finding, Position, Refused, Tally
from oneowner.checkers.recordings.read.lines import Chunk
from oneowner.checkers.verdict import Misuse

AT_ONCE = 1_000
"""Outcomes that are kept together."""

BucketResult = list[Outcome] | Tally | Intervals


def fold_bucket(question: Question, formulas: Formulas | None, blocks: Iterable[Packed]) -> Iterator[BucketResult]:
    """Yield the outcomes of the namespaces of a bucket, whose *blocks* come in topic order, and the counts."""
    folding = ColumnFold(question, formulas)
    for columns in merge(blocks):
        folding.take_columns(columns)
        yield folding.out
        folding.out = []
        yield from folding.ended()
    tally = folding.finish()
    yield folding.out
    yield tally
    yield from folding.ended()


def fold_places(question: Question, blocks: Iterable[Packed]) -> Iterator[BucketResult]:
    """Yield findings about ids that occur in two files, and the counts; *blocks* are packed by place."""
    folding = ColumnFold(question)
    for finding in repeats(blocks):
        folding.say(finding)
    yield folding.out
    yield folding.tally


class Stored(NamedTuple):
    """An object that lies in a file, or is held here, with the data needed to find it."""

    kind: type[Block | Finding | Refused | Intervals]
    """It is one block, or several of these, in order."""
    run: int
    bucket: int
    first: Position
    path: str
    """Empty: it is held."""
    start: int
    held: Any = None

    def value(self) -> Any:
        """Return it."""
        if not self.path:
            return self.held
        with open(self.path, "rb") as stream:
            stream.seek(self.start)
            return pickle.load(stream)

    def columns(self) -> Columns:
        """Return the events of a block."""
        block: Block = self.value()
        return block.columns()


def read_and_store(folder: str, buckets: int, chunk: Chunk) -> Iterator[Stored | Summary]:
    """Read a chunk; its blocks, and the faults of lines, are kept in a file of *folder*, if there is one."""
    with _file(folder, f"chunk-{chunk.run}-{chunk.piece}-{chunk.number}") as stream:
        for part in read_chunk(chunk, buckets):
            if isinstance(part, Block):
                yield _store(stream, Block, chunk.run, part, part.first, part.bucket)
            elif isinstance(part, Summary):
                yield part
            else:
                yield from _outcomes(stream, chunk.run, part)


class Task(NamedTuple):
    """A bucket of a run that is to be folded."""

    run: int
    number: int
    blocks: tuple[Stored, ...]
    """In topic order."""
    is_by_place: bool


def fold_and_store(
    folder: str, questions: Sequence[Question], formulas: Sequence[Formulas | None], task: Task
) -> Iterator[Stored | list[Stored] | tuple[int, Tally]]:
    """
    Fold a bucket; yield its outcomes, kept in a file of *folder*, if there is one, and counts with their run.

    The intervals of one batch, by unit and by place, are a list.

    *questions* and *formulas* are those of each run; None: they are traced when they are needed.
    """
    question = questions[task.run]
    said = fold_bucket(question, formulas[task.run], task.blocks)
    with _file(folder, f"said-{task.run}-{task.number}") as stream:
        parts = fold_places(question, task.blocks) if task.is_by_place else said
        for _, some in groupby(parts, key=lambda part: isinstance(part, Intervals)):
            lasted = []  # of one batch: between those of two the outcomes come
            for part in some:
                if isinstance(part, Intervals):
                    lasted.append(part)
                elif isinstance(part, Tally):
                    yield task.run, part
                else:
                    yield from _outcomes(stream, task.run, part)
            if lasted:
                yield [*_lasted(stream, task.run, lasted)]


def _outcomes(stream: IO[bytes] | None, run: int, said: Sequence[Outcome]) -> Iterator[Stored]:
    for kind in (Finding, Refused):
        some = sorted((one for one in said if isinstance(one, kind)), key=lambda one: sort_key(run, one))
        for first in range(0, len(some), AT_ONCE):
            part = some[first : first + AT_ONCE]
            yield _store(stream, kind, run, part, part[0].position)


def _lasted(stream: IO[bytes] | None, run: int, pieces: Iterable[Intervals]) -> Iterator[Stored]:
    some, rows = list[Intervals](), 0
    for piece in pieces:
        some.append(piece)
        rows += len(piece.table)
        if rows >= MOST:
            yield _store(stream, Intervals, run, some, some[0].first())
            some, rows = [], 0
    if some:
        yield _store(stream, Intervals, run, some, some[0].first())


@contextmanager
def _file(folder: str, name: str) -> Iterator[IO[bytes] | None]:
    """Open a file of *folder*, if there is one; raise Misuse if there is no room for it."""
    if not folder:
        yield None
        return
    try:
        with Path(folder, name).open("wb") as stream:
            yield stream
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        words = f"{folder}: {error.strerror}: records are kept there meanwhile"
        raise Misuse(f"{words}; TMPDIR names another place") from None


def _store(stream: IO[bytes] | None, kind: type[Any], run: int, value: Any, first: Position, bucket: int = 0) -> Stored:
    if stream is None:
        return Stored(kind, run, bucket, first, "", 0, value)
    start = stream.tell()
    pickle.dump(value, stream, 5)
    return Stored(kind, run, bucket, first, stream.name, start)
