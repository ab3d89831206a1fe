"""
Conditions hold for a broker or a unit at some moments: each is a timeline, made once for a scene.

A law reads as arithmetic on them: *judged* minus its excuses, longer than a limit. Times are those that the sources
print; where clocks may differ, a law narrows or widens a timeline by ``clock_skew``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.broker_processes import CLOSING, lines_of, living
from oneowner.checkers.recordings.scene.registry import BACK, LOST, registry_of
from oneowner.checkers.recordings.scene.registry_from_logs import SESSION
from oneowner.checkers.recordings.scene.registry_nodes import Held
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.stays import stays
from oneowner.checkers.recordings.scene.timeline import Timeline

ByBroker = Mapping[str, Timeline]
NEVER: Timeline = Timeline()


def alive(scene: Scene, broker: str) -> Timeline:
    """Return when a process of *broker* gave signs of life; a pause in which it was asked in vain is left out."""
    return scene.once(_alive).get(broker, NEVER)


def registered(scene: Scene, broker: str) -> Timeline:
    """Return when the node of *broker* was in the registry."""
    return scene.of_run(_registered).get(broker, NEVER)


def leads(scene: Scene, broker: str) -> Timeline:
    """Return when the leader's node named *broker*."""
    return scene.of_run(_leads).get(broker, NEVER)


def has_session(scene: Scene, broker: str) -> Timeline:
    """
    Return when a process of *broker* certainly had its session with the metadata store.

    A lost one is taken to be out of reach for a whole session time-out before its log reports the loss.
    """
    return scene.once(_has_session).get(broker, NEVER)


def asked(scene: Scene, broker: str) -> Timeline:
    """Return when a lookup or a poll waited for an answer of *broker*, its first and last millisecond included."""
    return scene.once(_asked).get(broker, NEVER)


def can_serve(scene: Scene, broker: str) -> Timeline:
    """Return when *broker* was able to serve a unit that it owned: up, and with its session."""
    return is_up(scene, broker) & has_session(scene, broker)


def is_up(scene: Scene, broker: str) -> Timeline:
    """Return when a process of *broker* was there: not silent, and not stopping."""
    return scene.once(_is_up).get(broker, NEVER)


def owns(scene: Scene, broker: str, unit: str) -> Timeline:
    """Return when the channel named *broker* as the owner of *unit*, by publish times."""
    return owners(scene, unit).get(broker, NEVER)


def owners(scene: Scene, unit: str) -> ByBroker:
    """Return when the channel named each broker that ever owned *unit* as its owner, by publish times."""
    known = scene.of_run(_owners)
    if unit not in known:
        known[unit] = _by_broker(
            (stay.owner, stay.since, stay.until)
            for stay in (stays(scene.channel.units[unit]) if unit in scene.channel.units else ())
            if stay.owner is not None
        )
    return known[unit]


def _owners(_: Scene) -> dict[str, ByBroker]:
    """Begin with no unit: of millions, only those that laws ask for are worked out."""
    return {}


def _by_broker(times: Iterable[tuple[str, int, int]]) -> dict[str, Timeline]:
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for broker, since, until in times:
        found[broker].append((since, until))
    return {broker: Timeline(intervals) for broker, intervals in found.items()}


def _of_lives(scene: Scene, times: Callable[[Life], Timeline]) -> dict[str, Timeline]:
    return _by_broker((life.broker, since, until) for life in living(scene) for since, until in times(life))


def _of_nodes(nodes: Iterable[Held]) -> dict[str, Timeline]:
    return _by_broker((held.broker, held.since, held.until) for held in nodes)


def _alive(scene: Scene) -> dict[str, Timeline]:
    there = _of_lives(scene, lambda life: Timeline([(life.start, life.end)]))
    return {
        broker: timeline - Timeline.of(away for away in absences(scene, broker) if away.is_pause)
        for broker, timeline in there.items()
    }


def _registered(scene: Scene) -> dict[str, Timeline]:
    return _of_nodes(registry_of(scene).registrations)


def _leads(scene: Scene) -> dict[str, Timeline]:
    return _of_nodes(registry_of(scene).leaders)


def _has_session(scene: Scene) -> dict[str, Timeline]:
    def times(life: Life) -> Timeline:
        events = [(line.values.get("event"), line.time) for line in lines_of(scene, life, SESSION)]
        switches = [
            (time - scene.limits.session if event == LOST else time, event == LOST)
            for event, time in events
            if event in (LOST, BACK)
        ]
        outages = Timeline.alternating(switches, life.end)
        return Timeline([(life.start, life.end)]) - outages

    return _of_lives(scene, times)


def _asked(scene: Scene) -> dict[str, Timeline]:
    lookups = ((lookup.asked, lookup.start, lookup.end + 1) for lookup in scene.lookups)
    return _by_broker([*lookups, *((poll.asked, poll.start, poll.end + 1) for poll in scene.polls)])


def _is_up(scene: Scene) -> dict[str, Timeline]:
    def times(life: Life) -> Timeline:
        closing = [line.time for line in lines_of(scene, life, *CLOSING)]
        return Timeline([(life.start, min([life.end, *closing]))])

    return {
        broker: timeline - Timeline.of(absences(scene, broker)) for broker, timeline in _of_lives(scene, times).items()
    }
