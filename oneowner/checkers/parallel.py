"""Independent pieces of work run on all cores, in processes of their own."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from queue import Empty, SimpleQueue
from threading import Thread
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

QUIET = 10.0
"""Seconds of silence after which progress is reported again."""


def in_parallel(
    work: Callable[[T], R], items: Sequence[T], on_progress: Callable[[str], None] | None = None, more: int = 1
) -> dict[T, R]:
    """
    Return the result of *work* for every item; they are started in the order given.

    There is a process for each core and *more*: one for Spark, which waits most of the time. *on_progress* hears of
    each item that is done, and of the items under way when nothing was done for ``QUIET`` seconds.
    """
    with workers(min((os.cpu_count() or 1) + more, len(items))) as pool:
        return dict(zip(items, spread(pool, work, items, on_progress), strict=True))


def spread(
    pool: Executor,
    work: Callable[[T], R],
    items: Sequence[T],
    on_progress: Callable[[str], None] | None = None,
) -> list[R]:
    """
    Return the result of *work* for each item, in their order, in the processes of a pool; see ``in_parallel``.

    Not by ``concurrent.futures.wait``: Ctrl-C within it may leave locks of futures taken, for which the pool's own
    thread, and so the end of this process, would wait for ever.
    """
    ended = SimpleQueue[Future[R]]()
    with _no_interrupt(), nullcontext() if _is_of_main(work) else _no_main():
        asked = {pool.submit(work, item): item for item in items}
        for future in asked:
            future.add_done_callback(ended.put)
    waiting = dict(asked)
    while waiting:
        try:
            done = ended.get(timeout=QUIET)
            told = f"last: {waiting.pop(done)}"
            done.result()  # what failed is told at once, and not when all else is done
        except Empty:
            told = f"under way: {next(iter(waiting.values()))}"
        if on_progress is not None:
            on_progress(f"{len(items) - len(waiting)} of {len(items)} done; {told}")
    return [future.result() for future in asked]


@contextmanager
def workers(number: int) -> Iterator[ProcessPoolExecutor]:
    """
    Yield a pool of so many processes; however the work ends, none is left behind.

    They are spawned, not forked, so that the one that runs Spark starts from nothing.
    """
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    pool = ProcessPoolExecutor(max(1, number), get_context("spawn"), _begin)
    try:
        yield pool
        pool.shutdown()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in active_children():
            process.terminate()
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """
    Put Ctrl-C off: a process that is started meanwhile hears of none until it has begun, and prints no traceback.

    It inherits what is blocked; another thread of ours may hear of Ctrl-C all the same, so that is noted.
    """
    noted: list[int] = []
    resource_tracker.ensure_running()  # it is started with the first worker, and lets Ctrl-C through again
    before = signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, before)
    if noted and callable(before):
        before(signal.SIGINT, None)


def _is_of_main(work: Callable[..., object]) -> bool:
    """Return whether a work is of the program that was started here: then its processes must load that, too."""
    while isinstance(work, partial):
        work = work.func
    return work.__module__ == "__main__"


@contextmanager
def _no_main() -> Iterator[None]:
    """
    Start processes that do not load the program that was started here: their work is in modules of its own.

    Each would load the whole command line, which takes as long as starting Python.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _begin() -> None:
    """Leave Ctrl-C to the parent, and end with it: nobody ends the workers of a parent that was killed (SIGKILL)."""
    gc.set_threshold(50_000, 20, 50)  # what is traced is kept: looked through as often as usual, it took a seventh
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None, "a worker is started by multiprocessing"
    parent.join()  # it waits for the end of a pipe that the parent alone holds
    os._exit(1)  # the work goes on in another thread: what it started sees that its own parent is gone
