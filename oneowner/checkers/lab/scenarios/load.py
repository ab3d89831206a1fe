"""Admin calls beside a scenario's events: many moves of bundles while a block runs, and several calls at once."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from random import Random

from oneowner.checkers.lab.cluster.recording import Recording

LONGEST = 90
"""The timeout of the last calls, in seconds: a broker answers one within 60 s or never."""


def units(run: Recording) -> list[str]:
    """Return every owned bundle of the scenario."""
    return sorted({unit for number in run.alive() for unit in run.owned(number)})


@contextmanager
def moving(run: Recording, workers: int = 1, every: float = 0.4) -> Iterator[None]:
    """
    Unload and transfer bundles at random through random live brokers, until the block ends.

    :param every: the pause of each worker between two calls, in seconds; it makes at least one
    """
    ended, found = threading.Event(), units(run)

    def move(random: Random) -> None:
        count = 0
        while found and (alive := run.alive()):
            count += 1
            run.unload(random.choice(found), random.choice(alive), random.choice([None, *alive]))
            if ended.wait(every):
                break
        run.event("moves ended", count=count)

    with asking(*(partial(move, Random(seed)) for seed in range(workers)), ended=ended):
        yield


@contextmanager
def visiting(run: Recording, topics: Sequence[str], workers: int = 20) -> Iterator[None]:
    """Run clients that send one message each, to one topic after the other, until the block ends."""
    ended, urls = threading.Event(), ",".join(f"127.0.0.1:{port}" for port in run.cluster.binary)
    shares = [cycle(topics[number::workers]) for number in range(workers)]
    with asking(*(partial(run.recorder.visits, urls, share, ended) for share in shares), ended=ended):
        yield


@contextmanager
def asking(*calls: Callable[[], object], ended: threading.Event | None = None) -> Iterator[None]:
    """Make several calls at the same time while a block runs, and wait for their answers when it has *ended*."""
    threads = [threading.Thread(target=call, daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        if ended is not None:
            ended.set()
        for thread in threads:
            thread.join(LONGEST)


def at_once(*calls: Callable[[], object]) -> None:
    """Make several calls at the same time, and wait for their answers."""
    with asking(*calls):
        pass
