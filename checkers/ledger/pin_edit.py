"""
The pins of a family as text: read and set anew in place, so that comments and layout stay as they are.

A family that nobody has counted yet may leave its counts out or blank. ``filled`` puts zeros there, which is what they
have to prove.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from oneowner.checkers.documents import At, parse_document, spans_of
from oneowner.checkers.ledger.family import COUNTS
from oneowner.checkers.verdict import Misuse

_NOTHING = "{" + ", ".join(f"{name}: 0" for name in COUNTS) + "}"


def filled(path: Path, text: str) -> str:
    """Return the text with a place for every count."""
    data = parse_document(path, text).data
    if not isinstance(data, dict):
        return text  # the reader of families will say what is wrong
    releases = data.get("releases")
    others: Mapping[str, object] = releases if isinstance(releases, dict) else {}
    blank: dict[At, str] = {("releases", str(name)): _NOTHING for name, row in others.items() if row is None}
    counts = [(data, ()), *((row, ("releases", str(name))) for name, row in others.items() if isinstance(row, dict))]
    for row, at in counts:
        blank |= {(*at, name): "0" for name in COUNTS if name in row and row[name] is None}
    text = with_values(text, blank)
    missing = [f"{name}: 0\n" for name in COUNTS if name not in data]
    if missing:
        text = "".join([text if text.endswith("\n") or not text else f"{text}\n", *missing])
    return text


def with_values(text: str, values: Mapping[At, str]) -> str:
    """
    Return a document's text with other values for some of its parts.

    >>> with_values("states: 7  # as found\\ndepth:\\n", {("states",): "8", ("depth",): "2"})
    'states: 8  # as found\\ndepth: 2\\n'
    """
    spans = spans_of(text)
    for at, value in sorted(values.items(), key=lambda item: spans[item[0]], reverse=True):
        start, end = spans[at]
        gap = " " if text[start - 1] == ":" else ""  # nothing stood there
        text = f"{text[:start]}{gap}{value}{text[end:]}"
    return text


def without_lines(path: Path, text: str, parts: Iterable[At]) -> str:
    """Return the text without the lines of these parts; raise Misuse for one that shares its line with others."""
    lines, all_lines = parse_document(path, text).lines, text.splitlines(keepends=True)
    for number in sorted((_own_line(path, lines, at) for at in parts), reverse=True):
        del all_lines[number - 1]
    return "".join(all_lines)


def _own_line(path: Path, lines: Mapping[At, int], at: At) -> int:
    if sum(number == lines[at] for number in lines.values()) > 1:
        raise Misuse(f"{path}:{lines[at]}: it shares its line with others; write one to a line, then it can be removed")
    return lines[at]
