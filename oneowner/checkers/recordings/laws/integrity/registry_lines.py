"""
A report on registrations and elections: brokers' logs and the ZooKeeper history each show those of the other.

``BrokerRegistryImpl.registerAsync`` logs its start, writes the broker's node, and logs its end; ``LeaderElectionImpl``
creates the leader's node and logs that it acquired leadership. The other brokers are notified of created and deleted
nodes in the order of these events, of some maybe twice. Innocent, and not reported: a log that does not begin with its
process or is of another level, an attempt that failed or was cut off, a deletion of which a disconnected broker was
never notified, a node that existed when a broker registered again, and events before or after the history.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from oneowner.checkers.recordings.fold.numbered_runs import STEP
from oneowner.checkers.recordings.laws.answers.clocks import SHORT
from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, told
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.read.companion_files import broker_of
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.read.zookeeper import LEADERS
from oneowner.checkers.recordings.scene.broker_processes import STARTING, all_lives, lines_of
from oneowner.checkers.recordings.scene.registry import Held, written
from oneowner.checkers.recordings.scene.registry_from_logs import DELETED, ELECTED, REGISTERED
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.timeline import meets
from oneowner.checkers.times import iso
from oneowner.model.kernel.law import Severity

LAW: Final = "logs-and-history-agree"
REGISTERING: Final = "registering"
CREATED: Final = "registry-created"
SOON: Final = 1_000
"""Milliseconds after which a line of a thread is about something else."""
AT_ONCE: Final = 50
"""Milliseconds within which notifications arrive at once."""
HEARS: Final = re.compile(r"metadata.store-\d+-\d+")
"""The name of the thread that receives notifications of the metadata store."""
MAIN: Final = "main"
FAILED: Final = "register-failed"
UNSETTLED: Final = ("leader-kept-own", "election-conflict", "leadership-lost", "leadership-released", "session-event")
"""The lines of a broker about an election that was not won at once."""
COURSE: Final = 60_000
"""Milliseconds in which an election takes that course: twice the timeout of the metadata store's operations."""


def _logs_and_history_agree(scene: Scene) -> LawOutcome:
    is_told = bool(scene.lines(REGISTERING))
    lives = [life for life in all_lives(scene) if is_told and _is_whole(scene, life)]
    found = [one for life in lives for one in _ends_what_it_starts(scene, life)]
    found += [one for line in scene.lines(ELECTED) for one in _names_another(scene, line)]
    if Source.ZOOKEEPER in scene.present and scene.writes:
        found += _by_history(scene, lives)
    lines = scene.lines(REGISTERING, REGISTERED, ELECTED, DELETED, CREATED)
    return told(LAW, len(lines), found)


def _is_whole(scene: Scene, life: Life) -> bool:
    """Return whether its log begins with the process, and has lines of registrations at all."""
    first = lines_of(scene, life)[0]
    return first.event == STARTING and bool(lines_of(scene, life, REGISTERING, REGISTERED))


def _ends_what_it_starts(scene: Scene, life: Life) -> Iterator[Contradiction]:
    """Yield registrations that end without a beginning, or begin without an end while their threads go on."""
    going: list[LogEvent] = []
    for line in lines_of(scene, life, REGISTERING, REGISTERED, FAILED):
        if line.event == REGISTERING:
            going.append(line)
        elif going:
            del going[0]  # two may go on at once
        else:
            why = f"{life.broker} finished registering at {iso(line.time)}, and no line says that it started to"
            yield Contradiction(why, (line,), (life.broker,))
    for line in going:
        if _goes_on(scene, life, line.time, line.thread):
            why = f"{life.broker} started registering at {iso(line.time)}, and no line says how that ended"
            yield Contradiction(why, (line,), (life.broker,))


def _goes_on(scene: Scene, life: Life, since: int, thread: str = "") -> bool:
    """
    Return whether a write that a process began by *since* is over: the thread that is notified, or waits, goes on.

    One thread receives the notifications of the metadata store, in order (``AbstractMetadataStore``); the main thread
    waits for the broker's registration before it starts anything else (``BrokerRegistryImpl.start``).
    """
    later = (line.thread for line in lines_of(scene, life) if line.time > since + SOON)
    return any(HEARS.fullmatch(name) or name == thread == MAIN for name in later)


def _names_another(scene: Scene, line: LogEvent) -> Iterator[Contradiction]:
    leader = broker_of(str(line.values.get("leader") or ""))
    if line.values.get("path") in LEADERS and leader in scene.brokers and leader != line.broker:
        why = f"{line.broker} says at {iso(line.time)} that it was elected, in the name of {leader}"
        yield Contradiction(why, (line,), (line.broker, leader))


# ---- beside the history ----


