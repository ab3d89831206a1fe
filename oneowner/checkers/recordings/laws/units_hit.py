"""
Units that the end or the silence of a process affected: those that its broker owned, or that were on their way.

Where clients are recorded, by how long they waited; else by how long the records name a broker that was not there. The
laws of availability speak of waits that are longer than a recovery may take; here also shorter ones count.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.laws.serving.waits import Wait, all_waits
from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.scene.absences import SILENCE
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.lock_nodes import is_by_locks, locks_of
from oneowner.checkers.recordings.scene.namespaces import NO_BROKER
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import stays
from oneowner.checkers.recordings.scene.store_failures import NOT_STORED
from oneowner.checkers.recordings.scene.timeline import END, Lasting, Timeline, meets
from oneowner.checkers.recordings.scene.topics import Topics, namespace_of

OF_PROCESSES: Final = (HappeningKind.PAUSED, HappeningKind.EXITED, HappeningKind.DIED, HappeningKind.STOPPED)
LOGGED: Final[Mapping[str, tuple[str, ...]]] = {
    HappeningKind.NO_CHOICE: NO_BROKER,
    HappeningKind.UNWRITTEN: (NOT_STORED,),
}
"""The lines that show, where no client does, which units such a happening hits."""
WORTH_TELLING: Final = 5_000
"""Milliseconds from which a wait without a finding is reported: a hand-over without a failure takes less."""


class Hit(NamedTuple):
    """One unit that clients could not use, and why."""

    cause: Cause
    unit: str
    """Empty: the boundaries of bundles are not recorded, so that the topics in a log belong to unknown ones."""
    since: int
    until: int
    """The time when a client could use it again, or another broker owned it; END: not before the end."""
    lasted: int
    """Milliseconds for which it is known that nobody could."""
    harm: Harm = Harm.UNUSABLE


@dataclass(frozen=True, slots=True)
class Clients:
    """The experience of the clients of one unit."""

    tried: array[int] = field(default_factory=lambda: array("q"))
    """The times of their sends, or of some of them, in order."""
    waits: list[Wait] = field(default_factory=list)
    """The waits that are worth telling, by time."""

    def tried_between(self, since: int, until: int) -> bool:
        """Return whether a client tried to send from *since* to *until*."""
        first = bisect_left(self.tried, since)
        return first < len(self.tried) and self.tried[first] <= until

    def waits_between(self, since: int, until: int) -> list[Wait]:
        """Return the waits that have a moment from *since* to *until*."""
        return [wait for wait in self.waits if meets(wait, since, until)]


def clients_of(scene: Scene) -> dict[str, Clients]:
    """Return the experience of clients, by unit; none of units to which nobody sent."""
    found: dict[str, Clients] = defaultdict(Clients)
    topics = Topics(scene)
    for wait in sorted(scene.once(all_waits), key=lambda wait: wait.since):
        unit = topics.unit(wait.topic, wait.since)
        if unit is None:
            continue
        own = found[unit]
        own.tried.append(wait.since)
        if wait.lasted > WORTH_TELLING:
            own.waits.append(wait)
    return dict(found)


def units_hit(scene: Scene) -> list[Hit]:
    """Return the units that were not served: no broker was there, none could be chosen, or none could write."""
    known = happenings_of(scene).found.values()
    happened = [one for one in known if one.cause.kind in OF_PROCESSES]
    clients = scene.once(clients_of)
    logged = [one for one in known if one.cause.kind in LOGGED and not one.behind]  # else others may serve them
    found = [hit for one in logged for hit in _logged(scene, one)]
    found = [hit for hit in found if hit.unit not in clients]
    if happened:
        named = _named(scene)
        found += [hit for one in happened for hit in _hits(scene, one, named[one.cause.subject], clients)]
    return sorted(found, key=lambda hit: (hit.since, hit.unit, hit.cause))


def _logged(scene: Scene, happening: Happening) -> Iterator[Hit]:
    """Yield the units of which brokers log again and again that a happening hits them."""
    topics, times = Topics(scene), dict[str, list[int]]()
    for line in scene.lines(*LOGGED[happening.cause.kind]):
        if happening.since <= line.time <= happening.until:
            topic = str(line.values.get("topic") or "")
            unit = line.unit or topics.unit(topic, line.time) or ""
            if happening.cause.subject in ("", unit.rpartition("/")[0] or namespace_of(topic)):
                times.setdefault(unit, []).append(line.time)
    for unit, seen in times.items():
        since, until = min(seen), max(seen)
        if until - since > WORTH_TELLING:
            yield Hit(happening.cause, unit, since, END if happening.until == END else until, until - since)


def _hits(
    scene: Scene, happening: Happening, named: Mapping[str, Sequence[Lasting]], clients: Mapping[str, Clients]
) -> Iterator[Hit]:
    cause, end = happening.cause, scene.end or happening.cause.since
    last = end if happening.until == END else happening.until
    for unit, times in named.items():
        met = [*Timeline.of(times).within(cause.since, last)]
        if not met:
            continue
        first, final = met[0][0], met[-1][1]
        if unit in clients:
            yield from _waited(cause, unit, clients[unit].waits, first, final)
        elif final - first > WORTH_TELLING:
            harm = Harm.UNUSABLE if scene.logged is None else Harm.NONE  # a later owner may be missing
            yield Hit(cause, unit, first, END if final == end else final, final - first, harm)


def _waited(cause: Cause, unit: str, waits: Sequence[Wait], first: int, final: int) -> Iterator[Hit]:
    for wait in waits:
        is_then = cause.since - SILENCE <= wait.since <= final and first <= wait.until
        if is_then:
            yield Hit(cause, unit, wait.since, wait.until if wait.is_over else END, wait.lasted)


def _named(scene: Scene) -> dict[str, dict[str, list[Lasting]]]:
    """Return, by broker and unit, the times in which records, or locks, named it as owner, or in a hand-over."""
    found: dict[str, dict[str, list[Lasting]]] = defaultdict(lambda: defaultdict(list))
    if is_by_locks(scene):
        for unit, times in locks_of(scene).held.items():
            for held in times:
                found[held.broker][unit].append(held)
        return found
    for unit, history in scene.channel.units.items():
        for stay in stays(history):
            for broker in stay.parties:
                found[broker][unit].append(stay)
    return found
