"""Work that is done as if by another process: all that goes there and comes back is a copy."""

import pickle
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from oneowner.checkers.recordings.read.kept_lines import Block
from oneowner.checkers.recordings.read.partition import in_turn, parts_lie_here


def copied(value: Any) -> Any:
    """The copy of a value that another process gets."""
    return pickle.loads(pickle.dumps(value, 5))


def elsewhere(work: Callable[[Any], Iterator[Any]], items: Sequence[Any], files: Sequence[str] = ()) -> Iterator[Any]:
    """Do the work on copies, and return copies of its results."""
    return (copied(part) for part in in_turn(copied(work), copied(list(items))))


class WhereLinesWait:
    """Does the work as a cluster does: blocks of lines wait there for the work that is done beside them."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, Any]] = []
        self.brought: list[list[int]] = []
        """Of which items parts were brought to each piece of work that was done beside them."""

    def __call__(
        self, work: Callable[[Any], Iterator[Any]], items: Sequence[Any], files: Sequence[str] = ()
    ) -> Iterator[Any]:
        self._waiting.clear()
        for number, item in enumerate(items):
            for part in elsewhere(work, [item]):
                self._waiting.append((number, part))
                yield replace(part, item=number) if isinstance(part, Block) else part

    @contextmanager
    def beside(self, items: Sequence[Collection[int]]) -> Iterator[Any]:
        def each(
            work: Callable[[Any], Iterator[Any]], tasks: Sequence[Any], files: Sequence[str] = ()
        ) -> Iterator[Any]:
            for task, own in zip(tasks, items, strict=True):
                parts = [pair for pair in self._waiting if pair[0] in own]
                self.brought.append(sorted({number for number, _ in parts}))
                parts_lie_here(iter(copied(parts)))
                try:
                    yield from elsewhere(work, [task])
                finally:
                    parts_lie_here(iter(()))  # this process, unlike a task's, goes on to other work

        yield each
