"""
A law of answering: some broker answers every lookup.

A broker that is gone or stands still is another matter (orphans.py); here all of a cluster answers nothing (run.G2).
"""

from collections import Counter
from itertools import chain

from oneowner.checkers.recordings.fold.recorded_law import Harm, excuse
from oneowner.checkers.recordings.laws.scene_law import BOUNDARIES, CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.serving.causes import distinct
from oneowner.checkers.recordings.laws.serving.refused_lookups import (
    CALLER,
    OUTAGE,
    RefusedLookup,
    Sign,
    outcome,
    refusals,
    together,
)
from oneowner.checkers.recordings.laws.serving.unserved import why_none_served
from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import Lookup, Source
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.checkers.times import lasting
from oneowner.model.kernel.law import Severity

ANSWERED = "lookups-are-answered"


def _judge(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    topics, by_unit = Topics(scene), dict[str, list[Sign]]()
    for lookup in scene.lookups:
        if CALLER.of(scene, lookup):
            continue
        is_answer = lookup.status == 200 or lookup.redirect is not None
        sign = Sign(lookup.start, lookup.end, is_answer, lookup)
        by_unit.setdefault(topics.unit(lookup.topic, lookup.start) or lookup.topic, []).append(sign)
    judged.exercised = len(by_unit)
    bound = scene.limits.session + scene.limits.in_flight_wait
    failed = [
        refused for unit, signs in by_unit.items()
        for refused in refusals(unit, signs, scene.start or 0, scene.end or 0) if refused.lasted > bound
    ]  # fmt: skip
    for ones in together(failed, lambda one: one):
        _report_answered(scene, ones, len(by_unit), bound, judged)
    return judged


def _report_answered(scene: Scene, ones: list[RefusedLookup], units: int, bound: int, judged: LawOutcome) -> None:
    since, until = min(one.since for one in ones), max(one.until for one in ones)
    longest = max(ones, key=lambda one: one.lasted)
    failing = list(dict.fromkeys(one.unit for one in ones))
    is_long = min(one.lasted for one in ones) > recovery_time.of(scene)
    is_total = is_long and not some_units.of(scene, len(failing), units)
    lookups = [sign.seen for one in ones for sign in one.signs if isinstance(sign.seen, Lookup)]
    lives = [life for own in scene.lives.values() for life in own if life.start < until and life.end > since]
    is_heard = not unreached.of(scene, lookups, since, until)
    if is_total and lives and not is_heard:
        judged.doubts.append(
            f"no broker answered anybody for {lasting(until - since)}: who asked may not have reached any"
        )
    outages = [OUTAGE.of(scene, one) for one in ones]
    is_violation = is_total and is_heard and not all(outages)
    says = Counter(outcome(lookup) for lookup in lookups)
    back = [one.after.until for one in ones if one.after is not None]
    asked = tuple(dict.fromkeys(lookup.asked for lookup in lookups))
    shown = [longest.signs[0].seen, longest.signs[-1].seen, *([longest.after.seen] if longest.after else [])]
    judged.findings.append(
        finding(
            ANSWERED,
            Severity.VIOLATION if is_violation else Severity.WARNING,  # a cluster that is switched off answers nothing
            f"No lookup of {'all' if is_total else len(failing)} of {units} units was answered by any of {len(asked)} "
            f"brokers for up to {lasting(longest.lasted)}, longer than {lasting(bound)}: "
            f"{', '.join(f'{count} lookups: {what}' for what, count in says.most_common(3))}; "
            f"{'answered again after it' if len(back) == len(ones) else 'not answered any more before the end'}.",
            distinct(shown),
            unit=failing[0] if len(failing) == 1 else None,
            brokers=asked,
            window=Window(since, until, since, max(back) if len(back) == len(ones) else END),
            time=since,
            guard=f"a lookup is answered by some broker within {lasting(bound)}: session and in-flight wait",
            repair="find out who leads and who is registered; a broker that is neither is restarted",
            causes=[*why_none_served(scene, failing, since, until), *chain(*outages)],
            units=failing,
        )
    )


@excuse("a recovery: refusals within the session and in-flight timeouts")
def recovery_time(scene: Scene) -> int:
    return scene.limits.recovery


@excuse("some units alone: only a cluster that answers for no unit is accused")
def some_units(scene: Scene, failing: int, units: int) -> bool:
    return failing != units


@excuse("a cluster that is switched off or out of the client's reach: no broker answers with a status")
def unreached(scene: Scene, lookups: list[Lookup], since: int, until: int) -> bool:
    is_heard = any(lookup.status is not None for lookup in lookups)
    return not is_heard and not any(
        poll.status is not None and poll.end > since and poll.start < until for poll in scene.polls
    )


LOOKUPS_ARE_ANSWERED = SceneLaw(
    ANSWERED,
    "Lookups of a unit are answered by some broker, but for the time that a recovery may take.",
    "ExtensibleLoadManagerImpl.assign, ServiceUnitStateChannelImpl.deferGetOwner",
    excuses=(recovery_time, some_units, unreached, OUTAGE, CALLER),
    order=13,
    harm=Harm.UNUSABLE,
    waits=True,
    is_live=True,
    needs=(Source.LOOKUPS,),
    judge=_judge,
    uses=(*CLUSTER, *BOUNDARIES, Source.CHANNEL),
)
