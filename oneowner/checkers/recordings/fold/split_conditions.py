"""Conditions of splits: their children, their ranges, and the parent that they delete, for the laws of the channel."""

import re
from typing import Final

from oneowner.checkers.recordings.fold.channel_law import Answer, Broken
from oneowner.checkers.recordings.fold.unit_memory import Unit, Units, range_of
from oneowner.checkers.recordings.read.events import Children
from oneowner.model.channel.record import Record, is_active
from oneowner.model.pulsar.bundles import tiles

_RANGE: Final = re.compile(r"0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}")


def revives(unit: Unit, record: Record) -> bool:
    """Return whether the record makes a unit active that a split has deleted."""
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
    """Return whether the record deletes a parent whose split began in the dump and is under way."""
    return bool(unit.children) and not unit.split_away and unit.split_begun


def children_before_deleted(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    missing = [key for key in sorted(unit.children or ()) if not was_created(units, key)]
    if not missing:
        return None
    return Broken(
        f"the unit is deleted by its split, but {' and '.join(missing)} was never created",
        "an accepted Owned record of each child before the parent's Deleted",
    )


def was_created(units: Units, key: str) -> bool:
    """Return whether any record of unit *key* was accepted so far."""
    unit = units.by_key.get(key)
    return unit is not None and unit.created
