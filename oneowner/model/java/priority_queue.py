"""``PriorityQueue``, the binary heap of the JDK: its order when keys changed under it, and its listing."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class PriorityQueue(Generic[T]):
    """
    A heap in an array. A key is asked anew at each comparison: one that changed leaves the heap as it is.

    >>> queue = PriorityQueue[int](lambda number: number)
    >>> for number in (3, 1, 2): queue.offer(number)
    >>> list(queue), queue.poll(), list(queue)
    ([1, 3, 2], 1, [2, 3])
    """

    def __init__(self, key: Callable[[T], Any]) -> None:
        self.key = key
        self.items: list[T] = []

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def offer(self, item: T) -> None:
        """Put one in."""
        self.items.append(item)
        self._sift_up(len(self.items) - 1, item)

    def poll(self) -> T:
        """Take out the head; raise IndexError if there is none."""
        head, last = self.items[0], self.items.pop()
        if self.items:
            self._sift_down(0, last)
        return head

    def remove(self, item: T) -> None:
        """Take out one; raise ValueError if it is not there."""
        at, last = self.items.index(item), self.items.pop()
        if at == len(self.items):
            return
        self._sift_down(at, last)
        if self.items[at] == last:
            self._sift_up(at, last)

    def _sift_up(self, at: int, item: T) -> None:
        key = self.key(item)
        while at > 0:
            parent = (at - 1) // 2
            if key >= self.key(self.items[parent]):
                break
            self.items[at] = self.items[parent]
            at = parent
        self.items[at] = item

    def _sift_down(self, at: int, item: T) -> None:
        key, size = self.key(item), len(self.items)
        while at < size // 2:
            child = 2 * at + 1
            if child + 1 < size and self.key(self.items[child]) > self.key(self.items[child + 1]):
                child += 1
            if key <= self.key(self.items[child]):
                break
            self.items[at] = self.items[child]
            at = child
        self.items[at] = item
