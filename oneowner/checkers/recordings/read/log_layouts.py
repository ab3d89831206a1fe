"""
Layouts of log lines other than the usual one are a table, ``log_layouts.yaml``; a line is cut by the first that fits.

A layout is a text with placeholders. Each becomes a group of a regular expression, by name; blanks between them may be
several. The table is regular: a layout that people have and that is not in it is one more row.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from pkgutil import get_data
from typing import Any, NamedTuple

from oneowner.checkers.documents import Part, parse_document
from oneowner.checkers.recordings.read.log_clock import LogTimes

TABLE = Path(__file__).with_name("log_layouts.yaml")

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_LEVEL = r"(?i:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|SEVERE|CRITICAL)"
_OF_LEVEL = {"WARNING": "WARN", "SEVERE": "ERROR", "CRITICAL": "FATAL"}
_WHEN = (
    rf"(?:(?P<day>\d{{4}}[-/]\d\d[-/]\d\d|\d\d? (?:{'|'.join(_MONTHS)}) \d{{4}})(?:[T ]|, ?))?"
    r"(?P<clock>\d\d:\d\d:\d\d)(?:[.,:](?P<fraction>\d{1,9}))?"
    rf"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)\b| (?!{_LEVEL})[A-Z]{{3,4}}\b)?"
)
_PARTS = {
    "when": _WHEN,
    "level": rf"(?P<level>{_LEVEL}) *",
    "logger": r"(?P<logger>[A-Za-z_$][\w.$/~-]*)",
    "thread": r"(?P<thread>(?:[^\[\]\n]|\[[^\[\]\n]*\])*?)",
    "message": r"(?P<message>.*?)",
    "line": r"\d*",
    "number": r"\d+",
    "word": r"[^\]\n]*?",
}
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
WHEN = re.compile(rf"(?<![\w.,/+-]){re.sub(r'[?]P<[a-z]+>', '', _WHEN)}(?!\w)".replace("((", "(?:(").encode())
"""A time, which every line of a layout has."""
_PLACE = re.compile(r":[\w.$<>]+@\d+$")
"""The place in the source, which Pulsar's tests print behind the thread."""


class Cut(NamedTuple):
    """The parts of a line."""

    time: int
    """Epoch milliseconds."""
    thread: str
    level: str
    logger: str
    message: str
    more: str = ""
    """The stack trace, if it stands in a field of its own."""


class Layout(NamedTuple):
    """One row of the table."""

    text: str
    of: str
    sample: str
    pattern: re.Pattern[str]

    @property
    def is_timed(self) -> bool:
        """True if its lines print a time."""
        return "clock" in self.pattern.groupindex

    def cut(self, line: str, at: int, times: LogTimes) -> Cut | None:
        """Return the parts of the *line* that begins in this layout at a place; None if it does not."""
        found = self.pattern.match(line, at)
        if found is None:
            return None
        parts = found.groupdict()
        time = _moment(found, times) if self.is_timed else times.none()
        thread = _PLACE.sub("", (parts.get("thread") or "").strip())
        level = parts["level"].upper()
        return Cut(time, thread, _OF_LEVEL.get(level, level), parts["logger"], parts["message"].rstrip())


def _moment(found: re.Match[str], times: LogTimes) -> int:
    day, zone = found["day"], found["zone"]
    if day is not None and day[4:5] not in ("-", "/"):
        number, month, year = day.split(" ")
        day = f"{year}-{_MONTHS.index(month) + 1:02}-{int(number):02}"
    millis = int((found["fraction"] or "")[:3].ljust(3, "0"))
    return times.moment(None if day is None else day.replace("/", "-"), found["clock"], millis, zone)


