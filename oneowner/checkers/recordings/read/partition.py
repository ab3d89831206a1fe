"""
Executors map work over many items: one after the other, on all cores, or over a cluster (``spark_partition.py``).

The results of an item come in parts, and in the order of the items, with every executor.
"""

import gc
import os
import pickle
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent import futures
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

from oneowner.checkers.parallel import spread, workers

Item = TypeVar("Item")
Part = TypeVar("Part")


class Executor(Protocol):
    """
    Yields all parts of the first item, then those of the second, and so on; items and parts can be pickled.

    The work may read *files* of this machine, by ``file_at``.
    """

    def __call__(
        self, work: Callable[[Any], Iterator[Part]], items: Sequence[Any], files: Sequence[str] = ()
    ) -> Iterator[Part]: ...


@runtime_checkable
class Keeping(Protocol):
    """An executor that can also run work on the machines that hold parts of former work."""

    def beside(self, items: Sequence[Collection[int]]) -> AbstractContextManager[Executor]:
        """
        Return an executor for as many items, each run where the parts of some former *items* are held.

        The work takes these by ``parts_here``. They are released afterwards.
        """


_copies: Final = ContextVar("copies", default="")
_parts: Final = ContextVar[Iterator[tuple[int, Any]]]("parts")


def copies_lie_in(folder: str) -> None:
    """Set the folder for copies of files, on a machine that runs the work and is not the caller's."""
    _copies.set(folder)


def copies_folder() -> str:
    """Return the folder for files of work from another machine; empty: the usual place."""
    return _copies.get()


def file_at(path: str) -> str:
    """Return the path of a file of the caller's machine: the file itself, or its copy."""
    return path if Path(path).exists() else str(Path(_copies.get(), Path(path).name))


def parts_lie_here(parts: Iterator[tuple[int, Any]]) -> None:
    """Set the parts of former work that the next item of work uses."""
    _parts.set(parts)


def parts_here() -> Iterator[tuple[int, Any]]:
    """Yield once, in order, the parts of former work that this item uses, each with the number of its item."""
    return _parts.get(iter(()))


def in_turn(work: Callable[[Item], Iterator[Part]], items: Sequence[Item], files: Sequence[str] = ()) -> Iterator[Part]:
    """Run the work in this process."""
    for item in items:
        yield from work(item)


def in_processes(
    work: Callable[[Any], Iterator[Part]], items: Sequence[Any], files: Sequence[str] = ()
) -> Iterator[Part]:
    """Run the work in a process for each core; its parts stay on disk until all of it is done."""
    with processes(len(items)) as executor:
        yield from executor(work, items)


@contextmanager
def processes(most: int) -> Iterator[Executor]:
    """Yield an executor with a process for each core, at most *most*, which are reused for each work."""
    with workers(min(os.cpu_count() or 1, most)) as pool:
        yield partial(_in_pool, pool)


def _in_pool(
    pool: futures.Executor, work: Callable[[Any], Iterator[Part]], items: Sequence[Any], files: Sequence[str] = ()
) -> Iterator[Part]:
    with TemporaryDirectory(prefix="oneowner-parts-") as folder:
        done = spread(pool, partial(_written, work, folder), items)
        for path, number in done:
            with Path(path).open("rb") as stream:
                yield from (pickle.load(stream) for _ in range(number))
            Path(path).unlink()


def _written(work: Callable[[Item], Iterator[Part]], folder: str, item: Item) -> tuple[str, int]:
    """Write the parts of an item to a file; return its path, and their number."""
    gc.disable()  # in a process of its own, nothing of which lives longer: it takes a third of the time otherwise
    with NamedTemporaryFile(dir=folder, delete=False) as stream:
        number = 0
        for part in work(item):
            pickle.dump(part, stream, 5)
            number += 1
    return stream.name, number
