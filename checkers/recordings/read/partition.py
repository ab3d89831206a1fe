"""
Work on many items is done apart: one after the other, on all cores, or spread over a cluster (``spark_partition.py``).

What the work makes of an item comes in parts, and in the order of the items, whoever did it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from oneowner.checkers.parallel import in_parallel

Item = TypeVar("Item")
Part = TypeVar("Part")


class Each(Protocol):
    """
    Yields all parts of the first item, then those of the second, and so on; items and parts can be pickled.

    The work may read *files* of this machine, by ``file_at``.
    """

    def __call__(
        self, work: Callable[[Any], Iterator[Part]], items: Sequence[Any], files: Sequence[str] = ()
    ) -> Iterator[Part]: ...


_copies: Final = ContextVar("copies", default="")


def copies_lie_in(folder: str) -> None:
    """Say where copies of files lie, on a machine on which the work is done and who asks for it is not."""
    _copies.set(folder)


def file_at(path: str) -> str:
    """Return where the work finds a file of the machine that asks for it: there, or its copy."""
    return path if Path(path).exists() else str(Path(_copies.get(), Path(path).name))


def in_turn(work: Callable[[Item], Iterator[Part]], items: Sequence[Item], files: Sequence[str] = ()) -> Iterator[Part]:
    """Do the work in this process."""
    for item in items:
        yield from work(item)


def in_processes(
    work: Callable[[Any], Iterator[Part]], items: Sequence[Hashable], files: Sequence[str] = ()
) -> Iterator[Part]:
    """Do the work in a process for each core; what is made of an item comes when all of it is there."""
    done = in_parallel(partial(_all_of, work), items)
    for item in items:
        yield from done.pop(item)


def _all_of(work: Callable[[Item], Iterator[Part]], item: Item) -> list[Part]:
    gc.disable()  # in a process of its own, nothing of which lives longer: it takes a third of the time otherwise
    return list(work(item))
