"""
Laws of handling: brokers' views take the records that the resolver accepts, and skip those that it refuses.

All readers of the topic apply the same resolver (channel.3.1), so every view takes the records that the fold accepts,
and skips those that it refuses. That held in all recordings with debug lines.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.laws.scene_law import InParts, LawOutcome, SceneLaw, Scope, finding
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.laws.views.accused_brokers import (
    Accused,
    Handled,
    accused,
    few,
    in_words,
    says,
    told_of_accused,
)
from oneowner.checkers.recordings.laws.views.dead_entries import carried_over
from oneowner.checkers.recordings.laws.views.joined_lines import Joined
from oneowner.checkers.recordings.laws.views.line_record_join import (
    REQUEST,
    SKIPPED,
    View,
    absent,
    made_and_said,
    views,
)
from oneowner.checkers.recordings.laws.views.record_places import places_of
from oneowner.checkers.recordings.read.events import Cause, Finding
from oneowner.checkers.recordings.read.observations import Printed, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.happening import Happening
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.unsure_records import begins_late
from oneowner.model.kernel.law import Severity


@excuse("an equal record that was accepted: a line joins every record that prints the same")
def accepted_too(scene: Scene, joined: Joined) -> bool:
    return any(step.is_accepted for step in joined.steps)


def _handled(scene: Scene) -> Handled:
    """No broker handles a record, or holds it as an entry, that the resolver refuses."""
    judged = LawOutcome()
    broken: dict[int, list[Joined]] = defaultdict(list)
    for view in views(scene):
        taken = view.taken
        judged.exercised += int((taken.table["number"] > 0).sum()) + sum(bool(joined.steps) for joined in view.held)
        _, refused = taken.decided()
        is_odd = refused | ((taken.table["number"] > 0) & taken.are((REQUEST,)) & (taken.table["place"] < 0))
        for joined in (*taken.where(is_odd), *view.held):
            refused_steps = [step for step in joined.steps if step.refused]
            if refused_steps and not accepted_too.of(scene, joined):
                broken[refused_steps[0].place].append(joined)
            elif joined.said.event == REQUEST and joined.steps and (joined.step is None or joined.step.refused):
                judged.doubts.append(f"{says(joined.said)} more often than the channel has it accepted")
    return Handled(judged, accused(broken))


def _refused_but_handled(_: Scene, step: Step, whose: Accused) -> Finding:
    assert step.refused is not None
    why = (
        f"{in_words(whose.brokers)} took {step.record} for {step.key}, which every view must drop "
        f"by rule {step.refused.rule}, as the unit was {step.held}"
    )
    return finding(
        "refused-is-not-handled", Severity.VIOLATION, why, [step, *whose.lines],
        unit=step.key, brokers=whose.brokers, step=step, guard=step.refused.rule, repair=f"keep {step.held}",
    )  # fmt: skip


@excuse("a view of the metadata store that holds the same entry")
def same_entry(scene: Scene, joined: Joined) -> bool:
    return joined.said.values.get("prev") == joined.printed


@excuse("a record that is read again after a restart or a reconnection: a view that holds it drops it")
def read_again(scene: Scene, joined: Joined) -> bool:
    held = _held(scene, joined)
    return bool(held) and held[-1].place >= joined.steps[0].place


@excuse("a view that held an entry which the dump lacks, which is a doubt")
def held_unknown(scene: Scene, joined: Joined) -> bool:
    return not _held(scene, joined)


def _held(scene: Scene, joined: Joined) -> Sequence[Step]:
    """Return the records of the channel that are equal to the entry which the view held."""
    held = joined.said.values.get("prev")
    return places_of(scene).equal(joined.said.unit or "", held) if isinstance(held, Printed) else ()


def _skipped(scene: Scene) -> Handled:
    """
    No view skips a record that the resolver accepts; in the metadata store it prints the skipped record as *prev*.
    """
    judged = LawOutcome()
    broken: dict[int, list[Joined]] = defaultdict(list)
    for view in views(scene):
        judged.exercised += int((view.skipped.table["number"] > 0).sum())
        accepted, refused = view.skipped.decided()
        for joined in view.skipped.where((accepted & ~refused) | ~view.skipped.are((SKIPPED,))):
            held = joined.said.values.get("prev")
            if joined.said.event != SKIPPED:
                if isinstance(held, Printed) and joined.steps and not same_entry.of(scene, joined):
                    broken[joined.steps[-1].place].append(joined)
            elif joined.is_only_accepted and isinstance(held, Printed) and held_unknown.of(scene, joined):
                judged.doubts.append(f"{says(joined.said)} while it held {held.record}, which the channel has not")
            elif joined.is_only_accepted and not read_again.of(scene, joined):
                broken[joined.steps[0].place].append(joined)
    return Handled(judged, accused(broken))


def _told_of_skipped(scene: Scene, parts: Sequence[Handled]) -> LawOutcome:
    """Report skipped records and views that keep dead entries: all of one view belong together."""
    judged, last = told_of_accused(_accepted_but_skipped, scene, parts), dict[str, Happening]()
    timeline = scene.channel.timeline
    for place in sorted({place for part in parts for place in part.broken}):
        for one in (part.broken[place] for part in parts if place in part.broken):
            for happening in _carried_over(scene, timeline[place], one):
                (broker,) = happening.brokers
                behind = last.get(broker)
                if behind is None or behind.cause != happening.cause:
                    last[broker] = happening._replace(behind=() if behind is None else (behind.cause,))
                    judged.happenings.append(last[broker])
    return judged


def _carried_over(scene: Scene, step: Step, whose: Accused) -> Iterator[Happening]:
    """Yield the happenings that carried brokers over a tombstone before a record that they skipped."""
    for line in whose.lines:
        held = line.values.get("prev")
        known = places_of(scene).equal(step.key, held) if isinstance(held, Printed) else ()
        found = carried_over(scene, line.broker, known[-1], step.place) if known else None
        if found is not None:
            yield found


def _accepted_but_skipped(scene: Scene, step: Step, whose: Accused) -> Finding:
    first = whose.lines[0]
    held = first.values.get("prev")
    shown = held.record if isinstance(held, Printed) else "nothing"
    same_version = isinstance(held, Printed) and held.record.version == step.record.version
    why = f"{in_words(whose.brokers)} skipped {step.record} for {step.key}, which every view must take"
    why += f": the view held {shown}, the channel {step.held}"
    return finding(
        "accepted-is-not-skipped", Severity.VIOLATION, why, [step, *whose.lines],
        unit=step.key, brokers=whose.brokers, step=step, repair=f"take {step.record}",
        symptoms=[Symptom.HELD_VERSION] if same_version and first.event != SKIPPED else (),
        causes=[one.cause for one in _carried_over(scene, step, whose)],
    )  # fmt: skip


SKIPS: Final = InParts(_skipped, _told_of_skipped)


def kept_dead(scene: Scene, broker: str, unit: str) -> tuple[Cause, ...]:
    """Return why the view of *broker* keeps a dead entry of *unit*, if it is seen to."""
    told = (one for one in scene.of_run(SKIPS).happenings if broker in one.brokers)
    return tuple(one.cause for one in told if any(isinstance(seen, Step) and seen.key == unit for seen in one.evidence))


def handled_is_in_dump(scene: Scene) -> LawOutcome:
    """
    A record that a broker handled, skipped or held is in the channel, or the dump has a hole or is another cluster's.

    A record that came into the channel after it was dumped is no hole: logs are often copied later than the dump is
    taken.
    """
    judged = LawOutcome()
    for view in views(scene):
        number = len(view.taken) + len(view.skipped) + len(view.held)
        judged.exercised += number
        lacking, is_after = absent(view), _after_the_dump(scene, view)
        before = [joined for joined in lacking if _before_the_dump(scene, joined)]
        after = [joined for joined in lacking if is_after(joined)]
        amid = [joined for joined in lacking if joined not in before and not is_after(joined)]
        if before:
            judged.findings.append(_deleted_before(view, before))
        if after:
            judged.findings.append(_dumped_before(view, after))
        if amid:
            judged.findings.append(_not_in_dump(view, amid, number))
            judged.doubts.append(f"{len(amid)} records in the log of {view.life.broker} are not in the channel dump")
    return judged


def _after_the_dump(scene: Scene, view: View) -> Callable[[Joined], bool]:
    """
    Return whether a line of *view* is about a record published after the last one of the dump.

    It was made, and the line written, later than that record was published, and the view handles no record of the dump
    any more. A tombstone has no time of its own.
    """
    end = max(scene.channel.timeline.span(), default=None)
    last = view.requests.where(view.requests.table["number"] > 0).last()
    late = None if end is None else end + scene.limits.clock_skew

    def is_after(joined: Joined) -> bool:
        return late is not None and made_and_said(joined) > late and (last is None or joined.said.origin > last)

    return is_after


def _before_the_dump(scene: Scene, joined: Joined) -> bool:
    """Return whether a line is about a record made before the first one of a dump that begins late."""
    start = min(scene.channel.timeline.span(), default=None)
    early = None if start is None else start - scene.limits.clock_skew
    return early is not None and scene.of_run(begins_late) and made_and_said(joined) < early


def _deleted_before(view: View, before: list[Joined]) -> Finding:
    why = (
        f"{view.life.broker} prints {len(before)} records from before the first one of the channel dump, which begins "
        "late: the topic keeps nothing older once it is compacted, or the dump does not have it; they are not judged"
    )
    return finding(
        "handled-is-in-dump", Severity.NOTE, why, few([joined.said for joined in before]), brokers=[view.life.broker],
        guard="dump-begins-late", repair="set a retention for the namespace of the channel's topic to keep its history",
    )  # fmt: skip


def _dumped_before(view: View, after: list[Joined]) -> Finding:
    why = f"{view.life.broker} prints {len(after)} records that came after the channel was dumped: they are not judged"
    return finding(
        "handled-is-in-dump", Severity.NOTE, why, few([joined.said for joined in after]), brokers=[view.life.broker],
        guard="dump-is-older", repair="dump the channel after the logs are copied",
    )  # fmt: skip


def _not_in_dump(view: View, absent: list[Joined], of: int) -> Finding:
    first = absent[0]
    units = list(dict.fromkeys(joined.said.unit for joined in absent if joined.said.unit))
    what = "a tombstone" if first.printed is None else str(first.printed.record)
    why = (
        f"{view.life.broker} prints {len(absent)} of {of} records that are not in the channel dump, first {what} for "
        f"{first.said.unit}: the dump has a hole, ends too early, or is of another cluster"
    )
    return finding(
        "handled-is-in-dump", Severity.WARNING, why, few([joined.said for joined in absent]),
        unit=units[0] if len(units) == 1 else None, brokers=[view.life.broker], repair="dump the whole channel again",
    )  # fmt: skip


LAWS: Final = (
    SceneLaw(
        "refused-is-not-handled",
        "No broker handles or holds a record that the resolver refuses.",
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft",
        excuses=(accepted_too,),
        order=40,
        needs=(Source.CHANNEL, Source.LOGS),
        judge=InParts(_handled, partial(told_of_accused, _refused_but_handled)),
        scope=Scope.BROKER,
    ),
    SceneLaw(
        "accepted-is-not-skipped",
        "No view skips a record that the resolver accepts, unless it has it already.",
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft",
        excuses=(read_again, same_entry, held_unknown),
        order=40,
        needs=(Source.CHANNEL, Source.LOGS),
        by_logs=True,
        judge=SKIPS,
        scope=Scope.BROKER,
    ),
    SceneLaw(
        "handled-is-in-dump",
        "What a broker handled, skipped or held is in the channel.",
        "ServiceUnitStateChannelImpl.handleEvent",
        order=40,
        needs=(Source.CHANNEL, Source.LOGS),
        judge=handled_is_in_dump,
        scope=Scope.BROKER,
        severity=Severity.WARNING,
    ),
)
