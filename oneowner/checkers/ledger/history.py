"""
The history of the ledger: why its counts are what they are, ``HISTORY.md`` beside the families of each system.

``make bless`` writes it, one section per reason, newest last. Every row of the ledger must have the counts that it
spoke of last: pins that were written by hand are not as blessed. And every row that it speaks of must be there, unless
it says that the row was left out: a pin does not get lost in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM
from oneowner.spec.systems import systems

Counts = tuple[int, int, int]
"""Distinct states, transitions and depth."""

_HEAD = (
    "# History of the ledger\n\nWhy counts and verdicts changed, newest last. Written by `make bless`, never by hand.\n"
)
LEFT_OUT = "left out"
_GONE = re.compile(rf"- (\S+): {LEFT_OUT}\b")
_LINE = re.compile(r"- (\S+): ([\d,]+) states, ([\d,]+) transitions, depth (\d+)\b")


def history_file(row: str = "") -> Path:
    """Return where the history of a row of the ledger, or what changed in it (``ROW: ...``), is kept."""
    system = systems()[row.partition(":")[0].rpartition("/")[0] or DEFAULT_SYSTEM]
    return families.home_of(system) / "families" / "HISTORY.md"


def histories() -> dict[str, Counts]:
    """Return the counts that the histories of all systems name last, by the row's name."""
    files = [history_file(f"{name}/") for name in systems()]
    return {row: counts for file in files for row, counts in blessed(read_history(file)).items()}


def in_words(counts: Counts) -> str:
    """
    Return counts as the history writes them.

    >>> in_words((5032, 15077, 16))
    '5,032 states, 15,077 transitions, depth 16'
    """
    return f"{counts[0]:,} states, {counts[1]:,} transitions, depth {counts[2]}"


def blessed(text: str) -> dict[str, Counts]:
    """
    Return the counts that a history names last, by the row's name; not of rows that were left out since.

    >>> blessed("- expiry: 9,909 states, 31,455 transitions, depth 29 (first pinned)")
    {'expiry': (9909, 31455, 29)}
    >>> blessed("- expiry: 9,909 states, 31,455 transitions, depth 29 (first pinned)\\n- expiry: left out")
    {}
    """
    found: dict[str, Counts] = {}
    for line in text.splitlines():
        if match := _LINE.match(line):
            states, transitions, depth = (int(number.replace(",", "")) for number in match.groups()[1:])
            found[match[1]] = states, transitions, depth
        elif match := _GONE.match(line):
            found.pop(match[1], None)
    return found


def read_history(path: Path) -> str:
    """Return the text of the history, which may not have begun."""
    return path.read_text(encoding="utf-8") if path.exists() else _HEAD


def section(reason: str, changes: Iterable[str]) -> str:
    """Return one section: a reason, and what changed for it, a line each."""
    return "\n".join([f"\n## {reason}", "", *(f"- {change}" for change in changes), ""])


def unblessed(family: Family, history: dict[str, Counts]) -> str:
    """Return in words that the pinned counts of a row are not those that were blessed last, or an empty string."""
    pins = (family.states, family.transitions, family.depth)
    if history.get(family.row) == pins:
        return ""
    last = f"ends with {in_words(history[family.row])}" if family.row in history else "does not name it"
    return f'the history {last}, but the ledger pins {in_words(pins)}; make bless REASON="..." says why'


def lost(rows: Iterable[str], history: Mapping[str, Counts]) -> list[str]:
    """Return the rows that the history speaks of and that are not among *rows*."""
    there = set(rows)
    return [name for name in history if name not in there]
