"""
Laws of accepted records are declared here; the fold judges them on the channel alone.

The fold asks a law about each accepted record of the law's states, before the record changes the unit: first whether
the law could fail there at all (``when``), then what is broken (``judge``).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.unit_memory import Unit, Units, range_of
from oneowner.checkers.recordings.read.events import Children
from oneowner.checkers.recordings.read.observations import Source
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
    next_version,
    owner,
)
from oneowner.model.kernel.law import Declaration
from oneowner.model.kernel.system import found_in
from oneowner.model.pulsar.bundles import tiles

IN_FLIGHT: Final = frozenset((ASSIGNING, RELEASING, SPLITTING))

_RANGE: Final = re.compile(r"0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}")


class Broken(NamedTuple):
    """A violation in words, with what would have been right."""

    why: str
    repair: str
    brokers: tuple[str, ...] = ()


Answer = None | Broken | list[Broken]
"""None: the law holds."""

When = Callable[[Unit, Record], bool]
Judge = Callable[[Units, Unit, Record, Children], Answer]


def always(unit: Unit, record: Record) -> bool:
    """Say that every record is an occasion."""
    return True


def judged_by_the_fold(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    """Say nothing: the fold itself judges this law."""
    return None


@dataclass(frozen=True, slots=True)
class ChannelLaw(Declaration):
    """
    A law of accepted records, one by one; a law without states is judged by the fold itself.

    ``column_fold`` asks no law about plain units: it counts their occasions in columns. A law that could fail at an
    ordinary record has to be counted there, too, and ``batches`` has to tell the units where it might.
    """

    needs: tuple[str, ...] = field(default=(Source.CHANNEL,), kw_only=True)
    states: frozenset[ServiceUnitState] = frozenset()
    """The states of the records that it is asked about."""
    when: When = always
    """Whether it could fail at a record."""
    judge: Judge = judged_by_the_fold
    is_of_histories: bool = False
    """Whether it is one of ZooKeeper histories alone, where every write took effect."""
    warns_if_partial: bool = False
    """Whether a missing record can make it look broken: with ``--partial`` it only warns."""


def replaces(unit: Unit, record: Record) -> bool:
    """Say whether the record replaces an entry."""
    return not is_absent(unit.held)


def tombstone_of_active(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    if not is_active(unit.held):
        return None
    return Broken(
        f"a tombstone deletes {unit.held}, which is active",
        "a tombstone only while the unit is Free, Deleted or Init",
    )


def version_chain(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    held = unit.held
    if record.version - held.version == 1:  # every record but one in 2^64
        return None
    due = next_version(held)
    if record.version == due:
        return None
    return Broken(
        f"{record} replaces {held} behind a version gap, accepted without any check",
        f"versionId {due}, or the records in between",
    )


def changes_owner(unit: Unit, record: Record) -> bool:
    """Say whether the record gives the unit an owner that it did not have."""
    return owner(record) not in (NOBODY, owner(unit.held))


def overlapping_owners(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    new_owner = owner(record)
    if not unit.neighbours:
        return None
    rivals = [
        Broken(
            f"{new_owner} owns {unit.range} while {owner(other.held)} owns {other.range}, which overlaps it",
            f"owner {owner(other.held)}, or {other.range} given up first",
            (str(new_owner), str(owner(other.held))),
        )
        for other in sorted(unit.neighbours, key=lambda neighbour: neighbour.range)
        if owner(other.held) not in (NOBODY, new_owner)
    ]
    return rivals or None


def revives(unit: Unit, record: Record) -> bool:
    """Say whether the record makes a unit active that a split has deleted."""
    return unit.split_away and is_active(record)


def parent_revived(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    for other in children_of(units, unit):
        if is_active(other.held):
            return Broken(
                f"{record} revives a unit that a split has deleted, while {other.range} is {other.held}",
                "no active record for the parent while a child is active",
            )
    return None


def children_of(units: Units, unit: Unit) -> list[Unit]:
    """Return the children that the unit's split named; if the dump lacks the split, the units inside its range."""
    if unit.children is not None:
        return [units.by_key[key] for key in sorted(unit.children) if key in units.by_key]
    low, high = unit.range
    inside = [other for other in unit.neighbours if low <= other.range.low and other.range.high <= high]
    return sorted(inside, key=lambda other: other.range)


