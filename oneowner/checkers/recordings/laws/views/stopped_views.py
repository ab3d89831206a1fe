"""
A law of stopped views: no view stops taking records for good while its broker is live (run.G12).

With debug lines the records themselves are missing. Without them a broker still prints its view's entry when it gave up
waiting for an owner (``view_snapshots.py``). Pulsar reports nothing: the broker goes on refusing and redirecting by its
last entries.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.laws.scene_law import InParts, LawOutcome, SceneLaw, Scope, added, finding
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.laws.views.joined_lines import Joined
from oneowner.checkers.recordings.laws.views.line_record_join import APPENDED, View, absent, made_and_said, named, views
from oneowner.checkers.recordings.laws.views.missed_records import expected
from oneowner.checkers.recordings.laws.views.view_snapshots import LAG, Sighting, sightings
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.events import Cause, Finding, Origin, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.packed_logs import times_of, times_of_debug
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END, meets
from oneowner.checkers.times import seconds
from oneowner.model.channel.record import OWNED
from oneowner.model.kernel.law import Severity

MOST_SHOWN: Final = 3


class Stop(NamedTuple):
    """A view that is not known to have taken anything from some record on."""

    view: View
    missed: Step
    window: Window
    stale: list[Sighting]


class Told(NamedTuple):
    """A view that stopped, as it is reported, and the facts needed if others stopped at the same record."""

    place: int
    missed: Step
    broker: str
    is_debug: bool
    last: LogEvent
    """The last line of its process."""
    finding: Finding


class Judged(NamedTuple):
    """The outcome for some views."""

    judged: LawOutcome
    """Without its findings."""
    stops: list[Told]


@excuse("a record that was late in the topic: it counts from when a view handled it or a later one")
def late_in_topic(scene: Scene, record: Step) -> int:
    """Return the milliseconds from a record's publish time to its first handling, or that of a later one."""
    return max(0, APPENDED.of(scene).get(record.place, record.time) - record.time)


@excuse("a view that handles records which the channel lacks, as in a hole of the dump, which is a doubt")
def unknown_records(scene: Scene, view: View, since: int) -> bool:
    return any(made_and_said(joined) > since for joined in absent(view))


@excuse("debug mode that was switched off: only what was printed until then counts")
def debug_off(scene: Scene, view: View) -> int:
    """Return for how many milliseconds a process lived on without a line that only debug mode prints."""
    return max(0, view.until - max(times_of_debug(view.lines), default=view.life.start))


@excuse("a process that goes on only when its log ends, after a silence: it may catch up, which is a doubt")
def just_resumed(scene: Scene, view: View) -> bool:
    """Return whether all lines at the end of its log, after a silence longer than its session, are of one moment."""
    times = np.sort(np.asarray(times_of(view.lines), np.int64))
    gaps = np.flatnonzero(np.diff(times) > scene.limits.session)
    return gaps.size > 0 and bool(times[-1] - times[gaps[-1] + 1] <= LAG)


@excuse("a record that no view handled: the record is doubted, not the views")
def by_nobody(scene: Scene, place: int, alike: Sequence[Told]) -> bool:
    """Return whether several views in debug mode, and no other, stop at a record."""
    return place not in APPENDED.of(scene) and len(alike) > 1 and all(stop.is_debug for stop in alike)


