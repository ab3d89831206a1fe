"""
Batches: each line of a file is an input, answered under its id (``decide --batch``, ``assign --batch``).

A line that is no input is refused by its number, and the others are answered nevertheless.
"""

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from oneowner.checkers.cli.batch_refusal import blame
from oneowner.checkers.documents import suggestion
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.verdict import MISUSE, Misuse
from oneowner.model.kernel.batch import Algorithm, Row


def no_notes(row: Row, answer: Row, release: str) -> Iterable[str]:
    """Return nothing that is known of an answer."""
    return ()


def no_table(row: Row, answer: Row) -> Iterable[str]:
    """Return no lines."""
    return ()


class Batch(NamedTuple):
    """The algorithms that the lines of a batch may name."""

    algorithms: Mapping[str, Algorithm]
    name_of: Callable[[Row], str | None]
    """Return the name of a line's algorithm, or None."""
    needs: str
    """The required keys of a line, in words."""
    check: Callable[[Row, str], None] = lambda row, name: None
    """Raise InvalidInput for a key that its algorithm does not read."""
    notes: Callable[[Row, Row, str], Iterable[str]] = no_notes
    """Return what is known of an answer, in lines; takes the line, its answer and the release."""
    table: Callable[[Row, Row], Iterable[str]] = no_table
    """Return an answer as a table, in lines."""


def print_answers(path: str, release: str, batch: Batch) -> int:
    """Print the answer to every line of a batch; return the exit code, 2 if some line was refused."""
    code = 0
    for found in answers(path, release, batch):
        if isinstance(found, Misuse):
            code = MISUSE
            print(f"error: {visible(str(found))}", file=sys.stderr)
        else:
            print(json.dumps(found))
    return code


def answers(path: str, release: str, batch: Batch) -> Iterator[dict[str, Any] | Misuse]:
    """
    Yield the answer to every line of a batch, or its refusal; report what is known of answers, each once.

    Of a file without any JSON object the first line is refused alone.
    """
    noted, odd, is_batch = set[str](), list[int](), False
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                row = row_of(line)
                if row is None:
                    odd.append(number)
                    continue
                is_batch = True
                yield from (Misuse(f"{path}:{one}: no JSON object") for one in odd)
                odd.clear()
                try:
                    yield answer(row, f"{path}:{number}", release, batch, noted)
                except Misuse as error:
                    yield error
        if not is_batch and not odd:
            raise Misuse(f"{path}: no input: the file has no line")
        yield from (Misuse(f"{path}:{one}: no JSON object") for one in (odd if is_batch else odd[:1]))
    except OSError as error:
        raise Misuse(f"{path}: cannot be read: {error.strerror}") from None


def row_of(line: bytes) -> Row | None:
    """Return the JSON object of a line, None if it is none."""
    try:
        row = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def answer(row: Row, where: str, release: str, batch: Batch, noted: set[str]) -> dict[str, Any]:
    """Return the answer to one line, which stands at *where*; *noted* are the reports that were made before."""
    name = batch.name_of(row) if "id" in row else None
    if name is None:
        raise Misuse(f"{where}: no input: required: {batch.needs}")
    algorithm = batch.algorithms.get(name)
    if algorithm is None:
        raise Misuse(f"{where}: no such algorithm: {name}; {suggestion(name, batch.algorithms)}")
    try:
        by, note = judged_release(release, algorithm.rules, name, algorithm.lacks)
    except Misuse as error:
        raise Misuse(f"{where}: {error}") from None

    def answered(of: Row) -> dict[str, Any]:
        batch.check(of, name)
        return plain(algorithm.answer(of, algorithm.rules[by]))  # type: ignore[no-any-return]

    try:
        found = {"id": row["id"], **answered(row)}
    except Exception as error:  # what no value is to blame for is raised again
        raise Misuse(f"{where}: no input of {name}: {blame(error, row, answered).words}") from None
    first = [note] if note and note not in noted else []
    noted.update(first)
    for words in (*first, *batch.table(row, found), *batch.notes(row, found, by)):
        sys.stderr.write(f"{visible(words)}\n")  # standard output has lines of JSON alone
    return found


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
