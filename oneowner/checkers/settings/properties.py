"""``read_properties`` reads a broker.conf as ``java.util.Properties`` does, and keeps the line of every key."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.inputs.content import content_of
from oneowner.checkers.verdict import Misuse

LARGEST: Final = 4 * 2**20
"""Bytes; the broker.conf of 4.0.6 has 85,000."""
ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.?)", re.DOTALL)
LETTERS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
PAIR: Final = re.compile(r"(?P<key>(?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(?P<value>.*)", re.DOTALL)


class Property(NamedTuple):
    """A key and its value, as the file has them."""

    key: str
    value: str
    line: int


def read_properties(path: Path) -> list[Property]:
    """Return all properties in order, including repeated keys; raise Misuse for an invalid file."""
    return properties_of(text_of(path), str(path))


def text_of(path: Path) -> str:
    """Return a file of settings as a text of Latin-1; raise Misuse if it cannot be read, or is no text."""
    data = content_of(path, LARGEST, "broker.conf")
    if b"\0" in data:
        raise Misuse(f"{path}:{data[: data.index(0)].count(10) + 1}: no broker.conf: it contains a zero byte")
    return data.decode("latin-1")


def properties_of(text: str, name: str) -> list[Property]:
    """Return all properties of a text."""
    return [property_of(line, f"{name}:{number}", number) for number, line in logical_lines(text)]


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    r"""
    Yield lines that are no comment, each with those that continue it, and where it begins.

    >>> list(logical_lines("# no\na = 1\\\n   2\n\n b: 3"))
    [(2, 'a = 12'), (5, 'b: 3')]
    """
    begun, parts = 0, list[str]()
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
        bare = line.lstrip(" \t\f")
        if not parts and (not bare or bare[0] in "#!"):
            continue
        begun = begun if parts else number
        goes_on = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
        parts.append(bare[:-1] if goes_on else bare)
        if not goes_on:
            yield begun, "".join(parts)
            parts = []
    if parts:
        yield begun, "".join(parts)


def property_of(text: str, where: str, line: int) -> Property:
    r"""
    Return the key and the value of a line.

    >>> property_of(r"a\:b = c\u0064 ", "f:1", 1)
    Property(key='a:b', value='cd ', line=1)
    """
    if re.search(r"(?<!\\)(\\\\)*\\u(?![0-9a-fA-F]{4})", text):
        raise Misuse(f"{where}: no property: \\u is followed by four hexadecimal digits; the broker does not start")
    found = PAIR.fullmatch(text)
    assert found is not None, text
    return Property(unescaped(found["key"]), unescaped(found["value"]), line)


def unescaped(text: str) -> str:
    return ESCAPE.sub(lambda one: chr(int(one[1][1:], 16)) if len(one[1]) == 5 else LETTERS.get(one[1], one[1]), text)
