"""
A unit's memory holds its entry and the little history that the laws need.

Memory is per unit, never per event.
"""

from __future__ import annotations

from bisect import bisect_left

from oneowner.checkers.recordings.read.events import Row
from oneowner.model.channel.record import TOMBSTONE, Record
from oneowner.model.pulsar.bundles import Range


class Unit:
    """One service unit of one namespace."""

    __slots__ = (
        "children",
        "created",
        "entered",
        "freed",
        "held",
        "key",
        "moves",
        "namespace",
        "neighbours",
        "range",
        "split_away",
        "split_begun",
        "sure",
        "written",
    )

    def __init__(self, key: str, namespace: Namespace) -> None:
        self.key = key
        self.range = range_of(key.rpartition("/")[2])
        self.held: Record = TOMBSTONE
        self.written: Row | None = None
        """The event that wrote ``held``, or the tombstone that emptied it."""
        self.sure = False
        """True if it is certainly the entry: where a dump begins late, the first record may have been refused."""
        self.entered: Row | None = None
        """The event with which the unit entered its present in-flight state, while it is in one."""
        self.freed: Row | None = None
        """The forced Free behind which no tombstone has come yet."""
        self.created = False
        """True if any record (not only a tombstone) was ever accepted for it."""
        self.children: tuple[str, ...] | None = None
        """The keys that its Splitting record names, as long as it is not active again."""
        self.split_begun = False
        """True if the dump has the beginning of its split: a broker that repeats it finds children that are there."""
        self.split_away = False
        """True if a split has Deleted it and it has not become active since."""
        self.neighbours: list[Unit] = []
        """The other units of its namespace that overlap it."""
        self.namespace = namespace
        self.moves = Moves()


class Moves:
    """The recent owners of the unit, to detect that it goes back and forth."""

    __slots__ = ("before", "count", "first", "now", "since")

    def __init__(self) -> None:
        self.now: str | None = None
        self.before: str | None = None
        self.since = 0
        self.count = 0
        self.first: Row | None = None


class Namespace:
    """The state shared by the units of one namespace."""

    __slots__ = ("by_low", "lows", "name", "publishers", "widest")

    def __init__(self, name: str) -> None:
        self.name = name
        self.lows: list[int] = []
        self.by_low: list[Unit] = []
        """Its units, sorted by where their ranges begin; ``lows`` are these beginnings."""
        self.widest = 0
        """The length of its longest range."""
        self.publishers: dict[tuple[str, str], Row] = {}
        """The first record that each producer published as each broker."""

    def admit(self, unit: Unit) -> None:
        """Take a new unit in, and make it and those that overlap it neighbours."""
        low, high = unit.range
        at = bisect_left(self.lows, low)
        if low < high:  # an empty range overlaps nothing
            first, last = bisect_left(self.lows, low - self.widest), bisect_left(self.lows, high)
            unit.neighbours = [other for other in self.by_low[first:last] if low < other.range.high]
        for other in unit.neighbours:
            other.neighbours.append(unit)
        self.lows.insert(at, low)
        self.by_low.insert(at, unit)
        self.widest = max(self.widest, high - low)


class Units:
    """All units of some namespaces; a unit is created at its first record, with links to its neighbours."""

    def __init__(self) -> None:
        self.by_key: dict[str, Unit] = {}
        self.namespaces: dict[str, Namespace] = {}

    def meet(self, key: str) -> Unit:
        """Return the unit *key*, which is new."""
        name = key.rpartition("/")[0]
        namespace = self.namespaces.setdefault(name, Namespace(name))
        unit = self.by_key[key] = Unit(key, namespace)
        namespace.admit(unit)
        return unit


def range_of(text: str) -> Range:
    """
    Return the range written ``0xLOW_0xHIGH``.

    >>> range_of("0x00000000_0x40000000")
    0x00000000_0x40000000
    """
    low, _, high = text.partition("_")
    return Range(int(low, 16), int(high, 16))
