"""
A document that people edit is read part by part; each part knows its line, so that it is refused by file and line.

Whatever does not fit is a Misuse that reads ``file:line: what was refused; what is
allowed``.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml

from oneowner.checkers.choices import LISTED
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.yaml_text import At, FastLoader

T = TypeVar("T")

NEAR: Final = 3
"""Names that are suggested as the one that was meant."""
NAMED: Final = 30
"""Names that one line holds: a recording may have thousands of bundles."""
_PARTS: Final = re.compile(r"\d+|\D+").findall


@dataclass(frozen=True, slots=True)
class Document:
    """One file: its data (dict, list, str, int, float, bool, None), and where each part of it stands."""

    path: Path
    data: Any
    lines: dict[At, int] = field(default_factory=dict)

    def refuse(self, complaint: str, *at: str | int) -> Misuse:
        """Return a Misuse that names this file and the line of the part *at*."""
        return Misuse(f"{self.path}:{self.lines.get(at, 1)}: {complaint}")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a document, which converts itself to an expected type."""

    document: Document
    data: Any
    at: At = ()

    @property
    def name(self) -> str:
        """The key that it stands under."""
        return next((str(key) for key in reversed(self.at) if isinstance(key, str)), self.document.path.name)

    def refuse(self, allowed: str) -> Misuse:
        """Return a Misuse about this part: its value, and what is allowed."""
        return self.complaint(f"{self.name} refused: {shown(self.data)}; {allowed}")

    def complaint(self, words: str) -> Misuse:
        """Return a Misuse that names file and line of this part."""
        at = self.at
        while at and at not in self.document.lines:
            at = at[:-1]
        return self.document.refuse(words, *at)

    def mapping(self, needed: Iterable[str] | None = None, optional: Iterable[str] = ()) -> dict[str, Part]:
        """Return the parts of a mapping by key, in order; with *needed* these keys (and *optional* ones) alone."""
        if not isinstance(self.data, dict):
            raise self.refuse("it is a mapping" + (f" with the keys {', '.join(needed)}" if needed else ""))
        parts = {str(key): Part(self.document, value, (*self.at, str(key))) for key, value in self.data.items()}
        if needed is not None:
            known = [*needed, *optional]
            for key, part in parts.items():
                if key not in known:
                    raise part.complaint(f"no such key: {key}; {suggestion(key, known)}")
            for key in needed:
                if key not in parts:
                    raise self.complaint(f"the key {key} is missing; needed are {', '.join(needed)}")
        return parts

    def items(self) -> list[Part]:
        """Return the parts of a list."""
        if not isinstance(self.data, list):
            raise self.refuse("it is a list")
        return [Part(self.document, value, (*self.at, number)) for number, value in enumerate(self.data)]

    def text(self) -> str:
        if not isinstance(self.data, str):
            raise self.refuse("it is a text")
        return self.data

    def line(self) -> str:
        """Return a text that is one line and not blank."""
        if not isinstance(self.data, str) or not self.data.strip() or "\n" in self.data.strip():
            raise self.refuse("it is one line of text")
        return self.data.strip()

    def number(self, least: int = 0, most: int | None = None) -> int:
        upper = "" if most is None else f" to {most}"
        if not isinstance(self.data, int) or isinstance(self.data, bool):
            raise self.refuse(f"it is a whole number from {least}{upper}")
        if self.data < least or (most is not None and self.data > most):
            raise self.refuse(f"it is a whole number from {least}{upper}")
        return self.data

    def flag(self) -> bool:
        if not isinstance(self.data, bool):
            raise self.refuse("it is true or false")
        return self.data

    def one_of(self, known: Mapping[str, T], kind: str) -> T:
        """Return what *known* has under this name; the nearest names are suggested."""
        if not isinstance(self.data, str) or self.data not in known:
            raise self.complaint(f"no such {kind}: {shown(self.data)}; {suggestion(str(self.data), known, kind)}")
        return known[self.data]

    def give(self, function: Any, *arguments: Any) -> Any:
        """Return ``function(*arguments)``; its Misuse becomes one about this part."""
        try:
            return function(*arguments)
        except Misuse as error:
            raise self.complaint(str(error)) from None


YAML_ERRORS: Final = (yaml.YAMLError, ValueError, RecursionError)
"""The exceptions that a text raises which is no YAML."""
MOST_BY_ALIASES = 10_000
"""Parts that aliases may add: without them a text has fewer parts than characters."""


