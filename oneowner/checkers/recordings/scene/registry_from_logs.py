"""Brokers' own lines give registrations, elections and outages: alone, or to find holes in the ZooKeeper history."""

from collections.abc import Iterator
from typing import Final

from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.broker_processes import all_lives, lines_of
from oneowner.checkers.recordings.scene.registry_nodes import Held, Registry
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.timeline import END, meets
from oneowner.checkers.times import iso

REGISTERED: Final = "registered"
ELECTED: Final = "elected"
SESSION: Final = "session-event"
CREATED: Final = "registry-created"
DELETED: Final = "registry-deleted"
LOST, BACK = "SessionLost", "SessionReestablished"
GONE: Final = ("ConnectionLost", LOST)
HERE: Final = ("Reconnected", BACK)
LATE = 1_000
"""Milliseconds by which a line may come after its event, beyond the difference of clocks."""


def registry_by_logs(scene: Scene) -> Registry:
    """A node counts from the line about its creation to the logged session loss or end of its process."""
    found = Registry()
    for life in all_lives(scene):
        made: LogEvent | None = None
        led: LogEvent | None = None
        for said in lines_of(scene, life, REGISTERED, ELECTED, SESSION):
            if said.event == REGISTERED:
                made = made or said
            elif said.event == ELECTED:
                led = led or said
            elif said.values.get("event") == LOST and _is_over(scene, life, said, has_led=led is not None):
                if made is not None:
                    found.registrations.append(Held(life.broker, "", made.time, said.time, made, said))
                if led is not None:
                    found.leaders.append(Held(life.broker, "", led.time, said.time, led, said))
                made = led = None
        if made is not None:
            found.registrations.append(Held(life.broker, "", made.time, life.end, made, None))
        if led is not None:
            found.leaders.append(Held(life.broker, "", led.time, life.end, led, None))
    found.registrations.sort(key=lambda held: (held.since, held.broker))
    found.leaders.sort(key=lambda held: (held.since, held.broker))
    return found


def _is_over(scene: Scene, life: Life, lost: LogEvent, has_led: bool) -> bool:
    """
    Return whether a session that its client gave up as lost had ended: its node was seen to go, or was made again.

    A client gives up after 5/6 of the timeout, and may come back in time (``ZKSessionWatcher``, channel.9.2). What
    comes after its next loss is a sign of that one, and a first election is none.
    """
    own = lines_of(scene, life, REGISTERED, SESSION)
    later = [one for one in own if one.time >= lost.time]
    back = next((one for one in later if one.values.get("event") == BACK), None)
    until = next((one.time for one in later if one is not lost and one.values.get("event") == LOST), END)
    made = (REGISTERED, ELECTED) if has_led else (REGISTERED,)
    again = any(lost.time <= one.time < until for one in lines_of(scene, life, *made))
    skew = scene.limits.clock_skew
    seen = any(
        said.values.get("subject") == life.broker and lost.time - skew <= said.time < until + skew
        for said in scene.lines(DELETED)
    )
    return back is None or again or seen


def add_missing(scene: Scene, found: Registry) -> None:
    """
    Add to *found*, by a ZooKeeper history, the nodes that the logs prove to be missing there, and report each.

    A line that a broker registered or was elected proves a node; as many deletions as one process saw there were.
    """
    for life in all_lives(scene):
        for said in lines_of(scene, life, REGISTERED, ELECTED):
            is_leader = said.event == ELECTED
            nodes = found.leaders if is_leader else found.registrations
            if any(_tells_of(scene, said, held) for held in nodes if held.broker == life.broker):
                continue
            _insert(nodes, Held(life.broker, "", said.time, END, said, None), is_leader)
            if is_leader:
                found.disputed.append(f"{life.broker} says that it was elected at {said.time}, and no node was made")
            else:
                found.contradictions.append(
                    f"{life.broker} says that it registered at {said.time}, and no node was made"
                )
        found.contradictions += _unseen_ends(scene, life, found)


def _tells_of(scene: Scene, said: LogEvent, held: Held) -> bool:
    """Return whether the node was created, or rewritten by a new process (run.G10), at the line's time."""
    slack = LATE + scene.limits.clock_skew + scene.limits.session
    return meets(held, said.time - slack, said.time + slack)


def _insert(nodes: list[Held], new: Held, is_leader: bool) -> None:
    """Put a node in, which then lasted to the next one at most."""
    later = [held.since for held in nodes if held.since > new.since and (is_leader or held.broker == new.broker)]
    nodes.append(new._replace(until=min(later, default=END)))
    nodes.sort(key=lambda held: (held.since, held.broker))


def _unseen_ends(scene: Scene, life: Life, found: Registry) -> Iterator[str]:
    """Yield brokers whose registration this process saw end without a written end; one end may be logged twice."""
    for subject in {str(said.values.get("subject")): None for said in lines_of(scene, life, DELETED)}:
        said = next(said for said in lines_of(scene, life, DELETED) if said.values.get("subject") == subject)
        latest = said.time + LATE + scene.limits.clock_skew
        if not any(held.until <= latest for held in found.of(subject)):
            yield f"{life.broker} saw a registration of {subject} end at {said.time}, and the history has no such end"


def out_of_reach(scene: Scene, since: int, until: int) -> tuple[str, list[LogEvent]]:
    """
    Return a description and the lines of an outage that began before *until*, and may have ended sessions by *since*.

    Fewer than two brokers are no evidence: one may be cut off, or stand still.
    """
    lost: dict[str, LogEvent] = {}
    back: dict[str, int] = {}
    for life in all_lives(scene):
        for line in lines_of(scene, life, SESSION):
            if not since - 2 * scene.limits.session <= line.time <= until:
                continue
            if line.values.get("event") in GONE:
                lost.setdefault(life.broker, line)
                back.pop(life.broker, None)
            elif line.values.get("event") in HERE and life.broker in lost:
                back.setdefault(life.broker, line.time)
    if len(lost) < 2:
        return "", []
    first = min(lost.values(), key=lambda line: (line.time, line.origin))
    here = f"; the last of them had it back at {iso(max(back.values()))}" if len(back) == len(lost) else ""
    many = f"{len(lost)} of {len(scene.said)} brokers with logs"
    return f". ZooKeeper was out of reach: {many} lost it from {iso(first.time)} on{here}", [first]
