"""
The table of log lines (``log_patterns.yaml``) parses a line, or reports that a law needs it and it does not parse.

A pattern has one or several forms. A form of 3.0 to 4.0.x is one text with placeholders; one of the 5.0 line is a
message and attributes (channel.13.3). The line itself shows its era, since a log goes on over an upgrade.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from pkgutil import get_data
from typing import Any, NamedTuple

from oneowner.checkers.documents import Document, Part, parse_document, read_document
from oneowner.checkers.recordings.read.log_forms import Form, form_of, master_of
from oneowner.checkers.recordings.read.log_lines import LogLine
from oneowner.checkers.recordings.read.log_values import split_attributes
from oneowner.checkers.recordings.read.wanted_lines import LETTERS

TABLE = Path(__file__).with_name("log_patterns.yaml")

LEAST_STEM = 10
"""Characters of a stem: words long enough to identify a line."""

CHANNEL_CLASS = "ServiceUnitStateChannelImpl"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row of the table."""

    id: str
    level: str
    class_name: str
    is_kept: bool
    is_needed: bool
    """True if a law reads it: then a line with its words that does not parse is damage."""
    is_debug: bool
    speaker: str | None
    """The value that names the log's broker."""
    forms: tuple[Form, ...]
    masters: tuple[Form, ...]
    names: frozenset[str] = frozenset()
    """Values that it can carry."""


class Understood(NamedTuple):
    """A line that matches the table."""

    pattern: Pattern
    values: dict[str, Any]


class Garbled(NamedTuple):
    """A line with the words of a pattern that a law needs, which does not parse as it."""

    pattern: Pattern
    why: str


class Wanted:
    """A quick filter for lines of one logger that the table may match or count: those with words of its patterns."""

    def __init__(self, words: Collection[str] | None) -> None:
        """*words* None: all lines."""
        self._is_all = words is None
        shortest = {word for word in words or () if not any(one in word for one in words or () if one != word)}
        self.words: Sequence[bytes] = sorted(word.encode() for word in shortest)
        """Words that contain none of the others."""
        self._ends = {word[at : at + LEAST_STEM] for word in words or () for at in range(len(word) - LEAST_STEM + 1)}
        self._raw_ends = {end.encode() for end in self._ends}
        self.ends: Collection[bytes] = {end[-LETTERS:] for end in self._raw_ends}

    def __call__(self, raw: bytes) -> bool:
        """Return whether a line may matter; a line that ends within such words may, as it may be cut short."""
        if self._is_all:
            return True
        for word in self.words:  # of each of millions of lines: a generator would take twice as long
            if word in raw:
                return True
        end = raw[-4 * LEAST_STEM :]
        bare = end.rstrip()
        if end.isascii() and bare[-1:] > b" ":  # else there may be other blanks than ASCII's
            return bare[-LEAST_STEM:] in self._raw_ends
        return end.decode("utf-8", "replace").rstrip()[-LEAST_STEM:] in self._ends


EVERY_LINE = Wanted(None)


def every_line_of(loggers: Collection[str]) -> Callable[[str], Wanted | None]:
    """Return a filter that passes all lines of some loggers, and none of others."""
    return lambda logger: EVERY_LINE if logger in loggers else None


@dataclass(frozen=True, slots=True)
class Table:
    """All patterns, by class."""

    classes: dict[str, tuple[Pattern, ...]]
    counted: dict[str, str | None] = field(default_factory=dict)
    """Classes of which every line counts for the coverage, or every line with this word."""
    loggers: dict[str, str] = field(default_factory=dict)
    """Classes with their packages."""
    _wanted: dict[str, Wanted | None] = field(default_factory=dict, compare=False, repr=False)
    """The filters that were requested, by class."""

    def wanted(self, logger: str) -> Wanted | None:
        """Return the filter for the lines of this logger that may matter; None if none does."""
        name = class_of(logger)
        if self.counted.get(name, "") is None or EXTENSIONS in logger:
            return EVERY_LINE
        if name not in self._wanted:
            self._wanted[name] = self._filter(name)
        return self._wanted[name]

    def _filter(self, name: str) -> Wanted | None:
        if name not in self.classes:
            return None
        forms = [form for one in self.classes[name] for form in (*one.forms, *one.masters)]
        words = [form.stem for form in forms] + [word for word in [self.counted.get(name)] if word]
        return Wanted(frozenset(words))

    def filters(self) -> dict[str, Wanted | None]:
        """Return all classes, with the filter for their lines that may matter; None: all."""
        found = {name: self.wanted(name) for name in self.classes}
        return {name: None if wanted is EVERY_LINE else wanted for name, wanted in found.items()}

    def counts(self, line: LogLine) -> bool:
        """Return whether a line is one of the load balancer's."""
        word = self.counted.get(class_of(line.logger), "")
        if word == "":
            return EXTENSIONS in line.logger
        return word is None or word in line.message or word in " ".join((line.attributes or {}).values())

    def understand(self, line: LogLine) -> Understood | Garbled | None:
        """Return a line's content; None if it is none of its class, nor has the words of one that a law needs."""
        patterns = self.classes.get(class_of(line.logger), ())
        split = (line.message, line.attributes) if line.attributes is not None else split_attributes(line.message)
        found = None if split is None else _read(patterns, *split)
        if line.attributes is None and not isinstance(found, Understood):  # or text that only ends like attributes
            found = _read(patterns, line.message, None) or found
        return found or _cut(patterns, line.message)

    def __iter__(self) -> Iterator[Pattern]:
        return (pattern for patterns in self.classes.values() for pattern in patterns)

    def debug_events(self) -> frozenset[str]:
        """Return the ids that prove that a broker prints the handling of every record."""
        return frozenset(p.id for p in self if p.is_debug and p.class_name == CHANNEL_CLASS)

    def events_below(self, level: str) -> frozenset[str]:
        """Return the ids of lines that a log of this *level* leaves out, all of them."""
        left_out, others = (
            frozenset(p.id for p in self if (LEVELS[p.level] < LEVELS[level]) is x) for x in (True, False)
        )
        return left_out - others


