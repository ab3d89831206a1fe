"""
These functions find the units of a split that overlap, the bundle of the topic, and each broker's boundaries.

With ``Bounds.splits`` the units are one parent and the two children that a split cuts it into, and the
namespace has one topic there, in the first child's range. With ``Bounds.nested_splits`` the first child is a parent in
its turn: two grandchildren more, and the topic in the first one's range. A broker has the topic open through the unit
that its boundaries located it in; it is one topic all the same, so closing a unit closes it under either name
(``BrokerService.unloadServiceUnit`` asks of every topic whether the closed range includes it). Without splits no two
units overlap, and each has topics of its own. The boundaries are the namespace's local policies in ZooKeeper; every
broker caches them (``NamespaceBundleFactory.bundlesCache``) until a watch tells it.
"""

from typing import Final

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Ring
from oneowner.model.channel.state import State
from oneowner.model.kernel.releases import Switch

CHILDREN_FIRST = Switch(
    "A split owns the children before it moves the boundaries (models.H17; PIP-192 gives no order)."
)

DELETED_LAST = Switch(
    "A split deletes the parent once the boundaries are moved; else it may end without moving them (models.H17).",
)

BOUNDARIES_COMPARED = Switch("Boundaries are written by compare-and-set (#1428, #9598).")

# Units are numbered so that unit n is cut into 2n and 2n + 1.
PARENT: Final = 1
FIRST_CHILD: Final = 2
"""Its range holds the topic; with nested splits it may be split as well."""
LAST_CHILD: Final = 3
FIRST_GRANDCHILD: Final = 4
"""Its range holds the topic."""
LAST_GRANDCHILD: Final = 5

WHOLE: Final = Ring()


def overlap(bounds: Bounds, one: int, other: int) -> bool:
    """Return whether some hash lies in the ranges of both units."""
    if bounds.splits > 0 and (one == PARENT or other == PARENT):
        return True
    if bounds.nested_splits > 0:
        if (one == FIRST_CHILD and other > LAST_CHILD) or (other == FIRST_CHILD and one > LAST_CHILD):
            return True
    return one == other


def has_topic(bounds: Bounds, unit: int) -> bool:
    """Return whether the topic lies in the range of *unit*, one of a split."""
    if bounds.nested_splits == 0:
        return unit != LAST_CHILD
    return unit != LAST_CHILD and unit != LAST_GRANDCHILD


def share_topics(bounds: Bounds, one: int, other: int) -> bool:
    """Return whether some topic lies in the ranges of both units."""
    if bounds.splits == 0:
        return one == other
    return has_topic(bounds, one) and has_topic(bounds, other)


def has_topics_open(state: State, broker: int, unit: int) -> bool:
    """Return whether a topic in the range of *unit* is open and listed at *broker*, through whatever unit."""
    if state.bounds.splits == 0:
        return state.serving[broker, unit] and not state.dropped[broker, unit]
    return has_topic(state.bounds, unit) and has_the_topic_open(state, broker)


def has_the_topic_open(state: State, broker: int) -> bool:
    if state.bounds.nested_splits > 0 and state.serving[broker, FIRST_GRANDCHILD]:
        return True
    return state.serving[broker, PARENT] or state.serving[broker, FIRST_CHILD]


def close_topics(state: State, broker: int, unit: int) -> None:
    """Close every topic in the range of *unit* at *broker* that is listed there."""
    if state.bounds.splits == 0:
        state.serving[broker, unit] = state.dropped[broker, unit]
    elif has_topic(state.bounds, unit):
        state.serving[broker, PARENT] = False
        state.serving[broker, FIRST_CHILD] = False
        if state.bounds.nested_splits > 0:
            state.serving[broker, FIRST_GRANDCHILD] = False


def is_cut(state: State, unit: int) -> bool:
    """Return whether the boundaries in ZooKeeper cut *unit*, a parent, in two."""
    if state.bounds.nested_splits > 0 and unit == FIRST_CHILD:
        return state.ring.nested
    return unit == PARENT and state.ring.split


def is_there(bounds: Bounds, ring: Ring, unit: int) -> bool:
    """Return whether *unit* is a bundle of the namespace by the boundaries *ring*."""
    if bounds.recreations > 0 and ring.deleted:
        return False
    if bounds.nested_splits == 0 or unit == PARENT:
        return ring.split == (unit != PARENT)
    if unit == FIRST_CHILD:
        return ring.split and not ring.nested
    return ring.split if unit == LAST_CHILD else ring.nested


def is_in_ring(state: State, broker: int, unit: int) -> bool:
    """
    Return whether *unit* is a bundle of the namespace by the boundaries that *broker* knows.

    Only such a bundle can be looked up, unloaded or split (``NamespaceBundles.validateBundle``).
    """
    if state.bounds.splits == 0:
        return True
    return is_there(state.bounds, state.boundaries[broker], unit)


def locates_topics_in(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* looks for topics in *unit* (``NamespaceBundles.findBundle``)."""
    if state.bounds.splits == 0:
        return True
    return has_topic(state.bounds, unit) and is_in_ring(state, broker, unit)


def book_topics(state: State, broker: int, parent: int) -> None:
    """Book the topic, if *broker* has it open through *parent*, under the bundle in which it locates it now."""
    if not state.serving[broker, parent]:
        return
    state.serving[broker, parent] = False
    if state.bounds.nested_splits > 0 and (parent == FIRST_CHILD or state.boundaries[broker].nested):
        state.serving[broker, FIRST_GRANDCHILD] = True
    else:
        state.serving[broker, FIRST_CHILD] = True


def learn_boundaries(state: State, broker: int) -> None:
    """Let a broker that starts read the boundaries as they are."""
    if state.bounds.splits > 0:
        state.boundaries[broker] = state.ring
