"""
A finding is told once, whenever the watch is killed: what is told is written down before, and marked after.

The journal of a batch holds the findings of that batch. A watch that was killed in it finds them again, for it begins
the batch anew, and knows them by their names. What stands there without a mark may or may not have been told: it is
told again, to those who can say that they have it already (a file of JSON lines) and to those who cannot (a terminal, a
command). So nothing is lost, a file holds nothing twice, and a command gets again at most what it was at work on.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from oneowner.checkers.collect.channel_reader import cut_torn
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.watch.channel_watch import Found

NAME = "told-{}.jsonl"


class Sink(Protocol):
    """Who is told."""

    def tell(self, found: Found, is_again: bool) -> None:
        """Tell one finding; *is_again*: it may have been told before the watch was killed."""


class Journal:
    """Who has been told what; batches are numbered, and of a batch that is over only the counts are kept."""

    def __init__(self, folder: Path | None, sinks: Sequence[Sink]) -> None:
        """:param folder: where it is kept; None: in memory alone, and what is killed begins anew."""
        self._folder, self._sinks = folder, sinks
        self._batch = -1
        self._names: set[str] = set()
        self._file: IO[str] | None = None
        self.totals: Counter[tuple[str, str, str]] = Counter()
        """Findings that were told since the checkpoint began, by cluster, law and severity."""

    def begin(self, batch: int) -> None:
        """Begin a batch, or go on with the one that was begun; what is marked as untold is told."""
        if batch == self._batch:
            return
        files = [] if self._folder is None else sorted(self._folder.glob(NAME.format("*")), key=_number)
        unmarked: list[Found] = []
        if self._batch < 0:  # the first since the watch was started
            for path in files:
                unmarked = self._read(path) if _number(path) <= batch else []
        is_new = self._folder is not None and self._folder / NAME.format(batch) not in files
        if self._batch >= 0 or is_new:
            self._names = set()
        self._batch = batch
        if self._folder is not None:
            self._open(self._folder / NAME.format(batch), is_new)
            for path in files:
                if _number(path) != batch:
                    path.unlink()
        for found in unmarked:
            self._tell(found, is_again=True)

    def tell(self, findings: Iterable[Found]) -> list[Found]:
        """Tell what was not told in this batch, and return it."""
        new = [found for found in findings if found.name not in self._names]
        if not new:
            return new
        for found in new:
            self._names.add(found.name)
            self._count(found)
        self._write(*({"name": found.name, "cluster": found.cluster, "finding": found.finding} for found in new))
        if self._file is not None:
            os.fsync(self._file.fileno())
        for found in new:
            self._tell(found, is_again=False)
        return new

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _tell(self, found: Found, is_again: bool) -> None:
        for sink in self._sinks:
            sink.tell(found, is_again)
        self._write({"done": found.name})

    def _count(self, found: Found) -> None:
        self.totals[found.cluster, found.finding["law"], found.finding["severity"]] += 1

    def _write(self, *lines: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write("".join(json.dumps(line) + "\n" for line in lines))
            self._file.flush()

    def _open(self, path: Path, is_new: bool) -> None:
        if self._file is not None:
            self._file.close()
        if is_new:  # whole or not at all: the counts of all batches before stand in it alone
            begun = path.with_suffix(".begun")
            totals = [[*key, number] for key, number in self.totals.items()]
            begun.write_text(json.dumps({"totals": totals}) + "\n", encoding="utf-8")
            begun.replace(path)
        self._file = path.open("a", encoding="utf-8")

    def _read(self, path: Path) -> list[Found]:
        """Take in what a batch has told; return what is not marked as told."""
        cut_torn(path)
        unmarked: dict[str, Found] = {}
        self._names = set()
        try:
            head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            self.totals = Counter({(cluster, law, severity): n for cluster, law, severity, n in head["totals"]})
            for line in lines:
                if "done" in line:
                    unmarked.pop(line["done"], None)
                    continue
                found = Found(line["name"], line["cluster"], line["finding"])
                unmarked[found.name] = found
                self._names.add(found.name)
                self._count(found)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Misuse(f"{path}: cannot be read: {error}; begin anew with another --checkpoint") from None
        return list(unmarked.values())


def _number(path: Path) -> int:
    return int(path.stem.removeprefix("told-"))
