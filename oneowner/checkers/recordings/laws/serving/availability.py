"""
Laws of availability: the times in which clients could not send, and in which units were in flight.

A wait is a violation if for longer than a limit only the live owner can be its cause (``unusable``); else it warns. A
confirmed send names no broker: it only proves that some broker served. The time is counted from the first send that was
tried in vain, for as long as sends were tried.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.laws.answers.lookup_answers import ATTESTED
from oneowner.checkers.recordings.laws.scene_law import BOUNDARIES, CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.serving.causes import distinct
from oneowner.checkers.recordings.laws.serving.given_back import cause_of
from oneowner.checkers.recordings.laws.serving.observed_serving import away_of
from oneowner.checkers.recordings.laws.serving.unserved import why_unserved
from oneowner.checkers.recordings.laws.serving.unusable import EXCUSES, unconfirmed, unusable
from oneowner.checkers.recordings.laws.serving.unwritten import unwritten
from oneowner.checkers.recordings.laws.serving.waits import Wait, all_waits, last_confirmed, sends_by_topic
from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.absences import SILENCE, Absence
from oneowner.checkers.recordings.scene.broker_processes import living
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.registry import Registry, registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import Stay, stays
from oneowner.checkers.recordings.scene.timeline import END, Timeline, meets
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.checkers.times import iso, lasting, quantile
from oneowner.model.channel.record import is_in_flight
from oneowner.model.kernel.law import Severity

AVAILABLE = "unit-is-available"
IN_FLIGHT = "in-flight-time"
WORST = 10


# ---- unit-is-available ----


def _judge_available(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    topics, away, registry = Topics(scene), away_of(scene), registry_of(scene)
    by_topic = scene.once(sends_by_topic)
    found = scene.once(all_waits)
    if not found:
        return judged
    known = {key for key, unit in scene.channel.units.items() if any(s.owner in scene.lives for s in stays(unit))}
    by_unit: dict[str, list[tuple[int, Wait]]] = {}
    for wait in found:
        unit = topics.unit(wait.topic, wait.since) or wait.topic
        judged.exercised += unit in known  # else no broker can be accused
        alone = 0
        if wait.lasted > scene.limits.unavailable:
            sends = [send for send in by_topic[wait.topic] if wait.since <= send.start <= wait.until]
            alone = unusable(scene, unit, sends, wait.since, wait.until).total
        if alone > scene.limits.unavailable or _is_too_long(scene, unit, wait, away):
            by_unit.setdefault(unit, []).append((alone, wait))
    judged.happenings += unwritten(scene)
    for unit, ones in by_unit.items():
        _report_unit(scene, unit, *max(ones, key=lambda one: (one[0], one[1].lasted)), away, registry, judged)
    _report_all(scene, found, topics, judged)
    return judged


def _is_too_long(scene: Scene, unit: str, wait: Wait, away: dict[str, list[Absence]]) -> bool:
    """It took longer than a recovery, or than a hand-over while all who had to do with the unit were there."""
    if wait.lasted > scene.limits.recovery:
        return True
    if wait.lasted <= scene.limits.in_flight_wait:
        return False
    for stay in _during(scene, unit, wait):
        since, until = max(stay.since, wait.since), min(stay.until, wait.until)
        absent = Timeline.of(one for broker in stay.parties for one in away.get(broker, ()))
        if until - since > scene.limits.in_flight_wait and not absent.overlaps(since, until):
            return True
    return False


def _during(scene: Scene, unit: str, wait: Wait) -> list[Stay]:
    return [stay for stay in stays(scene.channel.units.get(unit)) if meets(stay, wait.since, wait.until)]


def _report_unit(
    scene: Scene,
    unit: str,
    alone: int,
    worst: Wait,
    away: dict[str, list[Absence]],
    registry: Registry,
    judged: LawOutcome,
) -> None:
    """Report the worst wait of a unit; for *alone* milliseconds of it only its live owner can be the cause."""
    during = _during(scene, unit, worst)
    owners = list(dict.fromkeys(stay.owner for stay in during if stay.owner))
    why, shown = _reasons(scene, worst, during, owners, away, registry)
    tried = [s for s in scene.sends if s.topic == worst.topic and worst.since <= s.start <= worst.until]
    results = Counter(send.result for send in tried if send.end == END)
    is_violation = alone > scene.limits.unavailable
    silent = scene.once(unconfirmed).within(worst.since, worst.until).total
    if silent:
        why.insert(0, f"no send of any client was confirmed for {lasting(silent)}")
    cause = cause_of(scene, unit, worst.since, worst.until)
    if cause is not None:
        own = "keeps its topics fenced" if cause.unit == unit else "keeps the topic policies of its namespace fenced"
        why.insert(0, f"{cause.words}: that {own}")
        shown = [cause.step, *cause.refused[:1], *shown]
    judged.findings.append(
        finding(
            AVAILABLE,
            Severity.VIOLATION if is_violation else Severity.WARNING,
            f"No send to {worst.topic} was confirmed for {lasting(worst.lasted)}"
            f"{'' if worst.is_over else ' and to the end'}"
            f"{f', for {lasting(alone)} of it though its owner lived' if is_violation else ''}, of {len(tried)} tried "
            f"({', '.join(f'{count} {result}' for result, count in results.most_common(3)) or 'late'}); "
            f"owner by the channel: {' then '.join(owners) or 'not known'}. "
            f"Meanwhile: {'; '.join(why) or 'nothing else seen'}.",
            distinct([worst.first, worst.last, *shown]),
            unit=unit,
            brokers=owners,
            step=cause.step if cause is not None and is_violation else None,
            window=Window(worst.since, worst.until, worst.since, worst.until if worst.is_over else END),
            time=worst.since,
            guard=f"clients can use a unit again within {lasting(scene.limits.unavailable)} while its owner lives"
            if is_violation
            else f"a unit is available again within {lasting(scene.limits.in_flight_wait)}, "
            f"or within {lasting(scene.limits.recovery)} if its broker is gone",
            repair=f"unload {cause.unit} at {cause.broker}, or restart that broker"
            if cause is not None
            else "check whether ZooKeeper and the bookies were running: no topic of any broker took a message meanwhile"
            if 2 * silent > worst.lasted
            else "check which broker owns the bundle and whether it answers; unload it there, or restart that broker",
            causes=why_unserved(scene, unit, last_confirmed(scene, worst), worst.until),
        )
    )


def _reasons(
    scene: Scene, wait: Wait, during: list[Stay], owners: list[str], away: dict[str, list[Absence]], registry: Registry
) -> tuple[list[str], list[Citable]]:
    """Return other events of that time: a broker away, unlisted, a hand-over that stood, no leader."""
    why: list[str] = []
    shown: list[Citable] = []
    for broker, absent in away.items():
        for one in absent:
            if meets(one, wait.since, wait.until):
                back = "and did not come back" if one.until == END else f"for {lasting(one.until - one.since)}"
                who = broker if broker in owners else f"{broker}, not its owner,"
                why.append(f"{who} {'was silent' if one.is_pause else 'was gone'} {back}")
                shown.append(one.evidence[0])
    for owner in owners:
        for held in registry.of(owner):
            if held.ended is not None and wait.since <= held.until <= wait.until:
                why.append(f"the registration of {owner} ended")
                shown.append(held.ended)
    for stay in during:
        if is_in_flight(stay.record):
            lasted = min(stay.until, wait.until) - max(stay.since, wait.since)
            if lasted > scene.limits.in_flight_wait:
                why.append(f"{stay.record.state} for {lasting(lasted)}")
                shown.append(stay.step)
    unled = _leaderless(registry, wait)
    if unled > SILENCE:
        why.append(f"nobody was elected for {lasting(unled)}")
    return why, shown[:8]


def _leaderless(registry: Registry, wait: Wait) -> int:
    """Return the part of a wait in which nobody held the leader's node; 0 if no election is recorded at all."""
    if not registry.leaders:
        return 0
    return (Timeline([(wait.since, wait.until)]) - Timeline.of(registry.leaders)).total


