"""
A recording holds the observations of one run: records with their publishers, and steps of the registry.

A record's publisher is read, not inferred: on the topic from the producer's name, which the log of its broker prints
when the producer is created; in the metadata store from the session that wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.judged_release import JudgedRelease, recorded_release
from oneowner.checkers.recordings.explain.channel_messages import read_channel
from oneowner.checkers.recordings.explain.registry_steps import RegistryHistory, history_of, with_crashes
from oneowner.checkers.recordings.fold.runs import Options, Run, find_runs
from oneowner.checkers.recordings.read import broker_logs
from oneowner.checkers.recordings.read.chroots import Chroot
from oneowner.checkers.recordings.read.dump import Unreadable
from oneowner.checkers.recordings.read.lines import Damage, FileKind, chunks_of, read_texts
from oneowner.checkers.recordings.read.manifest import DEFAULTS, DELAY, WAIT
from oneowner.checkers.recordings.read.observations import Printed
from oneowner.checkers.recordings.read.zookeeper import Write, write_of
from oneowner.checkers.recordings.scene.channel_history import Step, Steps
from oneowner.checkers.recordings.scene.migrations import RUNS, migration_of
from oneowner.checkers.verdict import Misuse, UnreadableInput
from oneowner.model.channel.record import NOBODY, Record
from oneowner.model.channel.rules import Rules, Storage
from oneowner.spec.channel.system import SYSTEM

_CHANNEL_TOPIC = "loadbalancer-service-unit-state"


class PublishedRecord(NamedTuple):
    """One record of the channel, brokers numbered as in the model."""

    place: str
    """The message id, or the zxid of a write."""
    time: int
    """The time at which the producer received it; of a write, the time of its transaction in ZooKeeper."""
    key: str
    record: Record
    broker: int
    """Its publisher; NOBODY if unknown."""
    process: int
    """The number of that broker's process, from 0."""
    children: tuple[str, ...]
    """Keys of the children that a Splitting record names."""
    resent: bool = False
    """True if the same publish comes once more later on."""
    foreign: str = ""
    """A broker in the record that never registered: it has no number, and *record* has NOBODY in its place."""
    line: str = ""
    """Its origin: the name of a file, and the line there."""


class RegistryStep(NamedTuple):
    """One step of the registry or the election."""

    place: str
    time: int
    action: str
    broker: int
    session: str = ""
    """The session of the write, by the history."""


class Waits(NamedTuple):
    """The age, in milliseconds, at which the leader's monitor acts on an entry."""

    in_flight: int
    tombstone: int


NO_WAITS = Waits(0, 0)

MILESTONES: Final = {"5.0.0": "4.2.4"}
"""
By release, by which rules its milestones go, which a manifest may call by its name.

By the bytecode of 5.0.0-M1, ``waitForCleanups`` overrides nothing, and nothing counts pending assigns (#26520).
"""


@dataclass(frozen=True, slots=True)
class Recording:
    """The observations of one run."""

    name: str
    storage: Storage
    brokers: tuple[str, ...]
    """By number, from 1: the first leader comes first, as in the model."""
    records: tuple[PublishedRecord, ...]
    steps: tuple[RegistryStep, ...]
    handled: frozenset[tuple[str, Record]]
    """Unit and record of each line by which a broker's view took a record and its handler begins."""
    doubts: tuple[str, ...] = ()
    """The reasons why it cannot be accepted, whatever is explained: a missing or empty channel, damage, its release."""
    release: str = ""
    """The release of Pulsar by the manifest; empty: not stated."""
    joined: tuple[int, ...] = ()
    """The time of each broker's first registration; empty: unknown."""
    waits: Waits = NO_WAITS
    migration: str = ""
    """The move of the channel to the other storage, with the evidence; empty: there is none."""

    @property
    def judged_by(self) -> JudgedRelease:
        """The release whose rules explain it: its own, or the nearest older one; without either, the default one."""
        return recorded_release(self.release, SYSTEM.releases, SYSTEM.default_release)

    @property
    def rules(self) -> Rules:
        """The switches of that release."""
        rules: Rules = SYSTEM.releases[self.judged_by.name]
        return rules


