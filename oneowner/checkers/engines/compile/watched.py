"""``watched`` keeps tracing and compiling, which check no limits, within time and memory, and reports progress."""

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from typing import NamedTuple, Protocol

OUT_OF_MEMORY = "the budget of memory is used up"
OUT_OF_TIME = "the budget of time is used up"

LOOKS = 0.5
"""Seconds between two looks at the limits."""


class Stopped(Exception):
    """A budget is used up."""


class Doing(NamedTuple):
    """The current work, its duration and its memory."""

    words: str
    seconds: float
    memory: int
    """Bytes, of this process and of those that it started."""
    rest: float | None
    """The estimated seconds until this part is done; None if unknown."""

    def __str__(self) -> str:
        rest = "" if self.rest is None else f" (about {self.rest:.0f} s more)"
        return f"{self.words}{rest}, {self.seconds:.0f} s in all, {self.memory / 2**20:,.0f} MiB"


class At(Protocol):
    """Hears what is being done, and how many of how many parts are done."""

    def __call__(self, words: str, done: int = 0, of: int = 0) -> None: ...


def unheard(words: str, done: int = 0, of: int = 0) -> None:
    """Report no progress."""


@contextmanager
def watched(seconds: float | None, most: int | None, tell: Callable[[Doing], None] | None = None) -> Iterator[At]:
    """
    Yield a progress callback; raise Stopped amid the work when it exceeds *seconds*, or *most* bytes.

    It is told once a second, and when it begins something else. The process's own timer interrupts the work, as Ctrl-C
    would, so nothing has to ask.
    """
    started = time.monotonic()
    held_before = memory_of_all()
    now: tuple[str, int, int, float] = ("getting ready", 0, 0, started)
    told, last, ended = started, "", False

    def at(words: str, done: int = 0, of: int = 0) -> None:
        nonlocal now
        began = now[3] if words == now[0] else time.monotonic()
        now = words, done, of, began

    def look(*_: object) -> None:
        nonlocal told, last
        if ended:  # it rang just before it was stopped
            return
        doing = described(now, started)
        if seconds is not None and doing.seconds > seconds:
            raise Stopped(f"{OUT_OF_TIME}: {doing}")
        if most is not None and doing.memory - held_before > most:
            raise Stopped(f"{OUT_OF_MEMORY}: {doing}")
        if tell is not None and (now[0] != last or time.monotonic() - told >= 1):
            told, last = time.monotonic(), now[0]
            tell(doing)
        signal.setitimer(signal.ITIMER_REAL, LOOKS)  # only now: on a busy machine a look may take longer than that

    if current_thread() is not main_thread():  # which alone hears a timer
        yield at
        return
    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, LOOKS / 10)
    try:
        try:
            yield at
        finally:
            ended = True
    finally:  # it may ring, and stop the work, just before it is stopped itself
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def described(now: tuple[str, int, int, float], started: float) -> Doing:
    """Return what is being done, since when, and how long its rest will take if every part takes as long."""
    words, done, of, began = now
    moment = time.monotonic()
    rest = (moment - began) / done * (of - done) if done else None
    parts = f" {done:,} of {of:,}" if of else ""
    return Doing(f"{words}{parts}", moment - started, memory_of_all(), rest)


def memory_of_process() -> int:
    """Return the most bytes that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def memory_of_all() -> int:
    """Return the bytes held by this process and its children; where the system has no number, the peak."""
    held = {process: (parent, size) for process, parent, size in _processes()}
    tree, news = set[int](), {os.getpid()}
    while news:
        tree |= news
        news = {process for process, (parent, _) in held.items() if parent in tree} - tree
    return sum(held[process][1] for process in tree if process in held) or memory_of_process()


def _processes() -> Iterator[tuple[int, int, int]]:
    """Yield every process, the one that started it, and the bytes that it holds, as Linux lists them."""
    page = os.sysconf("SC_PAGE_SIZE")
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):  # paths cost more than this
        with suppress(OSError), open(f"/proc/{name}/stat", "rb", buffering=0) as stat:  # or else it has ended
            told = stat.read().rpartition(b") ")[2].split()
            yield int(name), int(told[1]), int(told[21]) * page
