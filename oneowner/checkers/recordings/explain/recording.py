"""
A recording holds the observations of one run: records with their publishers, and steps of the registry.

A record's publisher is read, not inferred: on the topic from the producer's name, which the log of its broker prints
when the producer is created; in the metadata store from the session that wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.judged_release import JudgedRelease, recorded_release
from oneowner.checkers.recordings.explain.recorded_run import Place, RecordedRun, read_run
from oneowner.checkers.recordings.explain.registry_steps import RegistryHistory, history_of, with_crashes
from oneowner.checkers.recordings.fold.runs import Options, Run, find_run
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.lines import FileKind
from oneowner.checkers.recordings.read.log_clock import Clock
from oneowner.checkers.recordings.read.manifest import DEFAULTS, DELAY, WAIT
from oneowner.checkers.recordings.read.observations import Printed
from oneowner.checkers.recordings.scene.channel_history import Step, Steps
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.record import FIRST_VERSION, NOBODY, Record, is_absent
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
    def begins_late(self) -> bool:
        """
        Return whether units had entries before the first record of the channel.

        One unit that begins amid its history, behind records that begin theirs, may as well lack a record.
        """
        first = {one.key: one.record for one in reversed(self.records)}
        return bool(self.records) and (goes_on(self.records[0].record) or sum(map(goes_on, first.values())) > 1)

    @property
    def judged_by(self) -> JudgedRelease:
        """The release whose rules explain it: its own, or the nearest older one; without either, the default one."""
        return recorded_release(self.release, SYSTEM.releases, SYSTEM.default_release)

    @property
    def rules(self) -> Rules:
        """The switches of that release."""
        rules: Rules = SYSTEM.releases[self.judged_by.name]
        return rules


def goes_on(record: Record) -> bool:
    """Return whether a unit's first record follows another one, which is not on record."""
    return is_absent(record) or record.version > FIRST_VERSION


def read_recording(path: Path, clock: Clock | None = None) -> Recording:
    """
    Read the recorded run in the folder *path*; raise UnreadableInput for a line that cannot be read.

    *clock* has the zone and the day of lines of logs that print none.
    """
    run = find_run(str(path), Options(clock=clock or Clock()))
    return recording_of(run, read_run(run))


def recording_of(run: Run, read: RecordedRun) -> Recording:
    """Return the observations of *run* in the evidence that was *read* of it."""
    scene, messages = read.scene, read.scene.channel.timeline
    registry = history_of(scene.writes, lambda origin: "{}:{}".format(*read.place(origin)))
    names = _brokers(run, registry)
    number = {name: index for index, name in enumerate(names, 1)}
    publishers = _publishers(scene, registry) | registry.sessions
    records = tuple(_written(step, read.place, number, publishers) for step in messages)
    last_sent = {publishers[step.producer]: step.time for step in messages if step.producer in publishers}
    steps = with_crashes(registry, last_sent)
    handled = _handled(scene)
    known = [said for said in handled if not _foreign(said.record, number)]
    name = Path(run.name).name
    moves = (f"{name}: {scene.migration}; one channel is explained, and no migration",)
    recording = Recording(
        name=name,
        storage=run.question.storage,
        brokers=names,
        records=_marked_resent(records, messages) if run.source == FileKind.CHANNEL else records,
        steps=tuple(RegistryStep(e.place, e.time, e.action, number[e.broker], e.session) for e in steps),
        handled=frozenset((said.unit, _numbered(said.record, number)) for said in known),
        doubts=(
            *moves * bool(scene.migration),
            *run.doubts,
            *read.doubts,
            *_contradictions(handled, read.place, number),
        ),
        migration=scene.migration,
        release=run.manifest.release,
        joined=tuple(registry.joined[name] for name in names),
        waits=_waits(run),
    )
    if note := recording.judged_by.note:
        return replace(recording, doubts=(*recording.doubts, f"{name}: {note}"))
    return recording


def _waits(run: Run) -> Waits:
    """Return the waits by the manifest's configuration, or else by Pulsar's defaults."""
    wait, delay = (int(run.manifest.config.get(name, DEFAULTS[name])) for name in (WAIT, DELAY))
    return Waits(wait, 1_000 * delay)


def _written(
    step: Step, place: Place, number: dict[str, int], publishers: dict[str, tuple[str, int]]
) -> PublishedRecord:
    namespace, printed, record = step.key.rpartition("/")[0], step.printed, step.record
    name, process = publishers.get(step.producer, ("", 0))
    children = tuple(f"{namespace}/{child}" for child in (printed and printed.children) or ())
    publisher, foreign = number.get(name, NOBODY), _foreign(record, number)
    file, line = place(step.origin)
    return PublishedRecord(
        step.message_id, step.time, step.key, _numbered(record, number), publisher, process, children,
        foreign=foreign, line=f"{Path(file).name}:{line}",
    )  # fmt: skip


def _numbered(record: Record, number: dict[str, int]) -> Record:
    """Return *record* with numbers in place of names, and NOBODY for a foreign broker, which has none."""
    destination, source = (number.get(str(name), NOBODY) for name in (record.destination, record.source))
    return record._replace(destination=destination, source=source)


def _foreign(record: Record, number: dict[str, int]) -> str:
    """Return the broker that *record* names and that never registered; empty if there is none."""
    named = [str(name) for name in (record.destination, record.source) if name != NOBODY]
    return next((name for name in named if name not in number), "")


def _contradictions(handled: dict[Handled, Origin], place: Place, number: dict[str, int]) -> Iterator[str]:
    """Yield the lines of logs about brokers that never registered: then the logs or the history are not of this run."""
    for (unit, record), origin in handled.items():
        foreign = _foreign(record, number)
        if foreign:
            log = Path(place(origin)[0]).name
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


def _brokers(run: Run, registry: RegistryHistory) -> tuple[str, ...]:
    names = sorted(registry.brokers)
    if registry.leader is None or not names:
        raise Misuse(f"{run.name}: its ZooKeeper history registers no broker, or none is elected")
    return registry.leader, *(name for name in names if name != registry.leader)


def _publishers(scene: Scene, registry: RegistryHistory) -> dict[str, tuple[str, int]]:
    """Return the process and broker of each producer of the channel, by the brokers' logs."""
    found: dict[str, tuple[str, int]] = {}
    for line in scene.lines("producer-created"):
        producer = line.values["producer"]
        if producer is not None and str(line.values["topic"]).endswith(_CHANNEL_TOPIC):
            process = max(sum(start <= line.time for start in registry.starts.get(line.broker, [])) - 1, 0)
            found.setdefault(producer, (line.broker, process))
    return found


class Handled(NamedTuple):
    """The content of a handler line; a tombstone has no version to distinguish it from another."""

    unit: str
    record: Record
    """Brokers by name."""


def _handled(scene: Scene) -> dict[Handled, Origin]:
    """Return the content of handler lines, written in the load manager's debug mode alone, and the first with each."""
    found: dict[Handled, Origin] = {}
    for line in scene.lines("handle-request"):
        data = line.values["data"]
        if isinstance(data, Printed) and line.unit is not None:
            found.setdefault(Handled(line.unit, data.record), line.origin)
    return found