def read_recording(path: Path) -> Recording:
    """Read the recorded run in the folder *path*; raise UnreadableInput for a line that cannot be read."""
    run = find_runs([str(path)], Options())[0]
    writes = list(writes_of(path, run.chroot))
    registry = history_of(writes)
    names = _brokers(path, registry)
    number = {name: index for index, name in enumerate(names, 1)}
    logs = read_logs(run)
    publishers = _publishers(logs, registry) | registry.sessions
    channel = read_channel(run)
    messages = channel.messages
    records = tuple(
        _written(step, line, number, publishers) for step, line in zip(messages, channel.lines, strict=True)
    )
    last_sent = {publishers[step.producer]: step.time for step in messages if step.producer in publishers}
    steps = with_crashes(registry, last_sent)
    known = [said for said in logs.handled if not _foreign(said.record, number)]
    written = [write for _, write in writes]
    migration = migration_of(run, run.manifest.config, logs.syncers, written, bool(messages))
    moves = (f"{path.name}: the channel moves {migration}; one channel is explained, and no migration",)
    recording = Recording(
        name=path.name,
        storage=run.question.storage,
        brokers=names,
        records=_marked_resent(records, messages) if run.source == FileKind.CHANNEL else records,
        steps=tuple(RegistryStep(e.place, e.time, e.action, number[e.broker], e.session) for e in steps),
        handled=frozenset((said.unit, _numbered(said.record, number)) for said in known),
        doubts=(*moves * bool(migration), *run.doubts, *channel.doubts, *_contradictions(logs, number)),
        migration=migration,
        release=run.manifest.release,
        joined=tuple(registry.joined[name] for name in names),
        waits=_waits(run),
    )
    if note := recording.judged_by.note:
        return replace(recording, doubts=(*recording.doubts, f"{path.name}: {note}"))
    return recording


def _waits(run: Run) -> Waits:
    """Return the waits by the manifest's configuration, or else by Pulsar's defaults."""
    wait, delay = (int(run.manifest.config.get(name, DEFAULTS[name])) for name in (WAIT, DELAY))
    return Waits(wait, 1_000 * delay)


def _written(step: Step, line: str, number: dict[str, int], publishers: dict[str, tuple[str, int]]) -> PublishedRecord:
    namespace, printed, record = step.key.rpartition("/")[0], step.printed, step.record
    name, process = publishers.get(step.producer, ("", 0))
    children = tuple(f"{namespace}/{child}" for child in (printed and printed.children) or ())
    publisher, foreign = number.get(name, NOBODY), _foreign(record, number)
    return PublishedRecord(
        step.message_id, step.time, step.key, _numbered(record, number), publisher, process, children,
        foreign=foreign, line=line,
    )  # fmt: skip


def _numbered(record: Record, number: dict[str, int]) -> Record:
    """Return *record* with numbers in place of names, and NOBODY for a foreign broker, which has none."""
    destination, source = (number.get(str(name), NOBODY) for name in (record.destination, record.source))
    return record._replace(destination=destination, source=source)


def _foreign(record: Record, number: dict[str, int]) -> str:
    """Return the broker that *record* names and that never registered; empty if there is none."""
    named = [str(name) for name in (record.destination, record.source) if name != NOBODY]
    return next((name for name in named if name not in number), "")


def _contradictions(logs: Logs, number: dict[str, int]) -> Iterator[str]:
    """Yield the lines of logs about brokers that never registered: then the logs or the history are not of this run."""
    for (unit, record), log in logs.handled.items():
        foreign = _foreign(record, number)
        if foreign:
            yield f"{log}: {unit}: {record} was handled, but the ZooKeeper history never registers {foreign}"