def split_tiles(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    ranges = children or ()
    if len(ranges) == 2 and all(_RANGE.fullmatch(text) for text in ranges):
        if tiles(unit.range, range_of(ranges[0]), range_of(ranges[1])):
            return None
    named = " and ".join(sorted(ranges)) or "no ranges"
    return Broken(
        f"a split of {unit.range} into {named}, which does not cut it exactly in two",
        f"{unit.range.low:#010x}_B and B_{unit.range.high:#010x} for one boundary B in between",
    )


def ends_its_split(unit: Unit, record: Record) -> bool:
    """Say whether the record deletes a parent whose split is under way."""
    return bool(unit.children) and not unit.split_away


def children_before_deleted(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    missing = [key for key in sorted(unit.children or ()) if not was_created(units, key)]
    if not missing:
        return None
    return Broken(
        f"the unit is deleted by its split, but {' and '.join(missing)} was never created",
        "an accepted Owned record of each child before the parent's Deleted",
    )


def was_created(units: Units, key: str) -> bool:
    """Say whether any record of unit *key* was accepted so far."""
    unit = units.by_key.get(key)
    return unit is not None and unit.created


SHOULD_KEEP_LEFT: Final = "ServiceUnitStateDataConflictResolver.shouldKeepLeft"
SPLIT: Final = "ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry"

TOMBSTONE_OF_ACTIVE = ChannelLaw(
    "tombstone-of-active",
    "No tombstone deletes an entry that is Assigning, Owned, Releasing or Splitting.",
    f"{SHOULD_KEEP_LEFT}, which takes any tombstone",
    states=frozenset((NOTHING,)),
    when=replaces,
    judge=tombstone_of_active,
)
VERSION_CHAIN = ChannelLaw(
    "version-chain",
    "A record that replaces another one carries the next version.",
    f"{SHOULD_KEEP_LEFT}, apache/pulsar#20110",
    states=frozenset(ServiceUnitState) - {NOTHING},
    when=replaces,
    judge=version_chain,
    warns_if_partial=True,
)
OVERLAPPING_OWNERS = ChannelLaw(
    "overlapping-owners",
    "No unit becomes owned while another broker owns an overlapping unit.",
    "PIP-192",
    states=frozenset((OWNED, SPLITTING)),
    when=changes_owner,
    judge=overlapping_owners,
    warns_if_partial=True,
)
PARENT_REVIVED = ChannelLaw(
    "parent-revived",
    "A unit deleted by a split does not become active while a child is active.",
    SPLIT,
    states=frozenset((OWNED, ASSIGNING, RELEASING, SPLITTING)),
    when=revives,
    judge=parent_revived,
    warns_if_partial=True,
)
SPLIT_TILES = ChannelLaw(
    "split-tiles",
    "The two children of a split cut the parent exactly in two.",
    "NamespaceBundleFactory.splitBundles",
    states=frozenset((SPLITTING,)),
    judge=split_tiles,
)
CHILDREN_BEFORE_DELETED = ChannelLaw(
    "children-before-deleted",
    "A split deletes its parent only after both children were created.",
    SPLIT,
    states=frozenset((DELETED,)),
    when=ends_its_split,
    judge=children_before_deleted,
)
STUCK = ChannelLaw(
    "stuck-in-flight",
    "No entry stays Assigning, Releasing or Splitting longer than the limit.",
    "ServiceUnitStateChannelImpl.monitorOwnerships",
    warns_if_partial=True,
)
LEGAL_HISTORY = ChannelLaw(
    "legal-history",
    "Every write to a unit's node is one that the resolver accepts.",
    SHOULD_KEEP_LEFT,
    is_of_histories=True,
    warns_if_partial=True,
)

CHANNEL_LAWS: Final = found_in((sys.modules[__name__],), ChannelLaw)
"""In the order in which results list them."""


def laws_of(is_history: bool) -> list[ChannelLaw]:
    """Return the laws of messages, or those of a ZooKeeper history."""
    return [law for law in CHANNEL_LAWS if is_history or not law.is_of_histories]


BY_STATE: Final[dict[ServiceUnitState, tuple[tuple[ChannelLaw, When, Judge], ...]]] = {
    state: tuple((law, law.when, law.judge) for law in CHANNEL_LAWS if state in law.states)
    for state in ServiceUnitState
}
"""The laws to ask about a record of each state, ready for the fold's loop."""
