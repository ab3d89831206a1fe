"""The rows of a sweep as one Parquet file, in the order of its tasks: the same bytes on every engine."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from oneowner.checkers.sweep.task import Row
from oneowner.checkers.verdict import Misuse

_TEXT, _NUMBER, _TEXTS, _USAGE = pa.string(), pa.int64(), pa.list_(pa.string()), pa.float64()
SCHEMA = pa.schema(
    {
        "kind": _TEXT, "family": _TEXT, "release": _TEXT, "faults": _TEXT, "settings": _TEXT, "rules": _TEXT,
        "walks": _NUMBER, "depth": _NUMBER, "seed": _NUMBER, "verdict": _TEXT, "reasons": _TEXTS,
        "states": _NUMBER, "transitions": _NUMBER, "deepest": _NUMBER, "broken": _TEXTS, "law": _TEXT, "steps": _NUMBER,
        "scenario": _TEXT, "affected_releases": _TEXT, "fired": _TEXT, "classes": _NUMBER, "pairs": _NUMBER,
        "trace": _TEXT, "digest": _TEXT, "shedder": _TEXT, "brokers": _NUMBER, "bundles": _NUMBER, "cycles": _NUMBER,
        "moves": _NUMBER, "bound": _NUMBER, "returns": _NUMBER, "last": _NUMBER, "first_spread": _USAGE,
        "spread": _USAGE, "most": _USAGE,
    }
)  # fmt: skip
"""
The columns; ``deepest`` is the greatest number of steps that was reached, ``affected_releases`` are those in which the
law of a bug fails, ``fired`` is a JSON object. From ``trace`` on they are of a simulated run: ``digest`` is that of a
CSV file; 1.0 is a broker that is used up.
"""


def write_parquet(path: Path, rows: Sequence[Row]) -> None:
    """Write the rows, all of them or nothing; raise Misuse if that fails."""
    table = pa.Table.from_pylist([{name: row[name] for name in SCHEMA.names} for row in rows], SCHEMA)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as place:
            pq.write_table(table, Path(place, path.name), compression="zstd")
            os.replace(Path(place, path.name), path)
    except OSError as error:
        raise Misuse(f"{path}: cannot be written: {error.strerror or error}") from None
