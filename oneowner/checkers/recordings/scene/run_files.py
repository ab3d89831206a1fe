"""
The files of one recorded run are read, each once; the channel, which the fold reads, is taken as it was read.

A line that cannot be read is damage of its source, and everything else of the file is kept.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from oneowner.checkers.json_text import NoJson, json_of
from oneowner.checkers.recordings.fold.blocks import merge, read_chunk
from oneowner.checkers.recordings.fold.channel_read import ChannelRead, damage_of, read_channel
from oneowner.checkers.recordings.fold.chunk_reader import ChunkReader, Summary, log_summary
from oneowner.checkers.recordings.fold.runs import Piece, Run
from oneowner.checkers.recordings.read.broker_logs import Setting, read_logs
from oneowner.checkers.recordings.read.companion_files import node_write_of
from oneowner.checkers.recordings.read.compression import ENDING
from oneowner.checkers.recordings.read.dump import Unreadable
from oneowner.checkers.recordings.read.events import Finding, Origin
from oneowner.checkers.recordings.read.file_reads import Coverage
from oneowner.checkers.recordings.read.kept_lines import Keep
from oneowner.checkers.recordings.read.lines import EMPTY, Damage, FileKind, counted, read_texts, weight
from oneowner.checkers.recordings.read.log_files import Read, read_file
from oneowner.checkers.recordings.read.log_lines import ChunkRead
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Source
from oneowner.checkers.recordings.read.partition import Executor
from oneowner.checkers.recordings.scene.broker_processes import lives_of
from oneowner.checkers.recordings.scene.channel_fold import ChannelFold
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.packed_logs import Packing, kept_like, read_packed
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.transactions import carried_out
from oneowner.checkers.remote_files import place_of, reason

MOST_IN_MEMORY = 2**25
"""Bytes of logs beyond which most of their lines are kept on disk."""

T = TypeVar("T")
Named = Mapping[str, str]
NO_BOUNDARIES = "no namespace has any, a list of hexadecimal numbers"


class RunFiles:
    """The state of the reading of one run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.summaries: list[Summary] = []
        """The summary of each chunk of the files beside the channel, all of which are read here, and once."""
        self.unreadable: list[Finding] = []
        self.present: set[Source] = set()
        self.damage: dict[Source, list[str]] = {}

    def channel(self, read: ChannelRead | None = None) -> Channel:
        """Return the channel, the dump or the history of its nodes; it is read here if it was not *read* yet."""
        run = self.run
        if run.source is None:
            return Channel()
        read = read_channel(run) if read is None else read
        fold = ChannelFold(run.question.storage, run.source == FileKind.ZOOKEEPER)
        for events in merge(read.blocks):
            fold.take(events)
        for words in damage_of(run, read.summaries):
            self._doubt(Source.CHANNEL, words)
        channel = fold.channel()
        if channel.timeline:
            self.present.add(Source.CHANNEL)
        return channel

    def lines(self, name: str, source: Source, read: Callable[[bytes, Origin], T]) -> Iterator[T]:
        """Yield the result of *read* for every line of the files with this name."""
        pattern = re.compile(rf"{name}.*\.jsonl{ENDING}")
        for index, piece in enumerate(self.run.pieces):
            if pattern.fullmatch(Path(piece.path).name):
                self.present.add(source)
                yield from self.run.clocks.corrected(name, self._read(index, piece, source, read))

    def writes(self) -> list[NodeWrite]:
        """Return the transactions that took effect, by zxid; none if no chroot is the cluster's."""
        own = self.run.chroot.own
        found = list(self.lines("zookeeper", Source.ZOOKEEPER, partial(node_write_of, chroot=own)))
        if own is None:  # another cluster's history would accuse this one
            self.present.discard(Source.ZOOKEEPER)
            return []
        return carried_out(sorted(found, key=lambda write: (write.zxid, write.origin)))

    def _read(self, index: int, piece: Piece, source: Source, read: Callable[[bytes, Origin], T]) -> Iterator[T]:
        """Yield the result of *read* for every line of a piece."""
        before, is_empty = 0, True
        broken: dict[str, list[int]] = {}
        for chunk in self.run.chunks_of(0, index):
            line = 0
            reading = ChunkReader(chunk) if piece.is_evidence else None
            for text in read_texts(chunk):
                if reading is not None:
                    reading.columns(text)
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
            if reading is not None:
                self.summaries.append(reading.summary())
                self.unreadable.extend(reading.found)
        if is_empty:
            self._doubt(source, f"{piece.path}: {EMPTY}")
        for words in counted(piece.path, broken):
            self._doubt(source, words)

    def _doubt(self, source: Source, words: str) -> None:
        self.damage.setdefault(source, []).append(words)

    def logs(
        self, scene: Scene, known: Named, executor: Executor, is_packed: bool, brokers: Collection[str]
    ) -> list[Coverage]:
        """
        Read all broker logs into the scene, most of their lines on disk if they are many, or *is_packed*.

        *brokers* are the ids that other files name.
        """
        places = [(index, piece.path) for index, piece in enumerate(self.run.pieces) if piece.kind == FileKind.LOG]
        size = sum(weight(path) for _, path in places)
        how: tuple[Keep | None, Read] = None, read_file
        if is_packed or size > MOST_IN_MEMORY:
            how = Packing, read_packed
        setting = Setting(
            self.run.clock, brokers, any(piece.kind != FileKind.LOG for piece in self.run.pieces), self.run.clocks
        )
        read, logs = read_logs(places, known, executor, *how, setting), dict[str, list[Sequence[LogEvent]]]()
        self._note_logs(places, read.chunks)
        for log in read.logs:
            logs.setdefault(log[0].broker, []).append(log)
        logs.pop("", None)
        scene.said = {
            own: some[0] if len(some) == 1 else kept_like(some[0], chain(*some)) for own, some in logs.items()
        }
        scene.lives = {broker: lives_of(lines) for broker, lines in scene.said.items()}
        for words in read.damage:
            self._doubt(Source.LOGS, words)
        if scene.said:
            self.present.add(Source.LOGS)
        if any(life.is_debug for lives in scene.lives.values() for life in lives):
            self.present.add(Source.DEBUG)
        if Source.DEBUG in self.present or self.run.source is None:  # only then do brokers print their decisions
            scene.decided = read.decided
        return read.coverage

    def _note_logs(self, places: Sequence[tuple[int, str]], read: Mapping[int, Sequence[ChunkRead]]) -> None:
        """Record the summaries of the chunks of logs; a chunk that is no piece of any log is scanned."""
        for index, _ in places:
            known = {one.number: one for one in read.get(index, ())}
            for chunk in self.run.chunks_of(0, index):
                if chunk.number in known:
                    summary, found = log_summary(chunk, known[chunk.number])
                    self.summaries.append(summary)
                    self.unreadable.extend(found)
                    continue
                for part in read_chunk(chunk, 1):
                    if isinstance(part, Summary):
                        self.summaries.append(part)
                    elif isinstance(part, list):
                        self.unreadable.extend(part)

    def boundaries(self) -> tuple[dict[str, tuple[int, ...]], int | None]:
        """
        Return the bundle boundaries of every namespace by the last part of bundles.json.

        Also return the time of their request: epoch milliseconds, 0 if before all else, None if it is not recorded.
        """
        path = self.run.bundles
        if path is None:
            return {}, None
        try:
            name, part = list(json_of(place_of(path).read_bytes()).items())[-1]
            last = part.get("namespaces", part)
            time = part.get("t")
            found = {  # a namespace that was deleted has an error there, or nothing
                name: tuple(int(text, 16) for text in data["boundaries"])
                for name, data in last.items()
                if isinstance(data, dict) and "boundaries" in data
            }
            if not found:
                raise ValueError
        except (ValueError, OSError, AttributeError, KeyError, TypeError, IndexError) as error:
            why = (
                f"not JSON: {error}"
                if isinstance(error, NoJson)
                else reason(error)
                if isinstance(error, OSError)
                else ""
            )
            self._doubt(Source.BUNDLES, f"{path}:1: boundaries refused: {why or NO_BOUNDARIES}")
            return {}, None
        self.present.add(Source.BUNDLES)
        return found, time if isinstance(time, int) else 0 if name == "before" else None
