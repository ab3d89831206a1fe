"""
Reports on bad times: brokers that act without a stable session or end their own process, and circular redirects.

All of it is allowed: a broker whose session is lost skips its monitor, an old job may still run, a metadata-store view
that cannot be filled again stops the process (run.G11), and views that differ for a moment send a caller in circles.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from oneowner.checkers.recordings.laws.recovery.postponed import SKIPS, postponements
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.observations import Call, LogEvent, Lookup, Source
from oneowner.checkers.recordings.scene.broker_processes import all_lives, lines_of
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import why_away
from oneowner.checkers.recordings.scene.registry_from_logs import BACK, LOST, SESSION
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.timeline import meets
from oneowner.checkers.times import iso, seconds
from oneowner.model.kernel.law import Severity

STABLE = "recovery-is-stable"
STAYS = "no-broker-exits-by-itself"
REDIRECTS = "redirects-end"

ACTS = ("cleanup-handled", "cleanup-started", "override")
EXITS = ("view-shut-down", "view-shutdown-stops-broker", "broker-shut-down")


def _recovery_is_stable(scene: Scene) -> LawOutcome:
    judged = LawOutcome(happenings=postponements(scene))
    for life in all_lives(scene):
        lost: LogEvent | None = None
        skipped: list[LogEvent] = []
        acted: list[LogEvent] = []
        for line in lines_of(scene, life, SESSION, *SKIPS, *ACTS, "monitor-completed"):
            judged.exercised += line.event in (*SKIPS, *ACTS, "monitor-completed")
            if line.event == SESSION:
                lost = line if line.values.get("event") == LOST else None if line.values.get("event") == BACK else lost
            elif line.event in SKIPS:
                skipped.append(line)
            elif (line.event == "cleanup-handled" and line.values.get("state") not in (None, "Stable")) or (
                line.event in ("cleanup-started", "override") and lost is not None
            ):
                acted.append(line)
        if skipped:
            own = [one for one in judged.happenings if life.broker in one.brokers]
            causes = [one.cause for one in own if meets(one, skipped[0].time, skipped[-1].time)]
            judged.findings.append(_skipped(scene, life, skipped, causes))
        if acted:
            judged.findings.append(_acted(life, acted))
    return judged


def _skipped(scene: Scene, life: Life, lines: Sequence[LogEvent], causes: Sequence[Cause]) -> Finding:
    since, until = lines[0].time, lines[-1].time
    is_long = until - since > scene.limits.session + scene.limits.monitor
    why = (
        f"{life.broker} skipped recovery {len(lines)} times from {iso(since)} to {iso(until)}, as its session with "
        f"the metadata store was not stable: by design, nothing is taken from anybody meanwhile"
    )
    events = [line for line in lines_of(scene, life, SESSION) if line.time <= since][-1:]
    told = [line.values.get("event") for line in lines_of(scene, life, SESSION) if line.time <= until]
    is_lost = told[-1:] == [LOST]  # then ZooKeeper itself is away, and the state is right
    # the state of a new session is Jittery for a while, by design
    is_unstable = lines[-1].values.get("state", "Unstable") == "Unstable"
    return finding(
        STABLE, Severity.WARNING if is_long else Severity.NOTE, why, [*events, lines[0], *lines[1:][-1:]],
        brokers=(life.broker,), time=since, window=Window(since, until, since, until),
        guard="recovery runs while the session is stable", repair="check that the leader reaches ZooKeeper",
        symptoms=[Symptom.SESSION_BACK] if is_long and is_unstable and not is_lost else (),
        causes=causes,
    )  # fmt: skip


def _acted(life: Life, lines: Sequence[LogEvent]) -> Finding:
    since, until = lines[0].time, lines[-1].time
    why = (
        f"{life.broker} went on with {len(lines)} steps of clean-ups from {iso(since)} to {iso(until)} while its "
        f"session with the metadata store was lost or new: a job that was begun before is not stopped by that"
    )
    return finding(
        STABLE, Severity.NOTE, why, [lines[0], *lines[1:][-1:]], brokers=(life.broker,), time=since,
        window=Window(since, until, since, until), guard="recovery runs while the session is stable",
        repair="compare what it took with who lived then",
    )  # fmt: skip


def _stays(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    for life in all_lives(scene):
        judged.exercised += 1
        lines = lines_of(scene, life, *EXITS)
        if lines:
            judged.findings.append(_exit(scene, life, lines))
    return judged


def _exit(scene: Scene, life: Life, lines: Sequence[LogEvent]) -> Finding:
    because = next((line for line in lines if line.event in EXITS[:2]), None)
    cause = (
        "its view could not be filled again after its session was back" if because else "it shut itself down at once"
    )
    events = [line for line in lines_of(scene, life, SESSION) if line.time <= lines[0].time][-2:]
    why = f"{life.broker} ended its own process at {iso(lines[0].time)}: {cause}; nothing was handed over"
    return finding(
        STAYS, Severity.WARNING, why, [*events, *lines[:3]], brokers=(life.broker,), time=lines[0].time,
        guard="a broker stops when it is told to, and hands over first",
        causes=why_away(scene, life.broker, life.end, life.end),
        repair="start it again; a broker that loses its session in an outage of ZooKeeper need not exit",
    )  # fmt: skip


def _redirects_end(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    for call in scene.calls:
        judged.exercised += bool(call.hops)
        way = (call.asked, *call.hops)
        if len(set(way[:-1])) < len(way) - 1:  # a broker that sent it on got it again, and sent it on again
            judged.findings.append(_circle([call], way, call.unit))
    sent: dict[tuple[str, str, str], list[Lookup]] = defaultdict(list)
    for lookup in scene.lookups:
        if lookup.redirect:
            judged.exercised += 1
            sent[lookup.topic, lookup.asked, lookup.redirect].append(lookup)
    for (topic, asked, redirect), there in sent.items():
        backs = sent.get((topic, redirect, asked), [])
        starts = [(back.start, back.origin) for back in backs]
        for lookup in there:
            number = bisect_right(starts, (lookup.start, lookup.origin))
            if number < len(backs) and backs[number].start <= lookup.end:
                judged.findings.append(_circle([lookup, backs[number]], (asked, redirect, asked), None))
    return judged


def _circle(shown: Sequence[Call | Lookup], way: Sequence[str], unit: str | None) -> Finding:
    since, until = min(one.start for one in shown), max(one.end for one in shown)
    what = shown[0].action if isinstance(shown[0], Call) else f"a lookup of {shown[0].topic}"
    evidence: list[Citable] = list(shown)
    why = (
        f"{what} was sent in a circle, {' to '.join(way)}, in {seconds(until - since)} from {iso(since)}: the views of "
        f"these brokers differed"
    )
    return finding(
        REDIRECTS, Severity.NOTE, why, evidence, unit=unit, brokers=way, time=since,
        window=Window(since, until, since, until), guard="a redirect leads towards the owner",
        repair="try again; if it stays so, one of the views has stopped",
    )  # fmt: skip


RECOVERY_IS_STABLE = SceneLaw(
    STABLE,
    "Recovery runs while the session with the metadata store is stable.",
    "ServiceUnitStateChannelImpl.handleBrokerDeletionEvent, monitorOwnerships",
    order=58,
    waits=True,
    needs=(Source.LOGS,),
    judge=_recovery_is_stable,
    severity=Severity.WARNING,
)
STAYS_UP = SceneLaw(
    STAYS,
    "No broker ends its own process.",
    "ServiceUnitStateMetadataStoreTableViewImpl.handleTableViewShutDownEvent; seen in traces/real/zk-restart-metadata",
    order=58,
    needs=(Source.LOGS,),
    judge=_stays,
    uses=CLUSTER,
    severity=Severity.WARNING,
)
REDIRECTS_END = SceneLaw(
    REDIRECTS,
    "Redirects of a call lead to the owner, and never in a circle.",
    "ServiceUnitStateChannelImpl.getOwnerAsync",
    order=58,
    needs=(Source.CALLS,),
    judge=_redirects_end,
    of_channel=True,
    uses=CLUSTER,
    severity=Severity.WARNING,
)
LAWS = (RECOVERY_IS_STABLE, STAYS_UP, REDIRECTS_END)
