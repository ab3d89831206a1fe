"""
The judged logs: alphabets of records for every short log, and a way to draw longer ones.

An alphabet is small enough that all logs up to some length can be read, and holds what the resolver can be asked: each
state, a rival of the same version, forced and unforced, versions that follow, that leave a gap, and that start anew.
"""

from collections.abc import Mapping
from types import MappingProxyType

from oneowner.checkers.engines.walks.swarm import Chance
from oneowner.model.channel.parts import Message
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    INIT,
    MAX_VERSION,
    MIN_VERSION,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Record,
    is_buildable,
    next_version,
)
from oneowner.model.channel.resolver import refusal
from oneowner.model.kernel.language import Sequence

ORDINARY = (
    TOMBSTONE,
    Record(ASSIGNING, 1, version=1),  # a lookup assigns
    Record(ASSIGNING, 2, version=1),  # its rival
    Record(OWNED, 1, version=2),
    Record(OWNED, 2, version=1),  # a child of a split: owned from nothing
    Record(RELEASING, 2, 1, version=3),  # a transfer
    Record(ASSIGNING, 2, 1, version=4),
    Record(OWNED, 2, 1, version=5),
    Record(RELEASING, NOBODY, 1, version=3),  # an unload, its rival
    Record(FREE, NOBODY, 1, version=4),
    Record(ASSIGNING, 1, version=5),  # a lookup after the unload
    Record(OWNED, 2, 1, True, 3),  # the leader's override, another rival
    Record(SPLITTING, NOBODY, 1, version=3),  # a split, another rival
    Record(DELETED, NOBODY, 1, version=4),
)
"""One unit on two brokers: assignment, transfer, unload, split, override and tombstone, each with a rival."""

WITH_INIT = (*ORDINARY[1:], Record(INIT, 1, version=5))
"""A literal Init, which the tables allow after Free and Deleted (no broker writes one), instead of the tombstone."""

AROUND_THE_WRAP = (
    Record(ASSIGNING, 1, version=MAX_VERSION - 1),
    Record(ASSIGNING, 2, version=MAX_VERSION),  # comes too late, and is refused
    Record(OWNED, 1, version=MAX_VERSION),
    Record(RELEASING, 2, 1, version=MIN_VERSION),
    Record(ASSIGNING, 2, 1, version=MIN_VERSION + 1),
    Record(OWNED, 2, 1, version=MIN_VERSION + 2),
    Record(OWNED, 2, 1, True, MIN_VERSION),
)
"""A transfer and an override whose versions pass 2^63-1; no tombstone."""

TRANSFER_AND_END = (
    TOMBSTONE,
    Record(ASSIGNING, 1, version=1),
    Record(ASSIGNING, 2, version=1),
    Record(OWNED, 1, version=2),
    Record(RELEASING, 2, 1, version=3),
    Record(FREE, NOBODY, 1, True, 3),
)
"""Few records, so that there is room for two units."""


def of_one_unit(records: tuple[Record, ...]) -> tuple[Message, ...]:
    """Return the alphabet of logs about unit 1."""
    return tuple(Message(1, record) for record in records)


ALPHABETS: Mapping[str, tuple[Message, ...]] = MappingProxyType(
    {
        "ordinary": of_one_unit(ORDINARY),
        "with-init": of_one_unit(WITH_INIT),
        "around-the-wrap": of_one_unit(AROUND_THE_WRAP),
        "two-units": (*of_one_unit(TRANSFER_AND_END), *(Message(2, record) for record in TRANSFER_AND_END)),
    }
)

_BROKERS = 2
_VERSIONS = 5
_STATES = (FREE, OWNED, ASSIGNING, RELEASING, SPLITTING, DELETED)
_SHORTEST, _LENGTHS = 6, 7

DISTRIBUTION = (
    f"{_SHORTEST} to {_SHORTEST + _LENGTHS - 1} records about 2 units on {_BROKERS} brokers; in half of the logs each"
    " record is a tombstone with odds 1:9, in the others none is; of the other records half are ones that the resolver"
    " takes next and the version that follows, half are any that can be built (not Init), of versions 1 to"
    f" {_VERSIONS}, forced with odds 1:7"
)
"""The content of the logs that ``draw`` draws, in words."""


class Drawing:
    """Random logs: log *number* of a seed is the same on every machine."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._next: dict[Record, tuple[Record, ...]] = {}
        self._any = tuple(
            record for version in range(1, _VERSIONS + 1) for record in records_of(version) if is_buildable(record)
        )

    def draw(self, number: int) -> Sequence[Message]:
        chance = Chance(self._seed, number)
        held = [TOMBSTONE, TOMBSTONE]
        with_tombstones = chance.below(2) == 1
        messages = []
        for _ in range(_SHORTEST + chance.below(_LENGTHS)):
            unit = chance.below(2)
            record = self._record(chance, held[unit], with_tombstones)
            if refusal(held[unit], record) is None:
                held[unit] = record
            messages.append(Message(unit + 1, record))
        return Sequence(messages)

    def _record(self, chance: Chance, held: Record, with_tombstones: bool) -> Record:
        if with_tombstones and chance.below(10) == 0:
            return TOMBSTONE
        fitting = self._fitting(held) if chance.below(2) else ()
        if fitting:
            return fitting[chance.below(len(fitting))]
        forced = chance.below(8) == 0
        return self._any[chance.below(len(self._any))]._replace(force=forced)

    def _fitting(self, held: Record) -> tuple[Record, ...]:
        """Return the unforced records of the next version that the resolver takes."""
        if held not in self._next:
            proposed = records_of(next_version(held))
            self._next[held] = tuple(r for r in proposed if is_buildable(r) and refusal(held, r) is None)
        return self._next[held]


def records_of(version: int) -> list[Record]:
    """Return every unforced record of *version*."""
    parties = range(_BROKERS + 1)
    return [Record(state, to, source, False, version) for state in _STATES for to in parties for source in parties]
