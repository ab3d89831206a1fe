"""
``Record`` is what the channel carries about a service unit, in one of its seven states.

Pulsar: ``ServiceUnitState`` and ``ServiceUnitStateData`` in
``org.apache.pulsar.broker.loadbalance.extensions.channel`` (read at tag v4.0.6). Enum values are
Pulsar's own words, so a dump parses itself.
"""

from enum import StrEnum
from typing import Final, NamedTuple

Broker = int
"""
A broker that a record names: 1 .. brokers. The resolver only compares brokers with each other and with NOBODY, so
the audit may put the ids of real brokers, as written in a dump, in their place.
"""

NOBODY: Final = 0
"""No broker: the reading of a blank ``dstBroker`` or ``sourceBroker``."""

NO_VERSION: Final = 0  # what "nothing" has
FIRST_VERSION: Final = 1  # ServiceUnitStateChannelImpl.VERSION_ID_INIT
MAX_VERSION: Final = 2**63 - 1  # Long.MAX_VALUE; the version after it is MIN_VERSION
MIN_VERSION: Final = -(2**63)


class ServiceUnitState(StrEnum):
    """Pulsar's seven states, and NOTHING for "no entry" (a tombstone, or never written)."""

    NOTHING = "nothing"
    INIT = "Init"
    FREE = "Free"
    OWNED = "Owned"
    ASSIGNING = "Assigning"
    RELEASING = "Releasing"
    SPLITTING = "Splitting"
    DELETED = "Deleted"


NOTHING: Final = ServiceUnitState.NOTHING
INIT: Final = ServiceUnitState.INIT
FREE: Final = ServiceUnitState.FREE
OWNED: Final = ServiceUnitState.OWNED
ASSIGNING: Final = ServiceUnitState.ASSIGNING
RELEASING: Final = ServiceUnitState.RELEASING
SPLITTING: Final = ServiceUnitState.SPLITTING
DELETED: Final = ServiceUnitState.DELETED


class Record(NamedTuple):
    """
    The record that is written about one service unit (``ServiceUnitStateData`` without its timestamp).

    >>> print(Record(OWNED, 2, 1, False, 5))
    Owned(2, from 1) v5
    """

    state: ServiceUnitState
    destination: Broker = NOBODY
    source: Broker = NOBODY
    force: bool = False
    version: int = NO_VERSION

    def __str__(self) -> str:
        if self.state == NOTHING:
            return "nothing"
        parties = [str(self.destination)] if self.destination else []
        parties += [f"from {self.source}"] if self.source else []
        forced = " forced" if self.force else ""
        return f"{self.state.value}({', '.join(parties)}) v{self.version}{forced}"


TOMBSTONE: Final = Record(NOTHING)
"""A null value in the channel, and an absent entry in a view: they are one value here."""


def is_buildable(record: Record) -> bool:
    """
    Return whether Pulsar can build the record: only Free may name no broker at all.

    ``ServiceUnitStateData`` throws ``Empty broker`` otherwise.
    """
    return record.state == FREE or record.destination != NOBODY or record.source != NOBODY


def is_absent(record: Record) -> bool:
    """Return whether *record* is a tombstone, or the absence of an entry."""
    return record.state == NOTHING


def is_in_flight(record: Record) -> bool:
    """Return whether the unit is being assigned, released or split (``ServiceUnitState.isInFlightState``)."""
    return record.state == ASSIGNING or record.state == RELEASING or record.state == SPLITTING


def is_active(record: Record) -> bool:
    """Return whether the unit is owned or about to be (``ServiceUnitState.isActiveState``)."""
    return record.state == OWNED or is_in_flight(record)


def owner(record: Record) -> Broker:
    """
    Return who owns the unit by this record, or NOBODY while it is free or being handed over.

    The destination of Owned, the source of Splitting (``ServiceUnitStateChannelImpl.getOwnerNow``).
    """
    if record.state == OWNED:
        return record.destination
    if record.state == SPLITTING:
        return record.source
    return NOBODY


def loser(record: Record) -> Broker:
    """
    Return the broker that this record tells to close its topics, or NOBODY.

    A forced or a transferring Owned and a forced Free name their former owner as source
    (``handleOwnEvent``, ``handleFreeEvent``).
    """
    if record.state == OWNED and record.source != record.destination:
        return record.source
    if record.state == FREE and record.force:
        return record.source
    return NOBODY


def next_version(record: Record) -> int:
    """
    Return the version of a record that follows *record* (``getNextVersionId``).

    >>> next_version(TOMBSTONE), next_version(Record(FREE, version=MAX_VERSION)) == MIN_VERSION
    (1, True)
    """
    if is_absent(record):
        return FIRST_VERSION
    if record.version == MAX_VERSION:
        return MIN_VERSION
    return record.version + 1
