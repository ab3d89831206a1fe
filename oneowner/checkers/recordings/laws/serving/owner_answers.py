"""
Laws of answering: somebody answers every lookup, and the owner answers for its unit.

A unit whose logged owner refuses it is served by nobody: the others send clients there (run.G12). A broker that is gone
or stands still is another matter (orphans.py); here its process lives, or all of a cluster answers nothing (run.G2).
"""

from __future__ import annotations

from collections import Counter

from oneowner.checkers.recordings.fold.recorded_law import Excuse, Harm
from oneowner.checkers.recordings.laws.answers.dump_end import beyond, dump_end
from oneowner.checkers.recordings.laws.known_bugs import STORE_CLOSES, changing_role, issue
from oneowner.checkers.recordings.laws.scene_law import BOUNDARIES, CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.serving.causes import distinct
from oneowner.checkers.recordings.laws.serving.observed_serving import away_of, is_own
from oneowner.checkers.recordings.laws.serving.refused_lookups import (
    CALLERS_FAULT,
    RefusedLookup,
    Sign,
    refusals,
    together,
)
from oneowner.checkers.recordings.laws.serving.unserved import why_none_served, why_refused
from oneowner.checkers.recordings.laws.views.first_sightings import is_seen, seen_since
from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import LogEvent, Lookup, Poll, Source
from oneowner.checkers.recordings.scene.absences import Absence
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import Stay, stays
from oneowner.checkers.recordings.scene.time_spans import Spans
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.checkers.times import lasting
from oneowner.model.kernel.law import Severity

OWNER = "owner-answers"
ANSWERED = "lookups-are-answered"
REFUSALS = ("owner-wait-timed-out", "get-owner-failed", "active-owner-failed", "owner-not-registered", "lookup-failed")
"""Lines of a broker that cannot say who owns a unit (channel.13.3)."""


# ---- the owner itself ----


