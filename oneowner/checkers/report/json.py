"""
``write_json`` streams a result as JSON, exactly in the form of ``result.schema.json``, and atomically.

A key per line, and one finding, refusal, law, interval or row per line: a result can be compared with ``diff``.
Findings and refusals are never capped, so they are written as they come.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from oneowner.checkers import VERSION
from oneowner.checkers.remote_files import is_away, place_of, put, reason
from oneowner.checkers.results import SCHEMA, LawRow, Result, Stream
from oneowner.checkers.verdict import Misuse

STDOUT = "-"


def write_json(result: Result, target: str) -> None:
    """Write *result* to the file *target*, or to standard output for ``-``; raise Misuse if that fails."""
    write_out(target, lambda stream: write_to(stream, result))


def write_out(target: str, write: Callable[[IO[str]], object]) -> None:
    """Write the file *target* by *write*, atomically, or standard output for ``-``; raise Misuse if that fails."""
    if target == STDOUT:
        write(sys.stdout)
        sys.stdout.flush()
        return
    _write_file(place_of(target), write)


def write_text(path: Path, text: str) -> None:
    """Write *text* to a file, all of it or nothing; raise Misuse if that fails."""
    _write_file(path, lambda stream: stream.write(text))


def _write_file(path: Path, write: Callable[[IO[str]], object]) -> None:
    try:
        if is_away(str(path)):
            with tempfile.NamedTemporaryFile("w", encoding="utf-8") as stream:
                write(stream)
                stream.flush()
                put(Path(stream.name), str(path))
            return
        if path.exists() and not path.is_file():  # a pipe or a device: replacing /dev/null would destroy it
            with path.open("w", encoding="utf-8") as stream:
                write(stream)
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                write(stream)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise Misuse(f"{path}: cannot be written: {reason(error)}") from None


def write_to(stream: IO[str], result: Result) -> None:
    separator = "{\n"
    for key, value in document(result):
        stream.write(f"{separator} {json.dumps(key)}: ")
        separator = ",\n"
        if isinstance(value, Iterator):
            _write_items(stream, value)
        else:
            stream.write(_compact(value))
    stream.write("\n}\n")


def document(result: Result) -> Iterator[tuple[str, Any]]:
    """Yield the keys of the result's JSON object in order; arrays of rows are iterators."""
    yield "tool", "oneowner"
    yield "version", VERSION
    yield "schema", SCHEMA
    yield "verb", result.verb
    yield "verdict", result.verdict.value
    yield "reasons", iter(result.reasons)
    yield "stats", {**asdict(result.stats), "seconds": round(result.stats.seconds, 3)}
    yield "laws", (_law(row) for row in result.laws)
    yield "findings", iter(result.findings)
    yield "refusals", iter(result.refusals)
    for key, value in result.more.items():
        yield key, iter(value) if isinstance(value, (list, tuple, Stream)) else value


def _law(row: LawRow) -> Mapping[str, Any]:
    return {
        "law": row.law,
        "status": row.status,
        "expected": row.expected.value,
        "verdict": row.verdict.value,
        "exercised": row.exercised,
        **({"reason": row.reason} if row.reason else {}),
        **({"lawKind": row.kind} if row.kind else {}),
    }


def _write_items(stream: IO[str], items: Iterator[Any]) -> None:
    separator = "["
    for item in items:
        stream.write(f"{separator}\n  {_compact(item)}")
        separator = ","
    stream.write("[]" if separator == "[" else "\n ]")


_compact = json.JSONEncoder(default=str).encode  # json.dumps would make an encoder for every value


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
