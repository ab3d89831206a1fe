"""
A scene is cut into parts by broker: the logs, requests and answers of some brokers, beside all data of the cluster.

A part has the whole channel, ZooKeeper's history, and the messages of clients; of lines, lookups and polls only those
of its own brokers. Brokers keep their order, so findings, part after part, come in the order of the whole.
"""

from collections.abc import Iterator
from dataclasses import replace

from oneowner.checkers.recordings.read.observations import Lookup, Poll
from oneowner.checkers.recordings.scene.packed_logs import PackedLog
from oneowner.checkers.recordings.scene.scene import Scene

MOST_KEPT = 1_000_000
"""Lines of packed logs up to which results are kept, a tenth of a gigabyte or so: they are used twice."""


def brokers_of(scene: Scene) -> list[str]:
    """Return the brokers in the order of parts: those with a log come first, in the order of logs."""
    return list(dict.fromkeys([*scene.said, *scene.brokers]))


def brokers_of_parts(scene: Scene, number: int) -> list[list[str]]:
    """Return the brokers of each of so many parts."""
    brokers = brokers_of(scene)
    parts: list[list[str]] = [[] for _ in range(number)]
    for place, broker in enumerate(brokers):
        parts[place * number // len(brokers)].append(broker)
    return parts


class Parts:
    """The parts of *scene*: *number* of them, with as many brokers each, or one more; some may have none."""

    def __init__(self, scene: Scene, number: int) -> None:
        self._scene, self._number = scene, number
        self._kept: list[Scene] | None = None
        if number == 1:
            self._kept = [scene]

    def one(self, part: int) -> Scene:
        """Return the part of this number, from 0, alone."""
        return next(self._cut(part)) if self._kept is None else self._kept[part]

    def __iter__(self) -> Iterator[Scene]:
        """Yield them; those of a long run with packed logs are made anew, and no results of them are kept."""
        is_short = not is_packed(self._scene) or sum(map(len, self._scene.said.values())) <= MOST_KEPT
        if self._kept is None and is_short:
            self._kept = list(self._cut())
        yield from self._cut() if self._kept is None else self._kept

    def _cut(self, alone: int | None = None) -> Iterator[Scene]:
        whole, brokers = self._scene, brokers_of_parts(self._scene, self._number)
        part_of = {broker: part for part, own in enumerate(brokers) for broker in own}
        lookups: list[list[Lookup]] = [[] for _ in range(self._number)]
        polls: list[list[Poll]] = [[] for _ in range(self._number)]
        for lookup in whole.lookups:
            lookups[part_of.get(lookup.asked, -1)].append(lookup)
        for poll in whole.polls:
            polls[part_of.get(poll.asked, -1)].append(poll)
        for part in range(self._number) if alone is None else (alone,):
            own = brokers[part]
            said = {broker: whole.said[broker] for broker in own if broker in whole.said}
            lives = {broker: whole.lives[broker] for broker in own if broker in whole.lives}
            yield replace(whole, whole=whole, said=said, lives=lives, lookups=lookups[part], polls=polls[part])


def is_packed(scene: Scene) -> bool:
    """Return whether the lines of its logs are too many to be kept in memory."""
    return any(isinstance(lines, PackedLog) for lines in scene.said.values())


def parts_at_once(scene: Scene) -> int:
    """Return the number of parts to judge it in: one broker at a time if its lines do not stay in memory."""
    return max(1, len(brokers_of(scene))) if is_packed(scene) else 1