class JsonNames(NamedTuple):
    """The names of the fields of a JSON object."""

    fields: dict[str, tuple[str, ...]]
    of: str
    sample: str

    def cut(self, line: str, times: LogTimes) -> Cut | None:
        """Return the parts of a line that is an object with a time, a level, a logger and a message, else None."""
        if (named := _named(line)) is None:
            return None
        values = {kind: _first(named, names) for kind, names in self.fields.items()}
        time, message = _time_in(values["time"], times), values["message"]
        if time is None or not isinstance(values["logger"], str) or not isinstance(message, str):
            return None
        level = str(values["level"] or "INFO").upper()
        stack = values["stack"] if isinstance(values["stack"], str) and values["stack"] != message else ""
        first, _, rest = message.partition("\n")
        thread = _PLACE.sub("", str(values["thread"] or ""))
        return Cut(
            time, thread, _OF_LEVEL.get(level, level), values["logger"], first.rstrip(),
            "\n".join(filter(None, (rest, stack))),
        )  # fmt: skip

    def line_in(self, line: str) -> str | None:
        """Return the text in an object that wraps a line of a log, as collectors of logs do; None if there is none."""
        if (named := _named(line)) is None:
            return None
        text = _first(named, self.fields["message"])
        return text if isinstance(text, str) else None


def _named(line: str) -> dict[str, Any] | None:
    """Return the values of an object by their bare names, of nested ones also by the ends of their paths, or None."""
    try:
        fields = list(_flat(json.loads(line), ()))
    except (ValueError, RecursionError, AttributeError):
        return None
    named: dict[str, Any] = {}
    for cut in range(max((len(path) for path, _ in fields), default=0)):
        for path, value in fields:
            if cut < len(path):
                named.setdefault(re.sub(r"[^a-z0-9]", "", "".join(path[cut:]).lower()), value)
    return named


def _flat(data: Mapping[str, Any], before: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in data.items():
        yield (*before, name), value
        if isinstance(value, dict):
            yield from _flat(value, (*before, name))


def _first(named: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    values = (named[name] for name in names if named.get(name) not in (None, ""))
    return next((one for one in values if not isinstance(one, dict) or "epochSecond" in one), None)


def _time_in(value: Any, times: LogTimes) -> int | None:
    """Return epoch milliseconds; None for no time."""
    if isinstance(value, dict) and "epochSecond" in value:
        return int(value["epochSecond"]) * 1000 + int(value.get("nanoOfSecond", 0)) // 1_000_000
    text = str(value)
    if re.fullmatch(r"\d{13}", text):
        return int(text)
    if re.fullmatch(r"\d{10}(\.\d+)?", text):
        return int(float(text) * 1000)
    found = _OWN_WHEN.fullmatch(text.strip())
    return None if found is None else _moment(found, times)


_OWN_WHEN = re.compile(_WHEN)


class Layouts(NamedTuple):
    """The table."""

    texts: tuple[Layout, ...]
    timeless: tuple[Layout, ...]
    """Those whose lines print no time."""
    json: JsonNames

    @property
    def names(self) -> str:
        """The layouts in a sentence: their number, and the commonest."""
        return f"the usual one, {len(self.texts)} others such as {self.texts[0].text}, and JSON"


@cache
def layouts() -> Layouts:
    """Return the table of this package, which is in an archive for Spark's tasks."""
    text = get_data("oneowner.checkers.recordings.read", TABLE.name)
    assert text is not None, "the table is packed with the package"
    document = parse_document(TABLE, text.decode("utf-8"))
    *rows, last = Part(document, document.data).items()
    named = last.mapping(("json", "of", "sample"))
    kinds = named["json"].mapping(("time", "level", "logger", "thread", "message", "stack"))
    names = {kind: tuple(one.text() for one in part.items()) for kind, part in kinds.items()}
    texts = [_layout(row) for row in rows]
    timed = tuple(layout for layout in texts if layout.is_timed)
    timeless = tuple(layout for layout in texts if not layout.is_timed)
    return Layouts(timed, timeless, JsonNames(names, named["of"].text(), named["sample"].text()))


def _layout(row: Part) -> Layout:
    keys = row.mapping(("text", "of", "sample"))
    text = keys["text"].text()
    pieces = _PLACEHOLDER.split(text)
    literals = [re.escape(one).replace(r"\ ", " +") for one in pieces[::2]]
    parts = [_PARTS[name] for name in pieces[1::2]]
    body = "".join(a + b for a, b in zip(literals, [*parts, ""], strict=True))
    body = body.replace(": +", " ?: +")
    if text.endswith(" {message}"):  # a message may be empty, and its blank be gone
        body = body.replace(f" +{_PARTS['message']}", rf"(?: +|$){_PARTS['message']}")
    return Layout(text, keys["of"].text(), keys["sample"].text(), re.compile(body + "$"))