def _stops(scene: Scene) -> Judged:
    """No view stops taking records while its broker lives on for longer than lookups wait for an owner."""
    judged = LawOutcome()
    first, stops = APPENDED.of(scene), list[Told]()
    for view in views(scene):
        seen, awaited = sightings(scene, view), expected(scene, view)
        judged.exercised += bool(seen or len(awaited))
        missed = _missed(scene, view, awaited, seen)
        if missed is None:
            continue
        place = missed.place
        stale = [one for one in seen if one.missed is not None and one.missed.place >= place]
        since = missed.time + late_in_topic.of(scene, missed)
        if unknown_records.of(scene, view, since):
            judged.doubts.append(f"{view.life.broker} took records after {missed.message_id} that the channel has not")
            continue
        until = max([since, *(sighting.said.time for sighting in stale)])
        if place in awaited:
            until = max(until, view.until - debug_off.of(scene, view))
        is_long = until - since > scene.limits.in_flight_wait + scene.limits.clock_skew
        if is_long and just_resumed.of(scene, view):
            judged.doubts.append(f"{view.life.broker} had just gone on, behind {missed.message_id}, when its log ends")
        elif is_long:
            stop = Stop(view, missed, Window(since, until, since, _end(scene, view)), stale)
            told = _stopped(scene, stop)
            stops.append(Told(place, missed, view.life.broker, view.life.is_debug, view.lines[-1], told))
        elif stale and until - since > LAG:  # by when it was in the topic, which may be long after it was sent (run.G3)
            judged.doubts.append(f"{view.life.broker} is behind {missed.message_id} when its log ends")
        elif view.until - since > (scene.limits.in_flight_wait if place in first else LAG) + scene.limits.clock_skew:
            judged.doubts.append(
                f"{view.life.broker} shows nothing from {missed.message_id} on, nor that debug mode was on"
            )
    return Judged(judged, stops)


def _end(scene: Scene, view: View) -> int:
    """Return when the process of a view ends, with the view; END if its log only breaks off."""
    is_last = len(scene.lives[view.life.broker]) == view.life.number + 1
    return END if is_last and view.closing is None else view.until


def _all_stops(scene: Scene, parts: Sequence[Judged]) -> LawOutcome:
    """Report each view that stopped; where no view handled a record, report the record."""
    judged = added(part.judged for part in parts)
    by_place: dict[int, list[Told]] = defaultdict(list)
    for part in parts:
        for stop in part.stops:
            by_place[stop.place].append(stop)
    for place, alike in by_place.items():
        if by_nobody.of(scene, place, alike):
            judged.findings.append(_by_nobody(alike))
        else:
            judged.findings += [stop.finding for stop in alike]
    judged.happenings += [_happening(scene, one) for one in judged.findings if one.causes]
    return judged


VIEW_STOPS: Final = InParts(_stops, _all_stops)


def _missed(scene: Scene, view: View, awaited: Array, seen: list[Sighting]) -> Step | None:
    """Return the first record that the view is known not to have taken, up to the end of its log."""
    taken = max(int(lines.table["place"].max(initial=-1)) for lines in (view.taken, view.skipped))
    candidates = [scene.channel.timeline[place] for place in awaited[awaited > taken][:1].tolist()]
    for number, sighting in enumerate(seen):
        if sighting.missed is None:
            continue
        place = sighting.missed.place
        caught_up = place <= taken or any(place <= later.taken for later in seen[number + 1 :])
        if not caught_up:
            candidates.append(sighting.missed)
    return min(candidates, key=lambda step: step.place, default=None)


def _last_proof(view: View, before: int) -> Joined | None:
    """Return the line that proves the progress of a view, among the records before a place of the topic."""
    proofs: list[tuple[int, Origin, Joined]] = []
    for lines in (view.taken, view.skipped):
        places = np.where(lines.table["place"] < before, lines.table["place"], -1)
        if (place := int(places.max(initial=-1))) >= 0:
            proofs += [(place, joined.said.origin, joined) for joined in lines.where(places == place)]
    return max(proofs, key=lambda proof: proof[:2])[2] if proofs else None


