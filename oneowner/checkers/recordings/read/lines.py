"""
Plain and compressed files are read in chunks of lines that can be worked on apart.

A plain file is cut at byte offsets; a line belongs to the chunk in which it starts. A compressed file is one
chunk. Lines are numbered within their chunk.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from io import BufferedIOBase
from typing import NamedTuple

from oneowner.checkers.recordings.read import compression
from oneowner.checkers.recordings.read.clock_leads import NO_LEADS, ClockLeads
from oneowner.checkers.remote_files import bytes_in, size_of

MAX_LINE = 16 * 1024 * 1024
CHUNK = 16 * 1024 * 1024
MOST_CHUNKS = 64
"""The first chunks of a dump, which then grow to ``LARGE_CHUNK``: a chunk's bookkeeping is the same at any length."""
LARGE_CHUNK = 64 * 1024 * 1024
_READ = 2 * 1024 * 1024


class FileKind(StrEnum):
    """The way to read the lines of a file."""

    CHANNEL = "channel dump"
    ZOOKEEPER = "ZooKeeper history"
    COMPACTED = "compacted dump"
    SIDE = "other JSON lines"
    LOG = "log"


class Chunk(NamedTuple):
    """A part of one file; *end* None means to its end."""

    run: int
    piece: int
    number: int
    path: str
    kind: FileKind
    start: int
    end: int | None
    is_one_of_many: bool = False
    """True if the dump has other pieces, which may repeat its message ids."""
    is_printed: bool = False
    """True if pulsar-client printed the dump."""
    is_numbered: bool = True
    """True if sequence ids and times of records are kept: the fold of the channel alone does not need them."""
    chroot: str | None = ""
    """The chroot of the cluster in a ZooKeeper history; None if it is unknown (``chroots.py``)."""
    clocks: ClockLeads = NO_LEADS
    """The clocks by which times of its events are corrected."""


class Damage(NamedTuple):
    """The reason that a line could not be read at all."""

    why: str


EMPTY = "empty: no line"
"""The damage of an empty file: one that lost all its lines looks like one that never had any."""

_TOO_LONG = Damage(f"a line over {MAX_LINE // 1024 // 1024} MiB")


def weight(path: str) -> int:
    """Return the approximate bytes of text in a file."""
    return size_of(path) * compression.RATIOS.get(compression.ending_of(path), 1)


def chunks_of(
    run: int, piece: int, path: str, kind: FileKind, size: int = 0, is_one_of_many: bool = False
) -> Iterator[Chunk]:
    """Cut one file into chunks of about *size* bytes; 0: as its kind and length suggest."""
    length = size_of(path)
    size = size or (min(max(CHUNK, length // MOST_CHUNKS), LARGE_CHUNK) if kind == FileKind.CHANNEL else CHUNK)
    if compression.ending_of(path) or length <= size:
        yield Chunk(run, piece, 0, path, kind, 0, None, is_one_of_many)
        return
    for number, start in enumerate(range(0, length, size)):
        end = start + size if start + size < length else None
        yield Chunk(run, piece, number, path, kind, start, end, is_one_of_many)


def read_texts(chunk: Chunk) -> Iterator[bytes | Damage]:
    """
    Yield the lines of *chunk* in order, many at a time: each text holds whole lines.

    A line that cannot be read comes as Damage in its place; a broken compressed file ends with one.
    """
    waiting: list[bytes] = []  # reads of compressed files are small, and the cost of each text adds up
    size = 0
    for text in _read_texts(chunk):
        if isinstance(text, bytes):
            waiting.append(text)
            size += len(text)
        if waiting and (size >= _READ // 2 or not isinstance(text, bytes)):
            yield b"".join(waiting)
            waiting, size = [], 0
        if not isinstance(text, bytes):
            yield text
    if waiting:
        yield b"".join(waiting)


def _read_texts(chunk: Chunk) -> Iterator[bytes | Damage]:
    try:
        with opened(chunk.path) as stream:
            yield from _texts(stream, chunk)
    except compression.ERRORS as error:
        yield Damage(compression.in_words(error))


def counted(path: str, broken: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """
    Yield a doubt for each kind of damage in lines of a file, with the numbers of the lines.

    >>> list(counted("b.log", {"torn": [7], "no JSON": [3, 5, 8]}))
    ['b.log:7: torn', 'b.log:3: no JSON (and 2 more such lines)']
    """
    for why, (first, *others) in broken.items():
        yield f"{path}:{first}: {why}" + (f" (and {len(others)} more such lines)" if others else "")


@contextmanager
def opened(path: str) -> Iterator[BufferedIOBase]:
    """Open the text of a file, compressed or not; to read it may raise one of ``compression.ERRORS``."""
    with bytes_in(path) as stream, compression.text_in(stream, path) as text:
        yield text


def _texts(stream: BufferedIOBase, chunk: Chunk) -> Iterator[bytes | Damage]:
    position = chunk.start
    if position > 0:  # the line that reaches into this chunk belongs to the one before
        stream.seek(position - 1)
        position += _skip_line(stream) - 1
    rest = b""
    while chunk.end is None or position < chunk.end:
        # read1: the good data of a broken compressed file is not lost with the exception
        read = stream.read1(_READ if chunk.end is None else min(_READ, chunk.end - position))
        if not read:
            break
        position += len(read)
        end = read.rfind(b"\n") + 1
        if end:
            first = read.find(b"\n") + 1
            if len(rest) + first - 1 > MAX_LINE:  # only the first line can have grown over several reads
                yield _TOO_LONG
                rest, read, end = b"", read[first:], end - first
            if end:
                yield b"".join((rest, memoryview(read)[:end]))
            rest = read[end:]
        else:
            rest += read
        if len(rest) > MAX_LINE:
            position += _skip_line(stream)
            rest = b""
            yield _TOO_LONG
    if rest:  # the last line of the chunk ends behind it, or has no end
        rest += stream.readline(MAX_LINE)
        yield rest if len(rest.rstrip(b"\n")) <= MAX_LINE else _TOO_LONG


def _skip_line(stream: BufferedIOBase) -> int:
    """Read on to the end of the line; return the number of bytes read."""
    skipped = 0
    while True:
        raw = stream.readline(_READ)
        skipped += len(raw)
        if not raw or raw.endswith(b"\n"):
            return skipped
