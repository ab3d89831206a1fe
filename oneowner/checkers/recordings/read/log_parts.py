"""
A long plain log is read in parts, which begin and end at a head: what follows on a line stays with it.

A part begins with the first head in its chunks, and ends before the first head behind them. Files that are compressed,
whose lines have a prefix, or whose lines are JSON objects, are read as a whole.
"""

from collections.abc import Iterable, Iterator, Sequence

from oneowner.checkers.recordings.read.compression import ERRORS, ending_of
from oneowner.checkers.recordings.read.file_reads import FileRead
from oneowner.checkers.recordings.read.kept_lines import Block
from oneowner.checkers.recordings.read.lines import CHUNK, opened
from oneowner.checkers.recordings.read.log_files import LogPlace
from oneowner.checkers.recordings.read.log_lines import HEAD, LINE
from oneowner.checkers.recordings.read.log_prefixes import form_of
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.remote_files import size_of

PART = 16
"""Chunks of a part: 256 MiB."""
MOST = 64
"""Parts of a file."""
_PEEK = 256 * 1024


def in_parts(places: Sequence[LogPlace]) -> list[LogPlace]:
    """Return the parts of all files, in order."""
    return [part for place in places for part in _parts_of(place)]


def of_files(
    reads: Iterable[list[LogEvent] | Block | FileRead], parts: Sequence[LogPlace]
) -> Iterator[list[LogEvent] | Block | FileRead]:
    """Yield the results of some *parts*, but a single ``FileRead`` for the parts of a file, when all are read."""
    whole: FileRead | None = None
    number = 0
    for read in reads:
        if not isinstance(read, FileRead):
            yield read
            continue
        number += 1
        if whole is None:
            whole = read
        else:
            whole.add(read)
        if number == len(parts) or parts[number].part[0] == 0:
            yield whole
            whole = None


def _parts_of(place: LogPlace) -> Iterator[LogPlace]:
    chunks = 1 if ending_of(place.path) or place.source is not None else -(-size_of(place.path) // CHUNK)
    number = min(MOST, -(-chunks // PART))
    if number < 2 or not _has_plain_heads(place.path):
        yield place
        return
    cuts = [chunks * part // number for part in range(number)]
    for first, behind in zip(cuts, [*cuts[1:], None], strict=True):
        yield place._replace(part=(first, behind))


def _has_plain_heads(path: str) -> bool:
    try:
        with opened(path) as stream:
            lines = stream.read(_PEEK).split(b"\n")
    except ERRORS:  # which is reported when it is read
        return False
    return form_of(lines, LINE) is None and any(HEAD.match(line) for line in lines)
