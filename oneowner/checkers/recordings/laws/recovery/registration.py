"""
Laws of the registry: a live broker is registered, and at all times at least one is.

A broker without a registration gets no bundles, its own are taken as orphans, and lookups that name it fail (channel.7,
channel.9.1). A session that ends takes the registration with it; 4.0.6 registers again only when its own check comes
(``ExtensibleLoadManagerImpl.monitor``, every 120 s), 4.0.8 and 4.1.2 as soon as the session is back (bugs.R40).
"""

from collections.abc import Sequence

from oneowner.checkers.recordings.fold.recorded_law import Excuse, excuse
from oneowner.checkers.recordings.laws.recovery.participation import (
    LATE_BEGIN,
    NOT_PART,
    OUTLIVED,
    is_told,
    open_outage,
    own_line,
    session_of_a_node,
    stops_by_itself,
    taking_part,
    unlisted,
    unseen_brokers,
)
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.broker_processes import STARTING, lines_of, lived, living
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import why_ended
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_from_logs import BACK, LOST, REGISTERED, SESSION, out_of_reach
from oneowner.checkers.recordings.scene.registry_nodes import Gap, Registry, gaps
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.session_losses import lost_watch
from oneowner.checkers.recordings.scene.timeline import END, meets
from oneowner.checkers.times import iso, seconds
from oneowner.model.kernel.law import Severity

LISTED = "live-broker-is-registered"
SOMEBODY = "somebody-is-registered"


def _live_broker_is_registered(scene: Scene) -> LawOutcome:
    registry, judged, skew = registry_of(scene), LawOutcome(), scene.limits.clock_skew
    judged.doubts += registry.contradictions
    for life in living(scene):
        never = not any(meets(held, life.start - skew, life.end + skew) for held in registry.of(life.broker))
        is_silent = LATE_LOG.of(scene, life)
        if never and not is_silent and life.end - life.start > own_check.of(scene):
            judged.exercised += 1
            judged.findings.append(_never(scene, life))
        judged.exercised += not never
        for gap in unlisted(scene, registry, life):
            judged.exercised += 1
            if gap.lasted - no_sign.of(scene, life, gap) > scene.limits.session:
                judged.findings.append(_unlisted(scene, life, gap))
    return judged


def begins_late(scene: Scene, life: Life) -> bool:
    """Return whether the log does not show the start of the process: it may have registered before."""
    first = scene.said.get(life.broker, ())[life.first : life.first + 1]
    return [line.event for line in first] != [STARTING]


@excuse("a starting process, for the interval of its own check")
def own_check(scene: Scene) -> int:
    """Return the milliseconds after which a broker registers by its own check."""
    return scene.limits.role_monitor


@excuse("a log without a sign of life while unregistered: it may be that of two processes")
def no_sign(scene: Scene, life: Life, gap: Gap) -> int:
    """Return for how many milliseconds a process without a logged start gave no sign of life while unregistered."""
    if not begins_late(scene, life):
        return 0
    signs = [line.time for line in lines_of(scene, life) if gap.since <= line.time <= gap.until]
    signs += [one.end for one in scene.lookups if one.asked == life.broker and one.status and one.start >= gap.since]
    signs += [one.end for one in scene.polls if one.asked == life.broker and one.status and one.start >= gap.since]
    return min([gap.until, *signs]) - gap.since


@excuse("a lost session: the delay counts from when it is back")
def lost_session(scene: Scene, gap: Gap, events: Sequence[LogEvent]) -> int:
    """Return for how many milliseconds of *gap* the process had no session: a session timeout, or until it was back."""
    back = _back(events)
    return scene.limits.session if back is None else max(0, back.time - gap.since)


def _back(events: Sequence[LogEvent]) -> LogEvent | None:
    return next((line for line in reversed(events) if line.values.get("event") == BACK), None)


