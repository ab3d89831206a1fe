"""
A law of answering: the owner answers for its unit.

A unit whose logged owner refuses it is served by nobody: the others send clients there (run.G12). A broker that is gone
or stands still is another matter (orphans.py); here its process is live.
"""

from collections import Counter

from oneowner.checkers.recordings.fold.recorded_law import Excuse, Harm, excuse
from oneowner.checkers.recordings.laws.answers.dump_end import after_dump, beyond, dump_end
from oneowner.checkers.recordings.laws.scene_law import BOUNDARIES, CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.serving.observed_serving import away_of, is_own
from oneowner.checkers.recordings.laws.serving.refused_lookups import (
    CALLER,
    OUTAGE,
    RefusedLookup,
    Sign,
    count_of,
    outcome,
    refusals,
    together,
)
from oneowner.checkers.recordings.laws.serving.unserved import why_refused
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.laws.views.first_sightings import is_seen, seen_since
from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import LogEvent, Lookup, Poll, Source
from oneowner.checkers.recordings.scene.absences import Absence
from oneowner.checkers.recordings.scene.broker_processes import lines_of
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import Stay, stays
from oneowner.checkers.recordings.scene.time_spans import Spans
from oneowner.checkers.recordings.scene.timeline import END, Timeline
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.checkers.times import lasting
from oneowner.model.kernel.law import Severity

OWNER = "owner-answers"
ROLE_IS_SET = "role-setting"
REFUSALS = ("owner-wait-timed-out", "get-owner-failed", "active-owner-failed", "owner-not-registered", "lookup-failed")
"""Lines of a broker that cannot name the owner of a unit (channel.13.3)."""


