"""A cluster is restored: brokers that a scenario has killed, stopped or cut off are restarted."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from oneowner.checkers.collect.admin import Admin
from oneowner.checkers.lab.cluster.cluster import is_ready
from oneowner.checkers.lab.cluster.keeper import registered
from oneowner.checkers.lab.cluster.named import Named, ask, named
from oneowner.checkers.verdict import EngineError


def restore(home: Path, cluster: Named, broken: Sequence[int], seconds: float, told: Callable[[str], None]) -> Named:
    """
    End these brokers, restart them once the others have noticed their end, and return the new record of the cluster.

    :param broken: numbers of brokers, from 1; at least one other lives.
    :param seconds: the timeout of each part.
    :raises EngineError: it takes longer.
    """
    began = time.monotonic()
    for number in broken:
        ask(cluster, do="relay", broker=number, passage="open")
        ask(cluster, do="signal", broker=number, signal="SIGKILL")
    ids = [broker.id for broker in cluster.brokers]
    _wait([one for number, one in enumerate(ids, 1) if number not in broken], seconds)
    for number in broken:
        ask(cluster, do="start", broker=number)
    _wait(ids, seconds)
    which = ", ".join(map(str, broken))
    told(f"the cluster is as it was: broker {which} of it was started anew, {time.monotonic() - began:.1f} s")
    return named(home, cluster.name)


def _wait(ids: Sequence[str], seconds: float) -> None:
    """Wait until these brokers are ready, and list exactly each other; raise EngineError after the timeout."""
    until, admin, found = time.monotonic() + seconds, Admin(), list[str]()
    while not all(is_ready(one) for one in ids) or (found := registered(admin, ids)) != sorted(ids):
        if time.monotonic() > until:
            raise EngineError(f"drive: brokers know of {found or 'nobody'} after {seconds:.0f} s; there are {ids}")
        time.sleep(0.2)
