"""
Laws of orphans: the units of a broker that is gone are given to others in time.

The leader gives an orphan away when the broker's registration ends; if the leader itself is gone, the next one does so
in its first monitor run (channel.9.5), which a hung leader can hold up for as long as connections to it stand (run.G3).
"""

from collections.abc import Sequence
from itertools import pairwise

from oneowner.checkers.recordings.fold.recorded_law import Excuse, Harm, excuse
from oneowner.checkers.recordings.laws.answers.dump_end import after_dump, dump_end
from oneowner.checkers.recordings.laws.recovery.gone_brokers import Gone, Orphan, departures, orphans
from oneowner.checkers.recordings.laws.recovery.put_off import put_off
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.events import Cause, Window
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.broker_processes import all_lives, lived
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import why_gone
from oneowner.checkers.recordings.scene.registry import Registry, registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END, Timeline
from oneowner.checkers.times import lasting, quantile
from oneowner.model.kernel.law import Severity

REASSIGNED = "orphans-are-reassigned"
STALLED = "recovery-stalled"
MOST_NAMED = 10


# ---- orphans-are-reassigned, recovery-stalled ----


def _judge_reassigned(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    registry, end = registry_of(scene), _end(scene)
    times: list[tuple[int, Gone]] = []
    waiting = 0
    for gone in departures(scene, registry):
        left = [one for one in orphans(scene, gone) if not unfollowed.of(scene, one)]
        judged.exercised += len(left)
        waiting += sum(one.until > end for one in left)
        times += [(orphan.lasted(end), gone) for orphan in left if orphan.is_reassigned]
        known = max((end if orphan.until == END else orphan.until for orphan in left), default=end)
        limit = scene.limits.recovery + PUT_OFF.of(scene, gone.since, known, (gone.broker,)).total
        late = [one for one in left if min(one.lasted_certainly(end), end - max(gone.certain, one.stay.since)) > limit]
        if late:
            _report_late(scene, registry, gone, late, limit, judged)
    if waiting and dump_end(scene) is not None:
        judged.doubts.append(
            f"{waiting} units of brokers that are gone wait when the dump ends, which is older than that"
        )
    if times:
        _report_times(scene, times, judged)
    return judged


def _end(scene: Scene) -> int:
    """Return the time until which the channel names owners: the end of the recording, or of an older dump."""
    return next((since - 1 for since, _ in OLDER_DUMP.of(scene)), scene.end or 0)


def _report_late(
    scene: Scene, registry: Registry, gone: Gone, late: list[Orphan], limit: int, judged: LawOutcome
) -> None:
    end = _end(scene)
    longest = max(late, key=lambda orphan: orphan.lasted(end))
    last = max(orphan.until for orphan in late)
    until = end if last == END else last
    chain = _chain(scene, registry, gone, until)
    is_excused = came_back.of(scene, gone, limit) or alone.of(scene, registry, gone, until)
    unheard = [] if is_excused else unheard_brokers.of(scene, registry, gone, until)
    is_excused = is_excused or bool(unheard) or lives_on.of(scene, gone)
    if unheard:
        judged.doubts.append(
            f"{len(late)} units of {gone.broker} waited for up to {lasting(longest.lasted(end))}: only the log of "
            f"{' and '.join(unheard)}, which is not here, shows whether the leader put its clean-up off, or it lived on"
        )
    lived_on = " and lived on" if scene.said.get(gone.broker) else ""
    state = "was gone" if gone.away else f"lost its registration{lived_on}"
    what = (
        "were given to no other broker"
        if not any(orphan.is_reassigned for orphan in late)
        else "waited for another broker"
    )
    judged.findings.append(
        finding(
            REASSIGNED,
            Severity.WARNING if is_excused else Severity.VIOLATION,
            f"{gone.broker} {state}, and {len(late)} of its units {what} for up to {lasting(longest.lasted(end))}, "
            f"longer than {lasting(limit)}. {_told(chain)}",
            [*gone.evidence, longest.stay.step, *(seen for _, _, seen in chain if seen is not None)][:MOST_NAMED],
            unit=longest.stay.step.key,
            brokers=(gone.broker,),
            step=longest.stay.step,
            window=Window(gone.unlisted or gone.since, last, gone.since, last),
            time=gone.since,
            guard=f"an orphan is given away within {lasting(limit)}: session, clean-up and one monitor run",
            repair="the leader's clean-up of that broker, or its next monitor run; check that there is a leader",
            causes=_causes(scene, gone),
            units=[orphan.stay.step.key for orphan in late],
        )
    )


@excuse("a unit whose later records may be missing, where logs alone show any")
def unfollowed(scene: Scene, orphan: Orphan) -> bool:
    """Return whether no process in debug mode, which prints every record, handled records for long after its last."""
    if scene.logged is None:
        return False
    if orphan.stay.step.key in scene.logged.unsettled:
        return True
    return scene.logged.followed_until(orphan.stay.step.place) - orphan.stay.since <= scene.limits.recovery


@excuse("a broker that lives and only lost its registration, which warns")
def lives_on(scene: Scene, gone: Gone) -> bool:
    """Return whether the broker serves on: the laws of the registry judge its missing registration."""
    return gone.away is None


@excuse("a broker that came back within the time")
def came_back(scene: Scene, gone: Gone, limit: int) -> bool:
    """Return whether the process of the broker was there again within *limit* milliseconds."""
    return gone.away is not None and gone.away.until - gone.since <= limit


@excuse("a cluster without another live broker")
def alone(scene: Scene, registry: Registry, gone: Gone, until: int) -> bool:
    """Return whether no other broker was there long enough to be given the units; one only named is taken to be."""
    there = [(one.broker, one.since, one.until) for one in registry.registrations]
    there += [(one.broker, one.start, one.end) for one in all_lives(scene)]
    others = [one for one in there if one[0] != gone.broker]
    if not others:
        return len(scene.brokers) == 1
    return not any(
        last - first > scene.limits.recovery
        for broker, since, end in others  # one that is away takes no unit, as where all of a cluster is switched off
        for first, last in Timeline([(since, end)]).within(gone.certain, until) - Timeline.of(absences(scene, broker))
    )


@excuse("a broker without a log: it may have lived on, or led and put the clean-up off, which is a doubt")
def unheard_brokers(scene: Scene, registry: Registry, gone: Gone, until: int) -> list[str]:
    """Return the brokers that led, or may have, after a broker was gone, and that one, whose logs do not show it."""
    found = [gone.broker] if gone.away is None and not scene.said.get(gone.broker) else []
    others = [broker for broker in scene.brokers if broker != gone.broker]
    if Source.ZOOKEEPER not in scene.present:
        return found + [broker for broker in others if not scene.lives.get(broker)]
    for broker in others:
        led = Timeline.of(held for held in registry.leaders if held.broker == broker).within(gone.since, until)
        if (led - lived(scene.lives.get(broker, ()))).total > 2 * scene.limits.session:
            found.append(broker)
    return found


def _report_times(scene: Scene, times: list[tuple[int, Gone]], judged: LawOutcome) -> None:
    lasted = sorted(time for time, _ in times)
    brokers = list({(gone.broker, gone.since): gone for _, gone in times}.values())
    judged.findings.append(
        finding(
            REASSIGNED,
            Severity.NOTE,
            f"{len(lasted)} units of {len(brokers)} departures were given to others, from the last sign of life: "
            f"p50 {lasting(quantile(lasted, 50))}, p99 {lasting(quantile(lasted, 99))}, max {lasting(lasted[-1])}.",
            [gone.evidence[-1] for gone in brokers][:MOST_NAMED],
            brokers=[gone.broker for gone in brokers],
            time=min(gone.since for gone in brokers),
            guard=f"an orphan is given away within {lasting(scene.limits.recovery)}",
        )
    )


def _judge_stalled(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    registry, bound = registry_of(scene), scene.limits.in_flight_wait
    for gone in departures(scene, registry):
        left = [orphan for orphan in orphans(scene, gone) if gone.unlisted is not None]
        judged.exercised += len(left)
        slow = [o for o in left if o.is_reassigned and o.until - (gone.unlisted or 0) > bound]
        if not slow or gone.unlisted is None:
            continue
        until = max(orphan.until for orphan in slow)
        chain = _chain(scene, registry, gone, until)
        judged.findings.append(
            finding(
                STALLED,
                Severity.WARNING,
                f"The registration of {gone.broker} had ended, but its {len(slow)} units were given to others only "
                f"{lasting(until - gone.unlisted)} later ({lasting(until - gone.since)} after its last sign of life). "
                f"{_told(chain)}",
                [*gone.evidence, *(seen for _, _, seen in chain if seen is not None)][:MOST_NAMED],
                unit=slow[0].stay.step.key if len(slow) == 1 else None,
                brokers=(gone.broker,),
                window=Window(gone.unlisted, until, gone.since, until),
                time=gone.unlisted,
                guard=f"who leads gives orphans away within {lasting(bound)} after the registration has ended",
                repair="end the hung process, so that connections to it break and the new leader can take its role",
                symptoms=[Symptom.HUNG_LEADER] if _is_hung(gone, chain) else (),
                causes=_causes(scene, gone),
                units=[orphan.stay.step.key for orphan in slow],
            )
        )
    return judged


def _causes(scene: Scene, gone: Gone) -> list[Cause]:
    cause = why_gone(scene, gone.broker, gone.since if gone.unlisted is None else gone.unlisted)
    return [] if cause is None else [cause]


Link = tuple[int, str, Citable | None]
"""One event on the way to recovery: its time, its words, and its line."""


def _chain(scene: Scene, registry: Registry, gone: Gone, until: int) -> list[Link]:
    """Return the events from the end of a broker's registration until its units were given away, by time."""
    since = gone.since if gone.unlisted is None else gone.unlisted
    links: list[Link] = [
        (since, f"{gone.broker} was gone" if gone.unlisted is None else "its registration ended", None)
    ]
    elected = [held for held in registry.leaders if since <= held.since <= until]
    links += [(held.since, f"{held.broker} was elected", held.made) for held in elected]
    for line in scene.lines(
        "role-setting", "plays-leader", "cleanup-scheduled", "cleanup-started", "override", "deletion-failed"
    ):
        if not since <= line.time <= until:
            continue
        if line.event == "role-setting" and line.values.get("to") == "Leader":
            links.append((line.time, f"{line.broker} began to take the role", line))
        elif line.event == "plays-leader":
            links.append((line.time, f"{line.broker} had taken the role", line))
        elif (
            line.event == "cleanup-scheduled"
            and line.values.get("subject") == gone.broker
            and line.values.get("seconds")
        ):
            links.append((line.time, f"{line.broker} put the clean-up off by {line.values['seconds']} s", line))
        elif line.event == "cleanup-started" and line.values.get("subject") == gone.broker:
            links.append((line.time, f"{line.broker} began to clean up", line))
        elif line.event == "override" and line.values.get("inactive") == gone.broker:
            links.append((line.time, f"{line.broker} overrode", line))
        elif line.event == "deletion-failed":
            links.append((line.time, f"{line.broker} could not handle a broker's end, for lack of a leader", line))
    links.append((until, "the last of its units was given away or the record ends", None))
    links.sort(key=lambda link: link[0])
    return [link for number, link in enumerate(links) if number == 0 or link[1] != links[number - 1][1]]


def _told(chain: Sequence[Link]) -> str:
    """Return the words for the longest step, and for all steps in order."""
    steps = [(after[0] - before[0], before, after) for before, after in pairwise(chain)]
    if not steps:
        return "Nothing is known of what was done meanwhile."
    longest, before, after = max(steps, key=lambda step: step[0])
    start = chain[0][0]
    told = ", ".join(f"+{(time - start) / 1000:.2f} s {words}" for time, words, _ in chain[:MOST_NAMED])
    return f"Longest: {lasting(longest)} from '{before[1]}' to '{after[1]}'. In order: {told}."


def _is_hung(gone: Gone, chain: Sequence[Link]) -> bool:
    """The broker stood still, and another one was elected meanwhile."""
    return gone.away is not None and gone.away.is_pause and any(words.endswith("was elected") for _, words, _ in chain)


PUT_OFF = Excuse("time in which the leader put clean-ups off, as its session was lost or new", put_off)
OLDER_DUMP = Excuse("the time after the end of a dump that is older than the recording, which is a doubt", after_dump)

_NEEDS = (Source.CHANNEL,)

LAWS = (
    SceneLaw(
        REASSIGNED,
        "The units of a broker that is gone are given to others within the time of a recovery.",
        "ServiceUnitStateChannelImpl.monitorOwnerships, doCleanup",
        excuses=(unfollowed, lives_on, alone, unheard_brokers, PUT_OFF, OLDER_DUMP, came_back),
        order=54,
        waits=True,
        needs=_NEEDS,
        by_logs=True,
        judge=_judge_reassigned,
        uses=CLUSTER,
    ),
    SceneLaw(
        STALLED,
        "Once a broker's registration has ended, its units are given to others at once.",
        "ServiceUnitStateChannelImpl.handleBrokerDeletionEvent",
        order=54,
        waits=True,
        harm=Harm.UNUSABLE,
        needs=_NEEDS,
        judge=_judge_stalled,
        uses=CLUSTER,
        severity=Severity.WARNING,
    ),
)
