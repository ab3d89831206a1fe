"""Inputs of the resolver and of an entry: every record that Pulsar can build, of few brokers, and its successor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, Final, NamedTuple

from oneowner.model.channel.answers import named_by
from oneowner.model.channel.lookup import has_no_owner
from oneowner.model.channel.record import (
    FIRST_VERSION,
    MAX_VERSION,
    MIN_VERSION,
    NOBODY,
    NOTHING,
    OWNED,
    SPLITTING,
    TOMBSTONE,
    Record,
    ServiceUnitState,
    is_absent,
    is_active,
    is_buildable,
    is_in_flight,
    next_version,
    owner,
)
from oneowner.model.channel.resolver import refusal, unlawful
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

__traced__ = False  # inputs of decisions, concrete

ACCEPTED: Final = "accepted"
"""The answer where no rule of the resolver refuses."""

STORAGES: Final = tuple(Storage)
STATES: Final = tuple(state for state in ServiceUnitState if state != NOTHING)

VERSIONS: Final = (
    (1, 2),
    (1, 1),
    (2, 1),
    (1, 3),
    (1, MAX_VERSION),
    (MAX_VERSION, MIN_VERSION),
    (MAX_VERSION, MIN_VERSION + 1),
    (MAX_VERSION - 1, MIN_VERSION),
    (MIN_VERSION, MAX_VERSION),
)
"""The held version and the proposed one: next, same, older, gaps; and the same where a Java long ends."""

FIRST_VERSIONS: Final = (FIRST_VERSION, 2, MAX_VERSION, MIN_VERSION)
"""Of a record where there is no entry."""


@dataclass(frozen=True, slots=True)
class MoveSizes(Bounds):
    """The brokers that records may name."""

    brokers: int = size(2, "how many brokers records may name", least=1)


@dataclass(frozen=True, slots=True)
class RaceSizes(MoveSizes):
    """The same, fewer: versions come on top."""

    brokers: int = size(1, "how many brokers records may name", least=1)


class Race(NamedTuple):
    """The entry that a reader of some storage holds, and the next record that it reads."""

    storage: Storage
    held: Record
    proposed: Record


class Meaning(NamedTuple):
    """The meaning of an entry: the owner of the unit, its next owner, its class, the version that follows."""

    owner: int
    assigned: int
    is_active: bool
    is_in_flight: bool
    has_no_owner: bool
    """A lookup finds nobody, and selects a broker."""
    next_version: int


# ---- all inputs ----


@cache
def shapes(brokers: int) -> tuple[Record, ...]:
    """Return every record of version 1 that Pulsar can build, unforced, by state, destination and source."""
    named = range(brokers + 1)
    every = (Record(state, to, source, False, 1) for state, to, source in product(STATES, named, named))
    return tuple(record for record in every if is_buildable(record))


def can_be_held(record: Record) -> bool:
    """Return whether Pulsar goes on from *record*: an owner without name ends in a NullPointerException."""
    return record.state != OWNED or record.destination != NOBODY


def one_of(choose: Choose, records: Sequence[Record]) -> Record:
    """Return one of some records."""
    return records[choose(0, len(records) - 1)]


def some_held(choose: Choose, brokers: int) -> Record:
    """Return a record that may be held, at version 1."""
    return one_of(choose, [record for record in shapes(brokers) if can_be_held(record)])


def some_move(choose: Choose, sizes: MoveSizes) -> Race:
    """Return a step from one record to another: of entries that are there, versions being in order."""
    storage = STORAGES[choose(0, 1)]
    held = some_held(choose, sizes.brokers)
    return Race(storage, held, one_of(choose, shapes(sizes.brokers))._replace(version=2))


def some_race(choose: Choose, sizes: RaceSizes) -> Race:
    """Return what is held, or nothing, and a record that follows in whatever version, or a tombstone."""
    storage = STORAGES[choose(0, 1)]
    is_there, is_followed = choose(0, 1), choose(0, 1)
    held = some_held(choose, sizes.brokers) if is_there else TOMBSTONE
    if not is_followed:
        return Race(storage, held, TOMBSTONE)
    known = VERSIONS if is_there else tuple((0, version) for version in FIRST_VERSIONS)
    before, after = known[choose(0, len(known) - 1)]
    proposed = one_of(choose, shapes(sizes.brokers))._replace(force=choose(0, 1) == 1, version=after)
    return Race(storage, held._replace(version=before), proposed)


def some_entry(choose: Choose, sizes: MoveSizes) -> Record:
    """Return an entry of some version, or nothing."""
    if choose(0, 1) == 0:
        return TOMBSTONE
    record = one_of(choose, [it for it in shapes(sizes.brokers) if can_be_held(it) and splits_its_own(it)])
    return record._replace(version=(1, -1, MAX_VERSION - 1, MAX_VERSION, MIN_VERSION)[choose(0, 4)])


def splits_its_own(record: Record) -> bool:
    """Return whether a Splitting record names who splits; of another one Pulsar's answer is an exception."""
    return record.state != SPLITTING or record.source != NOBODY


# ---- what is decided ----


def ruled(asked: Race) -> str:
    """Return the rule by which the record is refused, or ACCEPTED."""
    refused = refusal(asked.held, asked.proposed, asked.storage)
    return ACCEPTED if refused is None else refused.rule


def drawn(asked: Race) -> str:
    """Return the rule of the state diagram by which the step is refused, or ACCEPTED; versions are not looked at."""
    refused = unlawful(asked.held, asked.proposed, asked.storage)
    return ACCEPTED if refused is None else refused.rule


def meant(record: Record) -> Meaning:
    """Return what an entry says."""
    return Meaning(
        owner(record),
        named_by(record),
        is_active(record),
        is_in_flight(record),
        has_no_owner(record),
        next_version(record),
    )


# ---- inputs from facts ----

BROKERS: Final = {None: NOBODY, "a": 1, "b": 2, "c": 3}
"""The numbers of brokers that a fact names."""


def read_record(fields: Sequence[Any] | None) -> Record:
    """Return the record that a fact gives as [state, destination, source, version, force?]; null is nothing."""
    if fields is None:
        return TOMBSTONE
    state, destination, source, version, *force = fields
    number = {"MAX": MAX_VERSION, "MIN": MIN_VERSION}.get(version, version)
    return Record(ServiceUnitState(state), BROKERS[destination], BROKERS[source], bool(force), int(number))


def read_race(row: Mapping[str, Any]) -> Race:
    """Return the input that a fact gives as ``storage``, ``held`` and ``proposed``."""
    return Race(Storage(row["storage"]), read_record(row["held"]), read_record(row["proposed"]))


def read_entry(row: Mapping[str, Any]) -> Record:
    """Return the input that a fact gives as ``entry``."""
    record = read_record(row["entry"])
    return TOMBSTONE if is_absent(record) else record
