"""
Laws of missed records: a view takes every accepted record, and does not lag. ``stopped_views.py`` has those that stop.

A view of the topic takes every record in order (channel.4.1), so where debug lines are on, each accepted record must
show. The watches of the metadata store may skip values (channel.4.2), so there only the lag is judged.
"""

from typing import Final

import numpy as np

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, Scope, finding, remaining
from oneowner.checkers.recordings.laws.views.handle_counters import counted
from oneowner.checkers.recordings.laws.views.line_record_join import APPENDED, View, named, views
from oneowner.checkers.recordings.laws.views.view_snapshots import LAG
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.events import Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import ALWAYS, END, Timeline
from oneowner.checkers.recordings.scene.unsure_records import unsure
from oneowner.checkers.times import seconds
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity

MOST_SHOWN: Final = 3


@excuse("a process that is not proved to be in debug mode: it may not have printed the line")
def without_debug(scene: Scene, view: View) -> Timeline:
    since = view.life.debug_since
    return ALWAYS if since is None else Timeline([(-END, since + scene.limits.clock_skew)])


@excuse("records that were loaded at the start, or came after the process began to stop")
def not_handling(scene: Scene, view: View) -> Timeline:
    """Return the time before the view had started, and after it began to stop: then it is Disabled."""
    if view.started is None:
        return ALWAYS
    skew = scene.limits.clock_skew
    return Timeline([(-END, view.started.time + skew), (view.until - skew, END)])


@excuse("a record that was read and skipped, which accepted-is-not-skipped judges")
def read_and_skipped(scene: Scene, view: View) -> list[int]:
    places: list[int] = view.skipped.table["place"].tolist()
    return places


@excuse("a replaced record that compaction may have removed, which is a doubt")
def compacted(scene: Scene, step: Step, view: View) -> bool:
    """Return whether the view was late enough for a compaction (channel.3.1), and the record was replaced by then."""
    place = step.place
    key, time = step.key, _later(view, place).time
    replaced = any(
        one.is_accepted and one.key == key and one.time <= time for one in scene.channel.timeline[place + 1 :]
    )
    return replaced and time - step.time > LAG


@excuse("a lost line, which the counters of handled records distinguish from a lost event")
def line_lost(scene: Scene, step: Step, view: View) -> bool:
    return is_counted(step, view) is not False


def accepted_is_handled(scene: Scene) -> LawOutcome:
    """Judge each view by the records that it took; those behind the last one are left to ``view-stops``."""
    judged = LawOutcome()
    for view in views(scene):
        awaited = expected(scene, view)
        judged.exercised += len(awaited)
        shown = np.unique(view.taken.table["place"])  # -1, where it is none, is no place that is awaited
        last = shown[-1] if len(shown) else -1
        lost: list[Step] = []
        known = np.union1d(shown, np.array(read_and_skipped.of(scene, view), np.int64))
        for place in awaited[~np.isin(awaited, known) & (awaited <= last)].tolist():
            step = scene.channel.timeline[place]
            words = f"{view.life.broker} handled records after {step.message_id}, but not that one"
            if compacted.of(scene, step, view):
                judged.doubts.append(f"{words}: compaction may have removed it")
            elif line_lost.of(scene, step, view):
                is_line = is_counted(step, view)
                cause = "the line is missing, not the event" if is_line else "whether line or event is open"
                judged.doubts.append(f"{words}: by its counters {cause}")
            else:
                lost.append(step)
        if lost:
            judged.findings.append(_lost(view, lost))
    return judged


def shown_time(scene: Scene, view: View) -> Timeline:
    """Return the time whose records the lines of a process must show."""
    return remaining(scene, ALWAYS, (without_debug, not_handling), view)