def _judge_owner(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    topics, away = Topics(scene), away_of(scene)
    signs_of: dict[tuple[str, str], list[Sign]] = {}
    for lookup in scene.lookups:
        unit = topics.unit(lookup.topic, lookup.start, lookup.end)
        if unit is not None and lookup.status not in CALLERS_FAULT and _is_known(scene, lookup):
            sign = Sign(lookup.start, lookup.end, is_own(lookup), lookup)
            signs_of.setdefault((unit, lookup.asked), []).append(sign)
    asked = {key: Spans(signs, lambda sign: sign.since, lambda sign: sign.until) for key, signs in signs_of.items()}
    found: dict[tuple[str, bool], list[tuple[Stay, RefusedLookup]]] = {}
    unheard: dict[str, list[RefusedLookup]] = {}
    unreached: dict[str, list[RefusedLookup]] = {}
    for key, history in scene.channel.units.items():
        for stay in stays(history):
            since, until = _span(scene, stay)
            told = asked.get((key, stay.owner or ""))
            signs = [s for s in told.meeting(since, until) if s.since < until and s.until > since] if told else []
            if since >= until:
                continue
            judged.exercised += bool(signs)
            if stay.owner is None or not signs or until - since <= scene.limits.in_flight_wait:
                continue
            signs += _unlisted(scene, key, stay.owner, since, until)
            for refused in refusals(key, signs, since, until):
                if refused.lasted > scene.limits.in_flight_wait and _is_unheard(scene, stay.owner, refused):
                    unheard.setdefault(stay.owner, []).append(refused)
                elif refused.lasted > scene.limits.in_flight_wait and not _is_reached(scene, stay.owner, refused):
                    unreached.setdefault(stay.owner, []).append(refused)
                elif refused.lasted > scene.limits.in_flight_wait and _lives(scene, stay.owner, refused, away):
                    key_of = stay.owner, is_seen(scene, stay.step, refused.until - scene.limits.in_flight_wait)
                    found.setdefault(key_of, []).append((stay, refused))
    judged.doubts += [
        f"{broker} has not answered for {_count([one.unit for one in ones])} that it owns for "
        f"{lasting(max(one.lasted for one in ones))}, and has no log to tell why"
        for broker, ones in unheard.items()
    ]
    judged.doubts += [
        f"{broker} writes its log and has answered nobody for {lasting(max(one.lasted for one in ones))}: it stands "
        "still, or who asked did not reach it"
        for broker, ones in unreached.items()
        if any(_lives(scene, broker, one, away) for one in ones)
    ]
    if (end := dump_end(scene)) is not None:
        judged.doubts += beyond(sum(lookup.start > end for lookup in scene.lookups), "lookups")
    for (broker, is_known), ones in found.items():
        for group in together(ones, lambda one: one[1]):
            _report_owner(scene, broker, group, is_known, judged)
    return judged


def _span(scene: Scene, stay: Stay) -> tuple[int, int]:
    """Return when the broker owned the unit beyond doubt: from the first sighting of its record on."""
    skew, last = scene.limits.clock_skew, dump_end(scene) or scene.end or stay.since
    return seen_since(scene, stay.step) + skew, last if stay.until is None else stay.until - skew


def _is_known(scene: Scene, lookup: Lookup) -> bool:
    """Whether it names nobody, or somebody by an id: by a name that is nobody's it may name the owner."""
    return (lookup.answer or lookup.redirect or lookup.asked) in scene.brokers


def _unlisted(scene: Scene, unit: str, owner: str, since: int, until: int) -> list[Sign]:
    """Return the polls in which the owner does not list the unit: its view does not hold it. A claim proves nothing."""
    return [
        Sign(poll.start, poll.end, False, poll)
        for poll in scene.polls
        if poll.broker == owner and poll.status == 200 and unit not in poll.claims
        and since <= poll.start and poll.end <= until
    ]  # fmt: skip


def _lives(scene: Scene, broker: str, refused: RefusedLookup, away: dict[str, list[Absence]]) -> bool:
    """The process lived all the time: its log goes on, and it was never absent."""
    if any(one.since < refused.until and (one.until is None or one.until > refused.since) for one in away[broker]):
        return False
    return any(life.start <= refused.since and life.end > refused.since for life in scene.lives.get(broker, ()))


def _is_reached(scene: Scene, broker: str, refused: RefusedLookup) -> bool:
    """Whether anybody had any answer of the broker meanwhile; else the way to it may be cut, or its port wrong."""
    asked: list[Lookup | Poll] = [one for one in scene.lookups if one.asked == broker]
    asked += [one for one in scene.polls if one.broker == broker]
    return any(one.status is not None and one.end > refused.since and one.start < refused.until for one in asked)


def _is_unheard(scene: Scene, broker: str, refused: RefusedLookup) -> bool:
    """Whether a broker without a log answered all the same: with a refusal, another's name, or a list."""
    answered = [sign for sign in refused.signs if isinstance(sign.seen, Poll) or sign.seen.status is not None]
    return not scene.lives.get(broker) and len(answered) == len(refused.signs)


def _report_owner(
    scene: Scene, broker: str, ones: list[tuple[Stay, RefusedLookup]], is_known: bool, judged: LawOutcome
) -> None:
    """Report what happened at one time; the finding stands at the unit of which it lasted longest."""
    units = list(dict.fromkeys(refused.unit for _, refused in ones))
    stay, longest = max(ones, key=lambda one: one[1].lasted)
    step, since, until = stay.step, longest.since, longest.until
    lines = [
        line for line in of_kinds(scene.said.get(broker, ()), *REFUSALS)
        if since <= line.time <= until and (line.unit is None or line.unit in units)
    ]  # fmt: skip
    says = Counter(_outcome(sign.seen) for _, refused in ones for sign in refused.signs)
    back = longest.after.until if longest.after is not None else None
    late = "nothing shows that its records had come into the channel, which they do late while a bookie stalls"
    judged.doubts += [f"{broker} has not answered for {_count(units)}, but {late}"] * (not is_known)
    failed = [sign.seen for sign in longest.signs if isinstance(sign.seen, Lookup)]
    polled = [sign.seen for sign in longest.signs if isinstance(sign.seen, Poll)]
    judged.findings.append(
        finding(
            OWNER,
            Severity.VIOLATION if is_known else Severity.WARNING,
            f"{broker} owns {_count(units)} by the channel and lives, but has not answered for "
            f"{'it' if len(units) == 1 else 'them'} for {lasting(longest.lasted)}: "
            f"{', '.join(f'{count} times {what}' for what, count in says.most_common(3))}"
            f"{'' if is_known else f'; {late}'}{_view(lines)}",
            [step, *failed[:2], *polled[:1], *polled[-1:], *lines[:2]],
            unit=longest.unit,
            brokers=(broker,),
            step=step,
            window=Window(since, until, step.time, back),
            time=since,
            guard=f"the owner answers for its unit within {lasting(scene.limits.in_flight_wait)}",
            repair=f"restart {broker}, so that its view begins anew, or unload its units at another broker"
            if is_known
            else "see whether the bookies of the channel's topic took writes meanwhile, before you restart a broker",
            upstream=issue(scene, changing_role(scene, broker, since, until), STORE_CLOSES) if lines and polled else "",
            causes=why_refused(scene, broker, [(own.step, one) for own, one in ones]),
            units=units,
        )
    )


def _view(lines: list[LogEvent]) -> str:
    """Say what the broker's own view held, by its lines."""
    states = {str(line.values["state"]) for line in lines if line.values.get("state")}
    return f"; its own view says {' or '.join(sorted(states))}." if states else "."


# ---- anybody ----


def _judge_answered(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    topics, by_unit = Topics(scene), dict[str, list[Sign]]()
    for lookup in scene.lookups:
        if lookup.status in CALLERS_FAULT:
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
    is_total = len(failing) == units and min(one.lasted for one in ones) > scene.limits.recovery
    lookups = [sign.seen for one in ones for sign in one.signs if isinstance(sign.seen, Lookup)]
    lives = [life for own in scene.lives.values() for life in own if life.start < until and life.end > since]
    is_heard = any(lookup.status is not None for lookup in lookups)
    is_heard |= any(poll.status is not None and poll.end > since and poll.start < until for poll in scene.polls)
    if is_total and lives and not is_heard:
        judged.doubts.append(
            f"no broker answered anybody for {lasting(until - since)}: who asked may not have reached any"
        )
    is_violation = is_total and is_heard
    says = Counter(_outcome(lookup) for lookup in lookups)
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
            window=Window(since, until, since, max(back) if len(back) == len(ones) else None),
            time=since,
            guard=f"a lookup is answered by some broker within {lasting(bound)}: session and in-flight wait",
            repair="find out who leads and who is registered; a broker that is neither is restarted",
            causes=why_none_served(scene, failing, since, until),
            units=failing,
        )
    )


