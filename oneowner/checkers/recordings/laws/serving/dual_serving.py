"""
A law of dual serving: no two brokers serve one unit; windows show where it was seen or cannot be excluded.

At most one broker serves a unit unless the unit is tainted (``causes.py``). A broker that has not read on, or could
not, goes on answering and serving; each such window is named with its cause. Seen in run.G1 (zombie) and run.G3. Where
the channel moves to another storage nobody's view is taken for right: there topics alone count that two had loaded, as
where logs alone show records: one that is missing may have made a broker the owner.
"""

from collections.abc import Iterable, Sequence

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.laws.answers.dump_end import beyond
from oneowner.checkers.recordings.laws.scene_law import BOUNDARIES, CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.serving.causes import Cause, CauseKind, causes_of
from oneowner.checkers.recordings.laws.serving.dual_serving_case import (
    EXCUSES,
    HANDLED,
    DualServing,
    Key,
    caught_up,
    clock_skew,
    explained,
    late_begin,
    may_serve,
    quiet_logs,
    sentence,
    shown_lines,
    symptoms,
    two_clocks,
)
from oneowner.checkers.recordings.laws.serving.observed_serving import (
    OLDER_DUMP,
    STOPPED,
    ServingKind,
    Spell,
    answering,
    loaded,
    own_answers,
)
from oneowner.checkers.recordings.laws.views.missed_losses import missed_loss
from oneowner.checkers.recordings.laws.views.stale_boundaries import why_revived
from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import Lookup, Printed, Source
from oneowner.checkers.recordings.scene.channel_history import Channel, Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.mixed_ownership import mixed_managers
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import Stay, StaysByUnit
from oneowner.checkers.recordings.scene.time_spans import Spans
from oneowner.checkers.recordings.scene.timeline import Timeline, meets
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.checkers.times import lasting
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity

NAME = "dual-serving"
OF_PROCESSES = (CauseKind.PAUSE, CauseKind.SESSION, CauseKind.CLOSE)
"""The causes that may excuse two servers where no history of one channel names the owner."""


