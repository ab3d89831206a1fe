"""
The laws of an audit on the channel alone, each a function of a unit and the record that was accepted for it.

A law says NO_OCCASION if it could not have failed here, None if it held, or the words of its violation. Laws
are asked before the record changes the unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.unit_memory import Unit, Units, range_of
from oneowner.checkers.recordings.read.events import Children
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    INIT,
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
from oneowner.model.pulsar.bundles import tiles

IN_FLIGHT: Final = frozenset((ASSIGNING, RELEASING, SPLITTING))

_RANGE: Final = re.compile(r"0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}")


class Broken(NamedTuple):
    """A violation in words, with what would have been right."""

    why: str
    repair: str
    brokers: tuple[str, ...] = ()


class NoOccasion:
    """The answer of a law that could not have failed here."""


NO_OCCASION: Final = NoOccasion()

Answer = NoOccasion | None | Broken | list[Broken]


def tombstone_of_active(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    if is_absent(unit.held):
        return NO_OCCASION
    if not is_active(unit.held):
        return None
    return Broken(
        f"a tombstone deletes {unit.held}, which is active",
        "a tombstone only while the unit is Free, Deleted or Init",
    )


def version_chain(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    held = unit.held
    if is_absent(held):
        return NO_OCCASION
    if record.version - held.version == 1:  # every record but one in 2^64
        return None
    due = next_version(held)
    if record.version == due:
        return None
    return Broken(
        f"{record} replaces {held} behind a version gap, accepted without any check",
        f"versionId {due}, or the records in between",
    )


def overlapping_owners(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    new_owner = owner(record)
    if new_owner == NOBODY or new_owner == owner(unit.held):
        return NO_OCCASION
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


def parent_revived(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    if not unit.split_away or not is_active(record):
        return NO_OCCASION
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


def children_before_deleted(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    if not unit.children or unit.split_away:
        return NO_OCCASION
    missing = [key for key in sorted(unit.children) if not was_created(units, key)]
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


STUCK: Final = "stuck-in-flight"
LEGAL_HISTORY: Final = "legal-history"

Law = Callable[[Units, Unit, Record, Children], Answer]

_VERSIONED: Final[tuple[tuple[str, Law], ...]] = (("version-chain", version_chain),)
_ACTIVE: Final[tuple[tuple[str, Law], ...]] = (*_VERSIONED, ("parent-revived", parent_revived))

LAWS_BY_STATE: Final[dict[ServiceUnitState, tuple[tuple[str, Law], ...]]] = {
    NOTHING: (("tombstone-of-active", tombstone_of_active),),
    INIT: _VERSIONED,
    FREE: _VERSIONED,
    OWNED: (*_ACTIVE, ("overlapping-owners", overlapping_owners)),
    ASSIGNING: _ACTIVE,
    RELEASING: _ACTIVE,
    SPLITTING: (*_ACTIVE, ("overlapping-owners", overlapping_owners), ("split-tiles", split_tiles)),
    DELETED: (*_VERSIONED, ("children-before-deleted", children_before_deleted)),
}

STATEMENTS: Final = {
    "tombstone-of-active": "No tombstone deletes an entry that is Assigning, Owned, Releasing or Splitting.",
    "version-chain": "A record that replaces another one carries the next version.",
    "overlapping-owners": "No unit becomes owned while another broker owns an overlapping unit.",
    "parent-revived": "A unit deleted by a split does not become active while a child is active.",
    "split-tiles": "The two children of a split cut the parent exactly in two.",
    "children-before-deleted": "A split deletes its parent only after both children were created.",
    STUCK: "No entry stays Assigning, Releasing or Splitting longer than the limit.",
}

HISTORY_STATEMENTS: Final = {
    **STATEMENTS,
    LEGAL_HISTORY: "Every write to a unit's node is one that the resolver accepts.",
}

WHEN_PARTIAL: Final = frozenset({"version-chain", "overlapping-owners", "parent-revived", STUCK, LEGAL_HISTORY})
"""Laws that a missing record can make look broken: with ``--partial`` they only warn."""
