"""
Lines of plain and gzipped files, read in chunks that can be worked on apart.

A plain file is cut at byte offsets; a line belongs to the chunk in which it starts. A gzipped file is one
chunk. Lines are numbered within their chunk; ``absolute_line`` adds up the chunks before it.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import BinaryIO, NamedTuple

MAX_LINE = 16 * 1024 * 1024
CHUNK = 8 * 1024 * 1024
_SKIP = 1024 * 1024


class Kind(StrEnum):
    """How the lines of a file are read."""

    CHANNEL = "channel dump"
    ZOOKEEPER = "ZooKeeper history"
    SIDE = "other JSON lines"


class Chunk(NamedTuple):
    """A part of one file; *end* None means to its end."""

    run: int
    piece: int
    number: int
    path: str
    kind: Kind
    start: int
    end: int | None


class Damage(NamedTuple):
    """Why a line could not be read at all."""

    why: str


def chunks_of(run: int, piece: int, path: str, kind: Kind, size: int = CHUNK) -> Iterator[Chunk]:
    """Cut one file into chunks of about *size* bytes."""
    length = os.path.getsize(path)
    if path.endswith(".gz") or length <= size:
        yield Chunk(run, piece, 0, path, kind, 0, None)
        return
    for number, start in enumerate(range(0, length, size)):
        yield Chunk(run, piece, number, path, kind, start, start + size if start + size < length else None)


def read_lines(chunk: Chunk) -> Iterator[tuple[int, bytes | Damage]]:
    """Yield (number within the chunk, raw line) for every line; damage instead of a line ends no other."""
    number = 0
    try:
        with _opened(chunk.path) as stream:
            for number, raw in enumerate(_raw_lines(stream, chunk), 1):
                yield number, raw
    except EOFError:
        yield number + 1, Damage("the gzip stream is cut short")
    except (gzip.BadGzipFile, zlib.error) as error:
        yield number + 1, Damage(f"broken gzip: {error}")
    except OSError as error:
        yield number + 1, Damage(f"cannot be read: {error.strerror or error}")


def absolute_line(lines_before: Sequence[int], chunk: int, line: int) -> int:
    """Return the line number within the file: *lines_before* has the lines of each chunk before it."""
    return lines_before[chunk] + line


def _opened(path: str) -> BinaryIO:
    if path.endswith(".gz"):
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return open(path, "rb")


def _raw_lines(stream: BinaryIO, chunk: Chunk) -> Iterator[bytes | Damage]:
    position = chunk.start
    if position > 0:  # the line that reaches into this chunk belongs to the one before
        stream.seek(position - 1)
        position += _skip_line(stream) - 1
    while chunk.end is None or position < chunk.end:
        raw = stream.readline(MAX_LINE + 1)
        if not raw:
            return
        position += len(raw)
        if len(raw) > MAX_LINE and not raw.endswith(b"\n"):
            position += _skip_line(stream)
            yield Damage(f"a line over {MAX_LINE // 1024 // 1024} MiB")
        else:
            yield raw


def _skip_line(stream: BinaryIO) -> int:
    """Read on to the end of the line; return how many bytes that were."""
    skipped = 0
    while True:
        raw = stream.readline(_SKIP)
        skipped += len(raw)
        if not raw or raw.endswith(b"\n"):
            return skipped