def _outcome(seen: Lookup | Poll) -> str:
    if isinstance(seen, Poll):
        return "not in its own list"
    if seen.status == 200:
        return f"named {seen.answer}"
    return "no answer" if seen.status is None else f"status {seen.status}"


def _count(units: list[str]) -> str:
    return units[0] if len(units) == 1 else f"{len(units)} units"


LAWS = (
    SceneLaw(
        OWNER,
        "The owner of a unit by the channel answers lookups for it while its process lives.",
        "ServiceUnitStateChannelImpl.getOwnerAsync",
        excuses=(
            Excuse("a record that no view has shown yet: it may be late while a bookie stalls"),
            Excuse("a process that was gone, silent or starting"),
            Excuse("a broker that answers nobody at all: the client may not reach it, which is a doubt"),
            Excuse("a refusal of the caller (401, 403, 404, 412), and failures at other brokers"),
            Excuse("the time after a right answer in between"),
            Excuse("an answer that names the broker by a listener or another port"),
            Excuse("a dump that is older than the lookups, which is a doubt"),
            Excuse("a hand-over: refusals within the in-flight timeout"),
        ),
        order=12,
        harm=Harm.UNUSABLE,
        needs=(Source.CHANNEL, Source.LOOKUPS, Source.LOGS),
        judge=_judge_owner,
        uses=(*CLUSTER, *BOUNDARIES, Source.SENDS),
    ),
    SceneLaw(
        ANSWERED,
        "Lookups of a unit are answered by some broker, but for the time that a recovery may take.",
        "ExtensibleLoadManagerImpl.assign, ServiceUnitStateChannelImpl.deferGetOwner",
        excuses=(
            Excuse("a recovery: refusals within the session and in-flight timeouts"),
            Excuse("some units alone: only a cluster that answers for no unit is accused"),
            Excuse("a cluster that is switched off or out of the client's reach: no broker answers with a status"),
            Excuse("a refusal of the caller (401, 403, 404, 412)"),
        ),
        order=12,
        harm=Harm.UNUSABLE,
        is_live=True,
        needs=(Source.LOOKUPS,),
        judge=_judge_answered,
        uses=(*CLUSTER, *BOUNDARIES, Source.CHANNEL),
    ),
)
