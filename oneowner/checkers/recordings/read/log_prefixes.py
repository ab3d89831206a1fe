"""
The prefix that a container's or the system's logger puts before each line of a log is found and removed.

A file has one form of prefix, or none; it is found where lines of a broker's log begin within the file's lines. kubectl
and docker compose print the name of a container there, journald and syslog that of a host and its unit: where a file
holds lines of several of them, each is a log of its own. containerd cuts a long line in parts, and so does Docker; they
are joined, and stand where the first part stands.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, Protocol

from oneowner.checkers.recordings.read.events import Origin

_ISO = rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"
_TIMED = rb"(?:" + _ISO + rb"[ \t](?!\[))"
"""A time that is not that of the line itself: behind that stands its thread."""
_COLOUR = rb"(?:\x1b\[[\d;]*m)*"
_STAMP = (
    rb"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|[A-Z][a-z]{2} \d{4}-\d\d-\d\d \S+ \S+|\d+\.\d+|" + _ISO + rb")"
)
_IN_DOCKER = re.compile(rb'\{\s*(?:"[\w.@-]+"\s*:\s*"[^"]*"\s*,\s*)*"log"\s*:\s*"')
"""The prefix of a line in Docker's JSON object, or in one with the same fields in another order."""
_HOST = rb"(?P<source>[^\s:]+ [^\s:\[\]]+)"


MOST_COMPARED = 1_000
"""Lines whose prefixes are compared."""


class Form(NamedTuple):
    """One way in which a logger wraps lines."""

    who: str
    pattern: re.Pattern[bytes] | None
    """The prefix of a line; None: Docker wraps it in a JSON object."""


FORMS = (
    Form("kubectl logs --prefix", re.compile(rb"\[(?:pod/)?(?P<source>[^\]\s]+)\] " + _TIMED + rb"?")),
    Form("containerd", re.compile(_ISO + rb" (?P<stream>stdout|stderr) (?P<tag>[PF])(?::\S+)? ")),
    Form("docker compose", re.compile(
        _COLOUR + rb"(?P<source>[\w.-]+) *\| " + _COLOUR + _TIMED + rb"?"
    )),
    Form("syslog, RFC 5424", re.compile(
        rb"<\d+>1 " + _ISO + rb" (?P<source>\S+ \S+) \S+ \S+ (?:-|(?:\[[^\]\n]*\])+) (?:\xef\xbb\xbf)?"
    )),
    Form("journald or syslog", re.compile(rb"(?:<\d+>)?" + _STAMP + rb" " + _HOST + rb"(?:\[\d+\])?: ")),
    Form("kubectl logs --timestamps", re.compile(_TIMED)),
    Form("grep", re.compile(rb"(?P<source>[\w./-]*[A-Za-z][\w./-]*):(?:\d+:(?!\d\d:\d\d[.,]))? ?")),
    Form("grep -n", re.compile(rb"\d+:(?!\d\d:\d\d[.,]) ?")),
    Form("stern", re.compile(rb"(?P<source>[A-Za-z][\w.-]*(?: [A-Za-z][\w.-]*)?) +(?:[|>] *)?")),
    Form("docker", None),
)  # fmt: skip


class _Cut(NamedTuple):
    """A line without its prefix."""

    text: bytes
    source: str = ""
    stream: bytes = b""
    is_part: bool = False


class Whole(NamedTuple):
    """A line as it was written, its source, and the position of the line or of its first part."""

    text: bytes
    source: str
    origin: Origin
    number: int


class Finder(Protocol):
    """Finds the beginning of a log's line in a line."""

    def search(self, raw: bytes, /) -> re.Match[bytes] | None: ...


def form_of(lines: Iterable[bytes], begins: Finder) -> Form | None:
    """
    Return the form of the prefix of a file's lines, None if they have none, or too few agree.

    *begins* finds the beginning of a log's line. Any text that is the same before each line is a form as well.
    """
    found = (raw[: head.start()] for raw in lines if (head := begins.search(raw)) is not None)
    before = list(islice(found, MOST_COMPARED))
    wrapped = [prefix for prefix in before if prefix]
    if 2 * len(wrapped) <= len(before):
        return None
    for form in FORMS:
        known = [p for p in wrapped if (form.pattern.fullmatch(p) if form.pattern else _IN_DOCKER.fullmatch(p))]
        if 2 * len(known) > len(wrapped):
            return form
    same = max(set(wrapped), key=wrapped.count)
    if len(wrapped) > 1 and 2 * wrapped.count(same) > len(wrapped):
        return Form("another logger", re.compile(re.escape(same)))
    return None