def _report_all(scene: Scene, found: list[Wait], topics: Topics, judged: LawOutcome) -> None:
    ordered = sorted(wait.lasted for wait in found)
    worst = sorted(found, key=lambda wait: (-wait.lasted, wait.topic))[:WORST]
    told = ", ".join(
        f"{wait.topic} {lasting(wait.lasted)} from {iso(wait.since)}{'' if wait.is_over else ' to the end'}"
        for wait in worst
    )
    judged.findings.append(
        finding(
            AVAILABLE,
            Severity.NOTE,
            f"{len({wait.topic for wait in found})} topics, from a send to the next confirmation: "
            f"p50 {lasting(quantile(ordered, 50))}, p99 {lasting(quantile(ordered, 99))}, max {lasting(ordered[-1])}. "
            f"Longest: {told}.",
            [worst[0].first, worst[0].last] if worst[0].first != worst[0].last else [worst[0].first],
            unit=topics.unit(worst[0].topic, worst[0].since),
            window=Window(worst[0].since, worst[0].until, worst[0].since, worst[0].until),
            time=worst[0].since,
        )
    )


# ---- in-flight-time ----


def _judge_in_flight(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    lasted: dict[str, array[int]] = {}
    longest: dict[str, Stay] = {}
    for stay in chain.from_iterable(map(stays, scene.channel.units.values())):
        if is_in_flight(stay.record) and stay.until < END:
            phase, length = stay.record.state.value, stay.until - stay.since
            lasted.setdefault(phase, array("q")).append(length)
            if phase not in longest or length > longest[phase].until - longest[phase].since:
                longest[phase] = stay
    judged.exercised = sum(map(len, lasted.values()))
    judged.doubts += _left_in_flight(scene)
    if not lasted:
        return judged
    told, shown = [], []
    for phase, lengths in sorted(lasted.items()):
        ordered, stay = sorted(lengths), longest[phase]
        told.append(
            f"{len(ordered)} {phase}: p50 {lasting(quantile(ordered, 50))}, p99 {lasting(quantile(ordered, 99))}, "
            f"max {lasting(ordered[-1])}"
        )
        shown += [stay.step, *([stay.ended_by] if stay.ended_by else [])]
    judged.findings.append(
        finding(
            IN_FLIGHT, Severity.NOTE, f"Times in flight, by publish times. {'; '.join(told)}.", shown, step=shown[0]
        )
    )
    return judged


def _left_in_flight(scene: Scene) -> Iterator[str]:
    """
    Yield units that are in flight when the dump ends, long before their cluster does, if it may be older.

    Where the channel certainly rests, ``stuck-in-flight`` reports them.
    """
    end = max((life.end for life in living(scene)), default=scene.end or 0)
    known = max(ATTESTED.of(scene), *scene.channel.timeline.span(), 0)
    for unit in scene.channel.units.values():
        last = next((step for step in reversed(unit.steps) if step.is_accepted), None)
        if last is not None and is_in_flight(last.record) and end - last.time > scene.limits.in_flight:
            if known - last.time <= scene.limits.in_flight:
                yield (
                    f"{unit.key} is {last.record.state} when the dump ends, and its cluster lives on for "
                    f"{lasting(end - last.time)}: it stands still, or the dump is older"
                )


LAWS = (
    SceneLaw(
        AVAILABLE,
        "Clients can send to a topic, but for the time of a hand-over or of a recovery.",
        "PIP-192, PIP-307",
        excuses=EXCUSES,
        order=15,
        harm=Harm.UNUSABLE,
        waits=True,
        needs=(Source.SENDS,),
        judge=_judge_available,
        uses=(*CLUSTER, *BOUNDARIES, Source.CHANNEL),
    ),
    SceneLaw(
        IN_FLIGHT,
        "How long units were Assigning, Releasing and Splitting.",
        "ServiceUnitStateChannelImpl.monitorOwnerships",
        order=15,
        needs=(Source.CHANNEL,),
        judge=_judge_in_flight,
        uses=CLUSTER,
        severity=Severity.WARNING,
    ),
)
