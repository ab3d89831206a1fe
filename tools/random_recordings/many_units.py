"""
A day of thousands of units is made of a recording: each of its units many times over, in as many namespaces.

``python -m tools.random_recordings.many_units RECORDING TIMES FOLDER`` writes a folder for ``oneowner audit``. Times,
publishers and the registry stay as they were. Of the logs only the lines are kept that name the channel's producers:
others are about units of the recording alone.
"""

import gzip
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHANNEL = b"loadbalancer-service-unit-state"


def main(recording: Path, times: int, folder: Path) -> None:
    """Write a recording of so many times as many units."""
    folder.mkdir(parents=True)
    for file in (*sorted(recording.glob("zookeeper.jsonl*")), recording / "manifest.yaml"):
        shutil.copy(file, folder)
    with gzip.open(folder / "channel.jsonl.gz", "wt", compresslevel=1) as stream:
        for number, line in enumerate(lines_of(recording, "channel.jsonl")):
            stream.writelines(json.dumps(copied(json.loads(line), number, one, times)) + "\n" for one in range(times))
    for log in sorted(recording.glob("broker-*.log*")):
        kept = [line for line in lines_of(recording, log.name) if CHANNEL in line and b"roducer" in line]
        (folder / log.name.removesuffix(".gz")).write_bytes(b"".join(kept))


def lines_of(recording: Path, name: str) -> Iterator[bytes]:
    """Yield the lines of a file, which may be packed."""
    (file,) = recording.glob(f"{name.removesuffix('.gz')}*")
    with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
        yield from stream


def copied(message: dict[str, Any], number: int, one: int, times: int) -> dict[str, Any]:
    """Return a message about the unit of the same range in another namespace, behind its other copies."""
    namespace, _, unit = message["key"].rpartition("/")
    sequence = message["sequenceId"] * times + one
    return {**message, "messageId": f"{number}:{one}", "sequenceId": sequence, "key": f"{namespace}-{one:05}/{unit}"}


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
