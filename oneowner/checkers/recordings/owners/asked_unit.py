"""The unit that a name means: its own key, or a topic's."""

import re
from typing import Final

from oneowner.checkers.recordings.scene.lock_nodes import locks_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.topics import Topics, is_outside
from oneowner.checkers.topics.topic_names import complete
from oneowner.checkers.verdict import Misuse

UNIT: Final = re.compile(r"[^/]+(?:/[^/]+){1,2}/0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}")


def asked_unit(scene: Scene, asked: str, time: int) -> str | None:
    """
    Return the unit that is *asked* for by its key, or by a topic in it at *time*; raise Misuse if it is none.

    None for a topic, where no bundle of any namespace is recorded.
    """
    known = {*scene.channel.units, *locks_of(scene).held, *(unit for poll in scene.polls for unit in poll.claims)}
    if UNIT.fullmatch(asked):
        unit = asked.lower() if asked.lower() in known else asked
        if unit in known or not known:
            return unit
        raise no_unit(scene, asked, known)
    topic = complete(asked)
    if is_outside(topic):
        raise Misuse(f"{topic}: the load manager assigns it to no broker: each broker, or the leader, serves its own")
    found = Topics(scene).unit(topic, time)
    if found is None and (known or scene.boundaries):
        raise no_unit(scene, asked, known)
    return found


def no_unit(scene: Scene, asked: str, known: set[str]) -> Misuse:
    """Return the error for a name of which the recording has no unit."""
    there = sorted({unit.rpartition("/")[0] for unit in known} | {*scene.boundaries})
    return Misuse(f"no such unit in {scene.name}: {asked}; it has bundles of {', '.join(there[:5]) or 'no namespace'}")
