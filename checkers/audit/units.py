"""
What an audit remembers of one service unit: its entry, and the little history that the laws need.

Memory is per unit, never per event.
"""

from __future__ import annotations

from checkers.audit.events import Event
from model.bundles import Range
from model.record import TOMBSTONE, Record


class Unit:
    """One service unit of one namespace."""

    __slots__ = (
        "children",
        "entered",
        "held",
        "key",
        "moves",
        "neighbours",
        "origin",
        "range",
        "split_away",
        "written",
    )

    def __init__(self, key: str) -> None:
        self.key = key
        self.range = range_of(key.rpartition("/")[2])
        self.held: Record = TOMBSTONE
        self.written: Event | None = None
        """The event that wrote ``held``, or the tombstone that emptied it."""
        self.entered: Event | None = None
        """The event with which the unit entered its present in-flight state, while it is in one."""
        self.children: tuple[str, ...] | None = None
        """The keys that its Splitting record names, until it is Deleted."""
        self.split_away = False
        """Whether a split has Deleted it and it has not become active since."""
        self.neighbours: list[Unit] = []
        """The other units of its namespace that overlap it."""
        self.moves = Moves()


class Moves:
    """Who owned the unit lately, to notice that it goes back and forth."""

    __slots__ = ("before", "count", "first", "now", "since")

    def __init__(self) -> None:
        self.now: str | None = None
        self.before: str | None = None
        self.since = 0
        self.count = 0
        self.first: Event | None = None


class Units:
    """All units of some namespaces; a unit is met once, and then knows its neighbours."""

    def __init__(self) -> None:
        self.by_key: dict[str, Unit] = {}
        self._by_namespace: dict[str, list[Unit]] = {}

    def __len__(self) -> int:
        return len(self.by_key)

    def meet(self, key: str) -> Unit:
        """Return the unit *key*, which is new."""
        unit = self.by_key[key] = Unit(key)
        low, high = unit.range
        others = self._by_namespace.setdefault(key.rpartition("/")[0], [])
        unit.neighbours = [other for other in others if other.range.low < high and low < other.range.high]
        for other in unit.neighbours:
            other.neighbours.append(unit)
        others.append(unit)
        return unit


def range_of(text: str) -> Range:
    """
    Return the range written ``0xLOW_0xHIGH``.

    >>> range_of("0x00000000_0x40000000")
    0x00000000_0x40000000
    """
    low, _, high = text.partition("_")
    return Range(int(low, 16), int(high, 16))