def read_document(path: Path) -> Document:
    """Read one YAML file; raise Misuse if it is missing, not UTF-8, not YAML, or names a key twice."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Misuse(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise Misuse(f"{path}:{line}: not UTF-8") from None
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror}") from None
    return parse_document(path, text)


@lru_cache(maxsize=256)  # a gate reads the ledger again for every row
def parse_document(path: Path, text: str) -> Document:
    """Return the document that *text* is, as if it were read from *path*; raise Misuse as ``read_document`` does."""
    try:
        return parsed_by(path, text, FastLoader)
    except YAML_ERRORS:
        pass  # PyYAML says better what is wrong
    try:
        return parsed_by(path, text, yaml.SafeLoader)
    except YAML_ERRORS as error:
        kind = "not YAML" if isinstance(error, yaml.YAMLError | RecursionError) else "a value that there is not"
        line, words = yaml_words(error, text)
        raise Misuse(f"{path}:{line}: {kind}: {words}") from None


def parsed_by(path: Path, text: str, kind: type[Any]) -> Document:
    """Return the document that *text* is by a *kind* of loader."""
    loader, lines = kind(text), dict[At, int]()
    node = loader.get_single_node()
    if node is not None:
        most = len(text) + MOST_BY_ALIASES
        for number, (at, line) in enumerate(_lines_of(node, ())):
            if number > most:
                raise Misuse(f"{path}:{line}: aliases refused: they make more than {most} parts of a short text")
            if at in lines:
                raise Misuse(f"{path}:{line}: key refused: {at[-1]}; it stands in line {lines[at]} already")
            lines[at] = line
    return Document(path, None if node is None else loader.construct_document(node), lines)


def read_once(
    files: Callable[[], Iterable[str]],
) -> Callable[[Callable[[], dict[str, T]]], Callable[[], dict[str, T]]]:
    """
    Cache a function that reads these *files* into a mapping, until one of them changes.

    They are looked at with each call, thousands of times in a run: so they are texts, which cost less than paths.
    """

    def decorated(read: Callable[[], dict[str, T]]) -> Callable[[], dict[str, T]]:
        last: list[tuple[list[tuple[str, int, int]], dict[str, T]]] = []

        @wraps(read)
        def reading() -> dict[str, T]:
            stamps = [stamp for path in files() if (stamp := stamp_of(path)) is not None]
            if not last or last[0][0] != stamps:
                found = read()  # which may refuse: then nothing is kept
                last[:] = [(stamps, found)]
            return dict(last[0][1])

        return reading

    return decorated


def stamp_of(path: str) -> tuple[str, int, int] | None:
    """Return what changes with a file; nothing if there is none."""
    try:
        at = os.stat(path)
    except OSError:
        return None
    return path, at.st_mtime_ns, at.st_size


def suggestion(name: str, known: Iterable[str], kind: str = "") -> str:
    """
    Return the *known* names that *name* may mean, else all if they are few, else the verb that lists them.

    Names that begin as *name* come first, then similar ones, then those that contain it. The *kind* sets the verb.

    >>> suggestion("transfr", ["expiry", "transfer"])
    'did you mean transfer?'
    >>> suggestion("4.0", ["4.0.10", "4.0.9", "4.1.0"])
    'did you mean 4.0.9 or 4.0.10?'
    >>> suggestion("health", ["selection_checks_health", "transfer"])
    'did you mean selection_checks_health?'
    >>> suggestion("x", map(str, range(130)), "fault"), suggestion("x", map(str, range(130)))
    ('oneowner list faults lists all', 'there are 130, such as 0, 1, 2')
    """
    names = sorted(
        set(known), key=lambda one: [(len(part), part) if part.isdigit() else (0, part) for part in _PARTS(one)]
    )
    begun = [one for one in names if name and one.startswith(name)]
    near = begun if len(begun) <= NEAR else difflib.get_close_matches(name, begun, n=NEAR, cutoff=0)
    near = near or difflib.get_close_matches(name, names, n=NEAR)
    near = near or [one for one in names if len(name) > NEAR and name in one][:NEAR]
    listed = f"oneowner list {LISTED[kind]} lists all" if kind in LISTED and len(names) > NAMED else ""
    if near:
        return f"did you mean {' or '.join(near)}?{f' ({listed})' if listed else ''}"
    if listed:
        return listed
    if len(names) > NAMED:
        return f"there are {len(names)}, such as {', '.join(names[:NEAR])}"
    return f"there are: {', '.join(names)}"


def _by_numbers(name: str) -> list[tuple[int, str]]:
    """Return the key by which numbers in names are sorted by size."""
    return [(len(part), part) if part.isdigit() else (0, part) for part in _PARTS(name)]


def shown(value: Any, most: int = 60) -> str:
    """Return a value as a complaint shows it: on one line, of *most* characters at most."""
    words = "nothing" if value is None else value if isinstance(value, str) else _safely(value)
    words = " ".join(words.split())
    return words if len(words) <= most else f"{words[: most - 3]}..."


def _safely(value: Any) -> str:
    try:
        return str(value).lower() if isinstance(value, bool) else str(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits
        return "a value too large to print"


def _lines_of(node: yaml.Node, at: At, inside: tuple[int, ...] = ()) -> Iterator[tuple[At, int]]:
    """Yield the path and line of every part; a part that holds itself raises ValueError."""
    if id(node) in inside:
        raise ValueError("an alias that holds itself")
    if not at:
        yield (), node.start_mark.line + 1
    inside = (*inside, id(node))
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            path = (*at, str(key.value))
            yield path, key.start_mark.line + 1
            yield from _lines_of(value, path, inside)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield (*at, number), item.start_mark.line + 1
            yield from _lines_of(item, (*at, number), inside)


def _line_of(error: Exception, text: str) -> int:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return int(mark.line) + 1
    position = getattr(error, "position", 0)  # a character that YAML does not allow
    return text[:position].count("\n") + 1


def yaml_words(error: Exception, text: str) -> tuple[int, str]:
    """Return the line and the words of one of ``YAML_ERRORS``."""
    return _line_of(error, text), _words_of(error)


def _words_of(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    return " ".join(str(problem).split())
