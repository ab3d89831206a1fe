"""
A producer that its own broker's log does not name is named by the log of the broker that accepted it.

The 5.0 line logs ``Created producer`` before it has the name (``ProducerImpl.connectionOpened``), so the name is null;
the host of the topic logs ``Created new producer`` with it. Both print the client's end of the connection, the number
of the producer on it, and the topic.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from oneowner.checkers.recordings.read.observations import LogEvent

CREATED: Final = "producer-created"
ACCEPTED: Final = "producer-accepted"
APART: Final = 30_000
"""Milliseconds between the two lines: a client waits no longer (operationTimeoutMs); later, a port may be another's."""
_LOCAL = re.compile(r"L:[^\s/]*/(\S+:\d+) - ")


def name_producers(said: Sequence[LogEvent]) -> None:
    """Name each unnamed ``producer-created`` by the nearest line that accepted it, if there is any."""
    nameless = [line for line in said if line.event == CREATED and line.values.get("producer") is None]
    if not nameless:
        return
    accepted: dict[tuple[str, int, str], list[tuple[int, str]]] = defaultdict(list)
    for line in said:
        if line.event == ACCEPTED and line.values.get("producer"):
            end = line.values["client"].rpartition("/")[2]
            accepted[end, line.values["number"], line.values["topic"]].append((line.time, line.values["producer"]))
    for line in nameless:
        local = _LOCAL.search(line.values.get("connection") or "")
        places = accepted[local[1], line.values["number"], line.values["topic"]] if local is not None else []
        near = [(abs(time - line.time), name) for time, name in places if abs(time - line.time) <= APART]
        line.values["producer"] = min(near)[1] if near else None
