"""
Laws of the registry: who lives is registered, and somebody is at all times.

Who is not registered gets no bundles, its own are taken as orphans, and lookups that name it fail (channel.7,
channel.9.1). A session that ends takes the registration with it; 4.0.6 registers again only when its own check comes
(``ExtensibleLoadManagerImpl.monitor``, every 120 s), 4.0.8 and 4.1.2 as soon as the session is back (bugs.R40).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oneowner.checkers.recordings.fold.recorded_law import Excuse
from oneowner.checkers.recordings.laws.known_bugs import LATE, STARTING, issue
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.broker_processes import lines_of, lived, living
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import why_ended
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_from_logs import BACK, LOST, REGISTERED, SESSION, out_of_reach
from oneowner.checkers.recordings.scene.registry_nodes import Gap, Held, Registry, gaps
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.times import iso, seconds
from oneowner.model.kernel.law import Severity

LISTED = "live-broker-is-registered"
SOMEBODY = "somebody-is-registered"
LATE_BEGIN = "its log and the history begin later than its process"


def unlisted(scene: Scene, registry: Registry, life: Life) -> Iterator[Gap]:
    """
    Yield the times at which the process *life*, once registered, was not; one that stops by itself leaves for good.

    A line of its own log that says it registered ends such a time too: the history may have been taken before it.
    """
    times = registry.of(life.broker)
    first = next(
        (held for held in times if held.since >= life.start or held.until is None or held.until > life.start), None
    )
    if first is None:
        return
    said = [line.time for line in lines_of(scene, life, REGISTERED)]
    for gap in gaps(times, max(life.start, first.since), life.end):
        is_last = gap.after is None
        if is_last and gap.before is not None and gap.before.is_given_up:
            continue
        until = min([gap.until, *(time for time in said if is_last and gap.since < time)])
        yield gap._replace(until=until)


def is_told(scene: Scene, life: Life) -> bool:
    """
    Say whether a registration of the process *life* would be seen, if there was one.

    It would be in a history from the server's first transaction on, or from before the process began; else in its own
    log, if that begins with the process, and if logs say it at all.
    """
    is_whole = [line.event for line in lines_of(scene, life)[:1]] == [STARTING]
    if scene.writes and (scene.writes[0].zxid == 1 or (is_whole and scene.writes[0].time <= life.start)):
        return True
    return is_whole and bool(scene.lines(REGISTERED))


def _live_broker_is_registered(scene: Scene) -> LawOutcome:
    registry, judged, skew = registry_of(scene), LawOutcome(), scene.limits.clock_skew
    judged.doubts += registry.contradictions
    for life in living(scene):
        never = not any(
            held.since <= life.end + skew and (held.until or life.end) >= life.start - skew
            for held in registry.of(life.broker)
        )
        is_whole = [line.event for line in scene.said.get(life.broker, ())[life.first : life.first + 1]] == [STARTING]
        if never and is_whole and life.end - life.start > scene.limits.role_monitor:
            judged.exercised += 1
            judged.findings.append(_never(scene, life))
        judged.exercised += not never
        for gap in unlisted(scene, registry, life):
            judged.exercised += 1
            lived = gap.since if is_whole else _sign_of_life(scene, life, gap)
            if gap.until - lived > scene.limits.session:
                judged.findings.append(_unlisted(scene, life, gap))
    return judged


def _sign_of_life(scene: Scene, life: Life, gap: Gap) -> int:
    """Return when it first gave one while unregistered: a log that tells of no start may be that of two processes."""
    signs = [line.time for line in lines_of(scene, life) if gap.since <= line.time <= gap.until]
    signs += [one.end for one in scene.lookups if one.asked == life.broker and one.status and one.start >= gap.since]
    signs += [one.end for one in scene.polls if one.asked == life.broker and one.status and one.start >= gap.since]
    return min([gap.until, *signs])


def _unlisted(scene: Scene, life: Life, gap: Gap) -> Finding:
    limits = scene.limits
    events = [line for line in lines_of(scene, life, SESSION) if gap.since - limits.session <= line.time <= gap.until]
    back = next((line for line in reversed(events) if line.values.get("event") == BACK), None)
    free = gap.since + limits.session if back is None else max(gap.since, back.time)
    apart = 0 if gap.after is not None else limits.clock_skew  # its last line is of its own clock
    is_late = gap.until - apart - free > limits.role_monitor
    is_over = gap.after is not None or any(line.time == gap.until for line in lines_of(scene, life, REGISTERED))
    end = f"until {iso(gap.until)}" if is_over else "to its last sign of life"
    cause = f"; its session was back at {iso(back.time)}, {seconds(gap.until - back.time)} before that" if back else ""
    why = (
        f"{life.broker} lived and was not registered for {seconds(gap.lasted)}, from {iso(gap.since)} {end}{cause}: it "
        f"gets no bundles, and its own are taken as orphans (session time-out {seconds(limits.session)}, its own check "
        f"comes every {seconds(limits.role_monitor)})"
    )
    return finding(
        LISTED, Severity.VIOLATION if is_late else Severity.WARNING, why, _proof(scene, life, gap, events),
        brokers=(life.broker,), window=Window(gap.since, gap.until, gap.since, gap.until), time=gap.since,
        guard="a live broker's registration comes back with its session",
        repair="register again when the session is back (SessionReestablished), not by the check alone; or restart it",
        upstream=issue(scene, [life], LATE) if back is not None else "", causes=why_ended(scene, gap.before),
    )  # fmt: skip


def _proof(scene: Scene, life: Life, gap: Gap, events: Sequence[LogEvent]) -> list[Citable]:
    """How it ended, what the process says of its session, how it began again; else the last line that it lived."""
    shown: list[Citable] = [] if gap.before is None else [gap.before.made, *_ended(gap.before)]
    shown += [line for line in events if line.values.get("event") in (LOST, BACK)][-3:]
    said = [line for line in lines_of(scene, life, REGISTERED, "not-registered") if gap.since <= line.time <= gap.until]
    shown += said[-2:]
    if gap.after is not None:
        return [*shown, gap.after.made]
    return [*shown, *scene.said.get(life.broker, ())[life.last - 1 : life.last]]


def _ended(held: Held) -> list[Citable]:
    return [] if held.ended is None else [held.ended]


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


def taking_part(scene: Scene, registry: Registry) -> list[Life]:
    """
    Return the processes of all brokers, each for as long as it can be registered and elected.

    One that starts is given time to register, as long as its own check takes; one that stops by itself gives up first,
    and may take its time to close.
    """
    found = []
    for life in living(scene):
        own = [held for held in registry.of(life.broker) if life.start <= held.since <= life.end]
        lived = any(
            held.since < life.start and (held.until or life.end) > life.start for held in registry.of(life.broker)
        )
        is_whole = [line.event for line in lines_of(scene, life)[:1]] == [STARTING]
        late = life.start if lived or not is_whole else life.start + scene.limits.role_monitor
        start = min([late, *(held.since for held in own)]) if not lived else life.start
        gave_up = own[-1].until if own and own[-1].is_given_up else None
        end = life.end if gave_up is None else min(life.end, gave_up)
        if start < end:
            found.append(life._replace(start=start, end=end))
    return found


def at_least(scene: Scene, gap: Gap) -> int:
    """How long a gap must be: a node whose end nobody tells outlives its process by a session."""
    is_told = gap.before is None or gap.before.ended is not None
    return scene.limits.session * (1 if is_told else 2) + scene.limits.clock_skew


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
            if until - since <= at_least(scene, gap):
                continue
            if strangers := _strangers(scene, registry, lives, since, until):
                judged.doubts.append(
                    f"whether {', '.join(strangers)} was registered at {iso(since)} is not told: {LATE_BEGIN}"
                )
            else:
                judged.findings.append(_nobody(scene, gap, lives, since, until))
    return judged


def _strangers(scene: Scene, registry: Registry, lives: Sequence[Life], since: int, until: int) -> list[str]:
    """Return who lived then and may have been registered from before all that was recorded."""
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
    shown: list[Citable] = [] if gap.before is None else [gap.before.made, *_ended(gap.before)]
    shown += [*lost, *failed[:2]]
    shown += [gap.after.made] if gap.after is not None else _last_lines(scene, who, until)
    return finding(
        SOMEBODY, Severity.VIOLATION, why, shown, brokers=who, time=since,
        window=Window(since, until, since, until), guard="some live broker is registered",
        repair="restart one broker at once: it registers, is elected, and cleans up for the others",
        causes=why_ended(scene, gap.before),
    )  # fmt: skip


def _last_lines(scene: Scene, brokers: Sequence[str], until: int) -> list[Citable]:
    """Return the last line of each broker: it lived then."""
    lines = [[line for line in scene.said.get(broker, ()) if line.time <= until] for broker in brokers]
    return [own[-1] for own in lines if own]


LIVE_BROKER_IS_REGISTERED = SceneLaw(
LISTED,
"A broker whose process lives is registered, but for a session time-out.",
"BrokerRegistryImpl, ExtensibleLoadManagerImpl.monitor",
excuses=(
    Excuse("a process that stops by itself and leaves for good"),
    Excuse("a starting process, for the interval of its own check"),
    Excuse("a lost session: the delay counts from when it is back"),
    Excuse("a ZooKeeper history that was taken early: the broker's own log shows that it registered"),
    Excuse("a log without a sign of life while unregistered: it may be that of two processes"),
    Excuse("a registration before both log and history begin"),
),
order=50,
needs=(Source.LOGS,),
judge=_live_broker_is_registered,
uses=CLUSTER,
)  # fmt: skip
SOMEBODY_IS_REGISTERED = SceneLaw(
    SOMEBODY,
    "While processes live, some broker is registered, but for a session time-out.",
    "BrokerRegistryImpl",
    excuses=(
        Excuse("processes that are starting or stopping"),
        Excuse("a node that outlives its process by a session: two timeouts where no end is recorded"),
        Excuse("ZooKeeper out of reach, which is reported with the brokers that lost it"),
        Excuse("a live broker whose log and history begin later than its process, which is a doubt"),
    ),
    order=50,
    needs=(Source.LOGS,),
    judge=_somebody_is_registered,
    uses=CLUSTER,
)
LAWS = (LIVE_BROKER_IS_REGISTERED, SOMEBODY_IS_REGISTERED)
