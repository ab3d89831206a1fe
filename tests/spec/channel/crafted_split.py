"""Crafted states and steps for the laws of ``spec/channel/split.py``."""

from typing import Any

from oneowner.model.channel.parts import Publish, Ring
from oneowner.model.channel.record import DELETED, OWNED, SPLITTING, TOMBSTONE, Record
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import (
    BROKEN,
    KEPT,
    OWNED_1,
    SILENT,
    UNLOADED_1,
    Crafted,
    cluster,
    edited,
    state,
)

SPLITTING_1 = Record(SPLITTING, 0, 1, False, 3)
DELETED_1 = Record(DELETED, 0, 1, False, 4)
CHILD_1 = Record(OWNED, 1, version=1)
CHILD_2 = Record(OWNED, 2, version=1)
CUT = Ring(True, 0)


def parent(*entries: Record, **bounds: Any) -> State:
    """Return a cluster that may split; its channel holds *entries* for parent and children."""
    at = cluster(units=3, pending=2, splits=1, other_splits=2, **bounds)
    return where(at, base=dict(enumerate(entries, 1)))


def nested(*entries: Record, ring: Ring = CUT) -> State:
    """Return a cluster whose first child may be split too; its channel holds *entries* for units 1 to 5."""
    at = cluster(units=5, pending=2, splits=1, nested_splits=1)
    return where(at, base=dict(enumerate(entries, 1)), ring=ring)


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
SILENT["no-overlapping-owners"] |= {
    "two brokers own the two children": lambda: state(parent(DELETED_1, CHILD_1, CHILD_2)),
}


def moved(before: State, ring: Ring) -> Crafted:
    """Return a step after which the boundaries are *ring*."""
    words = "move_boundaries(broker=1, number=1)" if before.bounds.nested_splits else "move_boundaries(broker=1)"
    return edited(before, words, ring=ring)


BROKEN["boundaries-only-refined"] |= {
    "a child is cut before its parent": lambda: moved(nested(OWNED_1, ring=Ring()), Ring(False, 0, True)),
    "two bundles are cut at once": lambda: moved(nested(OWNED_1, ring=Ring()), Ring(True, 0, True)),
    "two bundles are split at once": lambda: moved(parent(), Ring(False, 2)),
    "a split loses the boundary of another": lambda: moved(where(parent(), ring=Ring(False, 1)), CUT),
    "the parent is whole again": lambda: moved(where(parent(), ring=CUT), Ring(False, 0)),
}
KEPT["boundaries-only-refined"] |= {
    "a child is cut after its parent": lambda: moved(nested(OWNED_1, SPLITTING_1), Ring(True, 0, True)),
    "another bundle is split": lambda: moved(parent(), Ring(False, 1)),
    "the parent is cut and other boundaries are kept": lambda: moved(
        where(parent(), ring=Ring(False, 1)), Ring(True, 1)
    ),
}

BROKEN["children-before-boundaries"] |= {
    "a child is cut before the grandchildren are owned": lambda: moved(
        where(nested(OWNED_1, SPLITTING_1), won={(2, 1): True, (3, 1): True, (4, 1): True}), Ring(True, 0, True)
    ),
    "one child is not in the channel yet": lambda: moved(where(parent(SPLITTING_1, CHILD_1), won={(2, 1): True}), CUT),
}
KEPT["children-before-boundaries"] |= {
    "both children are in the channel": lambda: moved(
        where(parent(SPLITTING_1, CHILD_1, CHILD_1), won={(2, 1): True, (3, 1): True}), CUT
    )
}
SILENT["children-before-boundaries"] |= {"other boundaries are moved": lambda: moved(parent(), Ring(False, 1))}

BROKEN["boundaries-before-deleted"] |= {
    "a child is deleted before it is cut": lambda: state(nested(TOMBSTONE, DELETED_1)),
    "the parent is deleted and topics are still looked up in it": lambda: state(parent(DELETED_1, CHILD_1, CHILD_1)),
}
KEPT["boundaries-before-deleted"] |= {
    "the parent is deleted after the boundaries were moved": lambda: state(
        parent(DELETED_1, CHILD_1, CHILD_1), ring=CUT
    )
}
SILENT["boundaries-before-deleted"] |= {
    "the parent is still split": lambda: state(parent(SPLITTING_1, CHILD_1, CHILD_1)),
    "a unit is deleted that no split relates": lambda: state(cluster(units=3), base={1: DELETED_1}),
}


def revived(held: Record, record: Record) -> Crafted:
    """Return a step that writes *record* of the parent where *held* is held, after the split."""
    at = where(parent(held), ring=CUT, outbox={2: [Publish(1, record, OWNED_1)]})
    return edited(at, "append(broker=2)", base={1: record})


BROKEN["parent-stays-deleted"] |= {
    "a child that was split comes back": lambda: edited(
        where(nested(TOMBSTONE, TOMBSTONE, ring=Ring(True, 0, True)), outbox={2: [Publish(2, SPLITTING_1, OWNED_1)]}),
        "append(broker=2)",
        base={2: SPLITTING_1},
    ),
    "a late command finds no entry that would refuse it": lambda: revived(TOMBSTONE, UNLOADED_1),
    "a deleted parent is owned again": lambda: revived(DELETED_1, Record(OWNED, 2, 1, True, 5)),
}
KEPT["parent-stays-deleted"] |= {"a deleted parent is tombstoned": lambda: revived(DELETED_1, TOMBSTONE)}
