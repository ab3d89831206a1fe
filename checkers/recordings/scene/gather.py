"""
The files of one recorded run are read once and become a scene.

Each file is read by what its name says it is. A line that cannot be read is damage of its source, and everything else
of the file is kept. The manifest gives configuration and whose log is whose, never its list of faults.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from sys import intern
from typing import Any, TypeVar

from oneowner.checkers.recordings.fold.runs import Options, Piece, Run
from oneowner.checkers.recordings.read.broker_logs import Keep, read_logs
from oneowner.checkers.recordings.read.companion_files import (
    call_of,
    lookup_of,
    message_of,
    node_write_of,
    poll_of,
    printed_of,
    send_of,
)
from oneowner.checkers.recordings.read.compression import ENDING
from oneowner.checkers.recordings.read.dump import DumpReader, Unreadable
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.lines import EMPTY, Damage, FileKind, chunks_of, counted, read_texts, weight
from oneowner.checkers.recordings.read.log_files import Coverage
from oneowner.checkers.recordings.read.logged_decisions import decided_in
from oneowner.checkers.recordings.read.manifest import INTERVAL, SESSION, UNLOAD, WAIT
from oneowner.checkers.recordings.read.observations import Call, Lookup, Poll, Printed, Said, Source
from oneowner.checkers.recordings.read.partition import Each, in_turn
from oneowner.checkers.recordings.read.places import place_of
from oneowner.checkers.recordings.read.pulsar_client_output import PrintedReader
from oneowner.checkers.recordings.read.zookeeper import CHANNEL_PATHS, HistoryReader, write_of
from oneowner.checkers.recordings.scene.broker_processes import lives_of
from oneowner.checkers.recordings.scene.channel_history import Channel, Message, fold
from oneowner.checkers.recordings.scene.lock_nodes import locks_of
from oneowner.checkers.recordings.scene.packed_logs import PackedLog
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.model.channel.record import NOBODY

MOST_IN_MEMORY = 2**25
"""Bytes of logs beyond which most of their lines are kept on disk."""
SYNCER = "loadBalancerServiceUnitTableViewSyncer"
NO_SYNCER = (None, "", "None")

T = TypeVar("T")
Named = Mapping[str, str]


def gather(run: Run, options: Options, each: Each = in_turn) -> tuple[Scene, list[Coverage]]:
    """Read all of *run*; return the scene, and for every log how much was understood; *each* is who reads the logs."""
    scene = Scene(run.name, run.question.storage, Limits())
    reading = _SceneReader(run)
    scene.release = run.manifest.release
    scene.is_partial, scene.is_one_phase = run.question.partial, run.question.one_phase
    scene.channel = reading.channel()
    scene.lookups = [
        _named(lookup, run.manifest.ports) for lookup in reading.lines("lookups", Source.LOOKUPS, lookup_of)
    ]
    scene.polls = list(reading.lines("owned", Source.POLLS, poll_of))
    scene.calls = list(reading.lines("actions", Source.CALLS, call_of))
    scene.sends = [send for send in reading.lines("clients", Source.SENDS, send_of) if send is not None]
    scene.writes = list(reading.lines("zookeeper", Source.ZOOKEEPER, node_write_of))
    scene.boundaries = reading.boundaries()
    coverage = reading.logs(scene, {**run.manifest.logs, **options.logs}, each)
    config = {**_printed_settings(scene), **run.manifest.config}
    scene.limits = _limits(config, run, options)
    scene.is_synced = config.get(SYNCER) not in NO_SYNCER
    for seen in (scene.lookups, scene.polls, scene.calls):
        seen.sort(key=lambda item: (item.start, item.origin))
    scene.sends.sort(key=lambda send: (send.time, send.origin))
    scene.writes.sort(key=lambda write: (write.zxid, write.origin))
    scene.present, scene.damage = frozenset(reading.present), {s: tuple(w) for s, w in reading.damage.items()}
    # Locks that were there before a cluster moved to the channel say nothing of it when its channel is missing.
    has_moved = any(write.path.startswith(CHANNEL_PATHS) for write in scene.writes)
    if locks_of(scene).held and (Source.CHANNEL in scene.present or not has_moved):
        scene.present |= {Source.LOCKS}
    known = _brokers(scene, run)
    scene.lookups = [_by_host(lookup, known) for lookup in scene.lookups]
    scene.brokers = tuple(sorted({*known, *(one.asked for one in scene.lookups), *(one.broker for one in scene.polls)}))
    scene.start, scene.end = span_of(scene)
    return scene, coverage


class _SceneReader:
    """Where the reading of one run stands."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.present: set[Source] = set()
        self.damage: dict[Source, list[str]] = {}

    def channel(self) -> Channel:
        """Read and fold the channel: the dump, or the history of its nodes."""
        run, source = self.run, Source.CHANNEL
        if run.source is None:
            return Channel()
        is_history = run.source == FileKind.ZOOKEEPER
        messages: list[Message] = []
        for index, piece in enumerate(run.pieces):
            if piece.kind == run.source:
                read = _history(index) if is_history else _messages(index, piece.is_printed)
                messages += [message for message in self._read(index, piece, source, read) if message is not None]
        if messages:
            self.present.add(source)
        messages.sort(key=lambda message: (message.position, message.origin))
        return fold(messages, run.question.storage, is_history)

    def lines(self, name: str, source: Source, read: Callable[[bytes, Origin], T]) -> Iterator[T]:
        """Yield what *read* makes of every line of the files called so."""
        pattern = re.compile(rf"{name}.*\.jsonl{ENDING}")
        for index, piece in enumerate(self.run.pieces):
            if pattern.fullmatch(Path(piece.path).name):
                self.present.add(source)
                yield from self._read(index, piece, source, read)

    def _read(self, index: int, piece: Piece, source: Source, read: Callable[[bytes, Origin], T]) -> Iterator[T]:
        before, is_empty = 0, True
        broken: dict[str, list[int]] = {}
        for chunk in chunks_of(0, index, piece.path, piece.kind):
            line = 0
            for text in read_texts(chunk):
                is_empty = is_empty and isinstance(text, bytes) and text.isspace()
                if isinstance(text, Damage):
                    line += 1
                    broken.setdefault(text.why, []).append(before + line)
                    continue
                for raw in text.removesuffix(b"\n").split(b"\n"):
                    line += 1
                    if raw and not raw.isspace():
                        try:
                            yield read(raw, Origin(index, chunk.number, line))
                        except Unreadable as error:
                            broken.setdefault(str(error), []).append(before + line)
            before += line
        if is_empty:
            self._doubt(source, f"{piece.path}: {EMPTY}")
        for words in counted(piece.path, broken):
            self._doubt(source, words)

    def _doubt(self, source: Source, words: str) -> None:
        self.damage.setdefault(source, []).append(words)

    def logs(self, scene: Scene, known: Named, each: Each) -> list[Coverage]:
        """Read all broker logs into the scene."""
        places = [(index, piece.path) for index, piece in enumerate(self.run.pieces) if piece.kind == FileKind.LOG]
        size = sum(weight(path) for _, path in places)
        keep: Keep = PackedLog if size > MOST_IN_MEMORY else list
        read, logs = read_logs(places, known, each, keep), dict[str, list[Sequence[Said]]]()
        for log in read.logs:
            logs.setdefault(log[0].broker, []).append(log)
        logs.pop("", None)
        scene.said = {own: some[0] if len(some) == 1 else keep(list(chain(*some))) for own, some in logs.items()}
        scene.lives = {broker: lives_of(lines) for broker, lines in scene.said.items()}
        for words in read.damage:
            self._doubt(Source.LOGS, words)
        if scene.said:
            self.present.add(Source.LOGS)
        if any(life.is_debug for lives in scene.lives.values() for life in lives):
            self.present.add(Source.DEBUG)
        if Source.DEBUG in self.present or self.run.source is None:  # only then do brokers print how they decided
            scene.decided = list(each(decided_in, places))
        return read.coverage

    def boundaries(self) -> dict[str, tuple[int, ...]]:
        """Return the bundle boundaries of every namespace as the last part of bundles.json tells them."""
        path = self.run.bundles
        if path is None:
            return {}
        try:
            parts = list(json.loads(place_of(path).read_bytes()).values())
            last = parts[-1]["namespaces"] if "namespaces" in parts[-1] else parts[-1]
            found = {  # a namespace that was deleted has an error there, or nothing
                name: tuple(int(text, 16) for text in data["boundaries"])
                for name, data in last.items()
                if isinstance(data, dict) and "boundaries" in data
            }
            if not found:
                raise ValueError("no namespace has any")
        except (ValueError, OSError, RecursionError, AttributeError, KeyError, TypeError, IndexError) as error:
            self._doubt(Source.BUNDLES, f"{path}:1: boundaries refused: {error!r}")
            return {}
        self.present.add(Source.BUNDLES)
        return found


