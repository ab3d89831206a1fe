"""
Time in which no clean-up was due: the leader's session was over, lost or new, or the leader put a clean-up off.

``ServiceUnitStateChannelImpl`` of all releases (3.0.0 to 4.2.4): while the session of the leader is lost, or was
established anew less than 180 s ago, ``monitorOwnerships`` does nothing at all (its state is not Stable), and
``handleBrokerDeletionEvent`` ignores the end of a broker, or puts its clean-up off by 180 s. That is intended: a broker
that comes back soon keeps its units. A leader that dies leads on until its session ends; the next one monitors at once
(``scheduleOwnershipMonitor``). The absence of a leader excuses nothing.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.scene.broker_processes import lines_of
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_from_logs import BACK, SESSION
from oneowner.checkers.recordings.scene.registry_nodes import Held
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END, Timeline

JITTERY: Final = 180_000
"""``MAX_CLEAN_UP_DELAY_TIME_IN_SECS``: milliseconds for which a session is new; no configuration."""


def put_off(scene: Scene, since: int, until: int, brokers: Iterable[str]) -> Timeline:
    """
    Return the times from *since* to *until* in which no clean-up of units of *brokers* was due.

    That one of these was the leader and died is not counted: for their own sessions the limits of laws have room.
    """
    own = set(brokers)
    expired = (part for broker, part in scene.of_run(_expired) if broker not in own)
    return (scene.of_run(_unsteady) | Timeline([*_scheduled(scene, own), *expired])).within(since, until)


def _scheduled(scene: Scene, brokers: set[str]) -> Iterator[tuple[int, int]]:
    """Yield for how long a clean-up after one of *brokers* was put off, by the log of the leader that scheduled it."""
    for line in scene.lines("cleanup-scheduled"):
        if line.values.get("subject") in brokers:
            yield line.time, line.time + 1000 * int(line.values.get("seconds") or 0)


def _tenures(scene: Scene) -> list[Held]:
    """Return the times with a leader; not the last one, if nobody led after it: then that is the fault."""
    led = registry_of(scene).leaders
    return [one for one in led if one.until == END or any(other.since >= one.until for other in led)]


def _expired(scene: Scene) -> list[tuple[str, tuple[int, int]]]:
    """Return for how long each leader was not heard of whose session ended with its time."""
    return [
        (held.broker, (held.until - scene.limits.session, held.until))
        for held in _tenures(scene)
        if isinstance(held.ended, NodeWrite) and held.ended.op == "closeSession"
    ]


def _unsteady(scene: Scene) -> Timeline:
    """
    Return the times in which the leader's session was lost or new, by its log; a process begins with a steady one.
    """
    found: list[tuple[int, int]] = []
    last = scene.end or 0
    led = _tenures(scene)
    tenures = {
        broker: Timeline.of(held for held in led if held.broker == broker) for broker in {held.broker for held in led}
    }
    for lives in scene.lives.values():
        for number, life in enumerate(lives):
            events = [(line.time, line.values.get("event")) for line in lines_of(scene, life, SESSION)]
            ends = lives[number + 1].start if number + 1 < len(lives) else last
            for (since, event), (until, _) in pairwise([*events, (ends, None)]):
                end = min(until, since + JITTERY) if event == BACK else until
                found += tenures.get(life.broker, Timeline()).within(since, end)
    return Timeline(found)
