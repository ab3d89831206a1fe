"""Rows of the packed files under `tests/vectors`."""

import gzip
import json
from typing import Any

from oneowner.checkers.places import TOP

VECTORS = TOP / "tests" / "vectors"


def text_of(name: str) -> str:
    return gzip.decompress((VECTORS / name).read_bytes()).decode()


def rows_of(name: str) -> list[Any]:
    """Return the JSON values of a file, one of each line."""
    return [json.loads(line) for line in text_of(f"{name}.jsonl.gz").splitlines()]