def _judge_owner(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    topics, away = Topics(scene), away_of(scene)
    signs_of: dict[tuple[str, str], list[Sign]] = {}
    for lookup in scene.lookups:
        unit = topics.unit(lookup.topic, lookup.start, lookup.end)
        if unit is not None and not CALLER.of(scene, lookup) and not other_name.of(scene, lookup):
            sign = Sign(lookup.start, lookup.end, right_answer.of(scene, lookup), lookup)
            signs_of.setdefault((unit, lookup.asked), []).append(sign)
    asked = {key: Spans(signs) for key, signs in signs_of.items()}
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
            limit = hand_over.of(scene)
            if stay.owner is None or not signs or until - since <= limit:
                continue
            signs += _unlisted(scene, key, stay.owner, since, until)
            for refused in refusals(key, signs, since, until):
                if refused.lasted <= limit:
                    continue
                if _is_unheard(scene, stay.owner, refused):
                    unheard.setdefault(stay.owner, []).append(refused)
                elif is_unreached.of(scene, stay.owner, refused):
                    unreached.setdefault(stay.owner, []).append(refused)
                elif not was_away.of(scene, stay.owner, refused, away):
                    is_known = not late_record.of(scene, stay, refused)
                    found.setdefault((stay.owner, is_known), []).append((stay, refused))
    judged.doubts += [
        f"{broker} has not answered for {count_of([one.unit for one in ones])} that it owns for "
        f"{lasting(max(one.lasted for one in ones))}, and has no log to tell why"
        for broker, ones in unheard.items()
    ]
    judged.doubts += [
        f"{broker} writes its log and has answered nobody for {lasting(max(one.lasted for one in ones))}: it stands "
        "still, or who asked did not reach it"
        for broker, ones in unreached.items()
        if not all(was_away.of(scene, broker, one, away) for one in ones)
    ]
    if (end := dump_end(scene)) is not None:
        judged.doubts += beyond(sum(lookup.start > end for lookup in scene.lookups), "lookups")
    for (broker, is_known), ones in found.items():
        for group in together(ones, lambda one: one[1]):
            _report_owner(scene, broker, group, is_known, judged)
    return judged


def _span(scene: Scene, stay: Stay) -> tuple[int, int]:
    """Return the times in which the broker certainly owned the unit: from the first sighting of its record on."""
    skew = scene.limits.clock_skew
    last = next((begin - 1 for begin, _ in OLDER_DUMP.of(scene)), scene.end or stay.since)
    return seen_since(scene, stay.step) + skew, last if stay.until == END else stay.until - skew


@excuse("an answer that names the broker by a listener or another port")
def other_name(scene: Scene, lookup: Lookup) -> bool:
    """Return whether it names a broker by an unknown id: that may be the owner's."""
    return (lookup.answer or lookup.redirect or lookup.asked) not in scene.brokers


@excuse("the time after a right answer in between")
def right_answer(scene: Scene, lookup: Lookup) -> bool:
    return is_own(lookup)


@excuse("a hand-over: refusals within the in-flight timeout")
def hand_over(scene: Scene) -> int:
    return scene.limits.in_flight_wait


@excuse("a record that no view has shown yet: it may be late while a bookie stalls")
def late_record(scene: Scene, stay: Stay, refused: RefusedLookup) -> bool:
    """Return whether nothing shows that the record was in the channel an in-flight timeout before the last refusal."""
    return not is_seen(scene, stay.step, refused.until - scene.limits.in_flight_wait)


def _unlisted(scene: Scene, unit: str, owner: str, since: int, until: int) -> list[Sign]:
    """Return the polls in which the owner does not list the unit: its view does not hold it. A claim proves nothing."""
    return [
        Sign(poll.start, poll.end, False, poll)
        for poll in scene.polls
        if poll.asked == owner and poll.status == 200 and unit not in poll.claims
        and since <= poll.start and poll.end <= until
    ]  # fmt: skip


@excuse("a process that was gone, silent or starting")
def was_away(scene: Scene, broker: str, refused: RefusedLookup, away: dict[str, list[Absence]]) -> bool:
    """Return whether the process was absent for a moment, or its log does not show that it lived all the time."""
    if Timeline.of(away[broker]).overlaps(refused.since, refused.until):
        return True
    return not any(life.start <= refused.since < life.end for life in scene.lives.get(broker, ()))


@excuse("a broker that answers nobody at all: the client may not reach it, which is a doubt")
def is_unreached(scene: Scene, broker: str, refused: RefusedLookup) -> bool:
    """Return whether no client had any answer of the broker: the way to it may be cut, or its port wrong."""
    asked: list[Lookup | Poll] = [one for one in scene.lookups if one.asked == broker]
    asked += [one for one in scene.polls if one.asked == broker]
    return not any(one.status is not None and one.end > refused.since and one.start < refused.until for one in asked)


def _is_unheard(scene: Scene, broker: str, refused: RefusedLookup) -> bool:
    """Return whether a broker without a log answered all the same: with a refusal, another's name, or a list."""
    answered = [sign for sign in refused.signs if isinstance(sign.seen, Poll) or sign.seen.status is not None]
    return not scene.lives.get(broker) and len(answered) == len(refused.signs)


def _report_owner(
    scene: Scene, broker: str, ones: list[tuple[Stay, RefusedLookup]], is_known: bool, judged: LawOutcome
) -> None:
    """Report the events of one time; the finding stands at the unit of which it lasted longest."""
    units = list(dict.fromkeys(refused.unit for _, refused in ones))
    stay, longest = max(ones, key=lambda one: one[1].lasted)
    step, since, until = stay.step, longest.since, longest.until
    lines = [
        line for line in of_kinds(scene.said.get(broker, ()), *REFUSALS)
        if since <= line.time <= until and (line.unit is None or line.unit in units)
    ]  # fmt: skip
    says = Counter(outcome(sign.seen) for _, refused in ones for sign in refused.signs)
    back = longest.after.until if longest.after is not None else END
    late = "nothing shows that its records had come into the channel, which they do late while a bookie stalls"
    in_outage = all(OUTAGE.of(scene, refused) for _, refused in ones)
    judged.doubts += [f"{broker} has not answered for {count_of(units)}, but {late}"] * (not is_known)
    failed = [sign.seen for sign in longest.signs if isinstance(sign.seen, Lookup)]
    polled = [sign.seen for sign in longest.signs if isinstance(sign.seen, Poll)]
    judged.findings.append(
        finding(
            OWNER,
            Severity.VIOLATION if is_known and not in_outage else Severity.WARNING,
            f"{broker} owns {count_of(units)} by the channel and lives, but has not answered for "
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
            symptoms=[Symptom.CHANGE_OF_ROLE]
            if lines and polled and _changed_role(scene, broker, since, until)
            else (),
            causes=why_refused(scene, broker, [(own.step, one) for own, one in ones]),
            units=units,
        )
    )


def _changed_role(scene: Scene, broker: str, since: int, until: int) -> bool:
    """Return whether a process of a broker set another role than its first in a time, or shortly before."""
    first = since - scene.limits.in_flight_wait
    return any(
        first <= line.time <= until and line.values.get("from") is not None
        for life in scene.lives.get(broker, ())
        for line in lines_of(scene, life, ROLE_IS_SET)
    )


def _view(lines: list[LogEvent]) -> str:
    """Return the words for the entry in the broker's own view, by its lines."""
    states = {str(line.values["state"]) for line in lines if line.values.get("state")}
    return f"; its own view says {' or '.join(sorted(states))}." if states else "."


OLDER_DUMP = Excuse("the time after the end of a dump that is older than the lookups, which is a doubt", after_dump)

OWNER_ANSWERS = SceneLaw(
    OWNER,
    "The owner of a unit by the channel answers lookups for it while its process lives.",
    "ServiceUnitStateChannelImpl.getOwnerAsync",
    excuses=(late_record, was_away, is_unreached, OUTAGE, CALLER, right_answer, other_name, OLDER_DUMP, hand_over),
    order=12,
    harm=Harm.UNUSABLE,
    waits=True,
    needs=(Source.CHANNEL, Source.LOOKUPS, Source.LOGS),
    judge=_judge_owner,
    uses=(*CLUSTER, *BOUNDARIES, Source.SENDS),
)
