"""
Lemmas of the resolver prove which record may follow which, in both storages, for any number of brokers.
"""

from oneowner.model.channel.record import ASSIGNING, FIRST_VERSION, INIT, NOBODY, OWNED, Record, is_absent, owner
from oneowner.model.channel.resolver import has_owner, ownerless, unlawful
from oneowner.model.kernel.lemma import REFUTED, Lemma, Mutant, guarded
from oneowner.spec.channel.version_lemmas import (
    PAIR,
    both_name_versions,
    is_next,
    is_unforced,
    metadata_store_accepts,
    system_topic_accepts,
)

# ---- legal steps ----


def is_legal(held: Record, proposed: Record) -> bool:
    return not system_topic_accepts(held, proposed) or unlawful(held, proposed) is None


ACCEPTED_IS_LEGAL, ACCEPTED_IS_LEGAL_ALWAYS = guarded(
    Lemma(
        "accepted-is-legal",
        "What is accepted onto a record is a step of the state diagram with its broker rules, unless it is a tombstone,"
        " forced, or came in through the gap rule.",
        # models.S5, channel.R7, channel.R8
        "ServiceUnitState.isValidTransition; ServiceUnitStateDataConflictResolver.shouldKeepLeft",
        PAIR,
        is_legal,
        (both_name_versions, is_unforced, is_next),
        mutant=Mutant("a forced one is such a step, too", is_legal, (both_name_versions, is_next)),
    ),
    "What is accepted onto a record, unforced and no tombstone, is a step of the state diagram. (The gap rule accepts"
    " any record that skips a version.)",
    "ServiceUnitState.isValidTransition; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # models.S5, channel.R5
    without=is_next,
)


# ---- the two storages ----


def absence_is_one_value(held: Record, proposed: Record) -> bool:
    """A tombstone, and the absence of an entry, carry nothing."""
    return is_nothing_more(held) and is_nothing_more(proposed)


def is_nothing_more(record: Record) -> bool:
    return not is_absent(record) or record == Record(record.state)


def is_no_laxer(held: Record, proposed: Record) -> bool:
    return system_topic_accepts(held, proposed) or not metadata_store_accepts(held, proposed)


def is_init_from_nothing(held: Record, proposed: Record) -> bool:
    """A literal Init record, unforced, of the first version, where there is no entry: no broker writes one."""
    first = is_absent(held) and proposed.version == FIRST_VERSION
    return first and proposed.state == INIT and not proposed.force


def differs_by_init_alone(held: Record, proposed: Record) -> bool:
    return is_no_laxer(held, proposed) != is_init_from_nothing(held, proposed)


METADATA_STORE_NO_LAXER = Lemma(
    "metadata-store-no-laxer-always",
    "The metadata store accepts nothing that the system topic refuses. (It asks no more of the first version, so it"
    " accepts an Init record onto no entry.)",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft; ServiceUnitState.isValidTransition",  # channel.R2, channel.1
    PAIR,
    is_no_laxer,
    (absence_is_one_value,),
    expected=REFUTED,
)

METADATA_STORE_EXCEPTION = Lemma(
    "metadata-store-no-laxer",
    "The metadata store accepts what the system topic refuses in one case exactly: an unforced Init record of version 1"
    " onto no entry.",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft; ServiceUnitState.isValidTransition",  # channel.R2, channel.1
    PAIR,
    differs_by_init_alone,
    (absence_is_one_value,),
    mutant=Mutant("in no case", is_no_laxer),
)


# ---- an owner without a name ----


def owned_names_owner(held: Record, proposed: Record) -> bool:
    return not system_topic_accepts(held, proposed) or has_owner(held, proposed)


def assigning_names_destination(held: Record) -> bool:
    return held.state == ASSIGNING and held.destination != NOBODY


def accepted_with_owner(held: Record, proposed: Record) -> bool:
    """Accepted also by the audit, which refuses what would make the next reader throw (``ownerless``)."""
    accepted = system_topic_accepts(held, proposed) and ownerless(held, proposed) is None
    return not accepted or proposed.state != OWNED or owner(proposed) != NOBODY


def accepted_with_source(held: Record, proposed: Record) -> bool:
    return not system_topic_accepts(held, proposed) or proposed.state != OWNED or proposed.source != NOBODY


OWNED_NAMES_OWNER_ALWAYS = Lemma(
    "owned-names-owner-always",
    "An Owned record that the resolver accepts names its owner. (It does not ask; the next record of the unit"
    " then makes every reader throw, for from.dstBroker() is dereferenced.)",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.R8
    PAIR,
    owned_names_owner,
    expected=REFUTED,
)

OWNED_NAMES_OWNER = Lemma(
    "owned-names-owner",
    "After an Assigning record that names a destination, an Owned record that is accepted unforced as the next one"
    " names its owner.",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.R8
    PAIR,
    owned_names_owner,
    (is_unforced, is_next, assigning_names_destination),
    mutant=Mutant("it names a source as well", accepted_with_source),
)

AUDIT_KNOWS_OWNER = Lemma(
    "audit-refuses-ownerless",
    "What the audit accepts and is Owned names its owner: it refuses the record that would make readers throw.",
    "follows from ServiceUnitStateData, which no record but Free can do without a broker",
    PAIR,
    accepted_with_owner,
    mutant=Mutant("the resolver alone does", owned_names_owner),
)
