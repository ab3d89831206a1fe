"""
Times in which brokers log that the bookies did not store messages of their topics.

A client retries while it lasts, so that the broker logs a line for each attempt (``PersistentTopic.addFailed``); the
first comes when a write has timed out. Only clients show that no send was confirmed at all (``serving/unwritten.py``).
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.times import lasting

NOT_STORED: Final = "publish-not-persisted"
OF_BOOKIES: Final = re.compile(r"\bbookies?\b", re.IGNORECASE)
"""The errors of BookKeeper's client (``BKException``); others, such as a fenced ledger, are of one topic."""
APART: Final = 30_000
"""Milliseconds between such lines from which on they are of two times."""
LONG: Final = 10_000
"""Milliseconds from which such a time is reported."""


def store_failures(scene: Scene) -> Iterator[Happening]:
    """Yield times without clients in which several brokers, or the only one with a log, could not store messages."""
    if scene.sends:
        return
    lines = [line for line in scene.lines(NOT_STORED) if OF_BOOKIES.search(str(line.values.get("error")))]
    starts = [0, *(number for number, (one, then) in enumerate(pairwise(lines), 1) if then.time - one.time > APART)]
    for start, end in pairwise([*starts, len(lines)]):
        own = lines[start:end]
        brokers = {line.broker for line in own}
        if not own or len(brokers) < min(2, len(scene.said)) or own[-1].time - own[0].time < LONG:
            continue
        since, last = own[0].time, own[-1].time
        until = END if scene.end is not None and scene.end - last < LONG else last
        words = f"the bookies took no writes of {len(brokers)} of {len(scene.said)} brokers for {lasting(last - since)}"
        repair = "check that the bookies take writes and their disks are not full; no broker needs a restart for it"
        cause = Cause(HappeningKind.UNWRITTEN, "", since)
        yield Happening(cause, until, words, (), (own[0], own[-1]), (), repair)
