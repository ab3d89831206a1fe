"""
Laws of the election: some broker leads, and the elected broker is registered.

The leader is the channel's owner: it alone cleans up after dead brokers, ends records in flight, and owns the channel
topic (channel.10).
"""

from collections.abc import Iterator, Sequence

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.laws.recovery.participation import (
    LATE_BEGIN,
    NOT_PART,
    OUTLIVED,
    is_told,
    open_outage,
    own_line,
    session_of_a_node,
    taking_part,
    unlisted,
    unseen_brokers,
)
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.broker_processes import informs_until, lived, living
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import unregistered_leaders, why_ended
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_from_logs import out_of_reach
from oneowner.checkers.recordings.scene.registry_nodes import Gap, Held, Registry, gaps
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.session_losses import lost_watch
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.times import iso, seconds
from oneowner.model.kernel.law import Severity

LEADS = "somebody-leads"
LISTED = "leader-is-registered"


def _somebody_leads(scene: Scene) -> LawOutcome:
    registry, judged = registry_of(scene), LawOutcome()
    judged.doubts += registry.disputed
    if not registry.leaders:
        return judged
    judged.exercised = len(registry.leaders)
    lives = taking_part(scene, registry)
    last = max((life.end for life in lives), default=0)
    for gap in gaps(registry.leaders, registry.leaders[0].since, last):
        for since, until in lived(lives).within(gap.since, gap.until):
            if until - since <= session_of_a_node.of(scene, gap):
                continue
            if unseen := unseen_brokers.of(scene):
                judged.doubts.append(
                    f"whether {', '.join(unseen)} led after {iso(since)} is unknown: its log is missing"
                )
            elif open_outage.of(scene, gap):
                judged.doubts.append(f"whether a broker led after {iso(since)} is unknown: {OUTLIVED}")
            elif log_level.of(scene, gap, lives, since):
                judged.doubts.append(
                    f"whether a broker led after {iso(since)} is unknown: no log has level INFO any more"
                )
            elif not log_ends.of(scene, gap, since, until):
                judged.findings.append(_headless(scene, gap, lives, since, until))
                judged.happenings.append(_state(judged.findings[-1], gap))
            else:
                broker = "the leader of before" if gap.before is None else gap.before.broker
                judged.doubts.append(f"nothing tells whether {broker} led on after {iso(gap.since)}, when its log ends")
    return judged


@excuse("an election that logs leave out, as they drop the level INFO, which is a doubt")
def log_level(scene: Scene, gap: Gap, lives: Sequence[Life], since: int) -> bool:
    """Return whether only logs could show an election, and they leave it out as their level changed."""
    if Source.ZOOKEEPER in scene.present or gap.after is not None:
        return False
    return not any(informs_until(scene, life) > since for life in lives if life.end > since)


@excuse("a leader whose log ends: it may be older than the others, or quiet, which is a doubt")
def log_ends(scene: Scene, gap: Gap, since: int, until: int) -> bool:
    """Return whether the former leader is not certainly gone, or not for long enough."""
    gone = _gone_since(scene, gap)
    return gone is None or until - max(since, gone) <= session_of_a_node.of(scene, gap)


def _gone_since(scene: Scene, gap: Gap) -> int | None:
    """
    Return the time from which a leader certainly leads no more; None if only the end of its log shows it.

    A log that ends may have been copied early, or its broker has nothing to log: a broker that is asked in vain is
    gone.
    """
    before = gap.before
    if before is None or before.ended is not None:
        return gap.since
    births = [life.start for life in scene.lives.get(before.broker, ()) if life.start > gap.since]
    asked = [one.asked for one in absences(scene, before.broker) if one.until > gap.since]
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
    shown: list[Citable] = [*gap.first_evidence, *lost, *_first_of_each(told)]
    shown += gap.last_evidence or [lines[-1] for lines in scene.said.values() if lines]
    window = Window(since, until, since, until)
    return finding(
        LEADS, Severity.VIOLATION, why, shown, brokers=who, time=since, window=window,
        guard="a live broker is elected when the leader's node is gone",
        repair="restart one broker at once: it registers and is elected",
        symptoms=[Symptom.LOST_WATCH] if lost_watch(scene, who, window) else (),
        causes=(Cause(HappeningKind.HEADLESS, "", since), *why_ended(scene, gap.before)),
    )  # fmt: skip