def before_each(form: Form, source: str | None) -> re.Pattern[bytes] | None:
    """
    Return a finder of the prefixes in a text of many lines, to remove all at once.

    None if lines may come in parts, or if only those of one *source* are requested.
    """
    if form.pattern is None or source is not None or "tag" in form.pattern.groupindex:
        return None
    return re.compile(rb"^(?:" + form.pattern.pattern + rb")", re.MULTILINE)


_SPLIT: Final = 16_000
"""The least length of a part of a line: Docker splits lines after 16 KiB."""


class Unwrapper:
    """Removes the prefix of the lines of one file; with a *source* only its lines are left."""

    def __init__(self, form: Form, source: str | None = None) -> None:
        self._form, self._source = form, source
        self._latest = ""
        self._parts: dict[bytes, Whole] = {}
        self._ends_lines = False
        """True if a text in JSON ended its line: else the collector cuts the ends of lines, and none is a part."""

    @property
    def has_sources(self) -> bool:
        """True if the prefix of a line names its source."""
        return self._form.pattern is not None and "source" in self._form.pattern.groupindex

    def line(self, raw: bytes, origin: Origin, number: int) -> Whole | None:
        """Return a whole line; None for a part of one, and for a line of another source."""
        cut = self._cut(raw) or _Cut(raw, self._latest)
        self._latest = cut.source
        if self._form.pattern is None:
            self._ends_lines |= not cut.is_part
            if not self._ends_lines and len(cut.text) < _SPLIT:
                cut = cut._replace(is_part=False)
        if self._source is not None and cut.source != self._source:
            return None
        whole = Whole(cut.text, cut.source, origin, number)
        if (begun := self._parts.pop(cut.stream, None)) is not None:
            whole = begun._replace(text=begun.text + cut.text)
        if cut.is_part:
            self._parts[cut.stream] = whole
            return None
        return whole

    def unfinished(self) -> Iterator[int]:
        """Yield the number of every line whose last part is lost."""
        yield from (whole.number for whole in self._parts.values())

    def _cut(self, raw: bytes) -> _Cut | None:
        if self._form.pattern is None:
            return _of_docker(raw)
        found = self._form.pattern.match(raw)
        if found is None:
            return None
        named = found.groupdict()
        source = (named.get("source") or b"").decode("utf-8", "replace")
        return _Cut(raw[found.end() :], source, named.get("stream") or b"", named.get("tag") == b"P")


def _of_docker(raw: bytes) -> _Cut | None:
    """Return the line in a JSON object of Docker; one without an end of line, or marked as partial, is a part."""
    try:
        wrapped = json.loads(raw)
        text, stream = wrapped["log"], wrapped.get("stream", "")
        is_part = wrapped["_p"] == "P" if "_p" in wrapped else not text.endswith("\n")  # Fluent Bit ends no line
        return _Cut(text.removesuffix("\n").encode(), "", stream.encode(), is_part)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None


class Numbered(NamedTuple):
    """Whole lines of a chunk, as the broker wrote them."""

    text: bytes
    numbers: Sequence[int]
    """Of each, its number in the chunk; one of several parts has that of the first."""


class BareLines:
    """Returns the lines of one file as the broker wrote them, once their prefix is known."""

    def __init__(self, source: str | None) -> None:
        """:param source: the source whose lines are returned, if the file has several; None: all."""
        self._source = source
        self._wrapped: Unwrapper | None = None
        self._prefix: re.Pattern[bytes] | None = None
        """The prefix of each line, if it can be removed from all at once."""

    @property
    def is_known(self) -> bool:
        """True if the lines have a known prefix."""
        return self._wrapped is not None or self._prefix is not None

    def find(self, text: bytes, begins: Finder) -> None:
        """Find the prefix of the lines of a text; *begins* finds the beginnings of log lines in it."""
        form = form_of(text.split(b"\n"), begins)
        self._prefix = None if form is None else before_each(form, self._source)
        self._wrapped = Unwrapper(form, self._source) if form is not None and self._prefix is None else None

    def of(self, text: bytes, first: Origin, before: int) -> Numbered:
        """
        Return the lines of a text, which begins at *first*; *before* counts the lines of the file before its chunk.
        """
        if self._wrapped is None:
            bare = text if self._prefix is None else self._prefix.sub(b"", text)
            return Numbered(bare, range(first.line, first.line + bare.count(b"\n")))
        lines, numbers = list[bytes](), list[int]()
        for line, raw in enumerate(text.split(b"\n")[:-1], first.line):
            if (whole := self._wrapped.line(raw, first._replace(line=line), before + line)) is not None:
                for one in whole.text.split(b"\n"):
                    lines.append(one + b"\n")
                    numbers.append(whole.number - before)  # of its first part, which may be before the chunk
        return Numbered(b"".join(lines), numbers)

    def unfinished(self) -> Iterator[int]:
        """Yield the number of every line whose last part is lost."""
        yield from () if self._wrapped is None else self._wrapped.unfinished()
