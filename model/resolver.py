"""
The conflict resolver: which record may follow which, as tables, and why one is refused.

Every reader of the channel (each broker's view, and the compactor) applies the same function to
the record that it holds for a unit and the next one in the log; what is refused is dropped. The
rules R1-R9 are those of ``ServiceUnitStateDataConflictResolver.shouldKeepLeft`` (v4.0.6), in its
order: tombstone, version, gap, force, transition, brokers. The tables are
``ServiceUnitState.validTransitionsOverSystemTopic`` and ``...OverMetadataStore``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from model.language import Relation
from model.record import (
    ASSIGNING,
    DELETED,
    FIRST_VERSION,
    FREE,
    INIT,
    MAX_VERSION,
    MIN_VERSION,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
    ServiceUnitState,
    is_absent,
)
from model.rules import RELEASE_4_0_6, Rules, Storage

Guard = Callable[[Record, Record], bool]

# ---- guards: what the brokers of an unforced record must be ----


def any_brokers(held: Record, proposed: Record) -> bool:
    """Any brokers will do."""
    return True


def splits_its_owner(held: Record, proposed: Record) -> bool:
    """The source is the held owner, and there is no destination."""
    return proposed.destination == NOBODY and proposed.source == held.destination


def releases_its_owner(held: Record, proposed: Record) -> bool:
    """The source is the held owner, and the destination is another broker or none."""
    by_owner = proposed.source != NOBODY and proposed.source == held.destination
    return by_owner and proposed.destination != held.destination


def same_brokers(held: Record, proposed: Record) -> bool:
    """Destination and source are those of the held record."""
    return proposed.destination == held.destination and proposed.source == held.source


def same_brokers_with_destination(held: Record, proposed: Record) -> bool:
    """Destination and source are those of the held record, and there is a destination."""
    return proposed.destination != NOBODY and same_brokers(held, proposed)


def only_destination(held: Record, proposed: Record) -> bool:
    """There is a destination and no source."""
    return proposed.destination != NOBODY and proposed.source == NOBODY


def has_owner(held: Record, proposed: Record) -> bool:
    """An Owned record names its owner."""
    return proposed.state != OWNED or proposed.destination != NOBODY


# ---- the tables: held state, proposed state, guard ----

_BOTH_STORAGES: Final[tuple[tuple[ServiceUnitState, ServiceUnitState, Guard], ...]] = (
    (OWNED, SPLITTING, splits_its_owner),
    (OWNED, RELEASING, releases_its_owner),
    (ASSIGNING, OWNED, same_brokers),
    (RELEASING, ASSIGNING, same_brokers_with_destination),
    (RELEASING, FREE, same_brokers),
    (SPLITTING, DELETED, same_brokers),
    (DELETED, INIT, any_brokers),
    (FREE, ASSIGNING, only_destination),
    (INIT, ASSIGNING, any_brokers),
)

SYSTEM_TOPIC_MOVES: Final[Relation[Guard]] = Relation(
    (
        *_BOTH_STORAGES,
        # Compaction may hide the beginning of a chain, so a reader may meet any state first.
        (INIT, FREE, any_brokers),
        (INIT, OWNED, any_brokers),
        (INIT, RELEASING, any_brokers),
        (INIT, SPLITTING, any_brokers),
        (INIT, DELETED, any_brokers),
        (FREE, INIT, any_brokers),
    )
)

METADATA_STORE_MOVES: Final[Relation[Guard]] = Relation(_BOTH_STORAGES)


def moves(storage: Storage) -> Relation[Guard]:
    """Return the transition table of *storage*."""
    if storage == Storage.METADATA_STORE:
        return METADATA_STORE_MOVES
    return SYSTEM_TOPIC_MOVES


# ---- the resolver ----


class Refusal(NamedTuple):
    """Why *proposed* does not replace *held*; ``model/explanation.py`` puts it into words."""

    rule: str
    """version, transition or broker; in the metadata store also first-version and gap."""
    guard: str
    """The guard that said no, for rule broker; else what the rule demands."""
    held: Record
    proposed: Record
    storage: Storage


def refusal(
    held: Record,
    proposed: Record,
    storage: Storage = Storage.SYSTEM_TOPIC,
    rules: Rules = RELEASE_4_0_6,
) -> Refusal | None:
    """
    Say why the channel drops *proposed* while it holds *held*, or None if it is accepted.

    The first valid record after *held* wins; later rivals are dropped, which is not an error
    (PIP-192, "Conflict State Resolution").

    >>> won = Record(ASSIGNING, 2, version=1)
    >>> refusal(won, Record(OWNED, 2, version=2)) is None
    True
    >>> refusal(won, Record(ASSIGNING, 3, version=1)).rule
    'version'
    """
    if is_absent(proposed):  # R1: tombstones carry no version and are always accepted
        return None
    if is_absent(held):
        if storage == Storage.METADATA_STORE:  # R2: no further checks, even for a forced record
            if proposed.version == FIRST_VERSION:
                return None
            return Refusal("first-version", "the first version is 1", held, proposed, storage)
    elif rules.version_check and not (held.version == MAX_VERSION and proposed.version == MIN_VERSION):
        if held.version >= proposed.version:  # R4
            return Refusal("version", "the version is above the held one", held, proposed, storage)
        if held.version < proposed.version - 1:  # R5: a reader may have skipped compacted records
            if storage == Storage.METADATA_STORE or not rules.gap_rule:
                return Refusal("gap", "the version is the next one", held, proposed, storage)
            return None
    if proposed.force and rules.force_overrules:  # R6
        return None
    return unlawful(held, proposed, storage, rules)


def unlawful(
    held: Record,
    proposed: Record,
    storage: Storage = Storage.SYSTEM_TOPIC,
    rules: Rules = RELEASE_4_0_6,
) -> Refusal | None:
    """
    Say why the step from *held* to *proposed* is none that the tables allow (R7, R8), or None.

    Versions and force are not looked at: this is the state diagram and its broker rules alone.
    """
    guard = moves(storage).get(state_of(held), proposed.state)
    if guard is None:
        return Refusal("transition", "the tables allow the move", held, proposed, storage)
    if rules.broker_check and not guard(held, proposed):
        return Refusal("broker", guard.__name__, held, proposed, storage)
    return None


def ownerless(held: Record, proposed: Record, storage: Storage = Storage.SYSTEM_TOPIC) -> Refusal | None:
    """
    Refuse an Owned record without destination, which the published resolver lets through.

    Upstream the *next* record of the unit then throws (``from.dstBroker()`` is dereferenced), so
    such a record cannot be part of a sound history. Only the audit asks this; see DECISIONS.md.
    """
    if has_owner(held, proposed):
        return None
    return Refusal("broker", has_owner.__name__, held, proposed, storage)


def state_of(record: Record) -> ServiceUnitState:
    """Return the state of an entry; an absent one counts as Init (``ServiceUnitStateData.state``)."""
    if is_absent(record):
        return INIT
    return record.state
