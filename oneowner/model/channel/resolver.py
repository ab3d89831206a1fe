"""
The conflict resolver: tables of the records that may follow one another, and the reason of a refusal.

Every reader of the channel (each broker's view, and the compactor) applies the same function to
the record that it holds for a unit and the next one in the log; a refused one is dropped. The
rules are those of ``ServiceUnitStateDataConflictResolver.shouldKeepLeft`` (v4.0.6), in its order: R1 tombstone, R2
first version, R4 version (R3: after the highest comes the lowest), R5 gap, R6 force, R7 transition, R8 brokers; what
passes them all is accepted (R9). The tables are
``ServiceUnitState.validTransitionsOverSystemTopic`` and ``...OverMetadataStore``; those of protocols that no release
speaks are in ``dialects.py``.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from oneowner.model.channel.dialects import absent_state, any_brokers, has_versions, same_brokers, unreleased_moves
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FIRST_VERSION,
    FREE,
    INIT,
    MAX_VERSION,
    NO_VERSION,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
    ServiceUnitState,
    is_absent,
)
from oneowner.model.channel.rules import RELEASE_4_0_6, Dialect, Rules, Storage
from oneowner.model.kernel.relation import Relation
from oneowner.model.kernel.releases import Switch

VERSION_CHECK = Switch("A record whose version is not above the held one is refused (apache/pulsar#19620).")

BROKER_CHECK = Switch("The brokers that an unforced record names must fit the held one (resolver rule R8).")

GAP_RULE = Switch(
    "On the system topic a record after a version gap is accepted unseen (resolver rule R5, since #20110)."
)

FORCE_OVERRULES = Switch("A forced record in its turn is accepted whatever the tables say (resolver rule R6).")

NULL_ACCEPTS_INFLIGHT = Switch(
    "On the system topic nothing may be followed by any version, as compaction needs; else by 1 only (bugs.R2).",
)

Guard = Callable[[Record, Record], bool]

# ---- guards: what the brokers of an unforced record must be ----


def splits_its_owner(held: Record, proposed: Record) -> bool:
    """The source is the held owner, and there is no destination."""
    return proposed.destination == NOBODY and proposed.source == held.destination


def releases_its_owner(held: Record, proposed: Record) -> bool:
    """The source is the held owner, and the destination is another broker or none."""
    by_owner = proposed.source != NOBODY and proposed.source == held.destination
    return by_owner and proposed.destination != held.destination


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


def moves(storage: Storage, dialect: Dialect = Dialect.RELEASED) -> Relation[Guard]:
    """Return the transition table of *storage*, or of a *dialect* that no release speaks."""
    if dialect != Dialect.RELEASED:
        return unreleased_moves(dialect)
    if storage == Storage.METADATA_STORE:
        return METADATA_STORE_MOVES
    return SYSTEM_TOPIC_MOVES


# ---- the resolver ----


class Refusal(NamedTuple):
    """The reason why *proposed* does not replace *held*; ``explanation.py`` puts it into words."""

    rule: str
    """version, transition or broker; first-version in the metadata store; gap there, and where gaps are refused."""
    guard: str
    """The guard that said no, for rule broker; else what the rule demands."""
    held: Record
    proposed: Record
    storage: Storage
    dialect: Dialect = Dialect.RELEASED


def refusal(
    held: Record,
    proposed: Record,
    storage: Storage = Storage.SYSTEM_TOPIC,
    dialect: Dialect = Dialect.RELEASED,
    last: int = MAX_VERSION,
    rules: Rules = RELEASE_4_0_6,
) -> Refusal | None:
    """
    Return why the channel drops *proposed* while it holds *held*, or None if it is accepted.

    The first valid record after *held* wins; later rivals are dropped, which is not an error
    (PIP-192, "Conflict State Resolution"). The version *last* is followed by the lowest one; a model has fewer versions
    than a Java long.

    >>> won = Record(ASSIGNING, 2, version=1)
    >>> refusal(won, Record(OWNED, 2, version=2)) is None
    True
    >>> refusal(won, Record(ASSIGNING, 3, version=1)).rule
    'version'
    """
    if is_absent(proposed) and dialect == Dialect.PIP_192:  # Discard is one of the arrows
        return unlawful(held, Record(FREE), storage, dialect, rules)
    if is_absent(proposed):  # R1: tombstones carry no version and are always accepted
        if proposed.version != NO_VERSION and proposed.version != held.version:  # Rules.tombstone_compares
            return Refusal("version", "the tombstone names the held version", held, proposed, storage)
        return None
    if is_absent(held):
        if storage == Storage.METADATA_STORE or not rules.null_accepts_inflight:
            if proposed.version == FIRST_VERSION:  # R2: no further checks, even for a forced record
                return None
            return Refusal("first-version", "the first version is 1", held, proposed, storage)
    elif (
        has_versions(dialect)
        and rules.version_check
        and not (held.version == last and proposed.version == -last - 1)  # R3
    ):
        if held.version >= proposed.version:  # R4
            return Refusal("version", "the version is above the held one", held, proposed, storage, dialect)
        if held.version < proposed.version - 1:  # R5: a reader may have skipped compacted records
            if storage == Storage.METADATA_STORE or dialect == Dialect.GENERATION_1 or not rules.gap_rule:
                return Refusal("gap", "the version is the next one", held, proposed, storage, dialect)
            return None
    if proposed.force and rules.force_overrules:  # R6
        return None
    return unlawful(held, proposed, storage, dialect, rules)


def unlawful(
    held: Record,
    proposed: Record,
    storage: Storage = Storage.SYSTEM_TOPIC,
    dialect: Dialect = Dialect.RELEASED,
    rules: Rules = RELEASE_4_0_6,
) -> Refusal | None:
    """
    Return why the tables do not allow the step from *held* to *proposed* (R7, R8), or None if they do.

    Versions and force are not looked at: this is the state diagram and its broker rules alone.
    """
    guard = moves(storage, dialect).get(state_of(held, dialect), proposed.state)
    if guard is None:
        return Refusal("transition", "the tables allow the move", held, proposed, storage, dialect)
    if rules.broker_check and not guard(held, proposed):
        return Refusal("broker", guard.__name__, held, proposed, storage, dialect)
    return None


def ownerless(held: Record, proposed: Record, storage: Storage = Storage.SYSTEM_TOPIC) -> Refusal | None:
    """
    Refuse an Owned record without destination, which the published resolver lets through.

    Upstream the *next* record of the unit then throws (``from.dstBroker()`` is dereferenced), so
    such a record cannot be part of a sound history. Only the audit asks this; the model accepts what 4.0.6 accepts.
    """
    if has_owner(held, proposed):
        return None
    return Refusal("broker", has_owner.__name__, held, proposed, storage)


def state_of(record: Record, dialect: Dialect = Dialect.RELEASED) -> ServiceUnitState:
    """Return the state of an entry; an absent one counts as Init (``ServiceUnitStateData.state``)."""
    if is_absent(record):
        return absent_state(dialect)
    return record.state