def _unlisted(scene: Scene, life: Life, gap: Gap) -> Finding:
    limits = scene.limits
    events = [line for line in lines_of(scene, life, SESSION) if gap.since - limits.session <= line.time <= gap.until]
    back = _back(events)
    apart = 0 if gap.after is not None else limits.clock_skew  # its last line is of its own clock
    is_late = gap.lasted - apart - lost_session.of(scene, gap, events) > limits.role_monitor
    is_over = gap.after is not None or any(line.time == gap.until for line in lines_of(scene, life, REGISTERED))
    end = f"until {iso(gap.until)}" if is_over else "to its last sign of life"
    cause = f"; its session was back at {iso(back.time)}, {seconds(gap.until - back.time)} before that" if back else ""
    why = (
        f"{life.broker} lived and was not registered for {seconds(gap.lasted)}, from {iso(gap.since)} {end}{cause}: it "
        f"gets no bundles, and its own are taken as orphans (session time-out {seconds(limits.session)}, its own check "
        f"comes every {seconds(limits.role_monitor)})"
    )
    window = Window(gap.since, gap.until, gap.since, gap.until)
    return finding(
        LISTED, Severity.VIOLATION if is_late else Severity.WARNING, why, _proof(scene, life, gap, events),
        brokers=(life.broker,), window=window, time=gap.since,
        guard="a live broker's registration comes back with its session",
        repair="register again when the session is back (SessionReestablished), not by the check alone; or restart it",
        symptoms=[Symptom.SESSION_BACK] if back else _lost_watch(scene, [life.broker], window),
        causes=why_ended(scene, gap.before),
    )  # fmt: skip


def _proof(scene: Scene, life: Life, gap: Gap, events: Sequence[LogEvent]) -> list[Citable]:
    """The lines of its end, of the process's session, and of its new beginning; else the last sign of life."""
    shown: list[Citable] = [*gap.first_evidence]
    shown += [line for line in events if line.values.get("event") in (LOST, BACK)][-3:]
    said = [line for line in lines_of(scene, life, REGISTERED, "not-registered") if gap.since <= line.time <= gap.until]
    shown += said[-2:]
    return [*shown, *(gap.last_evidence or scene.said.get(life.broker, ())[life.last - 1 : life.last])]


def _never(scene: Scene, life: Life) -> Finding:
    lines = scene.said[life.broker][life.first : life.last]
    why = (
        f"{life.broker} lived for {seconds(life.end - life.start)} and was never registered; its own check comes every "
        f"{seconds(scene.limits.role_monitor)}"
    )
    return finding(
        LISTED, Severity.VIOLATION, why, [lines[0], lines[-1]], brokers=(life.broker,),
        window=Window(life.start, life.end, life.start, life.end),
        guard="a live broker is registered", repair="look for what keeps its start from finishing",
    )  # fmt: skip


def _somebody_is_registered(scene: Scene) -> LawOutcome:
    registry, judged = registry_of(scene), LawOutcome()
    judged.doubts += registry.contradictions
    if not registry.registrations:
        return judged
    judged.exercised = len(registry.registrations)
    lives = taking_part(scene, registry)
    last = max((life.end for life in lives), default=0)
    for gap in gaps(registry.registrations, registry.registrations[0].since, last):
        for since, until in lived(lives).within(gap.since, gap.until):
            if until - since <= session_of_a_node.of(scene, gap):
                continue
            if unseen := unseen_brokers.of(scene):
                judged.doubts.append(
                    f"whether {', '.join(unseen)} was registered at {iso(since)} is unknown: its log is missing"
                )
            elif open_outage.of(scene, gap):
                judged.doubts.append(f"whether a broker was registered after {iso(since)} is unknown: {OUTLIVED}")
            elif strangers := strangers_among.of(scene, registry, lives, since, until):
                judged.doubts.append(
                    f"whether {', '.join(strangers)} was registered at {iso(since)} is unknown: {LATE_BEGIN}"
                )
            else:
                judged.findings.append(_nobody(scene, gap, lives, since, until))
                judged.happenings.append(_state(judged.findings[-1], gap))
    return judged


