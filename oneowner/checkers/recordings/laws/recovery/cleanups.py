"""
Laws of clean-ups: they take from the dead alone, the leader runs them, and one called off spares who came back.

All is worth knowing, and no harm by itself: a clean-up asks the registry and not the process, so it takes from a broker
that is cut off or hangs as well (run.G1, run.G3); a broker that stops gives its bundles away itself (channel.9.6); and
a job asks when it is scheduled who leads, and not when it runs. With the channel, other laws judge the harm; where only
logs are there, a clean-up after another broker is the disturbance itself.
"""

from collections.abc import Sequence

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.broker_processes import life_at, lines_of
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import why_away, why_ended
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_nodes import Held, Registry
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.times import iso, seconds
from oneowner.model.kernel.law import Severity

DEAD = "cleanup-hits-the-dead"
CALLED_OFF = "cleanup-is-called-off"
BY_LEADER = "cleanup-is-by-the-leader"

LEAVING = ("broker-closing", "broker-shut-down", "cleanup-started")


# ---- the targets of clean-ups ----


def _hits_the_dead(scene: Scene) -> LawOutcome:
    judged, registry = LawOutcome(), registry_of(scene)
    for started in scene.lines("cleanup-started"):
        judged.exercised += 1
        subject = str(started.values.get("subject"))
        life = life_at(scene, subject, started.time)
        taken = _overrides(scene, started, subject)
        if taken and not scene.said.get(subject):
            judged.findings.append(_unheard(scene, started, subject, taken))
        if life is None or not taken:
            continue
        closing = next(
            (line for line in lines_of(scene, life, *LEAVING) if line.time <= started.time and _leaves(line, subject)),
            None,
        )
        if subject == started.broker:
            judged.findings.append(_departing(scene, started, taken))
        elif closing is None:
            gone = [held for held in registry.of(subject) if held.until <= started.time]
            judged.findings.append(_alive(scene, started, subject, life.end, taken, gone))
    return judged


def _leaves(line: LogEvent, subject: str) -> bool:
    return line.event != "cleanup-started" or line.values.get("subject") == subject


def _overrides(scene: Scene, started: LogEvent, subject: str) -> list[LogEvent]:
    """Return the overrides of this clean-up: up to the line of its completion, or the next one."""
    kinds = "cleanup-completed", "cleanup-started", "override"
    lines = [
        line for line in of_kinds(scene.said[started.broker], *kinds)
        if line.time >= started.time and line.origin != started.origin
    ]  # fmt: skip
    ends = [line.time for line in lines if line.event != "override" and line.values.get("subject") == subject]
    until = min(ends, default=END)
    return [
        line for line in lines
        if line.event == "override" and line.values.get("inactive") == subject and line.time <= until
    ]  # fmt: skip


def _departing(scene: Scene, started: LogEvent, taken: Sequence[LogEvent]) -> Finding:
    why = (
        f"{started.broker} was stopping and gave {len(taken)} of its own bundles away itself, at {iso(started.time)}: "
        f"this is by design"
    )
    until = taken[-1].time
    return finding(
        DEAD, Severity.NOTE, why, [started, taken[0], *taken[1:][-1:]], brokers=(started.broker,), time=started.time,
        window=Window(started.time, until, started.time, until), guard="the leader cleans up, or who stops for itself",
        repair="none is needed", causes=why_away(scene, started.broker, started.time, until),
    )  # fmt: skip


def _unheard(scene: Scene, started: LogEvent, subject: str, taken: Sequence[LogEvent]) -> Finding:
    """Report what a clean-up took from a broker without a log: it died, or only lost its session."""
    until = taken[-1].time
    why = (
        f"{started.broker} gave {len(taken)} bundles of {subject} away by force at {iso(started.time)}: {subject} was "
        f"not registered any more, as it was stopped or died, or as it lost its session and served them on"
    )
    return finding(
        DEAD, Severity.WARNING, why, [started, taken[0], *taken[1:][-1:]], brokers=(started.broker, subject),
        time=started.time, window=Window(started.time, until, started.time, until),
        guard="only bundles of dead brokers are given away", repair=f"add the log of {subject}, which shows it",
        units=_units(taken), causes=why_away(scene, subject, started.time, until),
    )  # fmt: skip


