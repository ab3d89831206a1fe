"""Answers and lists of brokers that name the owner, where no record does."""

from typing import NamedTuple

from oneowner.checkers.recordings.read.observations import Lookup, Poll
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.topics import Topics, namespace_of

OK = 200


class Claim(NamedTuple):
    """The last answer that names the owner of a unit."""

    broker: str
    time: int
    words: str
    evidence: Lookup | Poll


def last_claim(scene: Scene, unit: str, time: int) -> Claim | None:
    """Return the last answer by *time*: a broker's own list with the unit, or a lookup of one of its topics."""
    found = [
        Claim(poll.asked, poll.start, f"the list of {poll.asked} named it", poll)
        for poll in scene.polls
        if poll.status == OK and unit in poll.claims and poll.start <= time
    ]
    topics, namespace = Topics(scene), unit.rpartition("/")[0]
    found += [
        Claim(one.answer, one.end, f"{one.asked} answered a lookup of {one.topic} with {one.answer}", one)
        for one in scene.lookups
        if one.answer is not None and one.end <= time and namespace_of(one.topic) == namespace
        and topics.unit(one.topic, one.start, one.end) == unit
    ]  # fmt: skip
    return max(found, key=lambda one: one.time, default=None)
