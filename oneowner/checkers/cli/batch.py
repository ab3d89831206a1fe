"""Batches: each line of a file is an input, answered under its id (``decide --batch``, ``assign --batch``)."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from oneowner.checkers.documents import suggestion
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.batch import Algorithm, Row

UNREADABLE: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""Exceptions of a function whose input has the wrong form."""


class Batch(NamedTuple):
    """The algorithms that the lines of a batch may name."""

    algorithms: Mapping[str, Algorithm]
    name_of: Callable[[Row], str | None]
    """Return the name of a line's algorithm, or None."""
    needs: str
    """The required keys of a line, in words."""


def answers(path: str, release: str, batch: Batch) -> Iterator[dict[str, Any]]:
    """Yield the answer to every line of a batch; report each algorithm that another release's rules answer for."""
    noted = set[str]()
    try:
        with sys.stdin if path == "-" else open(path, encoding="utf-8") as lines:
            count = 0
            for number, line in enumerate(lines, 1):
                if line.strip():
                    count += 1
                    yield answer(line, f"{path}:{number}", release, batch, noted)
        if not count:
            raise Misuse(f"{path}: no input: the file has no line")
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{path}: cannot be read: {error}") from None


def answer(line: str, where: str, release: str, batch: Batch, noted: set[str]) -> dict[str, Any]:
    """Return the answer to one line, which stands at *where*; *noted* are the reports that were made before."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise Misuse(f"{where}: no JSON object") from None
    name = batch.name_of(row) if isinstance(row, dict) and "id" in row else None
    if name is None:
        raise Misuse(f"{where}: no input: required: {batch.needs}")
    algorithm = batch.algorithms.get(name)
    if algorithm is None:
        raise Misuse(f"{where}: no such algorithm: {name}; {suggestion(name, batch.algorithms)}")
    try:
        by, note = judged_release(release, algorithm.rules, name)
    except Misuse as error:
        raise Misuse(f"{where}: {error}") from None
    if note and note not in noted:
        noted.add(note)
        sys.stderr.write(f"{note}\n")  # standard output has lines of JSON alone
    try:
        return {"id": row["id"], **plain(algorithm.answer(row, algorithm.rules[by]))}
    except UNREADABLE as error:
        raise Misuse(f"{where}: no input of {name}: {complaint(error)}") from None


def complaint(error: Exception) -> str:
    """Describe the error of an input."""
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def plain(value: Any) -> Any:
    """
    Replace the numbers that JSON cannot express by texts, as Jackson does.

    >>> plain({"std": math.nan, "avg": [1.0, math.inf]})
    {'std': 'NaN', 'avg': [1.0, 'Infinity']}
    """
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
