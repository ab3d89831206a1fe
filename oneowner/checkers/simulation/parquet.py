"""Every cycle of simulated runs as one Parquet file, in the order of runs and cycles: the same bytes each time."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from oneowner.checkers.simulation.run import Run
from oneowner.checkers.verdict import Misuse

_TEXT, _NUMBER, _USAGE = pa.string(), pa.int64(), pa.float64()
SCHEMA = pa.schema(
    {"trace": _TEXT, "shedder": _TEXT, "release": _TEXT, "seed": _NUMBER, "cycle": _NUMBER, "moves": _NUMBER,
     "returns": _NUMBER, "most": _USAGE, "least": _USAGE}
)  # fmt: skip
"""The columns; usage 1.0 is a broker that is used up."""


def write_cycles(path: Path, trace: str, release: str, seed: int, runs: Sequence[Run]) -> None:
    """Write every cycle, all of them or nothing; raise Misuse if that fails."""
    rows = [
        {"trace": trace, "shedder": run.shedder, "release": release, "seed": seed, **point._asdict()}
        for run in runs
        for point in run.points
    ]
    try:
        with tempfile.TemporaryDirectory(dir=path.parent) as place:
            pq.write_table(pa.Table.from_pylist(rows, SCHEMA), Path(place, path.name), compression="zstd")
            os.replace(Path(place, path.name), path)
    except OSError as error:
        raise Misuse(f"{path}: cannot be written: {error.strerror or error}") from None
