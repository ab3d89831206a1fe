"""
Laws of clean-ups: they take from the dead alone, and one that is called off spares a broker that came back.

Both are allowed and worth knowing: a clean-up asks the registry and not the process, so it takes from a broker that is
cut off or hangs as well (run.G1, run.G3), and a broker that stops gives its bundles away itself (channel.9.6).
"""

from __future__ import annotations

from collections.abc import Sequence

from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Finding, Window
from oneowner.checkers.recordings.read.observations import Said, Source
from oneowner.checkers.recordings.scene.broker_processes import life_at, lines_of
from oneowner.checkers.recordings.scene.explanations import why_away, why_ended
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_nodes import Held
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso, seconds
from oneowner.model.kernel.law import Severity

DEAD = "cleanup-hits-the-dead"
CALLED_OFF = "cleanup-is-called-off"

LEAVING = ("broker-closing", "broker-shut-down", "cleanup-started")


# ---- whom a clean-up hits ----


def _hits_the_dead(scene: Scene) -> LawOutcome:
    judged, registry = LawOutcome(), registry_of(scene)
    for started in scene.lines("cleanup-started"):
        judged.exercised += 1
        subject = str(started.values.get("subject"))
        life = life_at(scene, subject, started.time)
        taken = _overrides(scene, started, subject)
        if life is None or not taken:
            continue
        closing = next(
            (line for line in lines_of(scene, life, *LEAVING) if line.time <= started.time and _leaves(line, subject)),
            None,
        )
        if subject == started.broker:
            judged.findings.append(_departing(scene, started, taken))
        elif closing is None:
            gone = [held for held in registry.of(subject) if held.until is not None and held.until <= started.time]
            judged.findings.append(_alive(scene, started, subject, life.end, taken, gone))
    return judged


def _leaves(line: Said, subject: str) -> bool:
    return line.event != "cleanup-started" or line.values.get("subject") == subject


def _overrides(scene: Scene, started: Said, subject: str) -> list[Said]:
    """Return the overrides of this clean-up: up to the line that says that it is completed, or the next one."""
    lines = [line for line in scene.said[started.broker] if line.time >= started.time and line is not started]
    ends = [
        line.time for line in lines
        if line.event in ("cleanup-completed", "cleanup-started") and line.values.get("subject") == subject
    ]  # fmt: skip
    until = min(ends, default=lines[-1].time if lines else started.time)
    return [
        line
        for line in lines
        if line.event == "override" and line.values.get("inactive") == subject and line.time <= until
    ]


def _departing(scene: Scene, started: Said, taken: Sequence[Said]) -> Finding:
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


def _alive(scene: Scene, started: Said, subject: str, end: int, taken: Sequence[Said], gone: Sequence[Held]) -> Finding:
    own = [line for line in scene.said.get(subject, ()) if line.time > started.time]
    unlisted = f", unregistered since {iso(gone[-1].until or 0)}" if gone else ""
    why = (
        f"{started.broker} gave {len(taken)} bundles of {subject} away at {iso(started.time)} although its process "
        f"lived{unlisted}: it said something again {seconds(own[0].time - started.time) if own else '0 s'} later and "
        f"lived to {iso(end)}; allowed, as only the registry is asked, but until it hears of it two may serve them"
    )
    ended = [gone[-1].ended] if gone and gone[-1].ended is not None else []
    until = taken[-1].time
    return finding(
        DEAD, Severity.NOTE, why, [*ended, started, taken[0], *own[:1]], brokers=(started.broker, subject),
        time=started.time, window=Window(started.time, until, started.time, until),
        guard="only bundles of dead brokers are given away",
        repair=f"see why {subject} lost its session while it lived: a pause, or no connection to ZooKeeper",
        causes=why_ended(scene, gone[-1] if gone else None),
    )  # fmt: skip


# ---- what is called off ----


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
    needs=(Source.LOGS,),
    judge=_hits_the_dead,
    uses=CLUSTER,
    severity=Severity.WARNING,
)
CLEANUP_IS_CALLED_OFF = SceneLaw(
    CALLED_OFF,
    "A clean-up that is called off spares a broker that came back in time.",
    "ServiceUnitStateChannelImpl.handleBrokerCreationEvent",
    needs=(Source.LOGS,),
    judge=_called_off,
    uses=CLUSTER,
    severity=Severity.WARNING,
)
LAWS = (CLEANUP_HITS_THE_DEAD, CLEANUP_IS_CALLED_OFF)
