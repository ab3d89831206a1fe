"""
``table_of`` holds what is decided in every case that a loop can come to, found before the loop is searched.

A case is all that a decision depends on. Cases are found by following the loop cycle by cycle; where the leader may
decide by old reports, all cases there are. They are kept as a tree: which bundles are heavy, who is seen to have each
bundle, which rest, whether the shedder waits, and what it remembers, each a number.
"""

from collections.abc import Hashable, Iterator
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from oneowner.model.closed_loop.bounds import BROKER, BUNDLE, Bounds, Shedder, dealt_to
from oneowner.model.closed_loop.deciding import Asked, Found, decide

ROOT: Final = 0


class Instant(NamedTuple):
    """A loop between two cycles, with everything handed over and reported."""

    heavies: int
    owner: tuple[int, ...]
    rest: tuple[int, ...]
    """By bundle: for how many cycles it stays."""
    wait: int
    """For how many cycles TransferShedder waits."""
    memory: int


class Table:
    """Cases as a tree of numbers, and the decision at each of its leaves."""

    def __init__(self, bounds: Bounds) -> None:
        self.memories: list[Hashable] = [None]
        """The shedder's memories, by the number that a state has for each."""
        self._children: list[dict[int, int]] = [{}]
        self._found: dict[int, Found] = {}
        self._numbers = {self.memories[0]: 0}
        for case in every_case(bounds) if bounds.lag else self._followed(bounds):
            self.at(case, bounds)

    def values(self, at: int) -> tuple[int, ...]:
        """Return the numbers that lead on from a node."""
        return tuple(sorted(self._children[at]))

    def child(self, at: int, value: int) -> int:
        """Return the node to which a number leads."""
        return self._children[at][value]

    def found(self, at: int) -> Found:
        """Return the decision at a leaf; the memory is given by its number."""
        return self._found[at]

    def at(self, case: Asked, bounds: Bounds) -> Found:
        """Return what is decided in a case, which is found and kept when it is first asked for."""
        at = ROOT
        for value in (case.heavies, *case.seen, *map(int, case.resting), int(case.waits), case.memory):
            if value not in self._children[at]:
                self._children[at][value] = len(self._children)
                self._children.append({})
            at = self._children[at][value]
        if at not in self._found:
            found = decide(case._replace(memory=self.memories[case.memory]), bounds)
            self._found[at] = found._replace(memory=self._number(found.memory))
        return self._found[at]

    def _number(self, memory: Hashable) -> int:
        """Return the number of a shedder's memory."""
        if memory not in self._numbers:
            self._numbers[memory] = len(self.memories)
            self.memories.append(memory)
        return self._numbers[memory]

    def _followed(self, bounds: Bounds) -> Iterator[Asked]:
        """Yield every case that a loop with current reports comes to."""
        waiting = list(first_instants(bounds))
        known = set(waiting)
        while waiting:
            now = waiting.pop()
            case = Asked(now.heavies, now.owner, tuple(one > 0 for one in now.rest), now.wait > 0, now.memory)
            yield case
            for after in instants_after(now, self.at(case, bounds), bounds):
                if after not in known:
                    known.add(after)
                    waiting.append(after)


def first_instants(bounds: Bounds) -> Iterator[Instant]:
    """Yield the instants in which a loop may begin: so many bundles are heavy, and each is anywhere."""
    still = (0,) * bounds.bundles
    dealt = tuple(dealt_to(bounds, bundle) for bundle in BUNDLE.range_of(bounds))
    anywhere = product(BROKER.range_of(bounds), repeat=bounds.bundles)
    for owner in [dealt] if bounds.dealt else list(anywhere):
        for heavies in range(bounds.fewest, bounds.heavies + 1):
            yield Instant(heavies, owner, still, 0, 0)


def every_case(bounds: Bounds) -> Iterator[Asked]:
    """Yield every case there is, of a shedder that remembers nothing."""
    rests = (False, True)
    for first in first_instants(bounds):
        for resting in product(rests, repeat=bounds.bundles):
            yield Asked(first.heavies, first.owner, resting, memory=0)


def instants_after(now: Instant, found: Found, bounds: Bounds) -> Iterator[Instant]:
    """Yield where the loop may be one cycle later."""
    moves = any(found.to)
    wait = max(0, now.wait - 1)
    if moves and bounds.shedder == Shedder.TRANSFER:
        wait = bounds.delay
    for ends in product(*(ends_of(at, now, found, bounds) for at in range(bounds.bundles))):
        owner, rest = tuple(own for own, _ in ends), tuple(left for _, left in ends)
        yield now._replace(owner=owner, rest=rest, wait=wait, memory=found.memory)


def ends_of(at: int, now: Instant, found: Found, bounds: Bounds) -> tuple[tuple[int, int], ...]:
    """Return the owners that a bundle may have one cycle later, and for how many cycles it rests with each."""
    to, own, later = found.to[at], now.owner[at], max(0, now.rest[at] - 1)
    ends = [(new, bounds.grace if is_unloaded(to, own, new, bounds) else later) for new in to or (own,)]
    if bounds.races and any(new != own for new in to):
        ends += [(new, bounds.grace) for new in found.again[at]]
    return tuple(dict.fromkeys(ends))


def is_unloaded(to: tuple[int, ...], own: int, new: int, bounds: Bounds) -> bool:
    """Return whether a bundle is unloaded that is to go, and not passed over because its own broker was drawn."""
    return bool(to) and (new != own or not bounds.rules.chooses_first)


table_of = lru_cache(maxsize=64)(Table)
"""Returns the table of some bounds."""
