"""
Compare decisions of the balancer with the unmodified classes of a release of Pulsar or Kafka, on random inputs.

    python -m tools.oracle transfer --release 4.2.4 --inputs 10000
"""

import argparse
import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oneowner.checkers.cli.batch import plain
from tools.oracle.given import given
from tools.oracle.oracles import ALGORITHMS, ORACLES, RELEASES, inputs


def main() -> None:
    """Read the command line, compare, and print how many answers are equal; exit with 1 if one is not."""
    parser = argparse.ArgumentParser(prog="python -m tools.oracle", description=__doc__.split("\n\n")[0])
    parser.add_argument("algorithms", nargs="*", choices=[*ORACLES, []], help="default: all that the release has")
    parser.add_argument("--release", choices=RELEASES, default="4.0.6")
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, default=Path("build/oracle"), help="where jars are kept (500 MB)")
    parser.add_argument(
        "--save",
        type=Path,
        help="write inputs and the answers of the classes into this folder: RELEASE/ALGORITHM.jsonl.gz",
    )
    asked = parser.parse_args()
    asked.home.mkdir(parents=True, exist_ok=True)
    unequal = 0
    for algorithm in asked.algorithms or [name for name in ORACLES if asked.release in ALGORITHMS[name].rules]:
        harness = ORACLES[algorithm].harness
        classes = ORACLES[algorithm].classes(asked.release, harness, asked.home.resolve())
        rows = list(inputs(algorithm, asked.inputs, asked.seed))
        theirs = dict(zip((row["id"] for row in rows), answered(classes, harness, rows), strict=True))
        rows = [given(row, theirs[row["id"]]) for row in rows]
        other = [row for row in rows if ours(row, asked.release) != theirs[row["id"]]]
        wrong = [row for row in other if not ORACLES[algorithm].allows(row, theirs[row["id"]])]
        unequal += len(wrong)
        allowed = f", {len(other) - len(wrong)} allowed" if len(other) > len(wrong) else ""
        print(f"{algorithm} {asked.release}: {len(rows) - len(other)} of {len(rows)} equal{allowed}", flush=True)
        for row in wrong[:3]:
            print(f"  input {json.dumps(row)}\n  ours {ours(row, asked.release)}\n  theirs {theirs[row['id']]}")
        if asked.save is not None:
            save(asked.save / asked.release / f"{algorithm}.jsonl.gz", rows, theirs)
    sys.exit(1 if unequal else 0)


def save(path: Path, rows: list[dict[str, Any]], theirs: dict[str, Any]) -> None:
    """Write inputs and the answers of the classes, a line each; the same bytes whenever it is done."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps({"input": row, "answer": theirs[row["id"]]}) + "\n" for row in rows)
    path.write_bytes(gzip.compress(lines.encode(), mtime=0))


def ours(row: dict[str, Any], release: str) -> Any:
    """Return our function's answer, as JSON has it."""
    algorithm = ALGORITHMS[row["algorithm"]]
    return json.loads(json.dumps(plain(algorithm.answer(row, algorithm.rules[release]))))


def answered(classes: str, harness: str, rows: list[dict[str, Any]]) -> Iterator[Any]:
    """Yield the classes' answer to every row."""
    # A neighbour may name classes of third parties that are not there: unless it is verified, it need not find them.
    lenient = ["-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"]
    command = ["java", *lenient, "-XX:+UseSerialGC", "-Dorg.apache.logging.log4j.level=OFF", "-cp", classes, harness]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        if line.startswith('{"id"'):  # the classes log there too
            told = json.loads(line)
            del told["id"]
            yield told


if __name__ == "__main__":
    main()
