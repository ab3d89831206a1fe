"""The first time in a log file, and the sources of its lines, are found before it is read as a whole."""

from collections.abc import Iterator

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.lines import FileKind, chunks_of, read_texts
from oneowner.checkers.recordings.read.log_clock import Clock
from oneowner.checkers.recordings.read.log_lines import HEAD, LINE
from oneowner.checkers.recordings.read.log_prefixes import Finder, Unwrapper, form_of
from oneowner.checkers.recordings.read.log_texts import MOST_TRIED, LogTexts
from oneowner.checkers.recordings.read.log_times import STAMP, time_in
from oneowner.checkers.recordings.read.usual_lines import AnyHead, UsualLines, sample_of, unquoted

_NO_PLACE = Origin(0, 0, 1)


def first_time(path: str, source: str | None = None, clock: Clock | None = None) -> int | None:
    """Return the time of the first line of a known layout, None if none is readable."""
    texts = LogTexts(source, UsualLines(clock or Clock(), {}))
    for text in _texts(path):
        found = texts.find(text)
        for raw in texts.of(found[: found.rfind(b"\n") + 1], _NO_PLACE, 0).text.split(b"\n"):
            stamp = STAMP.search(raw) if raw.startswith(b"{") else HEAD.match(raw)
            if stamp is not None:
                return time_in(stamp)
    return None


def sources_of(path: str) -> list[str]:
    """Return the sources of a file's lines that their prefixes name: containers, or hosts and units."""
    found = set[str]()
    wrapped: Unwrapper | None = None
    begins: Finder = LINE
    for number, text in enumerate(_texts(path), 1):
        if wrapped is None and number > MOST_TRIED and LINE.search(text) is None:
            continue
        lines = (unquoted(text) if wrapped is not None else sample_of(unquoted(text))).split(b"\n")
        if wrapped is None:
            begins = LINE if LINE.search(text) is not None else AnyHead()
            if (form := form_of(lines, begins)) is not None:
                wrapped = Unwrapper(form)
        if wrapped is None or not wrapped.has_sources:
            if begins is LINE or any(map(begins.search, lines)):
                return []
            continue
        for raw in lines:
            line = wrapped.line(raw, _NO_PLACE, 0)
            if line is not None and (head := begins.search(line.text)) is not None and head.start() == 0:
                found.add(line.source)
    return sorted(found - {""})


def _texts(path: str) -> Iterator[bytes]:
    for chunk in chunks_of(0, 0, path, FileKind.LOG):
        yield from (text for text in read_texts(chunk) if isinstance(text, bytes))
