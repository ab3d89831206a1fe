"""
Laws of a split: children, boundaries and parent change in one order, and no two owners overlap.

The last is the one that fails (models.H5): the pieces of a split that a crash interrupts are given away one by
one. "Overlap" is of ranges: a parent overlaps both of its children (``model.ring``).
"""

from __future__ import annotations

from model.channel import entry
from model.record import DELETED, FIRST_VERSION, NOBODY, is_absent, is_active, owner
from model.ring import FIRST_CHILD, LAST_CHILD, PARENT, overlap
from model.system import Action, State
from spec.channel import is_accepted, written
from spec.property import Status, always, step_law

# ---- models.S12 ----


def overlapping_units_are_owned(state: State) -> bool:
    for one in range(1, state.bounds.units + 1):
        for other in range(one + 1, state.bounds.units + 1):
            if overlap(state.bounds, one, other) and owner(entry(state, one)) != NOBODY:
                if owner(entry(state, other)) != NOBODY:
                    return True
    return False


def owners_do_not_overlap(state: State) -> bool:
    for one in range(1, state.bounds.units + 1):
        for other in range(one + 1, state.bounds.units + 1):
            if overlap(state.bounds, one, other) and owner(entry(state, one)) != NOBODY:
                if owner(entry(state, other)) != NOBODY and owner(entry(state, other)) != owner(entry(state, one)):
                    return False
    return True


NO_OVERLAPPING_OWNERS = always(
    "no-overlapping-owners",
    "Units that overlap, a parent and its child, are not owned by two brokers. (They are after a crash amid a split:"
    " the leader gives the parent and each child away on its own.)",
    "models.S12, models.H5, bugs.H5",
    when=overlapping_units_are_owned,
    holds=owners_do_not_overlap,
    status=Status.HOLE,
)


# ---- models.S13, S14 ----


def boundaries_change(before: State, action: Action, after: State) -> bool:
    return before.ring != after.ring


def one_bundle_is_split(before: State, action: Action, after: State) -> bool:
    if before.ring.split == after.ring.split:
        return after.ring.others == before.ring.others + 1
    return after.ring.split and after.ring.others == before.ring.others


BOUNDARIES_ONLY_REFINED = step_law(
    "boundaries-only-refined",
    "The boundaries of a namespace change only by one bundle being cut in two: none is ever lost.",
    "models.S13, models.S14, bugs.R63; apache/pulsar#1428, #9598",
    when=boundaries_change,
    holds=one_bundle_is_split,
)


# ---- models.S15 ----


def the_parent_is_cut(before: State, action: Action, after: State) -> bool:
    return after.ring.split and not before.ring.split


def children_were_owned(before: State, action: Action, after: State) -> bool:
    if before.bounds.splits == 0:
        return True
    for child in range(FIRST_CHILD, LAST_CHILD + 1):
        if not before.won[child, FIRST_VERSION]:
            return False
    return True


CHILDREN_BEFORE_BOUNDARIES = step_law(
    "children-before-boundaries",
    "When the boundaries cut the parent in two, the channel has accepted both children.",
    "models.S15, models.H17; ServiceUnitStateChannelImpl.ownChildBundles",
    when=the_parent_is_cut,
    holds=children_were_owned,
)


# ---- models.S16 ----


def the_parent_is_deleted(state: State) -> bool:
    return state.bounds.splits > 0 and entry(state, PARENT).state == DELETED


def the_boundaries_are_moved(state: State) -> bool:
    return state.ring.split


BOUNDARIES_BEFORE_DELETED = always(
    "boundaries-before-deleted",
    "A parent is deleted only after the boundaries were moved: until then topics are looked up in it.",
    "models.S16, models.H17",
    when=the_parent_is_deleted,
    holds=the_boundaries_are_moved,
)


# ---- models.S17 ----


def the_parent_is_written_after_its_end(before: State, action: Action, after: State) -> bool:
    """Say whether a record of the parent is accepted where its entry was Deleted, or is gone."""
    if before.bounds.splits == 0 or not before.ring.split or not is_accepted(before, action, after):
        return False
    held = entry(before, PARENT)
    return written(before, action).unit == PARENT and (is_absent(held) or held.state == DELETED)


def it_is_not_revived(before: State, action: Action, after: State) -> bool:
    return not is_active(entry(after, PARENT))


PARENT_STAYS_DELETED = step_law(
    "parent-stays-deleted",
    "A parent that was deleted never becomes active again. (A record computed from the living parent does it, if it"
    " arrives after the tombstone, which forgets every version.)",
    "models.S17, models.H4, bugs.H1, channel.D1",
    when=the_parent_is_written_after_its_end,
    holds=it_is_not_revived,
    status=Status.HOLE,
)