def _units(taken: Sequence[LogEvent]) -> list[str]:
    return sorted({line.unit for line in taken if line.unit})


def _alive(
    scene: Scene, started: LogEvent, subject: str, end: int, taken: Sequence[LogEvent], gone: Sequence[Held]
) -> Finding:
    own = [line for line in scene.said.get(subject, ()) if line.time > started.time]
    unlisted = f", unregistered since {iso(gone[-1].until)}" if gone else ""
    why = (
        f"{started.broker} gave {len(taken)} bundles of {subject} away at {iso(started.time)} although its process "
        f"lived{unlisted}: it said something again {seconds(own[0].time - started.time) if own else '0 s'} later and "
        f"lived to {iso(end)}; allowed, as only the registry is asked, but until it hears of it two may serve them"
    )
    ended = [gone[-1].ended] if gone and gone[-1].ended is not None else []
    until = taken[-1].time
    is_judged = Source.CHANNEL in scene.present or Source.LOCKS in scene.present
    return finding(
        DEAD, Severity.NOTE if is_judged else Severity.WARNING, why, [*ended, started, taken[0], *own[:1]],
        brokers=(started.broker, subject), units=() if is_judged else _units(taken),
        time=started.time, window=Window(started.time, until, started.time, until),
        guard="only bundles of dead brokers are given away",
        repair=f"find out why {subject} lost its session while it lived: a pause, or no connection to ZooKeeper",
        causes=why_ended(scene, gone[-1] if gone else None) or (() if is_judged else _why_gone(scene, started, own)),
    )  # fmt: skip


def _why_gone(scene: Scene, started: LogEvent, own: Sequence[LogEvent]) -> tuple[Cause, ...]:
    """Return why a live broker was cleaned up after, by its own log: it reports a lost session at its next line."""
    session, back = scene.limits.session, own[0].time if own else started.time
    return why_away(scene, str(started.values.get("subject")), started.time - session, back + session)


# ---- the brokers that clean up ----


def _by_the_leader(scene: Scene) -> LawOutcome:
    judged, registry = LawOutcome(), registry_of(scene)
    judged.doubts += registry.disputed
    for started in scene.lines("cleanup-started"):
        if is_its_own.of(scene, started):
            continue
        judged.exercised += bool(registry.leaders)
        led = _who_led(scene, registry, started.time)
        if led is not None and led.broker != started.broker:
            judged.findings.append(_beside(scene, registry, started, led))
    return judged


@excuse("a stopping broker, which cleans up after itself")
def is_its_own(scene: Scene, started: LogEvent) -> bool:
    return started.values.get("subject") == started.broker


@excuse("a clean-up begun while no broker led, or as another was elected: clocks differ")
def two_clocks(scene: Scene) -> int:
    """Return the milliseconds by which an election may be later, or the end of a tenure earlier, than its stamp."""
    return scene.limits.clock_skew


@excuse("an old leader unaware of its successor, or a clean-up without effect, which is a note")
def is_unaware(scene: Scene, follows: bool, taken: Sequence[LogEvent]) -> bool:
    """Return whether the old leader does not play a follower yet, or takes no bundle away."""
    return not follows or not taken


def _who_led(scene: Scene, registry: Registry, time: int) -> Held | None:
    """Return the certain leader, the last elected by then: logs alone show the end of a leadership late."""
    skew = two_clocks.of(scene)
    sure = (
        held for held in reversed(registry.leaders)
        if held.since + skew < time < held.until - skew
    )  # fmt: skip
    return next(sure, None)


