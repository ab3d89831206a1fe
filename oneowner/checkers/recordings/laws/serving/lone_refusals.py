"""
A report on lone refusals: one broker refuses every lookup of a unit, while others answer it.

Its view holds another entry than the others', or none (apache/pulsar#26190, run.G12). Clients that ask it cannot use
the unit, and no other law of a cluster without debug lines reports it.
"""

from collections import Counter
from typing import NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import Excuse, excuse
from oneowner.checkers.recordings.laws.scene_law import BOUNDARIES, CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.serving.causes import distinct
from oneowner.checkers.recordings.laws.serving.refused_lookups import CALLER, RefusedLookup, Sign, refusals, together
from oneowner.checkers.recordings.laws.views.record_handling import kept_dead
from oneowner.checkers.recordings.laws.views.stopped_views import stopped_view
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.observations import Lookup, Source
from oneowner.checkers.recordings.scene.explanations import why_away, why_unregistered
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.checkers.times import lasting
from oneowner.model.kernel.law import Severity

LONE = "others-answer-too"


class _Alone(NamedTuple):
    """A time in which one broker refused all lookups of a unit, and those that others answered then."""

    refused: RefusedLookup
    answered: list[Lookup]


def _judge(scene: Scene) -> LawOutcome:
    judged, found = LawOutcome(), dict[str, list[_Alone]]()
    bound = recovery_time(scene)
    for unit, signs in _signs(scene).items():
        asked = dict.fromkeys(lookup.asked for lookup in map(_lookup, signs))
        judged.exercised += len(asked) * (len(asked) > 1)
        good = [sign for sign in signs if sign.is_good]
        for broker in asked:
            own = [sign for sign in signs if _lookup(sign).asked == broker]
            for refused in refusals(unit, own, scene.start or 0, scene.end or 0):
                answered = [_lookup(one) for one in good if refused.since <= one.since and one.until <= refused.until]
                is_long = refused.lasted > RECOVERY.of(scene)
                if is_long and not silent.of(scene, refused) and len(answered) > 1:
                    found.setdefault(broker, []).append(_Alone(refused, answered))
    for broker, ones in found.items():
        judged.findings += [_finding(scene, broker, group, bound) for group in together(ones, lambda one: one.refused)]
        if broker not in scene.said:
            judged.doubts.append(f"{broker} has refused what others answer, and has no log to tell why: collect it")
    return judged


def _signs(scene: Scene) -> dict[str, list[Sign]]:
    """Return answers and refusals by unit; a refusal of the caller proves nothing about the broker."""
    topics, found = Topics(scene), dict[str, list[Sign]]()
    for lookup in scene.lookups:
        unit = topics.unit(lookup.topic, lookup.start, lookup.end)
        if unit is not None and not CALLER.of(scene, lookup):
            is_answer = lookup.status == 200 or lookup.redirect is not None
            found.setdefault(unit, []).append(Sign(lookup.start, lookup.end, is_answer, lookup))
    return found


def _lookup(sign: Sign) -> Lookup:
    assert isinstance(sign.seen, Lookup), "polls are not asked for"
    return sign.seen


@excuse("a broker that is gone, starting or stopped: it answers without a status")
def silent(scene: Scene, refused: RefusedLookup) -> bool:
    """Return whether the broker did not refuse each time: one that does not answer may be gone."""
    return any(_lookup(sign).status is None for sign in refused.signs)


def recovery_time(scene: Scene) -> int:
    """Return the milliseconds for which a broker may refuse lookups that others answer."""
    return scene.limits.session + scene.limits.in_flight_wait


def _finding(scene: Scene, broker: str, ones: list[_Alone], bound: int) -> Finding:
    """Report one time, at the unit of which it lasted longest."""
    units = list(dict.fromkeys(one.refused.unit for one in ones))
    refused, answered = max(ones, key=lambda one: one.refused.lasted)
    says = Counter(f"status {_lookup(sign).status}" for one in ones for sign in one.refused.signs)
    named = dict.fromkeys(str(lookup.answer or lookup.redirect) for one in ones for lookup in one.answered)
    why = (
        f"{broker} refused all lookups of {units[0] if len(units) == 1 else f'{len(units)} units'} for up to "
        f"{lasting(refused.lasted)}, longer than {lasting(bound)}: "
        f"{', '.join(f'{count} times {what}' for what, count in says.most_common(3))}; meanwhile "
        f"{sum(len(one.answered) for one in ones)} at others were answered with {' or '.join(named)}"
    )
    causes: tuple[Cause, ...] = ()
    for name in (broker, *named):  # others do not name an owner that is not registered
        causes += why_away(scene, name, refused.since, refused.until)
        causes += why_unregistered(scene, name, refused.since, refused.until)
    for one in (one.refused for one in ones):
        causes += (*stopped_view(scene, one.unit, one.since, one.until), *kept_dead(scene, broker, one.unit))
    after = [refused.after.seen] if refused.after else []
    return finding(
        LONE, Severity.WARNING, why,
        distinct([refused.signs[0].seen, refused.signs[-1].seen, answered[0], *after]),
        unit=refused.unit, brokers=(broker,), time=refused.since,
        window=Window(refused.since, refused.until, refused.since, refused.after.until if refused.after else END),
        repair=f"restart {broker}, so that its view begins anew; see its log for why it refuses",
        causes=causes, units=units,
    )  # fmt: skip


RECOVERY = Excuse("a recovery: refusals within the session and in-flight timeouts", recovery_time)

LAWS = (
    SceneLaw(
        LONE,
        "No broker refuses all lookups of a unit while others answer them, but for the time that a recovery may take.",
        "ServiceUnitStateChannelImpl.getOwnerAsync, getActiveOwnerAsync",
        excuses=(silent, RECOVERY, CALLER),
        order=14,
        waits=True,
        needs=(Source.LOOKUPS,),
        judge=_judge,
        uses=(*CLUSTER, *BOUNDARIES, Source.CHANNEL),
        severity=Severity.WARNING,
    ),
)