def _judge(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    topics, away = Topics(scene), STOPPED.of(scene)
    has_history = not scene.migration and scene.logged is None
    spells = [*(answering(scene, topics, away) if has_history else ()), *loaded(scene, topics, away)]
    by_unit = StaysByUnit(Channel() if scene.migration else scene.channel)
    of_unit: dict[str, list[Spell]] = {}
    for spell in spells:
        of_unit.setdefault(spell.unit, []).append(spell)
    beside = {unit: Spans(ones) for unit, ones in of_unit.items()}
    cases: dict[Key, DualServing] = {}
    unknown, late = OLDER_DUMP.of(scene), 0
    for answer in own_answers(scene, topics, away) if has_history else ():
        if answer.until in unknown:
            late += 1
            continue
        judged.exercised += 1
        _answered(scene, answer.unit, answer.since, answer.lookup, beside, by_unit, cases)
    judged.doubts += beyond(late, "answers of brokers that name themselves")
    judged.exercised += _both_loaded(scene, spells, by_unit, cases)
    doubtful: dict[str, list[tuple[int, int]]] = {}
    for key, case in cases.items():
        history = by_unit.get(key.unit)
        held = [spell for spell in of_unit.get(key.unit, ()) if spell.broker == key.broker]
        _report(scene, key, case, [] if history is None else list(history), held, judged, doubtful)
    judged.doubts += [_doubt(broker, ones, scene.limits.dual_serving) for broker, ones in doubtful.items()]
    return judged


def _doubt(broker: str, ones: Sequence[tuple[int, int]], limit: int) -> str:
    """Return the doubt about units that *broker* may have served for so long, and was seen to serve for so long."""
    possible, observed = (max(each) for each in zip(*ones, strict=True))
    why = f"longer than {lasting(limit)}" if possible > limit else "and no known cause explains that"
    units = f"{len(ones)} unit{'s' if len(ones) > 1 else ''}"
    seen = f"seen: up to {lasting(observed)}"
    return f"{broker} and others may both have served {units} for up to {lasting(possible)}, {why}; {seen}"


# ---- observations ----


def _answered(
    scene: Scene, unit: str, since: int, lookup: Lookup, serving: dict[str, Spans[Spell]],
    by_unit: StaysByUnit, cases: dict[Key, DualServing],
) -> None:  # fmt: skip
    """Take in an answer "I own it" of a broker that may not, if others owned or served the unit at all its moments."""
    history, broker, skew = by_unit.get(unit), lookup.asked, clock_skew.of(scene)
    if history is None or any(stay.owner == broker for stay in history.meeting(since - skew, lookup.end + skew)):
        return
    others = [stay for stay in history.meeting(since, lookup.end) if stay.owner not in (None, broker)]
    beside = [
        spell for spell in serving[unit].meeting(since, lookup.end)
        if spell.broker != broker
        and not (spell.kind == ServingKind.LOADED and _may_miss(spell, since, lookup.end, skew))
    ] if unit in serving else []  # fmt: skip
    if Timeline([(since, lookup.end + 1)]) - Timeline((stay.since, stay.until) for stay in others):
        beside = [spell for spell in beside if spell.is_certain(since, lookup.end)]
        if not beside:
            return
    case = cases.setdefault(Key(unit, broker, _lost(list(history), broker, since)), DualServing())
    case.is_by_logs |= any(spell.kind == ServingKind.LOADED for spell in beside)
    for spell in beside:
        case.spans.append((max(since, spell.since), min(lookup.end, spell.until)))
        case.holders[spell.broker] = None
    for stay in others:
        case.holders[stay.owner or ""] = None
    evidence = (lookup, *(seen for spell in beside for seen in spell.evidence))
    _note(case, ServingKind.ANSWERS, lookup.topic, since, lookup.end, evidence)


def _both_loaded(scene: Scene, spells: list[Spell], by_unit: StaysByUnit, cases: dict[Key, DualServing]) -> int:
    """Take in topics that two brokers had loaded at once; return how many loads there were."""
    loads: dict[str, list[Spell]] = {}
    for spell in spells:
        if spell.kind == ServingKind.LOADED:
            loads.setdefault(spell.topic, []).append(spell)
    skew = clock_skew.of(scene)
    for ones in loads.values():
        ones.sort(key=lambda spell: spell.since)
        for number, one in enumerate(ones):
            for other in ones[number + 1 :]:
                if other.since + skew >= one.fades:
                    break  # so do all that follow
                if other.broker != one.broker and one.since + skew < other.fades:
                    _loaded_twice(scene, one, other, by_unit, cases)
    return sum(len(ones) for ones in loads.values())


def _loaded_twice(scene: Scene, one: Spell, other: Spell, by_unit: StaysByUnit, cases: dict[Key, DualServing]) -> None:
    history = list(by_unit.get(other.unit) or ())
    since, until = other.since, other.since + _overlap(one, other, clock_skew.of(scene))
    owners = {stay.owner for stay in history if meets(stay, since, until)}
    loser, holder = (other, one) if one.broker in owners and other.broker not in owners else (one, other)
    case = cases.setdefault(Key(other.unit, loser.broker, _lost(history, loser.broker, since)), DualServing())
    case.holders[holder.broker] = None
    case.is_by_logs = True
    case.spans += Timeline([(since, until)]) - quiet_logs.of(scene, loser.broker, since, until)
    evidence = (*loser.evidence, *holder.evidence)
    _note(case, ServingKind.LOADED, other.topic, since, min(one.fades, other.fades), evidence)


def _note(
    case: DualServing, kind: ServingKind, topic: str, since: int, until: int, evidence: Iterable[Citable]
) -> None:
    case.kinds[kind] = case.kinds.get(kind, 0) + 1
    case.topics.add(topic)
    case.since, case.until = min(case.since, since), max(case.until, until)
    case.evidence += evidence


def _may_miss(spell: Spell, since: int, until: int, skew: int) -> bool:
    """Return whether a topic that one clock has loaded in that time was not, by clocks that differ by *skew*."""
    return spell.since + skew > until or since > spell.until - skew


def _overlap(one: Spell, other: Spell, skew: int) -> int:
    """Return for how long two topics were loaded at once, however far within *skew* the two clocks were apart."""
    seen = Timeline.of([one])
    return min(seen.within(other.since + by, other.until + by).total for by in (-skew, skew))


def _lost(history: list[Stay], broker: str, time: int) -> int | None:
    """Return the end of the broker's last ownership before *time*."""
    return max((stay.until for stay in history if stay.owner == broker and stay.until <= time), default=None)


# ---- findings ----


def _report(
    scene: Scene, key: Key, case: DualServing, history: list[Stay], held: list[Spell], judged: LawOutcome,
    doubtful: dict[str, list[tuple[int, int]]],
) -> None:  # fmt: skip
    limit = scene.limits.dual_serving
    since = min((a for a, _ in case.spans), default=None)
    until = max((b for _, b in case.spans), default=None)
    given = _given(history, key, case)
    caught = caught_up(scene, key, case, held)
    lost = given.time if given else case.since
    serves = may_serve(scene, key.broker, lost, caught, case.until)
    window = Window(since, until, min((begin for begin, _ in serves), default=case.since), caught)
    possible = serves.total
    causes = causes_of(scene, key.unit, key.broker, lost, case.until)
    if scene.migration:
        causes = [cause for cause in causes if cause.kind in OF_PROCESSES]
        mixed = [one for one in scene.of_run(mixed_managers) if meets(one, case.since, case.until)]
        judged.happenings += mixed
        causes += [Cause(CauseKind.MANAGERS, one.words, one.evidence, (one.cause,)) for one in mixed]
    else:
        causes += [*_lag(scene, key, given), *_beyond(scene, case)]
    observed = 0 if since is None or until is None else until - since
    excused = explained.of(scene, causes)
    is_unsure = excused or late_begin.of(scene, key)
    is_seen = since is not None and not two_clocks.of(scene, key, case, observed)
    is_violation = is_seen and (not is_unsure or observed > limit)
    if not is_violation and (possible > limit or not excused):
        doubtful.setdefault(key.broker, []).append((possible, observed))
    if scene.logged is not None and not is_violation:  # a missing record may explain all of it
        return
    shown = shown_lines(case, given, causes)
    judged.findings.append(
        finding(
            NAME, Severity.VIOLATION if is_violation else Severity.WARNING,
            sentence(key, case, given, observed if since is not None else None, possible, causes), shown,
            unit=key.unit, brokers=(key.broker, *case.holders), step=given, window=window,
            time=since if since is not None else window.possible_since,
            guard="at most one broker serves a unit, unless a taint of it explains two (PIP-192)",
            repair=f"{key.broker} closes the topics and answers with the new owner before that one serves",
            symptoms=symptoms(causes),
            causes=[*missed_loss(scene, key.unit, lost, case.until),
                    *why_revived(scene, key.unit, case.until),
                    *(cause for one in causes for cause in one.happened)],
        )
    )  # fmt: skip


def _given(history: list[Stay], key: Key, case: DualServing) -> Step | None:
    """Return the record by which another broker owned the unit, after the loser had lost it."""
    later = [
        stay for stay in history
        if stay.owner not in (None, key.broker) and (key.lost is None or stay.since >= key.lost)
        and stay.since <= case.until
    ]  # fmt: skip
    if key.lost is None:
        later = [stay for stay in later if meets(stay, case.since, case.until)]
    return later[0].step if later else None


def _beyond(scene: Scene, case: DualServing) -> list[Cause]:
    """After the end of an older dump, records that may excuse it are unknown."""
    is_older = case.until in OLDER_DUMP.of(scene)
    return [Cause(CauseKind.UNKNOWN, "the dump is older than that", ())] if is_older else []


def _lag(scene: Scene, key: Key, given: Step | None) -> list[Cause]:
    if given is None:
        return []
    lines = [line for line in scene.said.get(key.broker, ()) if line.event == HANDLED and line.unit == key.unit]
    for line in lines:
        if line.values.get("data") == given.printed:
            late = max(0, line.time - given.time)
            return [Cause(CauseKind.LAG, f"its view took {lasting(late)} to take that record in", (line,))]
    for line in lines if scene.storage == Storage.SYSTEM_TOPIC else ():  # watches of the other store may skip values
        data = line.values.get("data")
        if line.time >= given.time and isinstance(data, Printed) and data.record.version > given.record.version:
            words = f"its view never took that record, as behind a compaction: the next one was {data.record}"
            return [Cause(CauseKind.BEHIND, words, (line,))]
    return []


DUAL_SERVING = SceneLaw(
    NAME,
    "At most one broker serves a unit at a time, unless a taint explains two, and then only for a short time.",
    "PIP-192, apache/pulsar#24478",
    excuses=EXCUSES,
    order=10,
    harm=Harm.TWICE,
    is_live=True,
    shows_servers=True,
    needs=(Source.CHANNEL,),
    by_logs=True,
    judge=_judge,
    uses=(*CLUSTER, *BOUNDARIES),
    of_migrations=True,
)