def _messages(piece: int, is_printed: bool) -> Callable[[bytes, Origin], Message | None]:
    reader = DumpReader(piece, 0)

    def read(raw: bytes, origin: Origin) -> Message | None:
        told = PrintedReader(piece, origin.chunk).json_of(raw, origin.line) if is_printed else raw
        if told is None:
            return None
        line = message_of(told)
        # What the audit cannot read is no message here either.
        row = reader.event(line.messageId, line.publishTime, line.key, line.value, line.producer, origin.line)
        key, producer = intern(line.key), intern(line.producer or "")  # of a few there are millions
        return Message(
            row[:3], origin, line.messageId, line.publishTime, key, printed_of(line.value), producer, line.sequenceId
        )

    return read


def _history(piece: int) -> Callable[[bytes, Origin], Message | None]:
    reader = HistoryReader(piece, 0)

    def read(raw: bytes, origin: Origin) -> Message | None:
        write = write_of(raw)
        row = reader.event(write, origin.line)
        if row is None:
            return None
        printed = printed_of(write.data) if write.op != "delete" else None
        place = (write.zxid, (origin.piece << 32) + origin.chunk, origin.line)
        return Message(place, origin, row[6], write.time, intern(row[8]), printed, intern(str(write.session)), None)

    return read


def _named(lookup: Lookup, ports: Named) -> Lookup:
    """A lookup over the binary protocol names a broker by that port."""
    return lookup._replace(answer=ports.get(lookup.answer or "", lookup.answer))


