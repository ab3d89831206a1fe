"""
A law of claims: a broker's own list names only units that the channel gave it.

A broker's list (``getOwnedServiceUnits``) is a claim and no proof of serving: with the metadata-store view a broker
that lost its session lists every unit in its view (channel.D2, run.G4). Operators and tools trust the list all the
same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from oneowner.checkers.recordings.fold.numbered_runs import STEP
from oneowner.checkers.recordings.fold.recorded_law import Excuse, excuse
from oneowner.checkers.recordings.laws.answers.dump_end import after_dump, beyond
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, InParts, LawOutcome, SceneLaw, Scope, added, finding
from oneowner.checkers.recordings.laws.serving.causes import begins, distinct
from oneowner.checkers.recordings.laws.serving.observed_serving import away_of
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.events import Window, brokers_named
from oneowner.checkers.recordings.read.observations import LogEvent, Poll, Source
from oneowner.checkers.recordings.scene.absences import Absence, awake
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import why_away
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.registry import LOST
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import StaysByUnit, stays
from oneowner.checkers.recordings.scene.timeline import END, meets
from oneowner.checkers.recordings.scene.unsure_records import begins_late
from oneowner.checkers.times import iso, lasting
from oneowner.model.channel.record import Record, is_in_flight
from oneowner.model.kernel.law import Severity

NAME = "claims-are-owned"
LAG = 3_000
"""Milliseconds by which a view may lag behind the channel without a word: a broker reads on at its own pace."""
MOST_NAMED = 3
"""Units that a sentence names."""


@dataclass(slots=True)
class FalseClaims:
    """Polls of one broker, one after the other, in which it claimed units of others."""

    clean: Poll | None
    """The last poll before that had nothing wrong."""
    polls: list[Poll] = field(default_factory=list)
    since: int = 0
    """The earliest time of the first of them."""
    never: dict[str, int] = field(default_factory=dict)
    """Units that the channel never gave it, and how often it claimed each."""
    given_away: dict[str, int] = field(default_factory=dict)


def _histories(scene: Scene) -> StaysByUnit:
    return StaysByUnit(scene.channel)


def _known(scene: Scene) -> frozenset[str]:
    if scene.of_run(begins_late):
        return frozenset()
    return frozenset(key for key, unit in scene.channel.units.items() if begins(unit))


class Claimed(NamedTuple):
    """The outcome for the lists of some brokers."""

    judged: LawOutcome
    unseen: frozenset[str]
    """Units that they list and the channel lacks: it may begin late."""
    beyond: int
    """Polls that list unexplained units, after the end of a dump that is older."""


def _told(_: Scene, parts: Sequence[Claimed]) -> LawOutcome:
    judged = added(part.judged for part in parts)
    unseen = frozenset(unit for part in parts for unit in part.unseen)
    if unseen:
        judged.doubts.append(f"{len(unseen)} units are listed of which this channel knows nothing: it may begin late")
    judged.doubts += beyond(sum(part.beyond for part in parts), "polls that list other units")
    return judged


def _claims(scene: Scene) -> Claimed:
    judged = LawOutcome()
    histories, known = scene.of_run(_histories), scene.of_run(_known)
    unseen: set[str] = set()
    unknown, late = OLDER_DUMP.of(scene), 0
    away = away_of(scene)
    for broker in scene.brokers:
        polls = [
            poll
            for poll in scene.polls
            if poll.asked == broker and poll.status == 200 and not others_list.of(scene, poll)
        ]
        judged.exercised += sum(len(poll.claims) for poll in polls)
        now: FalseClaims | None = None
        clean: Poll | None = None
        stale = 0
        for poll in polls:
            since = awake(poll.start, poll.end, away.get(broker, ()))
            judgeable = [unit for unit in poll.claims if unit in histories]
            unseen.update(set(poll.claims) - set(judgeable))
            wrong = [
                unit for unit in judgeable
                if not _is_explained(scene, histories, unit, broker, since, poll.end)
                and (unit in known or _has_begun(scene, unit, since))
            ]  # fmt: skip
            if wrong and poll.end in unknown:
                late += 1
                continue
            if not wrong:
                if now is not None:
                    _report(scene, broker, now, poll, judged)
                now, clean = None, poll
                continue
            now = now or FalseClaims(clean, since=since)
            now.polls.append(poll)
            for unit in wrong:
                may_own = former_owner.of(scene, unit, broker, poll.end) or late_begin.of(scene, unit)
                counts = now.given_away if may_own else now.never
                counts[unit] = counts.get(unit, 0) + 1
            if not now.never:
                stale = max(stale, *(_stale_by(scene, histories, unit, broker, since, away) for unit in wrong))
        if now is not None:
            _report(scene, broker, now, None, judged)
        if stale > scene.limits.in_flight_wait + LAG:
            judged.doubts.append(
                f"{broker} lists units that it owned no more for up to {lasting(stale)}: its view has stopped, or lags"
            )
    return Claimed(judged, frozenset(unseen), late)


@excuse("a list with the heartbeat namespace of another broker: it is that broker's")
def others_list(scene: Scene, poll: Poll) -> bool:
    """Return whether another broker's heartbeat is in the list, which ``polls-go-on`` reports."""
    return bool(poll.heartbeats) and poll.asked not in poll.heartbeats


@excuse("a unit that the broker used to own: a view may lag; beyond the in-flight timeout it is a doubt")
def former_owner(scene: Scene, unit: str, broker: str, until: int) -> bool:
    """Return whether the channel gave *unit* to *broker* by *until*."""
    history = scene.of_run(_histories).get(unit) or ()
    return any(stay.owner == broker and stay.since <= until for stay in history)


