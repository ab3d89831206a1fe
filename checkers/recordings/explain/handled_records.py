"""What the brokers' logs say of the channel: whose producer is whose, and which records were handled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.read import broker_logs as logs
from oneowner.checkers.recordings.read.lines import Damage, Kind, chunks_of, read_texts
from oneowner.checkers.recordings.read.observations import Printed
from oneowner.checkers.verdict import UnreadableInput
from oneowner.model.channel.record import Record

_CHANNEL_TOPIC = "loadbalancer-service-unit-state"


class Handled(NamedTuple):
    """What a handler line says; a tombstone has no version by which to tell it from another."""

    unit: str
    record: Record
    """Brokers by name."""


@dataclass(slots=True)
class Logs:
    """What was read of the logs of one run."""

    created: list[tuple[str, int, str]] = field(default_factory=list)
    """Broker, time, producer of the channel's topic."""
    handled: dict[Handled, str] = field(default_factory=dict)
    """What handler lines say (only written where the load manager's debug mode is on), and which log says so first."""


def read_logs(run: Run) -> Logs:
    """Read the logs of *run*; whose each is, its manifest says, or its own lines do."""
    found = Logs()
    places = [(index, piece.path) for index, piece in enumerate(run.pieces) if piece.kind == Kind.LOG]
    for line in logs.read_logs(places, run.manifest.logs).said:
        if line.event == "producer-created" and str(line.values["topic"]).endswith(_CHANNEL_TOPIC):
            found.created.append((line.broker, line.time, line.values["producer"]))
        elif line.event == "handle-request" and isinstance(line.values["data"], Printed) and line.unit is not None:
            handled = Handled(line.unit, line.values["data"].record)
            found.handled.setdefault(handled, Path(run.pieces[line.origin.piece].path).name)
    return found


def lines_of(path: Path, kind: Kind) -> Iterator[bytes]:
    """Yield the lines of one file; raise UnreadableInput where it cannot be read."""
    for chunk in chunks_of(0, 0, str(path), kind):
        for text in read_texts(chunk):
            if isinstance(text, Damage):
                raise UnreadableInput(f"{path}: {text.why}")
            yield from text.removesuffix(b"\n").split(b"\n")
