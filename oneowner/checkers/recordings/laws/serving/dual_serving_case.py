"""A case of dual serving holds its observations: its excuses, a sentence, a handful of lines, a known bug."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from oneowner.checkers.recordings.fold.numbered_runs import STEP
from oneowner.checkers.recordings.fold.recorded_law import Excuse, excuse
from oneowner.checkers.recordings.laws.answers.clocks import are_compared
from oneowner.checkers.recordings.laws.serving.causes import UNLOADED, Cause, CauseKind, begins, distinct
from oneowner.checkers.recordings.laws.serving.observed_serving import (
    MISSING_LINES,
    OLDER_DUMP,
    STOPPED,
    ServingKind,
    Spell,
    closing_time,
    is_redirect,
    log_level,
)
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.absences import SILENCE, silences
from oneowner.checkers.recordings.scene.broker_processes import lines_of
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.registry_from_logs import REGISTERED
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END, Timeline
from oneowner.checkers.recordings.scene.unsure_records import begins_late
from oneowner.checkers.times import iso, lasting
from oneowner.model.channel.record import owner

HANDLED = "handle-request"


class Key(NamedTuple):
    """One case: a broker that went on serving a unit after a record had given it away."""

    unit: str
    broker: str
    lost: int | None
    """The publish time of that record; None: the broker never owned the unit."""


@dataclass(slots=True)
class DualServing:
    """The evidence of one case."""

    holders: dict[str, None] = field(default_factory=dict)
    kinds: dict[ServingKind, int] = field(default_factory=dict)
    topics: set[str] = field(default_factory=set)
    spans: list[tuple[int, int]] = field(default_factory=list)
    """The times in which both were seen to serve."""
    until: int = 0
    """The last time at which the loser was seen to serve, or to hold a topic that it closes."""
    since: int = 2**62
    evidence: list[Citable] = field(default_factory=list)
    is_by_logs: bool = False
    """
    True if a log shows one of the two: then each has its own clock; else the times are those of the asking client.
    """


def is_one_clock(scene: Scene, brokers: Sequence[str]) -> bool:
    """
    Return whether the times of these brokers can be compared closer than a second.

    They are of one machine, the skew of their clocks is given, or each log has lines whose order with others' is
    certain (``answers/clocks.py``): records that it handled, or its registration beside ZooKeeper's history.
    """
    if scene.limits.clock_skew or len({broker.rpartition(":")[0] for broker in brokers}) == 1:
        return True
    registered = Source.ZOOKEEPER in scene.present
    return all(
        any(life.is_debug or (registered and lines_of(scene, life, REGISTERED)) for life in scene.lives.get(broker, ()))
        for broker in brokers
    )


def sentence(
    key: Key, case: DualServing, given: Step | None, observed: int | None, possible: int, causes: list[Cause]
) -> str:
    """Return a sentence with both servers, the time of both (milliseconds seen and possible), and the causes."""
    answers = case.kinds.get(ServingKind.ANSWERS, 0)
    how = " and ".join(
        [f"answered {answers} lookup{'s' * (answers > 1)} as owner"] * (answers > 0)
        + ["had its topics loaded"] * (ServingKind.LOADED in case.kinds)
    )
    holders = " and ".join(case.holders)
    to = str(owner(given.record) or "nobody") if given else ""
    others = "" if to == holders else f", and {holders} served it"
    since = min((begin for begin, _ in case.spans), default=0)
    seen = "not seen at one moment" if observed is None else f"seen for {lasting(observed)} from {iso(since)} on"
    after = f" although {given.message_id} had given it to {to}{others}" if given else f" while {holders} served it"
    why = "; ".join(dict.fromkeys(cause.words for cause in causes)) or "no cause was found"
    return f"{key.broker} {how}{after}; both served: {seen}, possible for {lasting(possible)}. Why: {why}."


def shown_lines(case: DualServing, given: Step | None, causes: list[Cause]) -> tuple[Citable, ...]:
    """Return a handful of lines: the record, the first and the last observations, and the causes."""
    own = distinct(case.evidence)
    ends = own if len(own) <= 4 else [*own[:2], *own[-2:]]
    first: list[Citable] = [given] if given is not None else []
    return distinct([*first, *ends, *(seen for cause in causes for seen in cause.evidence)])[:12]


def symptoms(causes: list[Cause]) -> list[Symptom]:
    """Return the facts that tell the causes apart: a reader behind a compaction, else a pause."""
    kinds = {cause.kind for cause in causes}
    if CauseKind.BEHIND in kinds:
        return [Symptom.BEHIND_COMPACTION]
    return [Symptom.AFTER_PAUSE] if CauseKind.PAUSE in kinds else []


@excuse("a forced record, a pause or a lost session: the named cause, up to the limit")
def explained(scene: Scene, causes: list[Cause]) -> bool:
    """Return whether the protocol lets two brokers serve for one of *causes*."""
    return any(cause.is_excuse for cause in causes)


@excuse("a unit whose history begins late, which is a doubt")
def late_begin(scene: Scene, key: Key) -> bool:
    """Return whether a record before the dump may have given the unit to the broker; never where the channel moves."""
    unit = scene.channel.units.get(key.unit)
    is_known = key.lost is not None or (unit is not None and begins(unit) and not scene.of_run(begins_late))
    return not is_known and not scene.migration


@excuse("clocks that nothing compares, or not closer than a second")
def two_clocks(scene: Scene, key: Key, case: DualServing, observed: int) -> bool:
    """Return whether two clocks may be as far apart as both were seen to serve."""
    brokers = key.broker, *case.holders
    if not case.is_by_logs or is_one_clock(scene, brokers):
        return False
    return observed <= STEP or not are_compared(scene, brokers)


@excuse("clocks that differ by the known skew")
def clock_skew(scene: Scene) -> int:
    """Return by how many milliseconds two clocks may differ."""
    return scene.limits.clock_skew


@excuse("a broker without a log line that nobody asked: its process may have stood still")
def quiet_logs(scene: Scene, broker: str, since: int, until: int) -> Timeline:
    """
    Return the times in which a broker may have stood still, and served nobody.

    With the channel, only for longer than a session lasts: before that, no other broker gets its units.
    """
    least = scene.limits.session if scene.logged is None else SILENCE
    return silences(scene, broker, since, until, least)


EXCUSES: tuple[Excuse[Any], ...] = (
    *(is_redirect, closing_time, STOPPED, quiet_logs, clock_skew, two_clocks),
    *(explained, MISSING_LINES, log_level, OLDER_DUMP, late_begin),
)
"""The explanations that do not count as two servers of a unit."""


def caught_up(scene: Scene, key: Key, case: DualServing, held: Sequence[Spell]) -> int:
    """
    Return the first time at which the loser certainly serves no more: by its log, its answers, or its end.

    It may answer with the new owner and still have topics open, with the producers that it let in: not before its log
    closes them.
    """
    known = [
        line.time for line in scene.said.get(key.broker, ())
        if line.unit == key.unit and line.event in (HANDLED, UNLOADED) and line.time >= case.since
    ]  # fmt: skip
    known += [
        lookup.end for lookup in scene.lookups
        if lookup.asked == key.broker and lookup.topic in case.topics and lookup.status is not None
        and lookup.answer != key.broker and lookup.start >= case.since
    ]  # fmt: skip
    known += [life.end for life in scene.lives.get(key.broker, ()) if life.start <= case.until <= life.end]
    open_until = [spell.fades for spell in held if spell.kind == ServingKind.LOADED and spell.since <= case.until]
    return max(min(known), case.until, *open_until) if known else END


def may_serve(scene: Scene, broker: str, since: int, caught: int, last: int) -> Timeline:
    """Return when a broker may serve, from *since* until it is caught up: never while it surely stands still."""
    stood = Timeline((one.asked, one.until) for one in STOPPED.of(scene).get(broker, ()) if one.is_pause)
    return Timeline([(since, (scene.end or last) if caught == END else caught)]) - stood
