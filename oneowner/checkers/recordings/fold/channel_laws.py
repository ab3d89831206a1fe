"""
Laws of accepted records are declared here; the fold judges them on the channel alone.

A new law is added here, and nowhere else.
"""

import sys
from typing import Any, Final

from oneowner.checkers.recordings.fold.channel_excuses import begun_before, one_phase, partial, unknown_node, unsure
from oneowner.checkers.recordings.fold.channel_law import (
    Broken,
    ByLogs,
    ChannelLaw,
    NamespaceLaw,
    OverlapLaw,
    SuccessionLaw,
)
from oneowner.checkers.recordings.fold.recorded_law import Excuse, Harm
from oneowner.checkers.recordings.fold.split_conditions import (
    children_before_deleted,
    ends_its_split,
    parent_revived,
    revives,
    split_tiles,
)
from oneowner.checkers.recordings.fold.unit_memory import Unit
from oneowner.checkers.recordings.read.events import Event
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    NOBODY,
    NOTHING,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
    ServiceUnitState,
    is_absent,
    is_active,
    is_in_flight,
    next_version,
    owner,
)
from oneowner.model.kernel.system import found_in

IN_FLIGHT: Final = frozenset((ASSIGNING, RELEASING, SPLITTING))


def replaces(unit: Unit, record: Record) -> bool:
    """Return whether the record replaces an entry."""
    return not is_absent(unit.held)


def deletes_nothing_active(held: Record, record: Record) -> bool:
    return not is_active(held)


def active_deleted(unit: Unit, record: Record) -> Broken:
    """Name a forced Free as the cause: its source writes a tombstone when it has closed, whatever came meanwhile."""
    freed = None if unit.freed is None else Event(*unit.freed)
    cause = (
        f"; it is that of {freed.record} ({freed.message_id}), which {freed.source} writes when it has closed"
        if freed is not None
        else ""
    )
    return Broken(
        f"a tombstone deletes {unit.held}, which is active{cause}",
        "a tombstone only while the unit is Free, Deleted or Init",
    )


def has_next_version(held: Record, record: Record) -> bool:
    """The usual case comes first: it is all that is asked of nearly every record."""
    return record.version - held.version == 1 or record.version == next_version(held)


def version_gap(unit: Unit, record: Record) -> Broken:
    return Broken(
        f"{record} replaces {unit.held} behind a version gap, accepted without any check",
        f"versionId {next_version(unit.held)}, or the records in between",
    )


def is_handed_over(held: Record) -> bool:
    """
    Return whether the source of a hand-over has closed the unit.

    An unforced Assigning with a source is published by that source, and only when its close is done
    (``handleReleaseEvent``). One without a source is of a lookup; for a Releasing ``overridden_releases.py`` reads
    logs.
    """
    return held.state == ASSIGNING and not held.force and held.source != NOBODY


def ends_a_hand_over(unit: Unit, record: Record) -> bool:
    """Return whether the record forces an owner upon a unit that its source has closed."""
    return is_handed_over(unit.held) and record.force


def goes_elsewhere(held: Record, record: Record) -> bool:
    """Return whether the destination is not the source: ``handleOwnEvent`` never closes at the destination."""
    return record.destination != held.source


def given_back(unit: Unit, record: Record) -> Broken:
    closer, other = unit.held.source, unit.held.destination
    return Broken(
        f"{record} gives the unit back to {closer}, which has closed it for {unit.held}: it does not close again, so "
        f"its topics stay cached and fenced until {closer} unloads the unit or restarts",
        f"another owner with {closer} as source; now unload the unit at {closer}, or restart that broker",
        (str(closer), str(other)),
    )


def changes_owner(unit: Unit, record: Record) -> bool:
    """Return whether the record gives the unit an owner that it did not have."""
    return owner(record) != NOBODY and owner(record) != owner(unit.held)


def is_owned(held: Record) -> bool:
    return owner(held) != NOBODY


def owned_twice(unit: Unit, record: Record, other: Unit) -> Broken | None:
    new_owner, its_owner = owner(record), owner(other.held)
    if new_owner == its_owner:
        return None
    return Broken(
        f"{new_owner} owns {unit.range} while {its_owner} owns {other.range}, which overlaps it",
        f"owner {its_owner}, or {other.range} given up first",
        (str(new_owner), str(its_owner)),
    )


def lands(unit: Unit, record: Record) -> bool:
    """Return whether the record ends the state in which the unit is in flight."""
    return is_in_flight(unit.held) and record.state != unit.held.state


