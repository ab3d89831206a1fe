"""
Lemmas of versions prove which record wins, for 64-bit versions (``model/channel/resolver.py``).
"""

from oneowner.model.channel.record import FIRST_VERSION, MAX_VERSION, MIN_VERSION, Record, is_absent, next_version
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.lemma import Lemma, Mutant, guarded
from oneowner.spec.channel.lemma_domains import RECORDS, VERSIONS

PAIR = {"held": RECORDS, "proposed": RECORDS}


# ---- what is accepted, and what is assumed ----


def system_topic_accepts(held: Record, proposed: Record) -> bool:
    return refusal(held, proposed) is None


def metadata_store_accepts(held: Record, proposed: Record) -> bool:
    return refusal(held, proposed, Storage.METADATA_STORE) is None


def both_name_versions(held: Record, proposed: Record) -> bool:
    """Neither is a tombstone or no entry."""
    return not is_absent(held) and not is_absent(proposed)


def is_not_absent(proposed: Record) -> bool:
    return not is_absent(proposed)


def is_unforced(proposed: Record) -> bool:
    return not proposed.force


def is_forced(proposed: Record) -> bool:
    return proposed.force


def is_next(held: Record, proposed: Record) -> bool:
    """It is not accepted through the gap rule: its version is the next one."""
    return proposed.version == next_version(held)


def does_not_wrap(held: Record, proposed: Record) -> bool:
    """Not from the highest version to the lowest."""
    return not (held.version == MAX_VERSION and proposed.version == MIN_VERSION)


def is_not_above(held: Record, proposed: Record) -> bool:
    return proposed.version <= held.version


# ---- versions ----


def version_grows(held: Record, proposed: Record) -> bool:
    return not system_topic_accepts(held, proposed) or proposed.version > held.version


def version_grows_by_one(held: Record, proposed: Record) -> bool:
    return not system_topic_accepts(held, proposed) or proposed.version == held.version + 1


VERSIONS_INCREASE, VERSIONS_INCREASE_ALWAYS = guarded(
    Lemma(
        "versions-increase",
        "Between tombstones versions strictly increase, but from the highest to the lowest.",
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.R3, channel.R4, channel.R5
        PAIR,
        version_grows,
        (both_name_versions, does_not_wrap),
        mutant=Mutant("they increase by one: the gap rule lets more in", version_grows_by_one),
    ),
    "Between tombstones versions strictly increase. (The highest is followed by the lowest.)",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.R3
    without=does_not_wrap,
)


# ---- one winner ----


def has_won(held: Record, won: int) -> bool:
    """A version that has won since the last tombstone or wrap is at most the held one (versions-increase)."""
    return won <= held.version


def no_version_wins_twice(held: Record, proposed: Record, won: int) -> bool:
    """The next record to win has another version, which is at most the held one, too."""
    return not system_topic_accepts(held, proposed) or won < proposed.version


def no_version_above_wins(held: Record, proposed: Record, won: int) -> bool:
    return not system_topic_accepts(held, proposed) or won < proposed.version - 1


ONE_WINNER, ONE_WINNER_ALWAYS = guarded(
    Lemma(
        "one-winner-per-version",
        "Between tombstones and wraps at most one record wins per version, by induction over the log.",
        "PIP-192, Conflict State Resolution; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # models.S7
        {**PAIR, "won": VERSIONS},
        no_version_wins_twice,
        (both_name_versions, does_not_wrap, has_won),
        mutant=Mutant("no version wins that is next to one that has won", no_version_above_wins),
    ),
    "Between tombstones at most one record wins per version. (After a wrap all versions come again.)",
    "PIP-192, Conflict State Resolution; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # models.S7, channel.R3
    without=does_not_wrap,
)


def both_follow(held: Record, proposed: Record, rival: Record) -> bool:
    """Both were computed from the held record, and neither is a tombstone."""
    computed = proposed.version == next_version(held) and rival.version == next_version(held)
    return computed and not is_absent(proposed) and not is_absent(rival)


def rival_loses(held: Record, proposed: Record, rival: Record) -> bool:
    return not system_topic_accepts(held, proposed) or not system_topic_accepts(proposed, rival)


def rival_may_be_a_tombstone(held: Record, proposed: Record) -> bool:
    return proposed.version == next_version(held) and not is_absent(proposed)


RIVAL_LOSES = Lemma(
    "rival-loses",
    "Of two records that were computed from the same held one, the second to arrive is refused, forced or not.",
    "PIP-192, Conflict State Resolution; apache/pulsar#19620",  # bugs.R1
    {**PAIR, "rival": RECORDS},
    rival_loses,
    (both_follow,),
    mutant=Mutant("the second one may be a tombstone", rival_loses, (rival_may_be_a_tombstone,)),
)


# ---- force ----


def is_refused(held: Record, proposed: Record) -> bool:
    return not system_topic_accepts(held, proposed)


def is_refused_by_metadata_store(held: Record, proposed: Record) -> bool:
    return not metadata_store_accepts(held, proposed)


def starts_elsewhere(held: Record, proposed: Record) -> bool:
    """There is no entry, and the version is not the first."""
    return is_absent(held) and proposed.version != FIRST_VERSION


FORCE_NEEDS_VERSION, FORCE_NEEDS_VERSION_ALWAYS = guarded(
    Lemma(
        "force-needs-version",
        "A forced record whose version is not above the held one is refused, but for the lowest after the highest.",
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.R4, channel.R6
        PAIR,
        is_refused,
        (both_name_versions, is_forced, is_not_above, does_not_wrap),
        mutant=Mutant("also one whose version is above it", is_refused, (both_name_versions, is_forced)),
    ),
    "A forced record whose version is not above the held one is refused. (The lowest follows the highest.)",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.R3
    without=does_not_wrap,
)

METADATA_STORE_BEGINS_AT_ONE = Lemma(
    "metadata-store-begins-at-one",
    "The metadata store accepts onto no entry nothing but the first version, forced or not.",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft; ServiceUnitStateMetadataStoreTableViewImpl",  # channel.R2
    PAIR,
    is_refused_by_metadata_store,
    (is_not_absent, starts_elsewhere),
    mutant=Mutant("the system topic does so, too", is_refused, (is_not_absent, starts_elsewhere)),
)
