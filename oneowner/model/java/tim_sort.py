"""
``java_sorted`` orders a list as ``List.sort`` of the JDK does, also by a comparator that is no order.

By an order any stable sort gives the same. Two comparators of Pulsar are none (they call near values equal), and then
every step of the sort decides: so this is the JDK's ``java.util.TimSort``, step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

T = TypeVar("T")
Compare = Callable[[Any, Any], int]

LEAST_MERGE: Final = 32
"""Shorter lists are sorted by insertion alone."""
LEAST_GALLOP: Final = 7


class NoOrder(Exception):
    """A comparator contradicts itself: Java throws ``IllegalArgumentException``."""


def java_sorted(items: Iterable[T], compare: Compare) -> list[T]:
    """
    Return the items in the order of ``List.sort(compare)``; *compare* answers below 0, 0, above 0.

    Raises NoOrder where the JDK finds out that the comparator contradicts itself; it often does not.

    >>> java_sorted([30, 10, 20], lambda one, other: one - other)
    [10, 20, 30]
    """
    sort = _Sort(list(items), compare)
    sort.run()
    return sort.items


class _Sort:
    """One sort: the list, and the runs of it that are in order and wait to be merged, each its start and length."""

    def __init__(self, items: list[Any], compare: Compare) -> None:
        self.items, self.compare = items, compare
        self.runs: list[list[int]] = []
        self.gallop = LEAST_GALLOP

    def run(self) -> None:
        low, left = 0, len(self.items)
        if left < LEAST_MERGE:
            self.insert(low, left, low + self.count_run(low, left))
            return
        least = least_run(left)
        while left:
            length = self.count_run(low, len(self.items))
            if length < least:
                self.insert(low, low + min(left, least), low + length)
                length = min(left, least)
            self.runs.append([low, length])
            self.merge_some()
            low, left = low + length, left - length
        while len(self.runs) > 1:
            at = len(self.runs) - 2
            self.merge_at(at - 1 if at > 0 and self.length(at - 1) < self.length(at + 1) else at)

    def length(self, at: int) -> int:
        return self.runs[at][1]

    def count_run(self, low: int, high: int) -> int:
        """Return the length of the run at *low*; one that descends strictly is turned round."""
        items, compare, at = self.items, self.compare, low + 1
        if at >= high:
            return high - low
        descends = compare(items[at], items[low]) < 0
        at += 1
        while at < high and (compare(items[at], items[at - 1]) < 0) == descends:
            at += 1
        if descends:
            items[low:at] = items[low:at][::-1]
        return at - low

    def insert(self, low: int, high: int, start: int) -> None:
        """Sort from *low* to *high* by binary insertion; up to *start* it is sorted."""
        items = self.items
        for here in range(start, high):
            pivot, left, right = items[here], low, here
            while left < right:
                middle = (left + right) // 2
                if self.compare(pivot, items[middle]) < 0:
                    right = middle
                else:
                    left = middle + 1
            items[left : here + 1] = [pivot, *items[left:here]]

    def merge_some(self) -> None:
        """Merge until the lengths of the last runs fall fast enough."""
        length = self.length
        while len(self.runs) > 1:
            at = len(self.runs) - 2
            if (at > 0 and length(at - 1) <= length(at) + length(at + 1)) or (
                at > 1 and length(at - 2) <= length(at) + length(at - 1)
            ):
                at -= length(at - 1) < length(at + 1)
            elif length(at) > length(at + 1):
                break
            self.merge_at(at)

    def merge_at(self, at: int) -> None:
        """Merge two runs that follow each other: elements at their place stay, and the shorter rest is copied."""
        items, ((first, many), (second, more)) = self.items, self.runs[at : at + 2]
        self.runs[at : at + 2] = [[first, many + more]]
        here = self.behind_equals(items[second], items, first, many, 0)
        first, many = first + here, many - here
        if many:
            more = self.before_equals(items[second - 1], items, second, more, more - 1)
        if many and more:
            merge = _Merge(items, first, many, more, forwards=many <= more)
            self.zip(merge)
            merge.finish()
            self.gallop = max(self.gallop, 1)

    def zip(self, merge: _Merge) -> None:
        """Move items to where they belong, one by one, or in stretches as long as those are long."""
        over = merge.take_other() or merge.copies_left == 1
        while not over:
            copies = others = 0
            while not over and (copies | others) < self.gallop:
                one, other = merge.next_copy(), merge.next_other()
                if (self.compare(other, one) if merge.forwards else self.compare(one, other)) < 0:
                    copies, others, over = 0, others + 1, merge.take_other()
                else:
                    copies, others, over = copies + 1, 0, merge.take_copies()
            while not over:
                if merge.forwards:
                    copies = self.behind_equals(merge.next_other(), merge.copied, merge.copy, merge.copies_left, 0)
                    over = merge.take_copies(copies) or merge.take_other()
                    if over:
                        return
                    others = self.before_equals(merge.next_copy(), self.items, merge.other, merge.others_left, 0)
                    over = merge.take_other(others) or merge.take_copies()
                else:
                    left = merge.others_left
                    base = merge.other - left + 1
                    others = left - self.behind_equals(merge.next_copy(), self.items, base, left, left - 1)
                    over = merge.take_other(others) or merge.take_copies()
                    if over:
                        return
                    left = merge.copies_left
                    copies = left - self.before_equals(merge.next_other(), merge.copied, 0, left, left - 1)
                    over = merge.take_copies(copies) or merge.take_other()
                if over:
                    return
                self.gallop -= 1
                if max(copies, others) < LEAST_GALLOP:
                    self.gallop = max(self.gallop, 0) + 2
                    break

    def before_equals(self, key: Any, run: Sequence[Any], base: int, length: int, hint: int) -> int:
        """Return where the key belongs in a run, counted from its *base*, before its equals."""
        return galloped(lambda at: self.compare(key, run[base + at]) > 0, length, hint)

    def behind_equals(self, key: Any, run: Sequence[Any], base: int, length: int, hint: int) -> int:
        """Return the same behind its equals."""
        return galloped(lambda at: self.compare(key, run[base + at]) >= 0, length, hint)


class _Merge:
    """Two runs that become one in their places, from the left, the first one copied; or from the right, the second."""

    def __init__(self, items: list[Any], first: int, many: int, more: int, forwards: bool) -> None:
        second, end = first + many, first + many + more
        self.items, self.forwards, self.way = items, forwards, 1 if forwards else -1
        self.copied = items[first:second] if forwards else items[second:end]
        self.copies_left, self.others_left = (many, more) if forwards else (more, many)
        self.copy, self.other, self.to = (0, second, first) if forwards else (more - 1, second - 1, end - 1)

    def next_copy(self) -> Any:
        return self.copied[self.copy]

    def next_other(self) -> Any:
        return self.items[self.other]

    def take_copies(self, count: int = 1) -> bool:
        """Put the next of the copies into place; say whether one is left at most: it is the last of all."""
        for _ in range(count):
            self.items[self.to] = self.copied[self.copy]
            self.copy, self.to = self.copy + self.way, self.to + self.way
        self.copies_left -= count
        return self.copies_left <= 1

    def take_other(self, count: int = 1) -> bool:
        """Put the next of the other run into place; say whether none is left."""
        for _ in range(count):
            self.items[self.to] = self.items[self.other]
            self.other, self.to = self.other + self.way, self.to + self.way
        self.others_left -= count
        return self.others_left == 0

    def finish(self) -> None:
        """Put the rest into place."""
        if not self.copies_left:
            raise NoOrder("Comparison method violates its general contract!")
        self.take_other(self.others_left)
        self.take_copies(self.copies_left)


def least_run(length: int) -> int:
    """
    Return how long runs are made: *length* by a power of two, rounded up, 16 to 32.

    >>> least_run(64), least_run(65), least_run(1000)
    (16, 17, 32)
    """
    rest = 0
    while length >= LEAST_MERGE:
        length, rest = length // 2, rest | length % 2
    return length + rest


def galloped(lies_behind: Callable[[int], bool], length: int, hint: int) -> int:
    """Return the first place that the key does not lie behind: from *hint* by steps that double, then by halving."""
    before, step, upwards = 0, 1, lies_behind(hint)
    most, way = (length - hint, 1) if upwards else (hint + 1, -1)
    while step < most and lies_behind(hint + way * step) == upwards:
        before, step = step, 2 * step + 1
    step = min(step, most)
    low, high = (hint + before, hint + step) if upwards else (hint - step, hint - before)
    low += 1
    while low < high:
        middle = low + (high - low) // 2
        low, high = (middle + 1, high) if lies_behind(middle) else (low, middle)
    return high
