"""
A law of roles: the elected broker takes the role of leader in time, and the others follow.

A role is taken on one thread (``ExtensibleLoadManagerImpl.playLeader``, ``playFollower``), which opens the channel's
topic and the load topics and tries again for ever if that fails. The same thread runs the monitor, the registry and the
clean-ups, so until the role is taken nothing of a dead broker is recovered (run.G2, run.G3).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Source
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.broker_processes import all_lives, lines_of
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import unregistered_leaders, why_ended, why_silent
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_nodes import Held, Registry
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.timeline import is_at
from oneowner.checkers.times import iso, seconds
from oneowner.model.kernel.law import Severity

TAKEN = "role-is-taken"
SETTING, FAILED = "role-setting", "role-failed"
LEADER = "Leader"
PLAYS = {LEADER: "plays-leader", "Follower": "plays-follower"}

SYSTEM = "pulsar/system"
"""The namespace whose lookups a change of role waits for."""
OF_A_LEADER = ("monitor-started", "monitor-completed", "leader-monitor-started")
OTHER_TASKS = (
    *OF_A_LEADER,
    "registry-created", "registry-deleted", "deletion-ignored", "deletion-failed", "cleanup-handled", "not-registered",
    "no-leader",
)  # fmt: skip
"""Lines of other tasks of the same thread: the change of role is over by then, even if a line of it is missing."""
OF_EVERY_ROLE = (SETTING, *PLAYS.values())
"""Lines of level INFO: a log without any may leave out all of that level."""
REASONS = ("owner-not-registered", "lookup-failed", "lookup-no-broker", "active-owner-failed")
"""Lines with the reason that the channel topic cannot be opened."""


class Change(NamedTuple):
    """A role that one process was to take."""

    life: Life
    role: str
    since: int
    until: int
    """The time when it was taken or given up, else that of the last line of the process."""
    begun: list[Citable]
    """The election, and the line with which it began."""
    ended: LogEvent | None
    """The line that it plays the role, or the next change; None to the end of the process's log."""
    retries: Sequence[LogEvent]

    @property
    def lasted(self) -> int:
        return self.until - self.since


def _role_is_taken(scene: Scene) -> LawOutcome:
    judged, registry = LawOutcome(), registry_of(scene)
    changes = list(_changes(scene, registry))
    judged.exercised = len(changes)
    slow = [change for change in changes if change.lasted > scene.limits.in_flight_wait]
    mute = [change for change in slow if log_level.of(scene, change)]
    judged.doubts += [
        f"{one.life.broker} was elected at {iso(one.since)}, and its log has no line of level INFO any more"
        for one in mute
    ]
    slow = [change for change in slow if change not in mute]
    leaders = [change for change in slow if change.role == LEADER]
    for change in leaders:
        judged.findings.append(_stalled(scene, registry, change, [one for one in slow if _waits_for(one, change)]))
    alone = [one for one in slow if one.role != LEADER and not waits_for_a_leader.of(scene, one, leaders)]
    for change in alone:
        if not change.retries and (change.ended is None or change.ended.event in OTHER_TASKS):  # a line may be missing
            judged.doubts.append(
                f"no line of {change.life.broker} after {iso(change.since)} shows that it follows the leader"
            )
        else:
            judged.findings.append(_stalled(scene, registry, change, []))
    return judged


@excuse("a log that drops the level INFO later: an election that it does not show is a doubt")
def log_level(scene: Scene, change: Change) -> bool:
    """Return whether only ZooKeeper shows an election: the log has no line of level INFO since."""
    if len(change.begun) > 1 or not isinstance(change.begun[0], NodeWrite) or change.ended is not None:
        return False
    since = change.since - scene.limits.clock_skew
    return not any(line.time >= since for line in lines_of(scene, change.life, *table().events_below("WARN")))


def _waits_for(one: Change, leader: Change) -> bool:
    """A follower opens the topics that the leader owns, so it is as late."""
    return one.role != LEADER and one.since < leader.until and one.until > leader.since


@excuse("a follower that waits for the leader: it is named beside it, not accused")
def waits_for_a_leader(scene: Scene, one: Change, leaders: Sequence[Change]) -> bool:
    return any(_waits_for(one, leader) for leader in leaders)


@excuse("a log without the level INFO: without any line of roles nothing is judged")
def no_role(scene: Scene, lines: Sequence[LogEvent]) -> bool:
    """Return whether the log has no line of roles: it may leave out all of level INFO."""
    return not any(line.event in OF_EVERY_ROLE for line in lines)