def _state(headless: Finding, gap: Gap) -> Happening:
    cause, *behind = headless.causes
    until = END if gap.after is None or headless.window is None else headless.window.possible_until
    words = f"nobody led, although processes of {' and '.join(headless.brokers)} lived"
    return Happening(cause, until, words, headless.brokers, gap.first_evidence, tuple(behind), headless.repair)


def _leader_is_registered(scene: Scene) -> LawOutcome:
    registry, judged = registry_of(scene), LawOutcome()
    judged.doubts += registry.contradictions + registry.disputed
    for led in registry.leaders:
        judged.exercised += 1
        for life in (life for life in living(scene) if life.broker == led.broker):
            for gap in _missing(scene, registry, life):
                since, until = max(led.since, gap.since), min(led.until, gap.until)
                if until - since <= in_time.of(scene):
                    continue
                if late_log.of(scene, registry, life):
                    judged.doubts.append(
                        f"whether {led.broker}, which was elected, is registered is unknown: {LATE_BEGIN}"
                    )
                else:
                    judged.findings.append(_unregistered(scene, life, led, gap, since, until))
    return judged


@excuse("a registration that comes within a session timeout")
def in_time(scene: Scene) -> int:
    """Return for how many milliseconds the elected broker may be unregistered."""
    return scene.limits.session


@excuse("a broker that its own check registers, which only warns until then")
def own_check(scene: Scene) -> int:
    """Return the milliseconds after which a broker registers by its own check."""
    return scene.limits.role_monitor


@excuse("a log and a history that begin later than the process, which is a doubt")
def late_log(scene: Scene, registry: Registry, life: Life) -> bool:
    """Return whether a registration of the process may have come before the beginning of its log and the history."""
    return not registry.of(life.broker) and not is_told(scene, life)


def _missing(scene: Scene, registry: Registry, life: Life) -> Iterator[Gap]:
    if registry.of(life.broker):
        yield from unlisted(scene, registry, life)
    else:
        yield Gap(life.start, life.end, None, None)


def _unregistered(scene: Scene, life: Life, led: Held, gap: Gap, since: int, until: int) -> Finding:
    is_late = until - since > own_check.of(scene)
    failed = [
        line
        for line in scene.lines("owner-not-registered")
        if since <= line.time <= until and line.values.get("owner") == led.broker
    ]
    said = f"; {len(failed)} lookups failed on it" if failed else ""
    end = f"until {iso(until)}" if gap.after is not None or led.until < END else "to its last sign of life"
    why = (
        f"{led.broker}, elected at {iso(led.since)}, was not registered for {seconds(until - since)}, from "
        f"{iso(since)} {end}: it owns the channel topic, and every lookup of it fails since its owner is unknown{said} "
        f"(its own check comes every {seconds(scene.limits.role_monitor)})"
    )
    shown: list[Citable] = [*gap.first_evidence, led.made, *failed[:1], *failed[-1:], *gap.last_evidence]
    return finding(
        LISTED, Severity.VIOLATION if is_late else Severity.WARNING, why, shown, brokers=(led.broker,), time=since,
        window=Window(since, until, since, until), guard="only a registered broker takes part in the election",
        repair=f"restart {led.broker}: another broker is elected, and it registers when it starts",
        causes=[*unregistered_leaders(scene, since, until), *why_ended(scene, gap.before)],
    )  # fmt: skip


def _first_of_each(lines: Sequence[LogEvent]) -> list[Citable]:
    """Return the first line of each broker and kind, a handful."""
    first = {(line.broker, line.event): line for line in reversed(lines)}
    return list(sorted(first.values(), key=lambda line: (line.time, line.broker))[:6])


SOMEBODY_LEADS = SceneLaw(
    LEADS,
    "While brokers live, a leader is elected, but for a session time-out.",
    "LeaderElectionService",
    excuses=(NOT_PART, session_of_a_node, unseen_brokers, open_outage, log_level, log_ends),
    order=51,
    needs=(Source.LOGS,),
    waits=True,
    state="no broker leads any more",
    judge=_somebody_leads,
    uses=CLUSTER,
)
LEADER_IS_REGISTERED = SceneLaw(
    LISTED,
    "The elected broker is registered, but for a session time-out.",
    "LeaderElectionService, BrokerRegistryImpl",
    excuses=(in_time, own_check, own_line, late_log),
    order=51,
    needs=(Source.LOGS,),
    waits=True,
    state="{brokers}, elected leader, {are} not registered",
    judge=_leader_is_registered,
    uses=CLUSTER,
)