def _by_history(scene: Scene, lives: Sequence[Life]) -> Iterator[Contradiction]:
    history = written(scene.writes)
    first, last = scene.writes[0].time, scene.writes[-1].time
    slack = SHORT + scene.limits.clock_skew
    for life in lives:
        nodes = [held for held in history.leaders if held.broker == life.broker]
        yield from _elections(scene, life, nodes, slack, first)
        yield from _registrations(scene, life, history.of(life.broker), slack, first)
    for life in all_lives(scene):
        for subject in {str(line.values.get("subject")) for line in lines_of(scene, life, CREATED, DELETED)}:
            is_whole = life in lives  # then its own registration bounds its clock
            span = max(first, life.start) if is_whole else first, last
            own_slack = slack if is_whole else slack + STEP
            yield from _notices(scene, life, subject, history.of(subject), own_slack, span)


def _elections(scene: Scene, life: Life, nodes: list[Held], slack: int, first: int) -> Iterator[Contradiction]:
    """Yield elections of one process that only its log has, or only the history."""
    lines = [line for line in lines_of(scene, life, ELECTED) if line.values.get("path") in LEADERS]
    since = life.start
    for line in lines:
        made = [held for held in nodes if since - slack <= held.since <= line.time + slack]
        if not made and since > first:
            yield Contradiction(
                f"{life.broker} was elected by {iso(line.time)}, and the history has no such election", (line,),
                (life.broker,),
            )  # fmt: skip
        since = line.time
    for held, following in zip(nodes, [*nodes[1:], None], strict=False):
        until = life.end if following is None else min(life.end, following.since)
        is_told = any(held.since - slack <= line.time <= until + slack for line in lines)
        is_told |= any(abs(line.time - held.since) <= COURSE for line in lines_of(scene, life, *UNSETTLED))
        if life.start <= held.since and not is_told and _goes_on(scene, life, held.since + slack):
            why = f"the history elects {life.broker} at {iso(held.since)}, and its log does not say so"
            yield Contradiction(why, (held.made, *lines[:1]), (life.broker,))


def _registrations(scene: Scene, life: Life, nodes: list[Held], slack: int, first: int) -> Iterator[Contradiction]:
    """Yield registrations that a process has finished without a node, and nodes whose registration it did not log."""
    lines = lines_of(scene, life, REGISTERING, REGISTERED, FAILED)
    for held in nodes:
        began = [line for line in lines if line.event == REGISTERING and line.time <= held.since + slack]
        if life.start <= held.since and began and _goes_on(scene, life, held.since + slack, began[-1].thread):
            if not any(line.event != REGISTERING and line.time >= began[-1].time for line in lines):
                why = f"the history registers {life.broker} at {iso(held.since)}, and its log does not say so"
                yield Contradiction(why, (held.made,), (life.broker,))
    start = life.start
    for line in lines:
        if line.event == REGISTERING:
            start = line.time
        elif (
            line.event == REGISTERED
            and start > first
            and not any(meets(held, start - slack, line.time + slack) for held in nodes)
        ):
            why = f"{life.broker} had registered by {iso(line.time)}, and the history has no such node"
            yield Contradiction(why, (line,), (life.broker,))


def _notices(
    scene: Scene, life: Life, subject: str, nodes: list[Held], slack: int, span: tuple[int, int]
) -> Iterator[Contradiction]:
    """
    Yield the notifications of a process about another one's node, and those that the history lacks, in order.

    Simultaneous notifications may come in any order, as where a process starts and many wait for one thread.
    """
    first, last = span  # a process sets its watch when it starts
    floors = [(first, first)]
    for line in lines_of(scene, life, CREATED, DELETED):
        if line.values.get("subject") != subject or not first < line.time < last:
            continue
        ends = line.event == DELETED
        times = [held.until if ends else held.since for held in nodes]
        floor = max(known for when, known in floors if when == first or when < line.time - AT_ONCE)
        fitting = [time for time in times if floor - slack <= time <= line.time + slack]
        if fitting:
            floors.append((line.time, min(fitting)))
            continue
        what = "end" if ends else "beginning"
        why = (
            f"{life.broker} saw a registration of {subject} {'end' if ends else 'begin'} by {iso(line.time)}, "
            f"and the history has no such {what} since {iso(floor)}"
        )
        yield Contradiction(why, (line,), (subject, life.broker))


LAWS: Final = (
    SceneLaw(
        LAW,
        "What brokers say of registrations and elections is in the ZooKeeper history, and the other way round.",
        "BrokerRegistryImpl.registerAsync, LeaderElectionImpl.tryToBecomeLeader",
        needs=(Source.LOGS,),
        judge=_logs_and_history_agree,
        uses=(Source.ZOOKEEPER,),
        severity=Severity.WARNING,
    ),
)
