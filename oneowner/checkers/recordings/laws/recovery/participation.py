"""Times in which a process can be registered and elected, and those in which its registration was missing."""

from collections.abc import Iterator

from oneowner.checkers.recordings.fold.recorded_law import Excuse, excuse
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.broker_processes import STARTING, lines_of, living
from oneowner.checkers.recordings.scene.outages import outages
from oneowner.checkers.recordings.scene.registry_from_logs import CREATED, REGISTERED
from oneowner.checkers.recordings.scene.registry_nodes import Gap, Registry, gaps
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.timeline import END, Timeline

OUTLIVED = "the logs end amid an outage of the metadata store, which nodes may have outlived"
LATE_BEGIN = "its log and the history begin later than its process"


def unlisted(scene: Scene, registry: Registry, life: Life) -> Iterator[Gap]:
    """
    Yield the times at which the process *life*, once registered, was not.

    A line of its own log that shows that it registered ends such a time, too.
    """
    times = registry.of(life.broker)
    first = next((held for held in times if held.since >= life.start or held.until > life.start), None)
    if first is None:
        return
    for gap in gaps(times, max(life.start, first.since), life.end):
        if not stops_by_itself.of(scene, gap):
            yield gap._replace(until=min([gap.until, *own_line.of(scene, life, gap)]))


def is_told(scene: Scene, life: Life) -> bool:
    """
    Return whether a registration of the process *life* would be seen, if there was one.

    It would be in a history from the server's first transaction on, or from before the process began; else in its own
    log, if that begins with the process, and if logs have such lines at all.
    """
    is_whole = [line.event for line in lines_of(scene, life)[:1]] == [STARTING]
    if scene.writes and (scene.writes[0].zxid == 1 or (is_whole and scene.writes[0].time <= life.start)):
        return True
    return is_whole and bool(scene.lines(REGISTERED))


@excuse("a process that stops by itself and leaves for good")
def stops_by_itself(scene: Scene, gap: Gap) -> bool:
    """Return whether the broker removed its own last registration."""
    return gap.after is None and gap.before is not None and gap.before.is_given_up


@excuse("a ZooKeeper history that was taken early: the broker's own log shows that it registered")
def own_line(scene: Scene, life: Life, gap: Gap) -> list[int]:
    """Return the times, after the last registration of the history, at which the broker logged that it registered."""
    times = [line.time for line in lines_of(scene, life, REGISTERED)]
    return [time for time in times if gap.after is None and gap.since < time]


def apart(scene: Scene, registry: Registry, life: Life) -> Timeline:
    """
    Return the part of a process in which it cannot be registered and elected yet, or no longer.

    One that starts is given time to register, as long as its own check takes; one that stops by itself gives up first,
    and may take its time to close.
    """
    own = [held for held in registry.of(life.broker) if life.start <= held.since <= life.end]
    lived = any(held.since < life.start < held.until for held in registry.of(life.broker))
    is_whole = [line.event for line in lines_of(scene, life)[:1]] == [STARTING]
    late = life.start if lived or not is_whole else life.start + scene.limits.role_monitor
    start = min([late, *(held.since for held in own)]) if not lived else life.start
    end = min([life.end, *(held.until for held in own[-1:] if held.is_given_up)])
    return Timeline([(-END, start), (end, END)])


def taking_part(scene: Scene, registry: Registry) -> list[Life]:
    """Return the processes of all brokers, each for as long as it can be registered and elected."""
    return [
        life._replace(start=since, end=until)
        for life in living(scene)
        for since, until in Timeline([(life.start, life.end)]) - NOT_PART.of(scene, registry, life)
    ]


@excuse("a node that outlives its process by a session: two timeouts where no end is recorded")
def session_of_a_node(scene: Scene, gap: Gap) -> int:
    """Return for how many milliseconds a node may outlive its process: for two sessions where no end is recorded."""
    is_recorded = gap.before is None or gap.before.ended is not None
    return scene.limits.session * (1 if is_recorded else 2) + scene.limits.clock_skew


@excuse("brokers whose logs are missing, where no history shows their nodes, which is a doubt")
def unseen_brokers(scene: Scene) -> list[str]:
    """Return the brokers that may have been registered and elected without a line of any log that is there."""
    if Source.ZOOKEEPER in scene.present:
        return []
    seen = {str(line.values.get("subject")) for line in scene.lines(CREATED)}
    return sorted({*scene.brokers, *seen} - scene.lives.keys())


@excuse("an outage of the metadata store that lasts when the logs end: nodes may outlive it, which is a doubt")
def open_outage(scene: Scene, gap: Gap) -> bool:
    """Return whether only the brokers' own losses show that nodes ended, and none of them has a session again."""
    if Source.ZOOKEEPER in scene.present or gap.after is not None:
        return False
    return any(outage.since <= gap.since and outage.until == END for outage in outages(scene))


NOT_PART = Excuse("processes that are starting or stopping: they cannot be registered or elected", apart)
