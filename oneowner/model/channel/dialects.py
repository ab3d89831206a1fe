"""
Dialects are the protocols of before the first release, and of the design text: their arrows and their answers.

*Generation 0* (#18079, resolver of #19045) and *generation 1* (#19546, versions of #19620) hand a unit over by
Assigning, Releasing, Owned; #19683 put Releasing first, which is what every release does (``resolver.py``).
*PIP-192*, the text, has four states: Unassigned (no entry) is *nothing* here and Free in the table, Assigned is Owned.
An unload is an empty message, Discard; its reader that serves the unit closes its topics. A split is begun by the
owner alone, which creates the children and discards the parent. No release ever spoke any of these; brokers of two
generations in one cluster are what a change of the protocol makes of a rolling upgrade (models.H13).
"""

from collections.abc import Callable
from typing import Final

from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    INIT,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Broker,
    Record,
    ServiceUnitState,
    is_absent,
    next_version,
)
from oneowner.model.channel.rules import Dialect, Rules
from oneowner.model.kernel.relation import Relation
from oneowner.model.kernel.releases import Switch

SOURCE_RETURNS = Switch(
    "PIP-192: Return is published by the source once it has closed, not by the destination on seeing Transfer.",
)

Guard = Callable[[Record, Record], bool]


def has_versions(dialect: Dialect) -> bool:
    """Return whether records carry versions (since #19620)."""
    return dialect == Dialect.RELEASED or dialect == Dialect.GENERATION_1


# ---- guards ----


def any_brokers(held: Record, proposed: Record) -> bool:
    """Any brokers will do."""
    return True


def has_destination(held: Record, proposed: Record) -> bool:
    """There is a destination."""
    return proposed.destination != NOBODY


def has_no_source(held: Record, proposed: Record) -> bool:
    """There is no source."""
    return proposed.source == NOBODY


def same_destination(held: Record, proposed: Record) -> bool:
    """The destination is the held one."""
    return proposed.destination == held.destination


def same_destination_without_source(held: Record, proposed: Record) -> bool:
    """The destination is the held one, and there is no source."""
    return proposed.source == NOBODY and proposed.destination == held.destination


def same_brokers(held: Record, proposed: Record) -> bool:
    """Destination and source are those of the held record."""
    return proposed.destination == held.destination and proposed.source == held.source


def same_brokers_with_source(held: Record, proposed: Record) -> bool:
    """Destination and source are those of the held record, and there is a source."""
    return proposed.source != NOBODY and same_brokers(held, proposed)


def transfers_from_its_owner(held: Record, proposed: Record) -> bool:
    """The source is the held owner, and the destination another broker."""
    another = proposed.destination != NOBODY and proposed.destination != held.destination
    return another and proposed.source == held.destination


# ---- the tables: held state, proposed state, guard ----

Rows = tuple[tuple[ServiceUnitState, ServiceUnitState, Guard], ...]

_GENERATION_1_ROWS: Final[Rows] = (
    (INIT, FREE, any_brokers),
    (INIT, OWNED, any_brokers),
    (INIT, ASSIGNING, any_brokers),
    (INIT, RELEASING, any_brokers),
    (INIT, SPLITTING, any_brokers),
    (INIT, DELETED, any_brokers),
    (FREE, ASSIGNING, has_no_source),
    (FREE, INIT, any_brokers),
    (OWNED, ASSIGNING, transfers_from_its_owner),
    (OWNED, SPLITTING, same_destination_without_source),
    (OWNED, RELEASING, same_destination_without_source),
    (ASSIGNING, OWNED, same_destination_without_source),
    (ASSIGNING, RELEASING, same_brokers_with_source),
    (RELEASING, OWNED, same_brokers),
    (RELEASING, FREE, same_brokers),
    (SPLITTING, DELETED, same_brokers),
    (DELETED, INIT, any_brokers),
)

_GENERATION_0_ROWS: Final[Rows] = (
    (FREE, OWNED, has_destination),
    (FREE, ASSIGNING, has_destination),
    (FREE, RELEASING, any_brokers),
    (FREE, SPLITTING, any_brokers),
    (OWNED, ASSIGNING, transfers_from_its_owner),
    (OWNED, SPLITTING, same_destination),
    (OWNED, FREE, any_brokers),
    (ASSIGNING, OWNED, same_brokers),
    (ASSIGNING, RELEASING, same_brokers),
    (ASSIGNING, FREE, any_brokers),
    (RELEASING, OWNED, same_brokers),
    (RELEASING, FREE, any_brokers),
    (SPLITTING, FREE, any_brokers),
)