def expected(scene: Scene, view: View) -> Array:
    """Return the places of the accepted records of the topic that the lines of this process must show."""
    shown = shown_time(scene, view) if scene.storage == Storage.SYSTEM_TOPIC else Timeline()
    if not shown:
        return np.zeros(0, np.int64)
    times, is_refused = scene.channel.columns.array("time"), scene.channel.columns.array("is_refused").astype(bool)
    is_awaited = np.zeros(len(times), bool)
    for since, until in shown:
        is_awaited |= ~is_refused & (since <= times) & (times < until)
    loaded = max((joined.step.place for joined in view.held if joined.is_loaded and joined.step), default=-1)
    is_awaited[: loaded + 1] = False
    if scene.logged is not None:
        is_awaited &= np.array([bool(one.handled_by) for one in scene.logged.records], bool)
    is_awaited[list(scene.of_run(unsure))] = False  # the dump begins too late to show whether it was refused
    return np.flatnonzero(is_awaited)


def is_counted(step: Step, view: View) -> bool | None:
    """Return whether the counter of its state goes on as if the record had been handled; None: nothing shows it."""
    place, state = step.place, "Init" if step.is_tombstone else step.record.state.value
    if state not in (by_state := counted(view)):
        return None
    lines, counters = by_state[state]
    places = view.requests.table["place"][lines]
    before, after = counters[(places >= 0) & (places < place)], counters[places > place]
    return int(after.min()) > int(before.max(initial=0)) + 1 if len(after) else None


def _later(view: View, place: int) -> LogEvent:
    """Return the first line by which a view took a record that is behind a place of the topic."""
    return view.taken[int(np.flatnonzero(view.taken.table["place"] > place)[0])].said


def _lost(view: View, lost: list[Step]) -> Finding:
    first = lost[0]
    later = _later(view, first.place)
    more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
    why = (
        f"{view.life.broker} never handled {first.record} for {first.key}{more}, which was accepted, "
        "and went on with later records: its view lost the event"
    )
    return finding(
        "accepted-is-handled", Severity.VIOLATION, why, [*lost[:MOST_SHOWN], later],
        unit=first.key, brokers=[view.life.broker], step=first, repair=f"handle {first.record}",
    )  # fmt: skip


def view_lag(scene: Scene) -> LawOutcome:
    """Views keep up: each handles a record within 5 s of the first that does, or of its publishing if it is alone."""
    judged = LawOutcome()
    published, first = scene.channel.columns.array("time"), np.asarray(APPENDED.of(scene).times)
    is_alone = len((scene.whole or scene).lives) <= 1
    for view in views(scene):
        known = view.requests.where(view.requests.table["place"] >= 0)
        judged.exercised += len(known)
        since = (
            published[known.table["place"]]
            if is_alone
            else np.maximum(published[known.table["place"]], first[known.table["place"]])
        )
        lags = known.table["time"] - since
        is_late = lags > LAG + scene.limits.clock_skew
        if is_late.any():
            late, lags = known.where(is_late), lags[is_late]
            worst = int(np.argmax(lags))
            lag, joined = int(lags[worst]), late[worst]
            step = joined.step
            assert step is not None, "only what is known is late"
            why = (
                f"{view.life.broker} handled {len(late)} records late, {named(step)} {seconds(lag)} after another "
                "broker or after its publishing: its process stood still, or its reader was cut off"
            )
            begun, until = joined.said.time - lag, joined.said.time
            evidence: list[Citable] = [step, late[0].said, late[-1].said]
            found = finding(
                "view-lag", Severity.NOTE, why, evidence, unit=step.key, brokers=[view.life.broker],
                step=step, window=Window(begun, until, begun, until),
            )  # fmt: skip
            judged.findings.append(found)
    return judged


LAWS: Final = (
    SceneLaw(
        "accepted-is-handled",
        "A view handles every record that is accepted while it lives.",
        "ServiceUnitStateTableViewImpl",
        excuses=(without_debug, read_and_skipped, not_handling, compacted, line_lost),
        order=42,
        needs=(Source.CHANNEL, Source.LOGS, Source.DEBUG),
        by_logs=True,
        judge=accepted_is_handled,
        scope=Scope.BROKER,
    ),
    SceneLaw(
        "view-lag",
        "Views keep up with the channel.",
        "ServiceUnitStateTableViewImpl",
        order=42,
        needs=(Source.CHANNEL, Source.LOGS, Source.DEBUG),
        judge=view_lag,
        scope=Scope.BROKER,
        severity=Severity.WARNING,
    ),
)
