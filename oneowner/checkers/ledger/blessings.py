"""
The last word on every pin: when it was blessed, and why. ``blessed.yaml`` in the folder of a system holds a line a row.

``oneowner bless`` replaces the line of a row that it pins anew; earlier words are in the history of the repository. Of
a family the line has a digest of its counts: a family with other counts was edited by hand, and is not as blessed. And
every family that has a line must be there: a pin does not get lost in silence.
"""

import datetime
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM
from oneowner.checkers.documents import Part, read_document, read_once
from oneowner.checkers.yaml_text import in_flow
from oneowner.spec.systems import systems

Counts = tuple[int, int, int]
"""Distinct states, transitions and depth."""

FILE = "blessed.yaml"
FAMILY = "family"
"""The kind of rows of which the counts are kept."""
HEAD = (
    "# The last word on each row: when it was pinned, and why. Written by oneowner bless, never by hand; earlier words"
    " are in\n# the history of the repository.\n"
)


class Word(NamedTuple):
    """The last word on a row."""

    date: str
    """YYYY-MM-DD."""
    reason: str
    counts: str = ""
    """The digest of a family's counts."""


Words = Mapping[str, Mapping[str, Word]]
"""By kind of pins, and by row."""


def today() -> str:
    """Return the date of a word that is written now."""
    return datetime.date.today().isoformat()


def blessed_file(row: str = "") -> Path:
    """Return where the last word on a row of the ledger, by its name, is kept."""
    system = systems()[row.rpartition("/")[0] or DEFAULT_SYSTEM]
    return families.home_of(system) / FILE


def read_words(path: Path) -> dict[str, dict[str, Word]]:
    """Return the words in a file, none if there is no file; raise Misuse with file and line for a malformed one."""
    if not path.exists():
        return {}
    document = read_document(path)
    return {
        kind: {row: _word(part, kind) for row, part in rows.mapping().items()}
        for kind, rows in Part(document, {} if document.data is None else document.data).mapping().items()
    }


def _word(part: Part, kind: str) -> Word:
    keys = part.mapping([*Word._fields] if kind == FAMILY else ["date", "reason"])
    return Word(**{name: one.line() for name, one in keys.items()})


def text_of(words: Words) -> str:
    """
    Return the text of a file of words: a line a row, in the order of their names.

    >>> print(text_of({"logs": {"two-units": Word("2026-11-28", "Splits are new")}}).splitlines()[-1])
      two-units: {date: '2026-11-28', reason: Splits are new}
    """
    lines = []
    for kind, rows in sorted(words.items()):
        lines += [f"{kind}:"] if rows else []
        for row, word in sorted(rows.items()):
            said = {name: value for name, value in word._asdict().items() if value}
            lines.append(f"  {in_flow(row)}: {in_flow(said)}")
    return "\n".join([HEAD.rstrip(), *lines, ""])


def _files() -> list[str]:
    return [str(blessed_file(f"{name}/")) for name in systems()]


@read_once(_files)
def blessings() -> dict[str, Word]:
    """Return the last word on every row of the ledger, by the row's name, of all systems."""
    files = map(Path, _files())
    return {row: word for file in files for row, word in read_words(file).get(FAMILY, {}).items()}


def digest_of(counts: Counts) -> str:
    """
    Return the digest of counts.

    >>> digest_of((5032, 15077, 16)) == digest_of((5032, 15077, 17))
    False
    """
    return sha256(" ".join(map(str, counts)).encode()).hexdigest()[:8]


def in_words(counts: Counts) -> str:
    """
    Return counts as people read them.

    >>> in_words((5032, 15077, 16))
    '5,032 states, 15,077 transitions, depth 16'
    """
    return f"{counts[0]:,} states, {counts[1]:,} transitions, depth {counts[2]}"


def unblessed(family: Family, words: Mapping[str, Word]) -> str:
    """Return why the pinned counts of a row are not those that were blessed last, or an empty string."""
    pins, word = (family.states, family.transitions, family.depth), words.get(family.row)
    if word is not None and word.counts == digest_of(pins):
        return ""
    last = "nobody has blessed them" if word is None else f"other ones were blessed on {word.date} ({word.reason})"
    return f'the ledger pins {in_words(pins)}, but {last}; make bless REASON="..." gives the reason'


def lost(rows: Iterable[str], words: Iterable[str]) -> list[str]:
    """Return the rows that have a word and are not among *rows*."""
    there = set(rows)
    return [name for name in words if name not in there]
