"""
Sources of a channel's lines: a dump that is replayed or grows. Each source has its own clock.

A source continues behind a place, which a checkpoint holds; the place also identifies the source.
"""

import json
import time
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from oneowner.checkers.collect.admin import now
from oneowner.checkers.recordings.live.resuming import DumpLines, is_compressed
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.watch.checkpoint import ANEW

Place = dict[str, Any]


class Batch(NamedTuple):
    """Some consecutive lines."""

    lines: list[bytes]
    place: Place
    """The place behind them."""
    clock: int
    """The time of reading in epoch milliseconds, by the clock of the records' writers."""
    is_at_end: bool
    """True if the source had no more lines at that time."""


class Source(Protocol):
    """The lines of one channel, in order."""

    file: str
    """The file that findings name for their lines."""

    def read(self, most: int, wait: float) -> Batch:
        """Return the next lines, *most* of them at most; none if none come within *wait* seconds."""

    @property
    def is_over(self) -> bool:
        """True if the source has ended."""

    @property
    def is_up(self) -> bool:
        """True if the source is reachable now."""

    def close(self) -> None:
        """End reading."""


class Dump:
    """A dump, read behind a place; it ends unless it grows."""

    def __init__(self, path: str, place: Place | None, grows: bool) -> None:
        """
        Open it.

        :raises Misuse: it cannot be read, or is not the one that *place* is of.
        """
        self.file, self._grows = path, grows
        if grows and is_compressed(path):
            raise Misuse(f"{path}: a compressed dump does not grow; --replay reads it")
        if Path(path).is_dir():
            raise Misuse(f"{path}: a folder; a channel*.jsonl in it is a dump")
        if not Path(path).is_file():
            raise Misuse(f"{path}: no such file")
        self.is_over = False
        self._dump = DumpLines(path, grows)
        if place and not self._dump.go_to(place):
            raise Misuse(f"{path}: not the dump that the checkpoint is of; {ANEW}")

    def read(self, most: int, wait: float) -> Batch:
        """Return the next lines."""
        lines = self.lines(most)
        if not lines and self._grows:
            time.sleep(wait)
            lines = self.lines(most)
        is_at_end = len(lines) < most
        self.is_over = is_at_end and not self._grows
        return self.batch_of(lines, now(), is_at_end)

    def batch_of(self, lines: list[bytes], clock: int, is_at_end: bool) -> Batch:
        """Return lines as a batch, and continue behind them."""
        return Batch(lines, self._dump.place_after(lines), clock, is_at_end)

    def lines(self, most: int) -> list[bytes]:
        """Return the next whole lines."""
        return self._dump.read(most)

    @property
    def is_up(self) -> bool:
        return Path(self.file).is_file()

    def close(self) -> None:
        """Close the file."""
        self._dump.close()


class Replay:
    """A dump that is replayed by the publish times of its records, at some speed; its clock is that of its records."""

    def __init__(self, path: str, place: Place | None, speed: float | None) -> None:
        """:param speed: the factor by which it is faster than the recording; None: as fast as possible."""
        self.file, self._speed = path, speed
        self._dump = Dump(path, place, grows=False)
        self._waiting: list[tuple[int, bytes]] = []
        self._taken = 0
        self._begun: tuple[int, float] | None = None
        self._clock = place["clock"] if place else 0
        self._is_read = False

    @property
    def is_over(self) -> bool:
        return self._is_read and self._taken == len(self._waiting)

    @property
    def is_up(self) -> bool:
        return self._dump.is_up

    def read(self, most: int, wait: float) -> Batch:
        """Return the lines published by now, by its clock."""
        if self._taken == len(self._waiting) and not self._is_read:
            read = self._dump.lines(most)
            self._is_read = len(read) < most
            self._waiting, self._taken = [(_published(line, self._clock), line) for line in read], 0
        if self._speed is None:
            due = self._waiting[self._taken :]
            self._clock = max([self._clock, *(published for published, _ in due)])
        else:
            due = self._due(self._speed, wait)
        self._taken += len(due)
        is_at_end = self.is_over or (self._speed is not None and self._taken < len(self._waiting))
        batch = self._dump.batch_of([line for _, line in due], self._clock, is_at_end)
        return batch._replace(place={**batch.place, "clock": self._clock})

    def _due(self, speed: float, wait: float) -> list[tuple[int, bytes]]:
        """Wait for lines published within *wait* seconds, and return them."""
        if self._taken == len(self._waiting):
            return []
        first, begun = self._begun = self._begun or (self._clock or self._waiting[0][0], time.monotonic())
        until = time.monotonic() + wait
        at = begun + (self._waiting[self._taken][0] - first) / 1000 / speed
        time.sleep(max(0.0, min(at, until) - time.monotonic()))
        self._clock = max(self._clock, first + int((time.monotonic() - begun) * 1000 * speed))
        waiting = self._waiting[self._taken :]
        late = next((number for number, (published, _) in enumerate(waiting) if published > self._clock), len(waiting))
        return waiting[:late]

    def close(self) -> None:
        """Close the dump."""
        self._dump.close()


def _published(line: bytes, otherwise: int) -> int:
    """Return the publish time of a line's message, or *otherwise* for an invalid line."""
    try:
        return int(json.loads(line)["publishTime"])
    except (ValueError, KeyError, TypeError):
        return otherwise
