"""
Laws of missed records: a view takes every accepted record, and does not lag. ``stopped_views.py`` has those that stop.

A view of the topic takes every record in order (channel.4.1), so where debug lines are on, each accepted record must
show. The watches of the metadata store may skip values (channel.4.2), so there only the lag is judged.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from oneowner.checkers.recordings.fold.recorded_law import Excuse
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, Scope, finding
from oneowner.checkers.recordings.laws.views.handle_counters import counted
from oneowner.checkers.recordings.laws.views.line_record_join import (
    APPENDED,
    View,
    named,
    views,
)
from oneowner.checkers.recordings.laws.views.view_snapshots import LAG
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.events import Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.unsure_records import unsure
from oneowner.checkers.times import seconds
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity

MOST_SHOWN: Final = 3


def accepted_is_handled(scene: Scene) -> LawOutcome:
    """
    Every record that is accepted while a view lives is handled by it, if its log shows handle requests.

    What is missing at the end of a log is no hole: ``view-stops`` judges that; what a view read and skipped is judged
    by ``accepted-is-not-skipped``. The counters of handle requests tell a lost event from a lost line. A reader that is
    late may be carried past records that compaction has removed meanwhile (channel.3.1), which is no loss.
    """
    judged = LawOutcome()
    for view in views(scene):
        awaited = expected(scene, view)
        judged.exercised += len(awaited)
        shown = np.unique(view.taken.place)  # -1, where it is none, is no place that is awaited
        last = shown[-1] if len(shown) else -1
        lost: list[Step] = []
        known = np.union1d(shown, view.skipped.place)
        for place in awaited[~np.isin(awaited, known) & (awaited <= last)].tolist():
            step = scene.channel.timeline[place]
            words = f"{view.life.broker} handled records after {step.message_id}, but not that one"
            if _may_be_compacted(scene, step, view):
                judged.doubts.append(f"{words}: compaction may have removed it")
            elif (counts_on := is_counted(step, view)) is False:
                lost.append(step)
            else:
                cause = "the line is missing, not the event" if counts_on else "whether line or event is open"
                judged.doubts.append(f"{words}: by its counters {cause}")
        if lost:
            judged.findings.append(_lost(view, lost))
    return judged


def expected(scene: Scene, view: View) -> Array:
    """
    Return the places of the accepted records that the lines of this process must show.

    None if it is not proved to print them. Not the existing ones that it loaded when it started, nor those after it
    began to stop: then it is Disabled; nor those that may have been refused, as the dump begins late.
    """
    debug_since = view.life.debug_since
    if scene.storage != Storage.SYSTEM_TOPIC or debug_since is None or view.started is None:
        return np.zeros(0, np.int64)
    since = max(view.started.time, debug_since) + scene.limits.clock_skew
    until = view.until - scene.limits.clock_skew
    loaded = max((joined.step.place for joined in view.held if joined.is_loaded and joined.step), default=-1)
    times, is_refused = scene.channel.columns.array("time"), scene.channel.columns.array("is_refused").astype(bool)
    is_awaited = ~is_refused & (since <= times) & (times < until)
    is_awaited[: loaded + 1] = False
    is_awaited[list(scene.of_run(unsure))] = False
    return np.flatnonzero(is_awaited)


def _may_be_compacted(scene: Scene, step: Step, view: View) -> bool:
    """Whether the view was late enough for a compaction, and the record was replaced by then."""
    place = step.place
    key, time = step.key, _later(view, place).time
    replaced = any(
        one.is_accepted and one.key == key and one.time <= time for one in scene.channel.timeline[place + 1 :]
    )
    return replaced and time - step.time > LAG


def is_counted(step: Step, view: View) -> bool | None:
    """Report whether the counter of its state goes on as if the record had been handled; None: nothing shows it."""
    place, state = step.place, "Init" if step.is_tombstone else step.record.state.value
    if state not in (by_state := counted(view)):
        return None
    lines, counters = by_state[state]
    places = view.requests.place[lines]
    before, after = counters[(places >= 0) & (places < place)], counters[places > place]
    return int(after.min()) > int(before.max(initial=0)) + 1 if len(after) else None


def _later(view: View, place: int) -> LogEvent:
    """Return the first line by which a view took a record that is behind a place of the topic."""
    return view.taken[int(np.flatnonzero(view.taken.place > place)[0])].said


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
        known = view.requests.where(view.requests.place >= 0)
        judged.exercised += len(known)
        since = published[known.place] if is_alone else np.maximum(published[known.place], first[known.place])
        lags = known.times - since
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
        excuses=(
            Excuse("a process that is not proved to be in debug mode: it may not have printed the line"),
            Excuse("a record that was read and skipped, which accepted-is-not-skipped judges"),
            Excuse("records that were loaded at the start, or came after the process began to stop"),
            Excuse("a replaced record that compaction may have removed, which is a doubt"),
            Excuse("a lost line, which the counters of handled records distinguish from a lost event"),
            Excuse("a view that ends early, which view-stops judges"),
        ),
        order=42,
        needs=(Source.CHANNEL, Source.LOGS, Source.DEBUG),
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
