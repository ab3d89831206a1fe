"""Crafted states and steps for the laws of ``spec/channel/split.py``."""

from __future__ import annotations

from typing import Any

from oneowner.model.channel.parts import Publish, Ring
from oneowner.model.channel.record import DELETED, OWNED, RELEASING, SPLITTING, TOMBSTONE, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import BROKEN, KEPT, OWNED_1, Crafted, breaks, cluster, edited, keeps, state

SPLITTING_1 = Record(SPLITTING, 0, 1, False, 3)
DELETED_1 = Record(DELETED, 0, 1, False, 4)
CHILD_1 = Record(OWNED, 1, version=1)
CHILD_2 = Record(OWNED, 2, version=1)
CUT = Ring(True, 0)


def parent(*entries: Record, **bounds: Any) -> State:
    """Return a cluster that may split; its channel holds *entries* for parent and children."""
    at = cluster(units=3, pending=2, splits=1, other_splits=2, **bounds)
    for unit, record in enumerate(entries, 1):
        at.base[unit] = record
    return at


def moved(before: State, ring: Ring) -> Crafted:
    """Return a step after which the boundaries are *ring*."""

    def move(after: State) -> None:
        after.ring = ring

    words = "move_boundaries(broker=1, number=1)" if before.bounds.nested_splits else "move_boundaries(broker=1)"
    return edited(before, words, move)


def revived(held: Record, ring: Ring, record: Record) -> Crafted:
    """Return a step that writes *record* of the parent where *held* is held."""
    at = parent(held)
    at.ring = ring
    at.outbox[2] = Sequence([Publish(1, record, OWNED_1)])

    def write(after: State) -> None:
        after.base[1] = record

    return edited(at, "append(broker=2)", write)


def nested(*entries: Record, ring: Ring = CUT) -> State:
    """Return a cluster whose first child may be split too; its channel holds *entries* for units 1 to 5."""
    at = cluster(units=5, pending=2, splits=1, nested_splits=1)
    for unit, record in enumerate(entries, 1):
        at.base[unit] = record
    at.ring = ring
    return at


BROKEN["no-overlapping-owners"] |= {
    "a grandchild is owned by another broker than the splitting child": lambda: state(
        nested(TOMBSTONE, SPLITTING_1, CHILD_1, CHILD_1, CHILD_2)
    ),
    "a child is owned by another broker than the splitting parent": lambda: state(
        parent(SPLITTING_1, CHILD_1, CHILD_2)
    ),
    "a parent is owned beside its child": lambda: state(parent(OWNED_1, CHILD_2)),
}

KEPT["no-overlapping-owners"] |= {
    "a grandchild is owned beside the other child": lambda: state(
        nested(TOMBSTONE, SPLITTING_1, CHILD_2, CHILD_1, CHILD_1)
    ),
    "parent and children are owned by one broker": lambda: state(parent(SPLITTING_1, CHILD_1, CHILD_1)),
}

BROKEN["boundaries-only-refined"] |= {
    "a child is cut before its parent": lambda: moved(nested(OWNED_1, ring=Ring()), Ring(False, 0, True)),
    "two bundles are cut at once": lambda: moved(nested(OWNED_1, ring=Ring()), Ring(True, 0, True)),
    "two bundles are split at once": lambda: moved(parent(), Ring(False, 2)),
}

KEPT["boundaries-only-refined"] |= {
    "a child is cut after its parent": lambda: moved(nested(OWNED_1, SPLITTING_1), Ring(True, 0, True)),
    "another bundle is split": lambda: moved(parent(), Ring(False, 1)),
}


@breaks("children-before-boundaries")
def a_child_is_cut_before_the_grandchildren_are_owned() -> Crafted:
    at = nested(OWNED_1, SPLITTING_1)
    at.won[2, 1] = at.won[3, 1] = at.won[4, 1] = True
    return moved(at, Ring(True, 0, True))


BROKEN["boundaries-before-deleted"] |= {
    "a child is deleted before it is cut": lambda: state(nested(TOMBSTONE, DELETED_1)),
    "the parent is deleted and topics are still looked up in it": lambda: state(parent(DELETED_1, CHILD_1, CHILD_1)),
}


@breaks("parent-stays-deleted")
def a_child_that_was_split_comes_back() -> Crafted:
    at = nested(TOMBSTONE, TOMBSTONE, ring=Ring(True, 0, True))
    at.outbox[2] = Sequence([Publish(2, SPLITTING_1, OWNED_1)])

    def write(after: State) -> None:
        after.base[2] = SPLITTING_1

    return edited(at, "append(broker=2)", write)


# ---- boundaries-only-refined ----


@breaks("boundaries-only-refined")
def a_split_loses_the_boundary_of_another() -> Crafted:
    at = parent()
    at.ring = Ring(False, 1)
    return moved(at, CUT)


@breaks("boundaries-only-refined")
def the_parent_is_whole_again() -> Crafted:
    at = parent()
    at.ring = CUT
    return moved(at, Ring(False, 0))


@keeps("boundaries-only-refined")
def the_parent_is_cut_and_other_boundaries_are_kept() -> Crafted:
    at = parent()
    at.ring = Ring(False, 1)
    return moved(at, Ring(True, 1))


# ---- children-before-boundaries ----


@breaks("children-before-boundaries")
def one_child_is_not_in_the_channel_yet() -> Crafted:
    at = parent(SPLITTING_1, CHILD_1)
    at.won[2, 1] = True
    return moved(at, CUT)


@keeps("children-before-boundaries")
def both_children_are_in_the_channel() -> Crafted:
    at = parent(SPLITTING_1, CHILD_1, CHILD_1)
    at.won[2, 1] = at.won[3, 1] = True
    return moved(at, CUT)


# ---- boundaries-before-deleted ----


@keeps("boundaries-before-deleted")
def the_parent_is_deleted_after_the_boundaries_were_moved() -> Crafted:
    at = parent(DELETED_1, CHILD_1, CHILD_1)
    at.ring = CUT
    return state(at)


BROKEN["parent-stays-deleted"] |= {
    "a late command finds no entry that would refuse it": lambda: revived(
        TOMBSTONE, CUT, Record(RELEASING, 0, 1, False, 3)
    ),
    "a deleted parent is owned again": lambda: revived(DELETED_1, CUT, Record(OWNED, 2, 1, True, 5)),
}

KEPT["parent-stays-deleted"] |= {"a deleted parent is tombstoned": lambda: revived(DELETED_1, CUT, TOMBSTONE)}