def _marked_resent(records: tuple[PublishedRecord, ...], messages: Steps) -> tuple[PublishedRecord, ...]:
    """Mark a publish that reached the topic twice: same producer, time and record (run.G8)."""
    last: dict[tuple[str, int, str, Record], int] = {}
    again: set[int] = set()
    for index, (record, step) in enumerate(zip(records, messages, strict=True)):
        same = step.producer, step.time, step.key, record.record
        before = last.get(same)
        if before is not None and messages[before].position[:2] != step.position[:2]:
            again.add(before)  # in one batch it would be two publishes of one time
        last[same] = index
    return tuple(record._replace(resent=index in again) for index, record in enumerate(records))


def writes_of(path: Path, chroot: Chroot) -> Iterator[tuple[str, Write]]:
    """Yield every write of a folder's history and its place; raise Misuse if nothing identifies the cluster."""
    if chroot.own is None:
        raise Misuse(chroot.doubt)
    for file in sorted(path.glob("zookeeper*.jsonl*")):
        for number, raw in enumerate(lines_of(file, FileKind.ZOOKEEPER), 1):
            if not raw or raw.isspace():
                continue
            try:
                yield f"{file}:{number}", write_of(raw, chroot.own)
            except Unreadable as error:
                raise UnreadableInput(f"{file}:{number}: {error}") from None


def _brokers(path: Path, registry: RegistryHistory) -> tuple[str, ...]:
    names = sorted(registry.brokers)
    if next(path.glob("zookeeper*.jsonl*"), None) is None:
        raise Misuse(f"{path}: no zookeeper*.jsonl[.gz] in it, which tells when brokers were registered and elected")
    if registry.leader is None or not names:
        raise Misuse(f"{path}: its ZooKeeper history registers no broker, or none is elected")
    return registry.leader, *(name for name in names if name != registry.leader)


def _publishers(logs: Logs, registry: RegistryHistory) -> dict[str, tuple[str, int]]:
    """Return the process and broker of each producer of the channel, by the brokers' logs."""
    found: dict[str, tuple[str, int]] = {}
    for broker, when, producer in logs.created:
        process = max(sum(start <= when for start in registry.starts.get(broker, [])) - 1, 0)
        found.setdefault(producer, (broker, process))
    return found


class Handled(NamedTuple):
    """The content of a handler line; a tombstone has no version to distinguish it from another."""

    unit: str
    record: Record
    """Brokers by name."""


@dataclass(slots=True)
class Logs:
    """The content of the logs of one run."""

    created: list[tuple[str, int, str]] = field(default_factory=list)
    """Broker, time, producer of the channel's topic."""
    handled: dict[Handled, str] = field(default_factory=dict)
    """The content of handler lines (only written in the load manager's debug mode), and the first log with each."""
    syncers: list[str] = field(default_factory=list)
    """Brokers that report a running syncer, once for each report."""


def read_logs(run: Run) -> Logs:
    """Read the logs of *run*; the manifest, or its own lines, name the broker of each."""
    found = Logs()
    places = [(index, piece.path) for index, piece in enumerate(run.pieces) if piece.kind == FileKind.LOG]
    for line in broker_logs.read_logs(places, run.manifest.logs).said:
        if line.event == "producer-created" and str(line.values["topic"]).endswith(_CHANNEL_TOPIC):
            if line.values["producer"] is not None:
                found.created.append((line.broker, line.time, line.values["producer"]))
        elif line.event == RUNS:
            found.syncers.append(line.broker)
        elif line.event == "handle-request" and isinstance(line.values["data"], Printed) and line.unit is not None:
            handled = Handled(line.unit, line.values["data"].record)
            found.handled.setdefault(handled, Path(run.pieces[line.origin.piece].path).name)
    return found


def lines_of(path: Path, kind: FileKind) -> Iterator[bytes]:
    """Yield the lines of one file; raise UnreadableInput where it cannot be read."""
    for chunk in chunks_of(0, 0, str(path), kind):
        for text in read_texts(chunk):
            if isinstance(text, Damage):
                raise UnreadableInput(f"{path}: {text.why}")
            yield from text.removesuffix(b"\n").split(b"\n")
