"""
A finding is reported once, even if the watch is killed: it is written before its report, and marked after it.

The journal of a batch holds the findings of that batch. A watch that was killed in it finds them again, for it restarts
the batch, and recognises them by their names; it may cut batches elsewhere, so names are kept until they are found
again. A finding without a mark may or may not have been reported: it is reported again, both to sinks that recognise it
(a file of JSON lines) and to others (a terminal, a command). So no finding is lost, a file holds none twice, and a
command receives again at most the finding that it was processing.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from oneowner.checkers.collect.channel_reader import cut_torn
from oneowner.checkers.recordings.live.channel_watch import LiveFinding
from oneowner.checkers.verdict import Misuse

NAME = "told-{}.jsonl"


class Sink(Protocol):
    """A receiver of findings."""

    def tell(self, found: LiveFinding, is_again: bool) -> None:
        """Report one finding; *is_again*: it may have been reported before the watch was killed."""


class Journal:
    """The journal of reported findings; batches are numbered, and only counts of finished batches are kept."""

    def __init__(self, folder: Path | None, sinks: Sequence[Sink]) -> None:
        """:param folder: its folder; None: in memory alone, and a killed watch starts over."""
        self._folder, self._sinks = folder, sinks
        self._batch = -1
        self._names: set[str] = set()
        """Reported in this batch."""
        self._ahead: set[str] = set()
        """Reported by a watch that was killed, and not found again yet: in this batch, or in a later one."""
        self._file: IO[str] | None = None
        self.totals: Counter[tuple[str, str, str]] = Counter()
        """Findings reported since the checkpoint began, by cluster, law and severity."""

    def begin(self, batch: int) -> None:
        """Begin or continue a batch; report the findings that are not marked as reported."""
        if batch == self._batch:
            return
        is_first = self._batch < 0
        self._batch, self._names = batch, set()
        if self._folder is None:
            return
        files = sorted(self._folder.glob(NAME.format("[0-9]*")), key=_number)
        known = [path for path in files if _number(path) <= batch] if is_first else []
        unmarked = self._read(known[-1]) if known else []
        if known and _number(known[-1]) < batch:  # that batch is over, so none of its findings come again
            self._ahead = set()
        self.prepare(batch)
        if self._file is not None:
            self._file.close()
        self._file = (self._folder / NAME.format(batch)).open("a", encoding="utf-8")
        for path in files:
            if _number(path) != batch:
                path.unlink()
        for found in unmarked:
            self._tell(found, is_again=True)

    def prepare(self, batch: int) -> None:
        """Make the file of a new batch unless it exists: it must exist when the state names the batch."""
        if self._folder is None or (path := self._folder / NAME.format(batch)).exists():
            return
        totals = [[*key, number] for key, number in self.totals.items()]
        begun = path.with_suffix(".begun")  # atomically: only this file has the counts of all earlier batches
        begun.write_text(json.dumps({"totals": totals, "ahead": sorted(self._ahead)}) + "\n", encoding="utf-8")
        begun.replace(path)

    def tell(self, findings: Iterable[LiveFinding]) -> list[LiveFinding]:
        """Report the new findings of this batch, and return them."""
        findings = list(findings)
        new = [found for found in findings if _key(found) not in self._names and _key(found) not in self._ahead]
        names = {_key(found) for found in findings}
        self._names |= names
        self._ahead -= names
        if not new:
            return new
        for found in new:
            self._count(found)
        self._write(*({"name": found.name, "cluster": found.cluster, "finding": found.finding} for found in new))
        if self._file is not None:
            os.fsync(self._file.fileno())
        for found in new:
            self._tell(found, is_again=False)
        return new

    def found_in(self, cluster: str) -> Counter[tuple[str, str]]:
        """Return the findings of a cluster since the checkpoint began, by law and severity."""
        return Counter({key[1:]: number for key, number in self.totals.items() if key[0] == cluster})

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _tell(self, found: LiveFinding, is_again: bool) -> None:
        for sink in self._sinks:
            sink.tell(found, is_again)
        self._write({"done": _key(found)})

    def _count(self, found: LiveFinding) -> None:
        self.totals[found.cluster, found.finding["law"], found.finding["severity"]] += 1

    def _write(self, *lines: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write("".join(json.dumps(line) + "\n" for line in lines))
            self._file.flush()

    def _read(self, path: Path) -> list[LiveFinding]:
        """Read the journal of a batch; return the findings that are not marked as reported."""
        cut_torn(path)
        unmarked: dict[str, LiveFinding] = {}
        try:
            head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            self._ahead = set(head["ahead"])
            self.totals = Counter({(cluster, law, severity): n for cluster, law, severity, n in head["totals"]})
            for line in lines:
                if "done" in line:
                    unmarked.pop(line["done"], None)
                    continue
                found = LiveFinding(line["name"], line["cluster"], line["finding"])
                unmarked[_key(found)] = found
                self._ahead.add(_key(found))
                self._count(found)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Misuse(f"{path}: cannot be read: {error}; begin anew with another --checkpoint") from None
        return list(unmarked.values())


def _key(found: LiveFinding) -> str:
    """Return the name of a finding among those of several clusters, whose units may have equal names."""
    return f"{found.cluster}\n{found.name}"


def _number(path: Path) -> int:
    return int(path.stem.removeprefix("told-"))
