"""What the brokers' logs say of the channel: whose producer is whose, and which records were handled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from checkers.audit.lines import Damage, Kind, chunks_of, read_texts
from checkers.documents import read_document
from checkers.verdict import Misuse
from model.record import ServiceUnitState

_PRODUCER, _HANDLED = b"Created producer on cnx", b"received a handle request for serviceUnit:"
_CREATED = re.compile(rb"(\S+) .*loadbalancer-service-unit-state\] \[([^\]]+)\] Created producer on cnx")
_RECORD = re.compile(
    rb"serviceUnit:(\S+), data:ServiceUnitStateData\[state=(\w+), dstBroker=(\S+), sourceBroker=(\S+),"
    rb" splitServiceUnitToDestBroker=.*, force=(\w+), timestamp=\d+, versionId=(-?\d+)\]"
)


class Said(NamedTuple):
    """A record as a log line has it."""

    state: ServiceUnitState
    destination: str
    source: str
    force: bool
    version: int


@dataclass(slots=True)
class Logs:
    """What was read of the logs of one run."""

    created: list[tuple[str, int, str]] = field(default_factory=list)
    """Broker, time, producer of the channel's topic."""
    handled: set[tuple[str, Said]] = field(default_factory=set)
    """Unit and record of each handler line (only written where the load manager's debug mode is on)."""


def read_logs(path: Path) -> Logs:
    """Read the logs that the manifest in *path* names."""
    found, manifest = Logs(), path / "manifest.yaml"
    if not manifest.exists():
        return found
    for entry in read_document(manifest).data["brokers"]:
        for file in sorted(path.glob(f"{entry['log']}*")):
            for raw in lines_of(file, Kind.LOG):
                if _HANDLED in raw:
                    _take_handled(found, raw)
                elif _PRODUCER in raw:
                    _take_created(found, raw, entry["id"])
    return found


def lines_of(path: Path, kind: Kind) -> Iterator[bytes]:
    """Yield the lines of one file; raise Misuse where it cannot be read."""
    for chunk in chunks_of(0, 0, str(path), kind):
        for text in read_texts(chunk):
            if isinstance(text, Damage):
                raise Misuse(f"{path}: {text.why}")
            yield from text.removesuffix(b"\n").split(b"\n")


def _take_created(found: Logs, raw: bytes, broker: str) -> None:
    line = _CREATED.match(raw)
    if line is not None:
        when = datetime.strptime(line[1].decode(), "%Y-%m-%dT%H:%M:%S,%f%z")
        found.created.append((broker, round(when.timestamp() * 1000), line[2].decode()))


def _take_handled(found: Logs, raw: bytes) -> None:
    line = _RECORD.search(raw)
    if line is not None:  # a tombstone says "data:null", and has no version by which to tell it from another
        key, state, destination, source, force, version = (group.decode() for group in line.groups())
        said = Said(ServiceUnitState(state), destination, source, force == "true", int(version))
        found.handled.add((key, said))
