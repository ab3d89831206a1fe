"""Crafted states and steps for the laws of ``spec/channel/split.py``."""

from __future__ import annotations

from typing import Any

from oneowner.model.channel.parts import Publish, Ring
from oneowner.model.channel.record import DELETED, OWNED, RELEASING, SPLITTING, TOMBSTONE, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import OWNED_1, Crafted, breaks, cluster, edited, keeps, state

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


# ---- no-overlapping-owners ----


@breaks("no-overlapping-owners")
def a_grandchild_is_owned_by_another_broker_than_the_splitting_child() -> Crafted:
    return state(nested(TOMBSTONE, SPLITTING_1, CHILD_1, CHILD_1, CHILD_2))


@keeps("no-overlapping-owners")
def a_grandchild_is_owned_beside_the_other_child() -> Crafted:
    return state(nested(TOMBSTONE, SPLITTING_1, CHILD_2, CHILD_1, CHILD_1))


@breaks("boundaries-only-refined")
def a_child_is_cut_before_its_parent() -> Crafted:
    return moved(nested(OWNED_1, ring=Ring()), Ring(False, 0, True))


@breaks("boundaries-only-refined")
def two_bundles_are_cut_at_once() -> Crafted:
    return moved(nested(OWNED_1, ring=Ring()), Ring(True, 0, True))


@keeps("boundaries-only-refined")
def a_child_is_cut_after_its_parent() -> Crafted:
    return moved(nested(OWNED_1, SPLITTING_1), Ring(True, 0, True))


@breaks("children-before-boundaries")
def a_child_is_cut_before_the_grandchildren_are_owned() -> Crafted:
    at = nested(OWNED_1, SPLITTING_1)
    at.won[2, 1] = at.won[3, 1] = at.won[4, 1] = True
    return moved(at, Ring(True, 0, True))


@breaks("boundaries-before-deleted")
def a_child_is_deleted_before_it_is_cut() -> Crafted:
    return state(nested(TOMBSTONE, DELETED_1))


@breaks("parent-stays-deleted")
def a_child_that_was_split_comes_back() -> Crafted:
    at = nested(TOMBSTONE, TOMBSTONE, ring=Ring(True, 0, True))
    at.outbox[2] = Sequence([Publish(2, SPLITTING_1, OWNED_1)])

    def write(after: State) -> None:
        after.base[2] = SPLITTING_1

    return edited(at, "append(broker=2)", write)


@breaks("no-overlapping-owners")
def a_child_is_owned_by_another_broker_than_the_splitting_parent() -> Crafted:
    return state(parent(SPLITTING_1, CHILD_1, CHILD_2))


@breaks("no-overlapping-owners")
def a_parent_is_owned_beside_its_child() -> Crafted:
    return state(parent(OWNED_1, CHILD_2))


@keeps("no-overlapping-owners")
def parent_and_children_are_owned_by_one_broker() -> Crafted:
    return state(parent(SPLITTING_1, CHILD_1, CHILD_1))


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


@breaks("boundaries-only-refined")
def two_bundles_are_split_at_once() -> Crafted:
    return moved(parent(), Ring(False, 2))


@keeps("boundaries-only-refined")
def the_parent_is_cut_and_other_boundaries_are_kept() -> Crafted:
    at = parent()
    at.ring = Ring(False, 1)
    return moved(at, Ring(True, 1))


@keeps("boundaries-only-refined")
def another_bundle_is_split() -> Crafted:
    return moved(parent(), Ring(False, 1))


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


@breaks("boundaries-before-deleted")
def the_parent_is_deleted_and_topics_are_still_looked_up_in_it() -> Crafted:
    return state(parent(DELETED_1, CHILD_1, CHILD_1))


@keeps("boundaries-before-deleted")
def the_parent_is_deleted_after_the_boundaries_were_moved() -> Crafted:
    at = parent(DELETED_1, CHILD_1, CHILD_1)
    at.ring = CUT
    return state(at)


# ---- parent-stays-deleted ----


@breaks("parent-stays-deleted")
def a_late_command_finds_no_entry_that_would_refuse_it() -> Crafted:
    return revived(TOMBSTONE, CUT, Record(RELEASING, 0, 1, False, 3))


@breaks("parent-stays-deleted")
def a_deleted_parent_is_owned_again() -> Crafted:
    return revived(DELETED_1, CUT, Record(OWNED, 2, 1, True, 5))


@keeps("parent-stays-deleted")
def a_deleted_parent_is_tombstoned() -> Crafted:
    return revived(DELETED_1, CUT, TOMBSTONE)
