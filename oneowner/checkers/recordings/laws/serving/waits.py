"""
Waits are times for which no send to a topic was confirmed although sends were tried.

A confirmed send names no broker: it only proves that some broker served.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from oneowner.checkers.recordings.read.observations import Send
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END


class Wait(NamedTuple):
    """Some time for which no send to a topic was confirmed although sends were tried."""

    topic: str
    since: int
    """The time of the first attempt among them."""
    until: int
    """The time when the next one was confirmed, or the last one tried."""
    first: Send
    last: Send
    is_over: bool
    """A send was confirmed again."""

    @property
    def lasted(self) -> int:
        """Milliseconds."""
        return self.until - self.since


def waits(topic: str, sends: list[Send]) -> Iterator[Wait]:
    """Yield the waits of one topic between confirmations; *sends* come by the time at which they were tried."""
    tried = [send.start for send in sends]
    confirmed = sorted((send for send in sends if send.end < END), key=lambda send: send.end)
    times = [tried[0] - 1, *(send.end for send in confirmed)] if sends else []
    for number, (since, until) in enumerate(pairwise(times)):
        first = bisect_right(tried, since)
        if first < len(sends) and tried[first] <= until:
            yield Wait(topic, tried[first], until, sends[first], confirmed[number], True)
    if times and (first := bisect_right(tried, times[-1])) < len(sends):
        yield Wait(topic, tried[first], tried[-1], sends[first], sends[-1], False)


def all_waits(scene: Scene) -> list[Wait]:
    """Return the waits of all topics, in the order of their first sends."""
    return [wait for topic, sends in scene.once(sends_by_topic).items() for wait in waits(topic, sends)]


def sends_by_topic(scene: Scene) -> dict[str, list[Send]]:
    found: dict[str, list[Send]] = {}
    for send in scene.sends:
        found.setdefault(send.topic, []).append(send)
    return found


def last_confirmed(scene: Scene, wait: Wait) -> int:
    """Return the time of the last confirmed send to the topic before a wait; its explanation comes after that."""
    sends = (send for send in scene.sends if send.topic == wait.topic)
    return max((send.end for send in sends if send.end <= wait.since), default=wait.since)
