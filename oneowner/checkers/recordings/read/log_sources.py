"""The first time in a log file, and the sources of its lines, are found before it is read as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.lines import FileKind, chunks_of, read_texts
from oneowner.checkers.recordings.read.log_lines import HEAD, LINE
from oneowner.checkers.recordings.read.log_prefixes import Unwrapper, Whole, form_of
from oneowner.checkers.recordings.read.log_times import STAMP, time_in

_NO_PLACE = Origin(0, 0, 0)


def first_time(path: str, source: str | None = None) -> int | None:
    """Return the time of the first line of a known layout, None if none is readable."""
    for line in _unwrapped(path):
        if source in (None, line.source):
            raw = line.text
            stamp = STAMP.search(raw) if raw.startswith(b"{") else HEAD.match(raw)
            if stamp is not None:
                return time_in(stamp)
    return None


def sources_of(path: str) -> list[str]:
    """Return the sources of a file's lines that their prefixes name: containers, or hosts and units."""
    return sorted({line.source for line in _unwrapped(path, is_by_source=True) if LINE.match(line.text)} - {""})


def _unwrapped(path: str, is_by_source: bool = False) -> Iterator[Whole]:
    """Yield the lines of a file as they were written; with *is_by_source* none, if no prefix names their source."""
    wrapped: Unwrapper | None = None
    for chunk in chunks_of(0, 0, path, FileKind.LOG):
        for text in read_texts(chunk):
            if isinstance(text, bytes):
                lines = text.split(b"\n")
                if wrapped is None and (form := form_of(lines, LINE)) is not None:
                    wrapped = Unwrapper(form)
                if is_by_source and not (wrapped is not None and wrapped.has_sources) and LINE.search(text):
                    return
                for raw in lines:
                    line = Whole(raw, "", _NO_PLACE, 0) if wrapped is None else wrapped.line(raw, _NO_PLACE, 0)
                    if line is not None:
                        yield line