def _changes(scene: Scene, registry: Registry) -> Iterator[Change]:
    """Yield the changes of roles of all processes; an election that its winner never speaks of is one too."""
    for life in all_lives(scene):
        lines = lines_of(scene, life, SETTING, FAILED, *PLAYS.values(), *OTHER_TASKS)
        starts = [number for number, line in enumerate(lines) if line.event == SETTING]
        if early := [line for line in lines[: next(iter(starts), None)] if line.event == FAILED]:
            yield _begun_before(life, early, lines)
        elected = [one for one in registry.leaders if one.broker == life.broker and life.start <= one.since <= life.end]
        for start, following in pairwise([*starts, None]):
            assert start is not None  # only the last of the pairs' second members is
            later = lines[following : following + 1] if following is not None else []
            yield _change(scene, life, lines[start:following], later, elected)
        skew = scene.limits.clock_skew
        for one in elected if not no_role.of(scene, lines) else ():
            later = [line for line in lines if line.time >= one.since - skew]
            speaks = any(line.event == SETTING and line.values.get("to") == LEADER for line in later)
            if not speaks and not led_before.of(scene, life, one, lines):
                yield _unspoken(life, one, later)


@excuse("a leader whose node is created again: it plays already, by its own last line or by polls")
def led_before(scene: Scene, life: Life, one: Held, lines: Sequence[LogEvent]) -> bool:
    """
    Return whether the elected broker played the leader already, by its own last line or by polls.

    ``LeaderElectionImpl`` logs a change alone: a broker whose node was created anew, as its session was, logs nothing
    again.
    """
    before = [line for line in lines if line.event in OF_EVERY_ROLE and line.time <= one.since]
    if before:
        return before[-1].event == PLAYS[LEADER]
    polls = [poll for poll in scene.polls if poll.leader and life.start <= poll.start and poll.end < one.since]
    return bool(polls) and max(polls, key=lambda poll: poll.end).leader == life.broker


def _unspoken(life: Life, one: Held, later: Sequence[LogEvent]) -> Change:
    """Return the change of an election whose start its winner did not log."""
    taken = next((line for line in later if line.event == PLAYS[LEADER] or line.event in OF_A_LEADER), None)
    until = min(one.until, life.end)
    return Change(life, LEADER, one.since, until if taken is None else taken.time, [one.made], taken, ())


def _begun_before(life: Life, retries: Sequence[LogEvent], lines: Sequence[LogEvent]) -> Change:
    """Return the change amid which a log begins: the role is unknown, and how long it had been tried."""
    later = (line for line in lines if line.time >= retries[0].time)
    ended = next((line for line in later if line.event in OF_EVERY_ROLE), None)
    until = retries[-1].time if ended is None else ended.time
    return Change(life, "", retries[0].time, until, [retries[0]], ended, retries)


def _change(
    scene: Scene, life: Life, lines: Sequence[LogEvent], following: Sequence[LogEvent], elected: Sequence[Held]
) -> Change:
    """Return the change that the first of *lines* begins; they end where the next one begins."""
    setting, role = lines[0], str(lines[0].values.get("to"))
    since, begun = setting.time, list[Citable]([setting])
    won = [one for one in elected if is_at(one, setting.time)]
    if role == LEADER and won:
        since, begun = won[-1].since, [won[-1].made, setting]
    taken = [line for line in lines if line.event == PLAYS.get(role) or missing_line.of(scene, line, setting)]
    ended = next(iter([*taken[:1], *given_up.of(scene, following)]), None)
    until = life.end if ended is None else ended.time
    return Change(life, role, since, max(since, until), begun, ended, [line for line in lines if line.event == FAILED])


@excuse("a role that is given up within the limit")
def given_up(scene: Scene, following: Sequence[LogEvent]) -> list[LogEvent]:
    """Return the line with which the next change of role begins."""
    return list(following)


@excuse("a missing line: the next lines of the same thread show that the role was taken")
def missing_line(scene: Scene, line: LogEvent, setting: LogEvent) -> bool:
    """Return whether the same thread does something else by then."""
    return line.event in OTHER_TASKS and line.thread == setting.thread


END_IT = "end the process of the former leader: its connections break, and the channel's topic opens elsewhere"


