"""
A timeline is the set of moments at which a condition held: sorted, disjoint, half-open intervals of epoch milliseconds.

An interval that lasts beyond the recording ends at ``END``; one that began before it begins at ``-END``. An interval
without a moment vanishes, and intervals that touch are one, so two timelines are equal if they hold the same moments.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from operator import or_
from typing import Final, Protocol

from oneowner.checkers.recordings.read.events import END

__all__ = ("ALWAYS", "END", "Lasting", "Timeline", "is_at", "meets")


class Lasting(Protocol):
    """Something that holds from *since* on and before *until*."""

    @property
    def since(self) -> int: ...
    @property
    def until(self) -> int: ...


def is_at(one: Lasting, time: int) -> bool:
    """Return whether it holds at *time*."""
    return one.since <= time < one.until


def meets(one: Lasting, since: int, until: int) -> bool:
    """Return whether it has a moment from *since* to *until*; ends count: one millisecond has no order."""
    return one.since <= until and one.until >= since


class Timeline:
    """
    An immutable set of moments, made of intervals (since, until) in any order.

    >>> up = Timeline([(0, 10), (20, END)])
    >>> down = ALWAYS - up
    >>> list(up & Timeline([(5, 25)])), (up - Timeline([(2, 3)])).within(0, 30).total, 10 in up, down.overlaps(9, 11)
    ([(5, 10), (20, 25)], 19, False, True)
    """

    __slots__ = ("_edges",)

    def __init__(self, intervals: Iterable[tuple[int, int]] = ()) -> None:
        edges: list[int] = []
        for since, until in sorted(intervals):
            if edges and since <= edges[-1]:
                edges[-1] = max(edges[-1], until)
            elif since < until:
                edges += since, until
        self._edges = tuple(edges)

    @staticmethod
    def of(items: Iterable[Lasting]) -> Timeline:
        """Return when at least one of *items* holds."""
        return Timeline((one.since, one.until) for one in items)

    @staticmethod
    def alternating(switches: Iterable[tuple[int, bool]], until: int = END) -> Timeline:
        """
        Return when a condition held that *switches*, in their order, turn on and off; one left on holds until *until*.

        >>> list(Timeline.alternating([(1, True), (2, True), (5, False), (7, False), (8, True)], until=9))
        [(1, 5), (8, 9)]
        """
        found: list[tuple[int, int]] = []
        since: int | None = None
        for time, is_on in switches:
            if is_on and since is None:
                since = time
            elif not is_on and since is not None:
                found.append((since, time))
                since = None
        return Timeline(found if since is None else [*found, (since, until)])

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._edges[::2], self._edges[1::2], strict=True)

    def __contains__(self, time: int) -> bool:
        return bisect_right(self._edges, time) % 2 == 1

    def __bool__(self) -> bool:
        return bool(self._edges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timeline) and self._edges == other._edges

    def __hash__(self) -> int:
        return hash(self._edges)

    def __repr__(self) -> str:
        return f"Timeline({list(self)})"

    def __or__(self, other: Timeline) -> Timeline:
        return self._where(other, or_)

    def __and__(self, other: Timeline) -> Timeline:
        return self._where(other, lambda one, two: one and two)

    def __sub__(self, other: Timeline) -> Timeline:
        return self._where(other, lambda one, two: one and not two)

    def _where(self, other: Timeline, holds: Callable[[bool, bool], bool]) -> Timeline:
        found = Timeline()
        edges = sorted({*self._edges, *other._edges})
        states = [False, *(holds(edge in self, edge in other) for edge in edges)]
        found._edges = tuple(
            edge for edge, (before, after) in zip(edges, pairwise(states), strict=True) if before != after
        )
        return found

    def within(self, since: int, until: int) -> Timeline:
        """Return its moments in [since, until)."""
        return self & Timeline([(since, until)])

    @property
    def total(self) -> int:
        """Return the milliseconds for which the condition held; of a timeline with an open end ask ``within`` first."""
        return sum(until - since for since, until in self)

    def overlaps(self, since: int, until: int) -> bool:
        """Return whether it has a moment in [since, until)."""
        first = bisect_right(self._edges, since)
        return since < until and (first % 2 == 1 or first < bisect_left(self._edges, until))


ALWAYS: Final = Timeline([(-END, END)])