def is_stuck(entered: Any, left: Any, limit: int) -> Any:
    """Return whether a unit was in flight for too long; of times in milliseconds, or of columns of them."""
    return left - entered > limit


SHOULD_KEEP_LEFT: Final = "ServiceUnitStateDataConflictResolver.shouldKeepLeft"
SPLIT: Final = "ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry"

PUT_OFF: Final[Excuse[Any]] = Excuse("time in which the leader's session was over, lost or new, by logs and ZooKeeper")
"""Subtracted by ``laws/channel_links.py``, where there are such sources beside the channel."""

TOMBSTONE_OF_ACTIVE = SuccessionLaw(
    "tombstone-of-active",
    "No tombstone deletes an entry that is Assigning, Owned, Releasing or Splitting.",
    f"{SHOULD_KEEP_LEFT}, which takes any tombstone",
    harm=Harm.DOUBTFUL,
    same_as="tombstone-safe",
    excuses=(unsure,),
    by_logs=ByLogs.TOGETHER,
    states=frozenset((NOTHING,)),
    when=replaces,
    holds=deletes_nothing_active,
    tell=active_deleted,
)
VERSION_CHAIN = SuccessionLaw(
    "version-chain",
    "A record that replaces another one carries the next version.",
    f"{SHOULD_KEEP_LEFT}, apache/pulsar#20110",
    harm=Harm.DOUBTFUL,
    states=frozenset(ServiceUnitState) - {NOTHING},
    when=replaces,
    holds=has_next_version,
    tell=version_gap,
)
OVERLAPPING_OWNERS = OverlapLaw(
    "overlapping-owners",
    "No unit becomes owned while another broker owns an overlapping unit.",
    "PIP-192",
    harm=Harm.TWICE,
    same_as="no-overlapping-owners",
    by_logs=ByLogs.TOGETHER,
    states=frozenset((OWNED, SPLITTING)),
    when=changes_owner,
    can_matter=is_owned,
    tell=owned_twice,
)
PARENT_REVIVED = NamespaceLaw(
    "parent-revived",
    "A unit deleted by a split does not become active while a child is active.",
    SPLIT,
    harm=Harm.DOUBTFUL,
    by_logs=ByLogs.TOGETHER,
    states=frozenset((OWNED, ASSIGNING, RELEASING, SPLITTING)),
    when=revives,
    judge=parent_revived,
)
SPLIT_TILES = NamespaceLaw(
    "split-tiles",
    "The two children of a split cut the parent exactly in two.",
    "NamespaceBundleFactory.splitBundles",
    excuses=(unsure,),
    by_logs=ByLogs.ALONE,
    states=frozenset((SPLITTING,)),
    judge=split_tiles,
)
CHILDREN_BEFORE_DELETED = NamespaceLaw(
    "children-before-deleted",
    "A split deletes its parent only after both children were created.",
    SPLIT,
    excuses=(begun_before,),
    by_logs=ByLogs.TOGETHER,
    states=frozenset((DELETED,)),
    when=ends_its_split,
    judge=children_before_deleted,
)
GIVEN_BACK_BY_FORCE = SuccessionLaw(
    "given-back-by-force",
    "No forced Owned gives a unit back to the broker that has closed it.",
    "ServiceUnitStateChannelImpl.overrideOwnership, handleOwnEvent; BrokerService.getTopic",
    harm=Harm.DOUBTFUL,
    by_logs=ByLogs.NEXT,
    excuses=(unsure, partial, one_phase),
    states=frozenset((OWNED,)),
    when=ends_a_hand_over,
    holds=goes_elsewhere,
    tell=given_back,
)
STUCK = ChannelLaw(
    "stuck-in-flight",
    "No entry stays Assigning, Releasing or Splitting longer than the limit.",
    "ServiceUnitStateChannelImpl.monitorOwnerships",
    harm=Harm.DOUBTFUL,
    waits=True,
    by_logs=ByLogs.NEXT,
    excuses=(partial, PUT_OFF),
    when=lands,
)
LEGAL_HISTORY = ChannelLaw(
    "legal-history",
    "Every write to a unit's node is one that the resolver accepts.",
    SHOULD_KEEP_LEFT,
    excuses=(partial, unknown_node),
    is_of_histories=True,
)

CHANNEL_LAWS: Final = found_in((sys.modules[__name__],), ChannelLaw)
"""In the order in which results list them."""


def laws_of(is_history: bool) -> list[ChannelLaw]:
    """Return the laws of messages, or those of a ZooKeeper history."""
    return [law for law in CHANNEL_LAWS if is_history or not law.is_of_histories]
