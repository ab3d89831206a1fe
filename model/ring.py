"""
A parent and its children: which units overlap, where the topic lies, and who believes which boundaries.

With ``Bounds.splits`` the units are one parent and the two children that a split cuts it into, and the
namespace has one topic there, in the first child's range. A broker has the topic open through the unit that
its boundaries located it in; it is one topic all the same, so closing a unit closes it under either name
(``BrokerService.unloadServiceUnit`` asks of every topic whether the closed range includes it). Without splits
no two units overlap, and each has topics of its own. The boundaries are the namespace's local policies in
ZooKeeper; every broker caches them (``NamespaceBundleFactory.bundlesCache``) until a watch tells it.
"""

from __future__ import annotations

from typing import Final

from model.bounds import Bounds
from model.language import Sequence
from model.parts import Ring
from model.state import State

PARENT: Final = 1
FIRST_CHILD: Final = 2
"""Its range holds the topic."""
LAST_CHILD: Final = 3

WHOLE: Final = Ring()


def overlap(bounds: Bounds, one: int, other: int) -> bool:
    """Say whether some hash lies in the ranges of both units."""
    if bounds.splits > 0 and (one == PARENT or other == PARENT):
        return True
    return one == other


def share_topics(bounds: Bounds, one: int, other: int) -> bool:
    """Say whether some topic lies in the ranges of both units."""
    if bounds.splits == 0:
        return one == other
    return one != LAST_CHILD and other != LAST_CHILD


def has_topics_open(state: State, broker: int, unit: int) -> bool:
    """Say whether a topic in the range of *unit* is open at *broker*, through whatever unit it was opened."""
    if state.bounds.splits == 0:
        return state.serving[broker, unit]
    return unit != LAST_CHILD and (state.serving[broker, PARENT] or state.serving[broker, FIRST_CHILD])


def close_topics(state: State, broker: int, unit: int) -> None:
    """Close every topic in the range of *unit* at *broker*."""
    if state.bounds.splits == 0:
        state.serving[broker, unit] = False
    elif unit != LAST_CHILD:
        state.serving[broker, PARENT] = False
        state.serving[broker, FIRST_CHILD] = False


def is_in_ring(state: State, broker: int, unit: int) -> bool:
    """
    Say whether *unit* is a bundle of the namespace by the boundaries that *broker* knows.

    Only such a bundle can be looked up, unloaded or split (``NamespaceBundles.validateBundle``).
    """
    if state.bounds.splits == 0:
        return True
    return state.boundaries[broker].split == (unit != PARENT)


def locates_topics_in(state: State, broker: int, unit: int) -> bool:
    """Say whether *broker* looks for topics in *unit* (``NamespaceBundles.findBundle``)."""
    if state.bounds.splits == 0:
        return True
    return unit != LAST_CHILD and is_in_ring(state, broker, unit)


def forget_split(state: State, broker: int) -> None:
    """Forget what a process that dies knew of splits and boundaries."""
    if state.bounds.splits > 0:
        state.boundaries[broker] = WHOLE
        state.splitting[broker] = Sequence()


def learn_boundaries(state: State, broker: int) -> None:
    """Let a broker that starts read the boundaries as they are."""
    if state.bounds.splits > 0:
        state.boundaries[broker] = state.ring
