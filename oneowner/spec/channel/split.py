"""
Laws of a split require one order of children, boundaries and parent, and one owner of overlapping units.

The last is the one that fails (models.H5): the pieces of a split that a crash interrupts are given away one by
one. "Overlap" is of ranges: a parent overlaps both of its children (``model.channel.ring``).
"""

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import entry
from oneowner.model.channel.dialects import has_versions
from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import DELETED, FIRST_VERSION, NOBODY, is_absent, is_active, owner
from oneowner.model.channel.ring import FIRST_CHILD, PARENT, is_cut, overlap
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, step_law
from oneowner.spec.channel.channel import is_accepted, written

# ---- models.S12 ----


def overlapping_units_are_owned(state: State) -> bool:
    return any(
        overlap(state.bounds, one, other)
        and owner(entry(state, one)) != NOBODY
        and owner(entry(state, other)) != NOBODY
        for one in units(state)
        for other in range(one + 1, state.bounds.units + 1)
    )


@always(
    "no-overlapping-owners",
    "follows from PIP-192, Split; ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry",  # models.H5, bugs.H5
    when=overlapping_units_are_owned,
    status=Status.HOLE,
    kind=LawKind.PURPOSE,
)
def owners_do_not_overlap(state: State) -> bool:
    """
    Units that overlap, a parent and its child, are not owned by two brokers.

    (They are after a crash amid a split, or after a split that took too long: the leader gives the parent, and after a
    crash each child, to a broker of its own.)
    """
    return all(
        owner(entry(state, other)) == owner(entry(state, one))
        for one in units(state)
        for other in range(one + 1, state.bounds.units + 1)
        if overlap(state.bounds, one, other)
        and owner(entry(state, one)) != NOBODY
        and owner(entry(state, other)) != NOBODY
    )


def parents(bounds: Bounds) -> int:
    """Return the last unit that may be split: the parent, or its first child."""
    if bounds.splits == 0:
        return PARENT - 1
    return FIRST_CHILD if bounds.nested_splits > 0 else PARENT


# ---- models.S13, S14 ----


def boundaries_change(before: State, action: Action, after: State) -> bool:
    return before.ring != after.ring and before.ring.deleted == after.ring.deleted


@step_law(
    "boundaries-only-refined",
    # bugs.R63
    "NamespaceBundleFactory.splitBundles, NamespaceService.updateNamespaceBundles; apache/pulsar#1428, #9598",
    when=boundaries_change,
    kind=LawKind.PROTOCOL,
)
def one_bundle_is_split(before: State, action: Action, after: State) -> bool:
    """While a namespace exists its boundaries change only by one bundle being cut in two: none is ever lost."""
    if before.ring.split != after.ring.split:
        only_one = after.ring.nested == before.ring.nested and after.ring.others == before.ring.others
        return after.ring.split and only_one
    if before.ring.nested != after.ring.nested:
        return after.ring.nested and after.ring.split and after.ring.others == before.ring.others
    return after.ring.others == before.ring.others + 1


# ---- models.S15 ----


def is_cut_now(before: State, after: State, parent: int) -> bool:
    return is_cut(after, parent) and not is_cut(before, parent)


def the_parent_is_cut(before: State, action: Action, after: State) -> bool:
    return any(is_cut_now(before, after, parent) for parent in range(PARENT, parents(before.bounds) + 1))


def was_accepted(state: State, child: int) -> bool:
    """
    Return whether the channel has accepted *child*; without versions it holds it then, for nothing discards it yet.
    """
    if has_versions(state.bounds.dialect):
        return state.won[child, FIRST_VERSION]
    return not is_absent(entry(state, child))


@step_law(
    "children-before-boundaries",
    "ServiceUnitStateChannelImpl.ownChildBundles",  # models.H17
    when=the_parent_is_cut,
    kind=LawKind.PROTOCOL,
)
def children_were_owned(before: State, action: Action, after: State) -> bool:
    """When the boundaries cut the parent in two, the channel has accepted both children."""
    return all(
        was_accepted(before, child)
        for parent in range(PARENT, parents(before.bounds) + 1)
        if is_cut_now(before, after, parent)
        for child in range(2 * parent, 2 * parent + 2)
    )


# ---- models.S16 ----


def the_parent_is_deleted(state: State) -> bool:
    if state.recreations_left < state.bounds.recreations:
        return False  # what a bundle of its name was in a namespace before this one (bundle-usable)
    return any(entry(state, parent).state == DELETED for parent in range(PARENT, parents(state.bounds) + 1))


@always(
    "boundaries-before-deleted",
    "ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry",  # models.H17
    when=the_parent_is_deleted,
    kind=LawKind.PROTOCOL,
)
def the_boundaries_are_moved(state: State) -> bool:
    """A parent is deleted only after the boundaries were moved: until then topics are looked up in it."""
    return all(
        is_cut(state, parent)
        for parent in range(PARENT, parents(state.bounds) + 1)
        if entry(state, parent).state == DELETED
    )


# ---- models.S17 ----


def the_parent_is_written_after_its_end(before: State, action: Action, after: State) -> bool:
    """Return whether a record of the parent is accepted where its entry was Deleted, or is gone."""
    if before.bounds.splits == 0 or not before.ring.split or not is_accepted(before, action, after):
        return False
    return any(
        is_absent(entry(before, parent)) or entry(before, parent).state == DELETED
        for parent in range(PARENT, parents(before.bounds) + 1)
        if is_cut(before, parent) and written(before, action).unit == parent
    )


@step_law(
    "parent-stays-deleted",
    # models.H4, bugs.H1, channel.D1
    "follows from PIP-192, Split; ServiceUnitStateDataConflictResolver.shouldKeepLeft",
    when=the_parent_is_written_after_its_end,
    status=Status.HOLE,
    kind=LawKind.PROTOCOL,
)
def it_is_not_revived(before: State, action: Action, after: State) -> bool:
    """
    A parent that was deleted never becomes active again.

    (A record computed from the active parent revives it, if it arrives after the tombstone, which forgets every
    version.)
    """
    return all(
        not is_active(entry(after, parent))
        for parent in range(PARENT, parents(before.bounds) + 1)
        if written(before, action).unit == parent
    )