@excuse("a hand-over: both brokers may list the unit")
def hand_over(scene: Scene, record: Record, broker: str) -> bool:
    """Return whether *broker* is one of the two of a hand-over that is not over."""
    return is_in_flight(record) and broker in brokers_named(record)


@excuse("a record published during the poll, or up to three seconds before it: views lag")
def view_lag(scene: Scene) -> int:
    """Return for how many milliseconds a view may lag."""
    return LAG


@excuse("a record up to a second after the list: the client's clock may be behind")
def client_clock(scene: Scene) -> int:
    """Return by how many milliseconds the client's clock may be behind."""
    return STEP


@excuse("a unit that the dump does not show from its beginning, which warns")
def late_begin(scene: Scene, unit: str) -> bool:
    """Return whether a record before the dump may have given *unit* to the broker."""
    return unit not in scene.of_run(_known)


def _is_explained(scene: Scene, histories: StaysByUnit, unit: str, broker: str, since: int, until: int) -> bool:
    """Some entry of the unit that the broker may have held at some moment of the poll has to do with it."""
    skew = scene.limits.clock_skew
    history = histories.get(unit)
    late = max(skew, client_clock.of(scene))
    met = () if history is None else history.meeting(since - skew - view_lag.of(scene), until + late)
    return any(
        hand_over.of(scene, stay.record, broker) if is_in_flight(stay.record) else broker in stay.parties
        for stay in met
    )


def _stale_by(
    scene: Scene, histories: StaysByUnit, unit: str, broker: str, since: int, away: dict[str, list[Absence]]
) -> int:
    """Return the time since the broker's last part in the unit; one that stood still counts from its end on."""
    own = [stay.until for stay in histories.get(unit) or () if broker in stay.parties and stay.until <= since]
    pauses = [one.until for one in away.get(broker, ()) if one.until <= since]
    return since - max(own + pauses) if own else 0


def _has_begun(scene: Scene, unit: str, time: int) -> bool:
    """Return whether the channel, which begins late for this unit, has a record of it by then."""
    return scene.channel.units[unit].steps[0].time + scene.limits.clock_skew + LAG < time


def _report(scene: Scene, broker: str, happening: FalseClaims, after: Poll | None, judged: LawOutcome) -> None:
    first, last = happening.polls[0], happening.polls[-1]
    units = {**happening.never, **happening.given_away}
    samples = sum(happening.never.values()) + sum(happening.given_away.values())
    window = Window(
        happening.since,
        last.end,
        happening.clean.end if happening.clean else first.start,
        after.start if after else END,
    )
    what = [f"{len(happening.never)} that the channel never gave it"] * bool(happening.never)
    what += [f"{len(happening.given_away)} that it owned no more"] * bool(happening.given_away)
    named = ", ".join([*units][:MOST_NAMED]) + (", .." if len(units) > MOST_NAMED else "")
    lost = _session_lost(scene, broker, window.possible_since, first.end)
    why = f" It lost its ZooKeeper session at {iso(lost[0].time)}." if lost else ""
    served = _served(scene, units, broker, first.start, last.end)
    shown: list[Citable] = [
        *lost[:1],
        first,
        *([happening.polls[len(happening.polls) // 2]] if len(units) > 2 else []),
        last,
    ]
    judged.findings.append(
        finding(
            NAME,
            Severity.VIOLATION if happening.never else Severity.WARNING,
            f"{broker} listed {len(units)} units that are not its own as owned, {' and '.join(what)}: "
            f"{samples} claims in {len(happening.polls)} polls within {lasting(last.end - happening.since)} ({named}); "
            f"{served} of them were owned by another broker meanwhile.{why}",
            distinct(shown),
            unit=next(iter(units)) if len(units) == 1 else None,
            brokers=(broker,),
            window=window,
            time=happening.since,
            guard="a broker lists a unit as its own only while the channel gives it to that broker",
            repair="the list is empty until the view is filled again; until then ask lookups at other brokers",
            symptoms=[Symptom.LOST_SESSION] if happening.never and lost else (),
            causes=why_away(scene, broker, window.possible_since, first.end),
            units=units,
        )
    )


def _session_lost(scene: Scene, broker: str, since: int, until: int) -> list[LogEvent]:
    """Return the last lines before that show a lost session."""
    lines = [
        line for line in of_kinds(scene.said.get(broker, ()), "session-event")
        if LOST in line.text and line.time <= until
    ]  # fmt: skip
    return [line for line in lines if line.time >= since - scene.limits.session][-1:]


def _served(scene: Scene, units: Iterable[str], broker: str, since: int, until: int) -> int:
    found = 0
    for unit in units:
        history = stays(scene.channel.units.get(unit))
        found += any(stay.owner not in (None, broker) and meets(stay, since, until) for stay in history)
    return found


OLDER_DUMP = Excuse("a dump that is older than the poll, which is a doubt", after_dump)

LAWS = (
    SceneLaw(
        NAME,
        "A broker lists as its own only units that the channel gives it.",
        "ServiceUnitStateTableViewBase.updateOwnedServiceUnits, invalidateOwnedServiceUnits; apache/pulsar#24478",
        excuses=(view_lag, client_clock, hand_over, others_list, late_begin, OLDER_DUMP, former_owner),
        order=11,
        is_live=True,
        needs=(Source.CHANNEL, Source.POLLS),
        judge=InParts(_claims, _told),
        scope=Scope.BROKER,
        uses=CLUSTER,
    ),
)
