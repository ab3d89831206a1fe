"""
Records whose effect is on record are judged by the fold of a protocol, which refuses some of them.

A record had an effect if a broker's log shows that its handler began (and no other record of the run has the same
content), or if a later record was built on it: one with the next version, while no other record of the unit had this
version (since its last tombstone). A protocol in which the fold refuses such a record is not that of the cluster.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from oneowner.checkers.recordings.explain.recording import PublishedRecord, Recording
from oneowner.model.channel.explanation import why
from oneowner.model.channel.record import TOMBSTONE, Record, is_absent, next_version
from oneowner.model.channel.resolver import Refusal, refusal
from oneowner.model.channel.rules import Dialect


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A record that had an effect and that the fold refuses."""

    written: PublishedRecord
    refused: Refusal
    evidence: str

    def in_words(self) -> str:
        """Name the record, the reason of its refusal, and the evidence of its effect."""
        return f"{self.written.key}, {self.written.place}: {why(self.refused)}; {self.evidence}"


@dataclass(frozen=True, slots=True)
class Effects:
    """The result of folding one run by one protocol."""

    effective: int
    """Records whose effect is on record."""
    handled: int
    """Those of them with a handler line."""
    contradictions: tuple[Contradiction, ...]


def effects(recording: Recording, dialect: Dialect) -> Effects:
    """Fold every unit by *dialect*, and compare with the effects that are on record."""
    held: dict[str, Record] = {}
    effective = handled = 0
    found: list[Contradiction] = []
    evidence = dict(_evidence(recording))
    for index, written in enumerate(recording.records):
        before = held.get(written.key, TOMBSTONE)
        refused = refusal(before, written.record, recording.storage, dialect)
        if index in evidence:
            effective += 1
            handled += evidence[index] == HANDLED
            if refused is not None:
                found.append(Contradiction(written, refused, evidence[index]))
        if refused is None:
            held[written.key] = written.record
    return Effects(effective, handled, tuple(found))


HANDLED = "a broker's log says that it was handled"


def _evidence(recording: Recording) -> Iterator[tuple[int, str]]:
    lives = list(_lives(recording.records))
    of_version: Counter[tuple[str, int, int]] = Counter()
    later: dict[tuple[str, int, int], PublishedRecord] = {}
    for written, life in zip(recording.records, lives, strict=True):
        place = written.key, life, written.record.version
        of_version[place] += 1
        later.setdefault(place, written)
    alike = Counter((written.key, written.record) for written in recording.records)
    for index, (written, life) in enumerate(zip(recording.records, lives, strict=True)):
        if is_absent(written.record):
            continue
        following = later.get((written.key, life, next_version(written.record)))
        same = written.key, written.record
        if same in recording.handled and alike[same] == 1:
            yield index, HANDLED
        elif of_version[written.key, life, written.record.version] == 1 and following is not None:
            yield index, f"{following.record} ({following.place}) was built on it"


def _lives(records: tuple[PublishedRecord, ...]) -> Iterator[int]:
    """Yield the number of tombstones of its unit before each record."""
    tombstones: Counter[str] = Counter()
    for written in records:
        yield tombstones[written.key]
        tombstones[written.key] += is_absent(written.record)