def _stopped(scene: Scene, stop: Stop) -> Finding:
    view, missed, window, stale = stop
    broker, place = view.life.broker, missed.place
    last = _last_proof(view, place)
    assert window.since is not None
    assert window.until is not None
    ignored = [step for step in scene.channel.timeline[place:] if step.is_accepted and step.time <= window.until]
    why = f"the view of {broker} stopped: "
    why += f"the last record that it is proved to have taken is {named(last.step)}; " if last and last.step else ""
    why += f"from {named(missed)} on it took none of {len(ignored)} accepted records, for "
    why += f"{seconds(window.until - window.since)} at least"
    if stale:
        oldest = max(stale, key=lambda sighting: sighting.behind)
        why += f"; {seconds(oldest.behind)} after the channel had moved on it still had {oldest.words}"
    evidence: list[Citable] = [*([last.said] if last else []), *ignored[:MOST_SHOWN], *ignored[MOST_SHOWN:][-1:]]
    evidence += [sighting.said for sighting in (*stale[:MOST_SHOWN], *stale[MOST_SHOWN:][-1:])]
    evidence += [view.lines[-1]]
    units = [step.key for step in ignored]
    cause = Cause(HappeningKind.VIEW, broker, window.since)
    return finding(
        "view-stops", Severity.VIOLATION, why, evidence, unit=missed.key, brokers=[broker], step=missed,
        causes=(cause,), units=units,
        time=window.since, window=window, symptoms=_symptoms(view, scene.channel.timeline[: place + 1]),
        repair=f"take {named(missed)}, or restart {broker}",
    )  # fmt: skip


def _by_nobody(stops: list[Told]) -> Finding:
    """All views that should have taken it miss it: rather than all of them, the record is to be doubted."""
    missed, window = stops[0].missed, stops[0].finding.window
    brokers = [stop.broker for stop in stops]
    why = (
        f"no broker took {named(missed)}, not one of {', '.join(brokers)}, which all lived on: either all their views "
        "stopped at once, or the record is not of this topic"
    )
    return finding(
        "view-stops", Severity.VIOLATION, why, [missed, *(stop.last for stop in stops)],
        unit=missed.key, brokers=brokers, step=missed, window=window, repair=f"take {named(missed)}",
    )  # fmt: skip


def _symptoms(view: View, before: Sequence[Step]) -> list[Symptom]:
    """The last records that the view may have taken: an Owned of this broker may have met a change of its role."""
    own = [step for step in before[-MOST_SHOWN:] if step.record.state == OWNED]
    is_own = any(str(step.record.destination) == view.life.broker for step in own)
    return [Symptom.CHANGE_OF_ROLE] if is_own else []


def _happening(scene: Scene, stopped: Finding) -> Happening:
    cause, window = stopped.causes[0], stopped.window
    until = END if window is None else window.possible_until
    words = f"the view of {cause.subject} stopped: it takes no more records, and redirects clients by its last state"
    repair = f"restart {cause.subject}, so that its view begins anew"
    known = happenings_of(scene).found.values()
    apart = [one for one in known if one.cause.kind == HappeningKind.UNCONNECTED and one.cause.subject == cause.subject]
    apart = [one for one in apart if meets(one, cause.since - scene.limits.in_flight_wait, until)]
    if apart:
        words, repair = f"{apart[0].words}: its view takes no more records", apart[0].repair
    return Happening(cause, until, words, stopped.brokers, (), (), repair)


def stopped_view(scene: Scene, unit: str, since: int, until: int) -> tuple[Cause, ...]:
    """Return the stopped views that missed a record of *unit*, and so sent its clients elsewhere in that time."""
    return tuple(
        one.causes[0]
        for one in scene.of_run(VIEW_STOPS).findings
        if unit in one.units and one.causes and one.window is not None
        and one.window.possible_since <= until and one.window.possible_until >= since
    )  # fmt: skip


LAWS: Final = (
    SceneLaw(
        "view-stops",
        "No view stops taking records while its broker lives on.",
        "TableViewImpl.readTailMessages; seen in traces/real/rolling-restart",
        excuses=(debug_off, just_resumed, unknown_records, by_nobody, late_in_topic),
        order=43,
        waits=True,
        needs=(Source.CHANNEL, Source.LOGS),
        by_logs=True,
        judge=VIEW_STOPS,
        scope=Scope.BROKER,
    ),
)
