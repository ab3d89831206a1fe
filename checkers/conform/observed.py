"""
What was seen of one recorded run: the records of the channel with who published them, and steps of the registry.

A record's publisher is read, not inferred: on the topic from the producer's name, which the log of its broker prints
when the producer is created; in the metadata store from the session that wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from checkers.audit.blocks import Block, merge, read_chunk
from checkers.audit.dump import Unreadable
from checkers.audit.events import Event as Message
from checkers.audit.lines import Kind, chunks_of
from checkers.audit.runs import Options, Piece, Run, find_runs
from checkers.audit.zookeeper import Write, write_of
from checkers.conform.logs import Logs, Said, lines_of, read_logs
from checkers.conform.registry import History, history_of, with_crashes
from checkers.verdict import Misuse
from model.record import NOBODY, Record
from model.rules import Storage


class Written(NamedTuple):
    """One record of the channel, brokers numbered as in the model."""

    place: str
    """The message id, or the zxid of a write."""
    time: int
    """When it was handed to the producer; of a write, when ZooKeeper took it."""
    key: str
    record: Record
    broker: int
    """Who published it; NOBODY if that is not known."""
    process: int
    """Which process of that broker, from 0."""
    children: tuple[str, ...]
    """Keys of the children that a Splitting record names."""
    resent: bool = False
    """Whether the same publish comes once more later on."""


class Step(NamedTuple):
    """One step of the registry or the election."""

    place: str
    time: int
    action: str
    broker: int


@dataclass(frozen=True, slots=True)
class Recording:
    """What was seen of one run."""

    name: str
    storage: Storage
    brokers: tuple[str, ...]
    """By number, from 1: the first leader comes first, as in the model."""
    records: tuple[Written, ...]
    steps: tuple[Step, ...]
    has_channel: bool
    """Whether there is a history of the channel at all."""
    handled: frozenset[tuple[str, Record]]
    """Unit and record of each line that says that a broker's view took a record and its handler begins."""


def read_recording(path: Path) -> Recording:
    """Read the recorded run in the folder *path*."""
    run = find_runs([str(path)], Options())[0]
    registry = history_of(_writes(path))
    names = _brokers(path, registry)
    number = {name: index for index, name in enumerate(names, 1)}
    logs = read_logs(run)
    publishers = _publishers(logs, registry) | registry.sessions
    messages = list(_messages(run))
    records = tuple(_written(message, number, publishers) for message in messages)
    last_sent = {publishers[m.producer]: m.time for m in messages if m.producer in publishers}
    steps = with_crashes(registry, last_sent)
    return Recording(
        name=path.name,
        storage=run.question.storage,
        brokers=names,
        records=_marked_resent(records, messages),
        steps=tuple(Step(e.place, e.time, e.action, number[e.broker]) for e in steps),
        has_channel=bool(messages),
        handled=frozenset((key, _numbered(said, number)) for key, said in logs.handled),
    )


def _written(message: Message, number: dict[str, int], publishers: dict[str, tuple[str, int]]) -> Written:
    namespace = message.key.rpartition("/")[0]
    broker, process = publishers.get(message.producer, ("", 0))
    record = Record(
        message.state,
        number.get(str(message.destination), NOBODY),
        number.get(str(message.source), NOBODY),
        message.force,
        message.version,
    )
    children = tuple(f"{namespace}/{child}" for child in message.children or ())
    return Written(message.message_id, message.time, message.key, record, number.get(broker, NOBODY), process, children)


def _marked_resent(records: tuple[Written, ...], messages: list[Message]) -> tuple[Written, ...]:
    """Mark a publish that reached the topic twice: same producer, time and record (run.G8)."""
    last: dict[tuple[str, int, str, Record], int] = {}
    again: set[int] = set()
    for index, (record, message) in enumerate(zip(records, messages, strict=True)):
        same = message.producer, message.time, message.key, record.record
        before = last.get(same)
        if before is not None and not message.write and messages[before].position[:2] != message.position[:2]:
            again.add(before)  # in one batch it would be two publishes of one time
        last[same] = index
    return tuple(record._replace(resent=index in again) for index, record in enumerate(records))


def _messages(run: Run) -> Iterator[Message]:
    """Yield the channel's history in topic order; raise Misuse for what cannot be read."""
    blocks = []
    for index, piece in enumerate(run.pieces):
        if piece.kind == run.source:
            blocks += list(_blocks(index, piece))
    for columns in merge(sorted(blocks, key=lambda block: block.first)):
        for row in columns.rows():
            yield Message(*row)


def _blocks(index: int, piece: Piece) -> Iterator[Block]:
    for chunk in chunks_of(0, index, piece.path, piece.kind):
        for part in read_chunk(chunk, buckets=1):
            if isinstance(part, Block):
                yield part
            elif isinstance(part, list) and part:
                raise Misuse(f"{piece.path}:{part[0].origin.line}: {part[0].why}")


def _writes(path: Path) -> Iterator[Write]:
    for file in sorted(path.glob("zookeeper*.jsonl*")):
        for number, raw in enumerate(lines_of(file, Kind.ZOOKEEPER), 1):
            try:
                yield write_of(raw)
            except Unreadable as error:
                raise Misuse(f"{file}:{number}: {error}") from None


def _brokers(path: Path, registry: History) -> tuple[str, ...]:
    names = sorted(registry.brokers)
    if registry.leader is None or not names:
        raise Misuse(f"{path}: its ZooKeeper history registers no broker, or none is elected")
    return registry.leader, *(name for name in names if name != registry.leader)


def _publishers(logs: Logs, registry: History) -> dict[str, tuple[str, int]]:
    """Return which process of which broker each producer of the channel is, by the brokers' logs."""
    found: dict[str, tuple[str, int]] = {}
    for broker, when, producer in logs.created:
        process = max(sum(start <= when for start in registry.starts.get(broker, [])) - 1, 0)
        found.setdefault(producer, (broker, process))
    return found


def _numbered(said: Said, number: dict[str, int]) -> Record:
    destination, source = (number.get(name, NOBODY) for name in (said.destination, said.source))
    return Record(said.state, destination, source, said.force, said.version)
