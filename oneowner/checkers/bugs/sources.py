"""Texts that are looked through: files, the files of a folder, or standard input, a block of lines at a time."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedIOBase, BufferedReader, BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from oneowner.checkers.bugs.wrapping import ORIGIN, unwrapped
from oneowner.checkers.inputs.content import pasted
from oneowner.checkers.recordings.read.compression import ERRORS, check_installed, in_words, text_in
from oneowner.checkers.remote_files import bytes_in
from oneowner.checkers.verdict import Misuse

STDIN: Final = "-"
_BLOCK: Final = 8_192
"""Lines that are held at once."""
_LONGEST: Final = 1 << 20
"""Letters of a line that are read; the rest is left out."""
_SAMPLE: Final = 4_096
_UNPRINTABLE: Final = 0.1
"""The share of control characters from which a file is no text."""
SKIPPED: Final = (".pyc", ".jar", ".class", ".png", ".jpg", ".jpeg", ".gif", ".pdf", ".zip", ".tar", ".hprof", ".so")
"""Endings of files in a folder that hold no text."""


class Source(NamedTuple):
    """One text."""

    name: str
    """Its path, or ``standard input``."""
    path: str


class Block(NamedTuple):
    """Some lines of one log, without their decoration."""

    log: str
    """The name of the text, or that of a pod or a file whose lines it holds."""
    numbers: Sequence[int]
    """The number of each line in the text."""
    lines: list[str]


def sources_of(path: str) -> list[Source]:
    """Return the texts that *path* means: a file, each file of a folder, or standard input; raise Misuse for none."""
    if path == STDIN:
        return [Source("standard input", STDIN)]
    place = Path(path)
    if place.is_dir():
        files = sorted(one for one in place.rglob("*") if one.is_file() and not one.name.startswith("."))
        texts = [Source(str(one.relative_to(place)), str(one)) for one in files if not one.name.endswith(SKIPPED)]
        if not texts:
            raise Misuse(f"{path}: no text file in this folder; give a log, a stack trace or an answer of pulsar-admin")
        return texts
    if not place.exists() and "://" not in path:
        paste = f"; paste it to standard input: oneowner bugs --like {STDIN}" if " " in path else ""
        raise Misuse(f"{path}: no such file or folder{paste}")
    return [Source(path, path)]


def blocks_of(source: Source) -> Iterator[Block]:
    """
    Yield the lines of a text without their decoration, some thousands at a time, those of each log by themselves.

    Misuse: it is no text, or cannot be read.
    """
    if source.path == STDIN:
        yield from _blocks(BytesIO(pasted()), source)
        return
    check_installed(source.path)
    try:
        with bytes_in(source.path) as stream:
            yield from _blocks(text_in(stream, source.path), source)
    except ERRORS as error:
        raise Misuse(f"{source.name}: {in_words(error)}") from None


def _blocks(stream: BinaryIO | BufferedIOBase, source: Source) -> Iterator[Block]:
    is_first, number, log = True, 1, source.name
    stream, coding = _decoded(stream)
    while raw := list(islice(iter(lambda: stream.readline(_LONGEST), b""), _BLOCK)):
        if is_first and not is_text(b"".join(raw)[:_SAMPLE]):
            raise Misuse(f"{source.name}: not a text; give a log, a stack trace or an answer of pulsar-admin")
        is_first = False
        lines = [line.decode(coding, "replace").rstrip("\n") for line in raw]
        blocks = [
            Block(name, [number + one for one in at], [unwrapped(lines[one]) for one in at])
            for name, at in _logs_in(lines, log)
        ]
        yield from blocks
        log, number = blocks[-1].log, number + len(lines)


def _decoded(stream: BinaryIO | BufferedIOBase) -> tuple[BinaryIO | BufferedIOBase, str]:
    """Return a text whose lines can be split, and its encoding: a text in UTF-16 is read whole."""
    begin = stream.peek(2)[:2] if isinstance(stream, BufferedReader) else b""
    begin = stream.getvalue()[:2] if isinstance(stream, BytesIO) else begin
    if begin in (BOM_UTF16_LE, BOM_UTF16_BE):
        return BytesIO(stream.read().decode("utf-16", "replace").encode()), "utf-8"
    return stream, "utf-8"


def _logs_in(lines: Sequence[str], log: str) -> Iterable[tuple[str, Sequence[int]]]:
    """Return the places of the lines of each log, the last one last; lines without an origin are of the log before."""
    places: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        origin = ORIGIN.match(line) if line[:1] == "[" or "|" in line[:80] or line[:1] == "=" else None
        if origin is not None:
            log = origin[1] or origin[2] or origin[3]
        places.setdefault(log, []).append(at)
    if len(places) == 1:
        return [(log, range(len(lines)))]
    places[log] = places.pop(log)
    return places.items()


def is_text(sample: bytes) -> bool:
    """
    Return whether the beginning of a file is text.

    >>> is_text(b"WARN a.B - c\\n"), is_text(b"\\x89PNG\\r\\n\\x1a\\n\\x00\\x00\\x00\\r")
    (True, False)
    """
    unprintable = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in sample)
    return b"\0" not in sample and unprintable <= _UNPRINTABLE * len(sample)