@excuse("a live broker whose log and history begin later than its process, which is a doubt")
def strangers_among(scene: Scene, registry: Registry, lives: Sequence[Life], since: int, until: int) -> list[str]:
    """Return the brokers that were live then and may have been registered from before the recording."""
    there = [life for life in lives if life.start < until and life.end > since and not is_told(scene, life)]
    return sorted({one.broker for one in there if not any(h.since <= since for h in registry.of(one.broker))})


def _nobody(scene: Scene, gap: Gap, lives: Sequence[Life], since: int, until: int) -> Finding:
    who = sorted({life.broker for life in lives if life.start < until and life.end > since})
    end = f"to {iso(until)}" if gap.after is None else f"until {gap.after.broker} registered at {iso(gap.after.since)}"
    outage, lost = out_of_reach(scene, since, until)
    why = (
        f"no broker was registered for {seconds(until - since)}, from {iso(since)} {end}, although processes of "
        f"{', '.join(who)} lived: no broker can be selected, and nobody can lead (session time-out "
        f"{seconds(scene.limits.session)}){outage}"
    )
    failed = [
        line
        for line in scene.lines("watch-not-recreated", "election-event-failed")
        if abs(line.time - since) <= 2 * scene.limits.session
    ]
    shown: list[Citable] = [*gap.first_evidence, *lost, *failed[:2]]
    shown += gap.last_evidence or _last_lines(scene, who, until)
    window = Window(since, until, since, until)
    return finding(
        SOMEBODY, Severity.VIOLATION, why, shown, brokers=who, time=since,
        window=window, guard="some live broker is registered",
        repair="restart one broker at once: it registers, is elected, and cleans up for the others",
        symptoms=_lost_watch(scene, who, window),
        causes=(Cause(HappeningKind.UNLISTED, "", since), *why_ended(scene, gap.before)),
    )  # fmt: skip


def _state(nobody: Finding, gap: Gap) -> Happening:
    cause, *behind = nobody.causes
    until = END if gap.after is None or nobody.window is None else nobody.window.possible_until
    words = f"no broker was registered, although processes of {' and '.join(nobody.brokers)} lived"
    return Happening(cause, until, words, nobody.brokers, gap.first_evidence, tuple(behind), nobody.repair)


def _lost_watch(scene: Scene, brokers: Sequence[str], window: Window) -> list[Symptom]:
    return [Symptom.LOST_WATCH] if lost_watch(scene, brokers, window) else []


def _last_lines(scene: Scene, brokers: Sequence[str], until: int) -> list[Citable]:
    """Return the last line of each broker: it lived then."""
    lines = [[line for line in scene.said.get(broker, ()) if line.time <= until] for broker in brokers]
    return [own[-1] for own in lines if own]


LATE_LOG = Excuse("a registration before the beginning of both log and history", begins_late)

LIVE_BROKER_IS_REGISTERED = SceneLaw(
    LISTED,
    "A broker whose process lives is registered, but for a session time-out.",
    "BrokerRegistryImpl, ExtensibleLoadManagerImpl.monitor",
    excuses=(stops_by_itself, own_check, lost_session, own_line, no_sign, LATE_LOG),
    order=50,
    needs=(Source.LOGS,),
    waits=True,
    state="{brokers} {are} no longer registered",
    judge=_live_broker_is_registered,
    uses=CLUSTER,
)
SOMEBODY_IS_REGISTERED = SceneLaw(
    SOMEBODY,
    "While processes live, some broker is registered, but for a session time-out.",
    "BrokerRegistryImpl",
    excuses=(NOT_PART, session_of_a_node, unseen_brokers, open_outage, strangers_among),
    order=50,
    needs=(Source.LOGS,),
    waits=True,
    state="no broker is registered any more",
    judge=_somebody_is_registered,
    uses=CLUSTER,
)
