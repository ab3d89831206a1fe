"""What the brokers' logs say of the channel: whose producer is whose, and which records were handled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from checkers.audit.lines import Damage, Kind, chunks_of, read_texts
from checkers.audit.runs import Run
from checkers.evidence.sources import logs
from checkers.evidence.sources.seen import Printed
from checkers.verdict import Misuse
from model.record import ServiceUnitState

_CHANNEL_TOPIC = "loadbalancer-service-unit-state"


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


def read_logs(run: Run) -> Logs:
    """Read the logs of *run*; whose each is, its manifest says, or its own lines do."""
    found = Logs()
    places = [(index, piece.path) for index, piece in enumerate(run.pieces) if piece.kind == Kind.LOG]
    for line in logs.read_logs(places, run.manifest.logs).said:
        if line.event == "producer-created" and str(line.values["topic"]).endswith(_CHANNEL_TOPIC):
            found.created.append((line.broker, line.time, line.values["producer"]))
        elif line.event == "handle-request" and isinstance(line.values["data"], Printed) and line.unit is not None:
            record = line.values["data"].record  # a tombstone has no version by which to tell it from another
            said = Said(record.state, str(record.destination), str(record.source), record.force, record.version)
            found.handled.add((line.unit, said))
    return found


def lines_of(path: Path, kind: Kind) -> Iterator[bytes]:
    """Yield the lines of one file; raise Misuse where it cannot be read."""
    for chunk in chunks_of(0, 0, str(path), kind):
        for text in read_texts(chunk):
            if isinstance(text, Damage):
                raise Misuse(f"{path}: {text.why}")
            yield from text.removesuffix(b"\n").split(b"\n")
