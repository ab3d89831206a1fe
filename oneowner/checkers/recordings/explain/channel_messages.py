"""
Channel messages of one recorded run are read in topic order, with the reasons why they cannot be trusted, if there
are any.

A line that is no message ends the reading: the record that is lost could be the one that explains the next. Ids that
repeat or go back leave the order in doubt, and without any record there is nothing to be explained.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.recordings.fold.blocks import Block, merge, read_chunk, repeats
from oneowner.checkers.recordings.fold.chunk_reader import READABLE, Summary, out_of_order
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.read.events import Event, Finding, Origin, Position
from oneowner.checkers.recordings.read.lines import Chunk
from oneowner.checkers.verdict import UnreadableInput


class RecordedMessage(NamedTuple):
    """One message of the channel, brokers by name."""

    event: Event
    line: str
    """The name of its file, and its line there."""


class RecordedChannel(NamedTuple):
    """What was read of the channel."""

    messages: tuple[RecordedMessage, ...]
    """In topic order."""
    doubts: tuple[str, ...]
    """What keeps a run from being accepted, whatever explains its records."""


def read_channel(run: Run) -> RecordedChannel:
    """Read the channel of *run*; raise UnreadableInput for the first line that is no message."""
    reading = _ChannelReader(run)
    for chunk in run.chunks(0):
        if chunk.kind == run.source:
            reading.take(chunk)
    messages = tuple(reading.messages())
    return RecordedChannel(messages, (*_lacking(run, bool(messages)), *reading.doubts))


class _ChannelReader:
    """Where the reading of one channel stands; the chunks of a file come in order."""

    def __init__(self, run: Run) -> None:
        self.doubts: list[str] = []
        self._paths = [piece.path for piece in run.pieces]
        self._blocks: dict[int, list[Block]] = defaultdict(list)  # 0: to be explained; 1: by place, of several files
        self._before: dict[tuple[int, int], int] = {}  # lines of a file before each of its chunks
        self._lines: dict[int, int] = defaultdict(int)
        self._last: dict[int, Position] = {}

    def take(self, chunk: Chunk) -> None:
        """Read one chunk."""
        piece = chunk.piece
        self._before[piece, chunk.number] = self._lines[piece]
        for part in read_chunk(chunk, buckets=1):
            if isinstance(part, Block):
                self._blocks[part.bucket].append(part)
            elif isinstance(part, Summary):
                self._lines[piece] += part.lines
                if part.first is not None and piece in self._last and part.first.position <= self._last[piece]:
                    self._say(out_of_order(part.first, self._last[piece]))
                if part.last is not None:
                    self._last[piece] = part.last
            else:
                for finding in part:
                    self._say(finding)

    def messages(self) -> Iterator[RecordedMessage]:
        """Yield all messages in topic order; what occurs in two files is a doubt."""
        for finding in repeats(self._sorted(1)):
            self._say(finding)
        for columns in merge(self._sorted(0)):
            for row in columns.rows():
                event = Event(*row)
                path, line = self._place(event.origin)
                yield RecordedMessage(event, f"{Path(path).name}:{line}")

    def _sorted(self, bucket: int) -> list[Block]:
        return sorted(self._blocks[bucket], key=lambda block: block.first)

    def _say(self, finding: Finding) -> None:
        path, line = self._place(finding.origin)
        if finding.law == READABLE:
            raise UnreadableInput(f"{path}:{line}: {finding.why}")
        self.doubts.append(f"{path}:{line}: {finding.why}")

    def _place(self, origin: Origin) -> tuple[str, int]:
        return self._paths[origin.piece], self._before[origin.piece, origin.chunk] + origin.line


def _lacking(run: Run, is_there: bool) -> Iterator[str]:
    """Say that there is no channel, or nothing in it."""
    if run.source is None:
        hint = "; if zookeeper*.jsonl is its history, manifest.yaml has to say so" if run.unread_history else ""
        absent = f"{Path(run.name).name}: there is no channel*.jsonl[.gz]"
        yield f"{absent}; without it the steps of the registry alone are replayed{hint}"
    elif not is_there:
        pieces = ", ".join(piece.path for piece in run.pieces if piece.kind == run.source)
        yield f"{pieces}: empty: no event of the channel"
