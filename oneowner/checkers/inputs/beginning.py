"""``Beginning`` is the first part of a file: its bytes, its lines, and its first JSON value."""

import gzip
import json
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.inputs.content import DASH, is_pasted, pasted

LOOKED_AT: Final = 256 * 1024
"""The number of bytes that are examined: a broker starts with some hundred lines about its settings."""
LINES: Final = 400
"""The number of lines that are examined."""
WIDTH: Final = 2_000
"""The number of characters of a line that are examined."""
OTHERS: Final = (".zst", ".lz4")
"""The endings of compressed files that only some verbs read: nothing is known of them."""


@dataclass(frozen=True)
class Beginning:
    """The beginning of a text."""

    data: bytes = field(repr=False)
    name: str = ""
    """The name of its file, which is a hint at most."""

    @cached_property
    def text(self) -> str:
        """Return the text, without the quotation marks of a mail."""
        text = self.data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
        lines = text.splitlines() if text.startswith(">") else []
        is_quoted = bool(lines) and all(line.startswith(">") for line in lines if line.strip())
        return "\n".join(line[1:].removeprefix(" ") for line in lines) if is_quoted else text

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines that are not blank."""
        return [line[:WIDTH].rstrip() for line in self.text.splitlines()[:LINES] if line.strip()]

    @cached_property
    def values(self) -> list[Any]:
        """Return the whole JSON values at the begin, one after the other, ten at most."""
        text, found, at = self.text, list[Any](), 0
        while len(found) < 10:
            at += len(text[at:]) - len(text[at:].lstrip())
            if text[at : at + 1] not in ("{", "[", '"'):
                break
            try:
                value, at = json.JSONDecoder().raw_decode(text, at)
            except (ValueError, RecursionError):
                break
            found.append(value)
        return found

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Return those of the values that are objects."""
        return [value for value in self.values if isinstance(value, dict)]


def beginning_of(path: Path) -> Beginning:
    """Return the beginning of a file, or of standard input; of a file that cannot be read, it is empty."""
    if is_pasted(path):
        return Beginning(pasted()[:LOOKED_AT], DASH)
    if path.suffix in OTHERS:
        return Beginning(b"", path.name)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            return Beginning(stream.read(LOOKED_AT), path.name)
    except (OSError, EOFError, zlib.error, ValueError):
        return Beginning(b"", path.name)