def _stalled(scene: Scene, registry: Registry, change: Change, waiting: Sequence[Change]) -> Finding:
    broker, limits, is_leader = change.life.broker, scene.limits, change.role == LEADER
    reason, symptoms, proof = _reason(scene, registry, change)
    end = "to the end of its log" if change.ended is None else f"until {iso(change.ended.time)}"
    was_to = "was elected" if is_leader else "was to follow" if change.role else "was to take a role"
    role = f"the role {change.role}" if change.role else "it"
    harm = (
        "nothing of a dead broker is recovered meanwhile"
        if is_leader
        else f"its load manager does nothing else, not even its own check every {seconds(limits.role_monitor)}"
    )
    others = f"; {' and '.join(one.life.broker for one in waiting)} cannot follow meanwhile" if waiting else ""
    why = (
        f"{broker} {was_to} and had not taken {role} for {seconds(change.lasted)}, from {iso(change.since)} "
        f"{end}{_retried(change)}{reason}; {harm}{others} (in-flight time-out {seconds(limits.in_flight_wait)}, "
        f"monitor every {seconds(limits.monitor)})"
    )
    shown = [*change.begun, *change.retries[:1], *proof, *change.retries[1:][-1:]]
    shown += [change.ended] if change.ended is not None else scene.said[broker][change.life.last - 1 : change.life.last]
    shown += [line for one in waiting for line in one.retries[-1:]]
    bound = limits.in_flight_wait + limits.monitor if is_leader else limits.role_monitor
    is_stuck = change.lasted > bound and (is_leader or len(change.retries) > 1)
    return finding(
        TAKEN, Severity.VIOLATION if is_stuck else Severity.WARNING, why, shown,
        brokers=(broker, *(one.life.broker for one in waiting)), time=change.since,
        window=Window(change.since, change.until, change.since, change.until),
        guard="a role is taken within the in-flight time-out and one monitor run",
        causes=_causes(scene, registry, change), symptoms=symptoms,
        repair=END_IT
        if Symptom.HUNG_LEADER in symptoms
        else f"restart {broker} once another one is registered, to be elected then",
    )  # fmt: skip


def _retried(change: Change) -> str:
    """Return the words for how often it was retried, for how long, and on which thread."""
    if not change.retries:
        return ""
    first, last = change.retries[0], change.retries[-1]
    threads = " and ".join(sorted({line.thread for line in change.retries}))
    often = "once" if len(change.retries) == 1 else f"{len(change.retries)} times in {seconds(last.time - first.time)}"
    return f": tried again {often} on thread {threads}{', without end' if change.ended is None else ''}"


def _reason(scene: Scene, registry: Registry, change: Change) -> tuple[str, list[Symptom], list[Citable]]:
    """Return the known cause: lookups that failed, the broker's registration, a former leader that hangs."""
    broker = change.life.broker
    words, symptoms, proof = "", list[Symptom](), list[Citable]()
    failed = [line for line in lines_of(scene, change.life, *REASONS) if change.since <= line.time <= change.until]
    failed = [line for line in failed if SYSTEM in line.text]
    if failed and change.retries:
        text, count = Counter(line.text for line in failed).most_common(1)[0]
        words += f"; {count} times meanwhile: {text.rstrip('.')}"
        proof += [next(line for line in failed if line.text == text)]
    if change.role != LEADER:
        return words, symptoms, proof
    if registry.of(broker) and not _is_registered(registry, broker, change.until):
        symptoms.append(Symptom.UNREGISTERED)
        words += "; it is not registered, and the check that would register it waits for this very thread"
    former = [one for one in registry.leaders if one.broker != broker and one.since < change.since][-1:]
    for away in absences(scene, former[0].broker) if former else ():
        if away.is_pause and away.covers(change.since):
            symptoms.append(Symptom.HUNG_LEADER)
            words += (
                f"; the former leader {away.broker} hung from {iso(away.since)} to {iso(away.until)}, with its "
                f"connections open: what opens the channel topic waits for it"
            )
            proof += [away.evidence[0], away.evidence[-1]]
    return words, symptoms, proof


def _causes(scene: Scene, registry: Registry, change: Change) -> list[Cause]:
    """Return why there was an election at all, and whether a broker was elected that is not registered."""
    former = [one for one in registry.leaders if one.broker != change.life.broker and one.since < change.since]
    ended = why_ended(scene, former[-1] if former else None)
    if not ended and former:  # no history shows that its node went
        ended = why_silent(scene, former[-1].broker, change.since)
    return [*unregistered_leaders(scene, change.since, change.until), *ended]


def _is_registered(registry: Registry, broker: str, time: int) -> bool:
    return any(is_at(one, time) for one in registry.of(broker))


ROLE_IS_TAKEN = SceneLaw(
    TAKEN,
    "Who is elected plays the leader within the in-flight time-out and one monitor run; the others follow.",
    "ExtensibleLoadManagerImpl.playLeader, playFollower",
    excuses=(led_before, missing_line, no_role, log_level, given_up, waits_for_a_leader),
    order=53,
    waits=True,
    repairs=(HappeningKind.PAUSED,),
    needs=(Source.LOGS,),
    judge=_role_is_taken,
    uses=CLUSTER,
)
LAWS = (ROLE_IS_TAKEN,)