EXTENSIONS = "org.apache.pulsar.broker.loadbalance.extensions."
"""The package of the extensible load balancer: all its lines count."""


@cache
def class_of(logger: str) -> str:
    """Return the class of a logger: its last word."""
    return logger.rpartition(".")[2]


@cache
def table() -> Table:
    """Return the table of this package, which is in an archive for Spark's tasks."""
    text = get_data("oneowner.checkers.recordings.read", TABLE.name)
    assert text is not None, "the table is packed with the package"
    return _table_of(parse_document(TABLE, text.decode("utf-8")))


def read_table(path: Path) -> Table:
    """Read a table of patterns; raise Misuse for an invalid one."""
    return _table_of(read_document(path))


def _table_of(document: Document) -> Table:
    classes: dict[str, tuple[Pattern, ...]] = {}
    counted: dict[str, str | None] = {}
    loggers: dict[str, str] = {}
    ids: set[str] = set()
    for group in Part(document, document.data).items():
        keys = group.mapping(("class", "counted", "lines"))
        logger, how = keys["class"].text(), keys["counted"].data
        name = class_of(logger)
        if name in classes:
            raise keys["class"].complaint(f"class refused: {name}; it has a place already")
        parts = keys["lines"].items()
        patterns = [_pattern(name, part) for part in parts]
        for pattern, part in zip(patterns, parts, strict=True):
            if pattern.id in ids:
                raise part.complaint(f"id refused: {pattern.id}; another line has it")
            ids.add(pattern.id)
        classes[name] = tuple(patterns)
        loggers[name] = logger
        if how is not False:
            counted[name] = how if isinstance(how, str) else None
    return Table(classes, counted, loggers)


def _read(
    patterns: tuple[Pattern, ...], message: str, attributes: Mapping[str, str] | None
) -> Understood | Garbled | None:
    """Try *patterns* one by one: of the 5.0 line first, where there are attributes."""
    garbled: Garbled | None = None
    if attributes is not None:
        for pattern in patterns:
            for form in pattern.masters:
                if form.stem in message:
                    try:
                        values = form.values(message, attributes)
                    except ValueError as error:
                        garbled = garbled or (Garbled(pattern, str(error)) if pattern.is_needed else None)
                        continue
                    if values is not None:
                        return Understood(pattern, values)
    for pattern in patterns:
        for form in pattern.forms:
            if form.stem in message:
                try:
                    values = form.values(message, {})
                except ValueError as error:
                    values, why = None, str(error)
                else:
                    why = "its words are those of the table, but its fields do not parse"
                if values is not None:
                    return Understood(pattern, values)
                if garbled is None and pattern.is_needed and len(form.stem) >= LEAST_STEM:
                    garbled = Garbled(pattern, why)
    return garbled


def _cut(patterns: tuple[Pattern, ...], message: str) -> Garbled | None:
    """Return whether a line ends within the words of a pattern."""
    end = message[-LEAST_STEM:]
    for pattern in patterns:
        for form in (*pattern.forms, *pattern.masters) if pattern.is_needed and len(end) == LEAST_STEM else ():
            if (at := form.stem.find(end)) >= 0 and message.endswith(form.stem[: at + LEAST_STEM]):
                return Garbled(pattern, "cut short")
    return None


def _pattern(class_name: str, part: Part) -> Pattern:
    needed, optional = ("id", "level", "message"), ("master", "kept", "speaker", "debug", "since", "until")
    keys = part.mapping(needed, optional)
    forms = tuple(form_of(message, message.text(), None) for message in _several(keys["message"]))
    masters = tuple(master_of(master) for master in _several(keys["master"])) if "master" in keys else ()
    groups = [group for form in (*forms, *masters) for group in (form.groups, *(a[2] for a in form.attributes or ()))]
    names = frozenset(name for group in groups for name, _ in group)
    speaker = keys["speaker"].one_of({name: name for name in names}, "placeholder") if "speaker" in keys else None
    is_kept, is_needed = _kept(keys["kept"]) if "kept" in keys else (True, True)
    debug = "debug" in keys and keys["debug"].flag()
    level = keys["level"].one_of({name: name for name in LEVELS}, "level")
    return Pattern(keys["id"].text(), level, class_name, is_kept, is_needed, debug, speaker, forms, masters, names)


def _several(part: Part) -> list[Part]:
    return part.items() if isinstance(part.data, list) else [part]


def _kept(part: Part) -> tuple[bool, bool]:
    """Return whether a line is kept, and whether a law reads it."""
    return (True, False) if part.data == "shown" else (part.flag(), part.flag())


LEVELS = {level: number for number, level in enumerate(("DEBUG", "INFO", "WARN", "ERROR"))}
