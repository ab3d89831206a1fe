"""
Conditions hold for a broker at some moments: each is a timeline, made once for a scene.

A law reads as arithmetic on them: *judged* minus its excuses, longer than a limit. Times are those that the sources
print; where clocks may differ, the law adds ``clock_skew``.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.broker_processes import CLOSING, lines_of, living
from oneowner.checkers.recordings.scene.registry import BACK, LOST, registry_of
from oneowner.checkers.recordings.scene.registry_from_logs import SESSION
from oneowner.checkers.recordings.scene.registry_nodes import Held
from oneowner.checkers.recordings.scene.scene import Life, Scene
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

    A lost one is taken to be out of reach for a whole session timeout before its log reports the loss.
    """
    return scene.once(_has_session).get(broker, NEVER)


def is_up(scene: Scene, broker: str) -> Timeline:
    """Return when a process of *broker* was there: not silent, and not stopping."""
    return scene.once(_is_up).get(broker, NEVER)


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


def _is_up(scene: Scene) -> dict[str, Timeline]:
    def times(life: Life) -> Timeline:
        closing = [line.time for line in lines_of(scene, life, *CLOSING)]
        return Timeline([(life.start, min([life.end, *closing]))])

    return {
        broker: timeline - Timeline.of(absences(scene, broker)) for broker, timeline in _of_lives(scene, times).items()
    }
