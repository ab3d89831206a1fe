"""
Laws of the election: somebody leads, the elected broker is registered, and one believes that it leads.

The leader is the channel's owner: it alone cleans up after dead brokers, ends records in flight, and owns the channel
topic (channel.10). Two believers are allowed for a while, as a broker learns late that its session is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from oneowner.checkers.recordings.fold.recorded_law import Excuse
from oneowner.checkers.recordings.laws.known_bugs import LATE, NO_WATCH, issue
from oneowner.checkers.recordings.laws.recovery.registration import (
    LATE_BEGIN,
    at_least,
    is_told,
    taking_part,
    unlisted,
)
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Poll, Source
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.broker_processes import all_lives, informs_until, lines_of, lived, living
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import unregistered_leaders, why_ended
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_from_logs import out_of_reach
from oneowner.checkers.recordings.scene.registry_nodes import Gap, Held, Registry, gaps
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.times import iso, seconds
from oneowner.model.kernel.law import Severity

LEADS = "somebody-leads"
LISTED = "leader-is-registered"
BELIEVES = "one-believes-to-lead"
NODE = "one-leader-node"


def _somebody_leads(scene: Scene) -> LawOutcome:
    registry, judged = registry_of(scene), LawOutcome()
    judged.doubts += registry.disputed
    if not registry.leaders:
        return judged
    judged.exercised = len(registry.leaders)
    lives = taking_part(scene, registry)
    last = max((life.end for life in lives), default=0)
    for gap in gaps(registry.leaders, registry.leaders[0].since, last):
        gone = _gone_since(scene, gap)
        for since, until in lived(lives).within(gap.since, gap.until):
            if until - since <= at_least(scene, gap):
                continue
            if _may_be_untold(scene, gap, lives, since):
                judged.doubts.append(
                    f"whether anybody led after {iso(since)} is not told: no log has level INFO any more"
                )
            elif gone is not None and until - max(since, gone) > at_least(scene, gap):
                judged.findings.append(_headless(scene, gap, lives, since, until))
            else:  # gone for too short a time, or not known to be
                broker = "the leader of before" if gap.before is None else gap.before.broker
                judged.doubts.append(f"nothing tells whether {broker} led on after {iso(gap.since)}, when its log ends")
    return judged


def _may_be_untold(scene: Scene, gap: Gap, lives: Sequence[Life], since: int) -> bool:
    """Whether an election that only logs could tell of is one that they leave out, as their level changed."""
    if Source.ZOOKEEPER in scene.present or gap.after is not None:
        return False
    return not any(informs_until(scene, life) > since for life in lives if life.end > since)


def _gone_since(scene: Scene, gap: Gap) -> int | None:
    """
    Return since when a leader is known not to lead any more; None if nothing but the end of its log tells.

    A log that ends may have been copied early, or its broker has nothing to say: who is asked in vain is gone.
    """
    before = gap.before
    if before is None or before.ended is not None:
        return gap.since
    births = [life.start for life in scene.lives.get(before.broker, ()) if life.start > gap.since]
    asked = [one.asked for one in absences(scene, before.broker) if one.until is None or one.until > gap.since]
    return min([*births, *asked], default=None)


def _headless(scene: Scene, gap: Gap, lives: Sequence[Life], since: int, until: int) -> Finding:
    who = sorted({life.broker for life in lives if life.start < until and life.end > since})
    end = f"to {iso(until)}" if gap.after is None else f"until {gap.after.broker} was elected at {iso(gap.after.since)}"
    told = [
        line
        for line in scene.lines("no-leader", "still-no-leader", "election-event-failed")
        if since - scene.limits.session <= line.time <= until
    ]
    outage, lost = out_of_reach(scene, since, until)
    why = (
        f"nobody led for {seconds(until - since)}, from {iso(since)} {end}, although processes of {', '.join(who)} "
        f"lived: no bundle of a dead broker is given away, and no record in flight is ended (session time-out "
        f"{seconds(scene.limits.session)}){outage}"
    )
    shown = [*_of(gap.before), *lost, *_first_of_each(told)]
    shown += [gap.after.made] if gap.after is not None else [lines[-1] for lines in scene.said.values() if lines]
    return finding(
        LEADS, Severity.VIOLATION, why, shown, brokers=who, time=since, window=Window(since, until, since, until),
        guard="a live broker is elected when the leader's node is gone",
        repair="restart one broker at once: it registers and is elected",
        upstream=issue(scene, lives, NO_WATCH) if any(line.event == "still-no-leader" for line in told) else "",
        causes=why_ended(scene, gap.before),
    )  # fmt: skip


def _leader_is_registered(scene: Scene) -> LawOutcome:
    registry, judged = registry_of(scene), LawOutcome()
    judged.doubts += registry.contradictions + registry.disputed
    for led in registry.leaders:
        judged.exercised += 1
        for life in (life for life in living(scene) if life.broker == led.broker):
            for gap in _missing(scene, registry, life):
                since, until = max(led.since, gap.since), min(life.end if led.until is None else led.until, gap.until)
                if until - since <= scene.limits.session:
                    continue
                if not registry.of(life.broker) and not is_told(scene, life):
                    judged.doubts.append(
                        f"whether {led.broker}, which was elected, is registered is not told: {LATE_BEGIN}"
                    )
                else:
                    judged.findings.append(_unregistered(scene, life, led, gap, since, until))
    return judged


def _missing(scene: Scene, registry: Registry, life: Life) -> Iterator[Gap]:
    if registry.of(life.broker):
        yield from unlisted(scene, registry, life)
    else:
        yield Gap(life.start, life.end, None, None)


def _unregistered(scene: Scene, life: Life, led: Held, gap: Gap, since: int, until: int) -> Finding:
    is_late = until - since > scene.limits.role_monitor
    failed = [
        line
        for line in scene.lines("owner-not-registered")
        if since <= line.time <= until and line.values.get("owner") == led.broker
    ]
    said = f"; {len(failed)} lookups failed on it" if failed else ""
    end = f"until {iso(until)}" if gap.after is not None or led.until is not None else "to its last sign of life"
    why = (
        f"{led.broker}, elected at {iso(led.since)}, was not registered for {seconds(until - since)}, from "
        f"{iso(since)} {end}: it owns the channel topic, and every lookup of it fails since its owner is unknown{said} "
        f"(its own check comes every {seconds(scene.limits.role_monitor)})"
    )
    shown: list[Citable] = [*_of(gap.before), led.made, *failed[:1], *failed[-1:], *_after(gap)]
    return finding(
        LISTED, Severity.VIOLATION if is_late else Severity.WARNING, why, shown, brokers=(led.broker,), time=since,
        window=Window(since, until, since, until), guard="only a registered broker takes part in the election",
        repair=f"restart {led.broker}: another broker is elected, and it registers when it starts",
        upstream=issue(scene, [life], LATE),
        causes=[*unregistered_leaders(scene, since, until), *why_ended(scene, gap.before)],
    )  # fmt: skip


# ---- who believes to lead ----


class _Belief:
    """A time at which one process says that it plays the leader."""

    def __init__(self, broker: str, since: int, until: int, begun: LogEvent, ended: LogEvent | None) -> None:
        self.broker, self.since, self.until, self.begun, self.ended = broker, since, until, begun, ended


def _beliefs(scene: Scene) -> list[_Belief]:
    """Return when who played the leader: from its line to its next change of role, or its end."""
    found: list[_Belief] = []
    for life in all_lives(scene):
        begun: LogEvent | None = None
        for line in lines_of(scene, life, "plays-leader", "role-setting", "plays-follower", "broker-closing"):
            if line.event == "plays-leader":
                begun = begun or line
            elif begun is not None:
                found.append(_Belief(life.broker, begun.time, line.time, begun, line))
                begun = None
        if begun is not None:
            found.append(_Belief(life.broker, begun.time, life.end, begun, None))
    return sorted(found, key=lambda belief: (belief.since, belief.broker))


def _one_believes(scene: Scene) -> LawOutcome:
    judged, beliefs = LawOutcome(), _beliefs(scene)
    judged.exercised = len(beliefs)
    for one, other in combinations(beliefs, 2):
        since, until = max(one.since, other.since), min(one.until, other.until)
        if one.broker != other.broker and since < until - scene.limits.clock_skew:
            judged.findings.append(_two_believe(scene, one, other, since, until))
    return judged


def _two_believe(scene: Scene, one: _Belief, other: _Belief, since: int, until: int) -> Finding:
    polls = _contrary(scene.polls, one.broker, other.broker, since, until)
    asked = f"; {len(polls)} polls meanwhile name the old one" if polls else ""
    why = (
        f"{one.broker} and {other.broker} both believed to lead for {seconds(until - since)}, from {iso(since)} to "
        f"{iso(until)}, when {one.broker} {_how(one, until)}{asked}: allowed, as the old leader learns late"
    )
    ends: list[Citable] = [
        belief.ended for belief in (one, other) if belief.ended is not None and belief.until == until
    ]
    return finding(
        BELIEVES, Severity.NOTE, why, [one.begun, other.begun, *ends, *polls[:1], *polls[-1:]],
        brokers=(one.broker, other.broker), time=since, window=Window(since, until, since, until),
        guard="one broker at a time plays the leader", repair="none is needed if no override of the old one follows",
    )  # fmt: skip


def _how(belief: _Belief, until: int) -> str:
    if belief.until != until:
        return "still did"
    return "fell silent" if belief.ended is None else "changed its role"


def _contrary(polls: Sequence[Poll], old: str, new: str, since: int, until: int) -> list[Poll]:
    """Return the polls of the time in which the old leader still names itself."""
    own = [poll for poll in polls if poll.asked == old and since <= poll.start and poll.end <= until]
    return [poll for poll in own if poll.leader == old]


def _one_node(scene: Scene) -> LawOutcome:
    """ZooKeeper has one node of a name: a history that makes it twice has lost a line."""
    registry = registry_of(scene)
    return LawOutcome(len(registry.leaders), [], registry.disputed)


def _of(held: Held | None) -> list[Citable]:
    if held is None:
        return []
    return [held.made] if held.ended is None else [held.made, held.ended]


def _after(gap: Gap) -> list[Citable]:
    return [] if gap.after is None else [gap.after.made]


def _first_of_each(lines: Sequence[LogEvent]) -> list[Citable]:
    """Return the first line of each broker and kind, a handful."""
    first = {(line.broker, line.event): line for line in reversed(lines)}
    return list(sorted(first.values(), key=lambda line: (line.time, line.broker))[:6])


SOMEBODY_LEADS = SceneLaw(
    LEADS,
    "While brokers live, a leader is elected, but for a session time-out.",
    "LeaderElectionService",
    excuses=(
        Excuse("processes that are starting, stopping or gone: they cannot be elected"),
        Excuse("a node that outlives its process by a session: two timeouts where no end is recorded"),
        Excuse("ZooKeeper out of reach, which is reported with the brokers that lost it"),
        Excuse("a leader whose log ends: it may be older than the others, or quiet"),
        Excuse("logs and history that disagree about elections, which is a doubt"),
    ),
    order=51,
    needs=(Source.LOGS,),
    judge=_somebody_leads,
    uses=CLUSTER,
)
LEADER_IS_REGISTERED = SceneLaw(
    LISTED,
    "The elected broker is registered, but for a session time-out.",
    "LeaderElectionService, BrokerRegistryImpl",
    excuses=(
        Excuse("a registration that comes within a session timeout"),
        Excuse("a broker that its own check registers, which only warns until then"),
        Excuse("a history that was taken early: the broker's own log shows that it registered"),
        Excuse("a log and a history that begin later than the process, which is a doubt"),
    ),
    order=51,
    needs=(Source.LOGS,),
    judge=_leader_is_registered,
    uses=CLUSTER,
)
ONE_BELIEVES = SceneLaw(
    BELIEVES,
    "One broker at a time plays the leader; two for a while are allowed.",
    "ExtensibleLoadManagerImpl.playLeader, playFollower",
    order=51,
    needs=(Source.LOGS,),
    judge=_one_believes,
    uses=CLUSTER,
    severity=Severity.WARNING,
)
ONE_LEADER_NODE = SceneLaw(
    NODE,
    "There is one leader's node at a time: the history of the election has no holes.",
    "LeaderElectionService",
    order=51,
    needs=(Source.ZOOKEEPER,),
    judge=_one_node,
    uses=(Source.LOGS,),
    severity=Severity.WARNING,
)