def _by_host(lookup: Lookup, known: Sequence[str]) -> Lookup:
    """A broker may be asked, and named, by another of its ports than that of its id: it is the only one of its host."""
    return lookup._replace(
        asked=_of_host(lookup.asked, known) or lookup.asked,
        answer=_of_host(lookup.answer, known),
        redirect=_of_host(lookup.redirect, known),
    )


def _of_host(name: str | None, known: Sequence[str]) -> str | None:
    if name is None or name in known:
        return name
    there = [broker for broker in known if broker.rpartition(":")[0] == name.rpartition(":")[0]]
    return there[0] if len(there) == 1 else name


def _printed_settings(scene: Scene) -> dict[str, Any]:
    """Return the configuration that brokers print when they are ready; it is what they really run with."""
    return {name: value for line in scene.lines("broker-ready") for name, value in line.values["settings"].items()}


def _limits(config: Mapping[str, Any], run: Run, options: Options) -> Limits:
    own = Limits()
    session = _number(config, SESSION, own.session)
    unavailable = max(own.unavailable, 3 * session) if SESSION in config else own.unavailable
    return Limits(
        session=session,
        in_flight_wait=_number(config, WAIT, own.in_flight_wait),
        monitor=_number(config, INTERVAL, own.monitor // 1000) * 1000,
        unload=_number(config, UNLOAD, own.unload),
        in_flight=run.question.in_flight_limit,
        dual_serving=options.dual_serving_limit,
        unavailable=unavailable if options.unavailable_limit is None else options.unavailable_limit,
        clock_skew=options.clock_skew,
    )


def _number(config: Mapping[str, Any], name: str, default: int) -> int:
    text = str(config.get(name, default))
    return int(text) if re.fullmatch("[0-9]{1,12}", text) else default


def _brokers(scene: Scene, run: Run) -> tuple[str, ...]:
    """Return the ids of brokers, as the channel, the logs and the manifest have them."""
    named = {*run.manifest.logs.values(), *scene.said}
    named |= {held.broker for times in locks_of(scene).held.values() for held in times} - {""}
    for step in scene.channel.timeline:
        printed: Printed | None = step.message.printed
        if printed is not None:
            record = printed.record
            named |= {str(broker) for broker in (record.destination, record.source) if broker != NOBODY}
    return tuple(sorted(named))


def span_of(scene: Scene) -> tuple[int | None, int | None]:
    """Return the first and the last moment at which anything was seen."""
    times = [step.message.time for step in scene.channel.timeline] + [write.time for write in scene.writes]
    timed: list[Lookup | Poll | Call] = [*scene.lookups, *scene.polls, *scene.calls]
    times += [time for item in timed for time in (item.start, item.end)]
    times += [send.time for send in scene.sends]
    times += [time for lives in scene.lives.values() for life in lives for time in (life.start, life.end)]
    return (min(times), max(times)) if times else (None, None)