def _beside(scene: Scene, registry: Registry, started: LogEvent, led: Held) -> Finding:
    cleaner, subject = started.broker, str(started.values.get("subject"))
    taken = _overrides(scene, started, subject)
    told = of_kinds(scene.said[cleaner], "cleanup-scheduled", "plays-leader", "plays-follower")
    before = [line for line in told if line.time <= started.time]
    scheduled = _last(before, "cleanup-scheduled", subject)
    role = next((line for line in reversed(before) if line.event in ("plays-leader", "plays-follower")), None)
    follows = role is not None and role.event == "plays-follower"
    own = next((held for held in reversed(registry.leaders) if held.broker == cleaner and held.since < led.since), None)
    why = (
        f"{cleaner} began to clean up after {subject} at {iso(started.time)}, "
        f"{seconds(started.time - led.since)} after {led.broker} was elected, and gave {len(taken)} bundles away"
        + (f"; it plays a follower since {iso(role.time)}" if role is not None and follows else "")
        + (f"; it scheduled that at {iso(scheduled.time)}" if scheduled is not None else "")
        + ": a job that runs does not ask again who leads"
    )
    shown: list[Citable] = [*(own.evidence[1:] if own is not None else ()), led.made]
    shown += [line for line in (scheduled, role if follows else None, started) if line is not None]
    until = taken[-1].time if taken else started.time
    return finding(
        BY_LEADER, Severity.NOTE if is_unaware.of(scene, follows, taken) else Severity.WARNING, why,
        [*shown, *taken[:1], *taken[1:][-1:]], brokers=(cleaner, led.broker), time=started.time,
        window=Window(started.time, until, started.time, until), guard="the leader cleans up, or who stops for itself",
        repair="none is needed: of two overrides the later is refused; docs/upstream/late-clean-up.md has a fix",
        causes=why_ended(scene, own),
    )  # fmt: skip


def _last(lines: Sequence[LogEvent], event: str, subject: str) -> LogEvent | None:
    return next(
        (line for line in reversed(lines) if line.event == event and line.values.get("subject") == subject), None
    )


# ---- cancelled clean-ups ----


def _called_off(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    judged.exercised = len(scene.lines("cleanup-scheduled"))
    registry = registry_of(scene)
    for said in scene.lines("cleanup-skipped-healthy", "cleanup-cancelled"):
        judged.exercised += 1
        subject = str(said.values.get("subject"))
        held = [one for one in registry.of(subject) if one.since <= said.time + scene.limits.clock_skew]
        back = held[-1] if held else None
        how = "found it healthy" if said.event == "cleanup-skipped-healthy" else "saw it register again"
        again = f": {subject} had registered again at {iso(back.since)}" if back is not None else ""
        why = (
            f"{said.broker} called the clean-up of {subject} off at {iso(said.time)}, as it {how}{again}; had it come "
            f"a little later, its bundles would have been given away"
        )
        before = [one.ended for one in held if one.ended is not None][-1:]
        judged.findings.append(
            finding(
                CALLED_OFF,
                Severity.NOTE,
                why,
                [*before, *([back.made] if back is not None else []), said],
                brokers=(said.broker, subject),
                time=said.time,
                guard="a broker that is back keeps its bundles",
                repair="stop a broker that is to restart by SIGTERM, or keep it away longer than its session time-out",
            )
        )
    return judged


CLEANUP_HITS_THE_DEAD = SceneLaw(
    DEAD,
    "What a clean-up gives away belonged to a broker that was dead.",
    "ServiceUnitStateChannelImpl.doCleanup",
    order=57,
    needs=(Source.LOGS,),
    judge=_hits_the_dead,
    uses=CLUSTER,
    severity=Severity.WARNING,
)
CLEANUP_IS_CALLED_OFF = SceneLaw(
    CALLED_OFF,
    "A clean-up that is called off spares a broker that came back in time.",
    "ServiceUnitStateChannelImpl.handleBrokerCreationEvent",
    order=57,
    needs=(Source.LOGS,),
    judge=_called_off,
    uses=CLUSTER,
    severity=Severity.WARNING,
)
CLEANUP_IS_BY_THE_LEADER = SceneLaw(
    BY_LEADER,
    "A clean-up after another broker is run by the leader.",
    "ServiceUnitStateChannelImpl.doCleanup; seen in traces/real/late-clean-up",
    excuses=(is_its_own, two_clocks, is_unaware),
    order=57,
    needs=(Source.LOGS,),
    judge=_by_the_leader,
    uses=CLUSTER,
    severity=Severity.WARNING,
)
LAWS = (CLEANUP_HITS_THE_DEAD, CLEANUP_IS_CALLED_OFF, CLEANUP_IS_BY_THE_LEADER)
