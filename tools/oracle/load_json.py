"""
Print load data as the classes of a Pulsar release serialise it, for the snapshots of a file of vectors, a line each.

    python -m tools.oracle.load_json --release 4.0.6 --save tests/vectors/load-json

A line has the snapshot (``input``), and as ``answer`` what brokers publish to the topics of load data, write to the
metadata store, and answer to administrators, by the names of topics and folders.
"""

import argparse
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tools.oracle.__main__ import answered, save
from tools.oracle.jars import classpath
from tools.oracle.oracles import inputs

HARNESS = "oneowner.oracle.LoadJson"
EACH = 15
"""Snapshots of either load manager."""


def snapshots(algorithm: str) -> Iterator[dict[str, Any]]:
    """Yield inputs of one cycle in which every broker reports a load."""
    for row in inputs(algorithm, 1000, 1):
        told = row["cycles"][0]
        keys = ("cpu",) if algorithm == "threshold" else ("load",)
        if told["brokers"] and all(any(broker.get(key) is not None for key in keys) for broker in told["brokers"]):
            yield {**row, "cycles": [told]}


def main() -> None:
    """Read the command line, and print or save what the classes serialise."""
    parser = argparse.ArgumentParser(prog="python -m tools.oracle.load_json", description=__doc__.split("\n\n")[0])
    parser.add_argument("--release", default="4.0.6")
    parser.add_argument("--home", type=Path, default=Path("build/oracle"), help="where jars are kept (500 MB)")
    parser.add_argument("--save", type=Path, help="write RELEASE.jsonl.gz into this folder")
    asked = parser.parse_args()
    rows = [row for algorithm in ("transfer", "threshold") for row in islice(snapshots(algorithm), EACH)]
    classes = classpath(asked.release, HARNESS, asked.home.resolve())
    theirs = dict(zip((row["id"] for row in rows), answered(classes, HARNESS, rows), strict=True))
    if asked.save is not None:
        save(asked.save / f"{asked.release}.jsonl.gz", rows, theirs)
    else:
        for row in rows:
            print(json.dumps({"input": row, "answer": theirs[row["id"]]}))


if __name__ == "__main__":
    main()