_PIP_192_ROWS: Final[Rows] = (
    (FREE, ASSIGNING, any_brokers),  # own
    (FREE, OWNED, any_brokers),  # create, of a child
    (ASSIGNING, OWNED, any_brokers),  # return
    (OWNED, ASSIGNING, any_brokers),  # transfer
    (OWNED, SPLITTING, any_brokers),  # split
    (OWNED, FREE, any_brokers),  # unload, discard
    (SPLITTING, FREE, any_brokers),  # unload, discard
)

GENERATION_1_MOVES: Final[Relation[Guard]] = Relation(_GENERATION_1_ROWS)
GENERATION_0_MOVES: Final[Relation[Guard]] = Relation(_GENERATION_0_ROWS)
PIP_192_MOVES: Final[Relation[Guard]] = Relation(_PIP_192_ROWS)


def unreleased_moves(dialect: Dialect) -> Relation[Guard]:
    """Return the transition table of a *dialect* that no release speaks."""
    if dialect == Dialect.GENERATION_1:
        return GENERATION_1_MOVES
    if dialect == Dialect.GENERATION_0:
        return GENERATION_0_MOVES
    return PIP_192_MOVES


def absent_state(dialect: Dialect) -> ServiceUnitState:
    """Return what "no entry" counts as: Init since #19546, Free (Unassigned) before."""
    if dialect == Dialect.PIP_192 or dialect == Dialect.GENERATION_0:
        return FREE
    return INIT


# ---- what brokers owe each other ----


def is_hand_over(record: Record) -> bool:
    """Return whether *record* hands a unit from one broker to another."""
    return record.source != NOBODY and record.destination != NOBODY


def closer(record: Record, dialect: Dialect) -> Broker:
    """
    Return the broker that closes the unit's topics when it sees *record*, or NOBODY.

    Generations: at Releasing, the source of a transfer or else the owner (``handleReleaseEvent``). PIP-192: the source,
    which "internally disables the bundle ownership" at Transfer, and closes at Return what it still serves.
    """
    if dialect == Dialect.PIP_192:
        in_transfer = record.state == ASSIGNING or record.state == OWNED
        return record.source if in_transfer and is_hand_over(record) else NOBODY
    if record.state != RELEASING:
        return NOBODY
    return record.source if is_hand_over(record) else record.destination


def discards(record: Record, dialect: Dialect) -> bool:
    """Return whether *record* makes the server of the unit close its topics: PIP-192's empty message names nobody."""
    return dialect == Dialect.PIP_192 and is_absent(record)


def answerer(record: Record, dialect: Dialect, rules: Rules) -> Broker:
    """
    Return the broker that publishes what follows *record*, or NOBODY.

    Who publishes Return in a transfer, the text does not say: "the broker performs its role and updates the
    state" (models.H1).
    """
    if record.state == RELEASING:
        return closer(record, dialect)
    if record.state != ASSIGNING:
        return NOBODY
    if dialect == Dialect.PIP_192 and is_hand_over(record) and rules.source_returns:
        return record.source
    return record.destination


def answer(record: Record, dialect: Dialect) -> Record:
    """Return what follows an Assigning or a Releasing *record* (``handleAssignEvent``, ``handleReleaseEvent``)."""
    version = next_version(record)
    if record.state == RELEASING and not is_hand_over(record):
        return Record(FREE, record.destination, NOBODY, False, version)
    state = OWNED
    if record.state == ASSIGNING and is_hand_over(record) and dialect != Dialect.PIP_192:
        state = RELEASING
    return Record(state, record.destination, record.source, False, version)


def released(record: Record) -> Record:
    """Return what the source publishes in a release once the topics of a Releasing unit are closed (P5, P6)."""
    if record.destination != NOBODY:
        return Record(ASSIGNING, record.destination, record.source, False, next_version(record))
    return Record(FREE, NOBODY, record.source, False, next_version(record))


def giving_up(dialect: Dialect, owner: Broker, destination: Broker, version: int) -> Record:
    """Return the command that takes a unit from its *owner*: a transfer, or an unload if there is no *destination*."""
    if dialect == Dialect.RELEASED:  # P3, P4
        return Record(RELEASING, destination, owner, False, version)
    if dialect == Dialect.PIP_192 and destination == NOBODY:
        return TOMBSTONE
    if destination == NOBODY:
        return Record(RELEASING, owner, NOBODY, False, version)
    return Record(ASSIGNING, destination, owner, False, version)
