"""
A law of hand-overs where logs alone are there: a broker that measured one that took long proves that nobody served.

``UnloadManager`` measures three times of a hand-over. UNLOAD and RELEASE begin at the source with its Releasing; UNLOAD
ends with the next owner, RELEASE when the topics are closed. ASSIGN begins at the destination with *any* Assigning, and
ends with that of a transfer alone: where a lookup assigned the unit before, it is the time since then, often minutes
without any failure. So a time counts only if another line of the broker shows that it began with the hand-over.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import Harm, excuse
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.serving.given_back import given_back, giving_back
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Printed, Source
from oneowner.checkers.recordings.scene.explanations import why_away
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import lasting
from oneowner.model.channel.record import NOBODY
from oneowner.model.kernel.law import Severity

END: Final = "hand-overs-end"
OPERATION, HANDLED = "unload-operation", "handled"
UNLOAD, RELEASE, ASSIGN = "UNLOAD", "RELEASE", "ASSIGN"
FAR: Final = 2**62
SLOW: Final = 10_000
"""Milliseconds; without a failure a hand-over takes less than one second."""
SAME: Final = 1_000
"""Milliseconds within which two lines are about one event."""


class HandOver(NamedTuple):
    """A time that a broker measured of one hand-over."""

    since: int
    until: int
    unit: str
    line: LogEvent

    @property
    def lasted(self) -> int:
        return self.until - self.since


def _measured(line: LogEvent) -> HandOver:
    took = int(line.values["ms"])
    return HandOver(line.time - took, line.time, str(line.unit), line)


def _judge(scene: Scene) -> LawOutcome:
    judged, slow = LawOutcome(), list[HandOver]()
    for lines in scene.said.values():
        told = of_kinds(lines, OPERATION, HANDLED)
        kinds = [line for line in told if line.values.get("operation") in (UNLOAD, RELEASE, ASSIGN)]
        judged.exercised += len(kinds)
        long = [one for one in map(_measured, kinds) if one.lasted > SLOW]
        slow += [one for one in long if not stale_start.of(scene, one, told)]
    of_causes: dict[tuple[Cause, ...], list[HandOver]] = {}
    for one in sorted(slow):
        of_causes.setdefault(tuple(dict.fromkeys(_causes(scene, one))), []).append(one)
    for causes, ones in of_causes.items():
        judged.findings += [_finding(scene, group, causes) for group in _together(ones)]
    return judged


@excuse("a time that began before the hand-over, with an assignment by a lookup or with an unload that was overtaken")
def stale_start(scene: Scene, one: HandOver, told: Sequence[LogEvent]) -> bool:
    """Return whether no other line of the broker shows that a time began with the hand-over."""
    own = [line for line in told if line.unit == one.unit]
    kind = one.line.values["operation"]
    if kind == RELEASE:  # it ends with its Releasing, whatever comes of that
        return False
    if kind == UNLOAD:
        begun = [_measured(line).since for line in own if line.values.get("operation") == RELEASE]
        return not any(abs(since - one.since) <= SAME for since in begun)
    made = [_made(scene, record) for record in _assigned(own, one.until)]
    return not any(one.since >= time - SAME - scene.limits.clock_skew for time in made)


def _made(scene: Scene, assigning: Printed) -> int:
    """Return the time of making of an Assigning on the common clock; beyond all times if any clock may have made it."""
    if scene.clocks.brokers and assigning.record.source == NOBODY:
        return FAR
    lead = scene.clocks.brokers.get(str(assigning.record.source))
    return assigning.timestamp if lead is None else lead.common(assigning.timestamp)


def _assigned(lines: Sequence[LogEvent], time: int) -> Iterator[Printed]:
    """Yield the Assigning that a broker logs to have handled about a time."""
    for line in lines:
        record = line.values.get("cur")
        is_assigning = str(line.values.get("event")).endswith("Assigning")
        if is_assigning and isinstance(record, Printed) and abs(line.time - time) <= SAME:
            yield record


def _together(slow: Sequence[HandOver]) -> Iterator[list[HandOver]]:
    """Yield the hand-overs of each time, by time: those that overlap, and of each unit the longest."""
    group, until = dict[str, HandOver](), 0
    for one in slow:
        if group and one.since > until:
            yield [*group.values()]
            group = {}
        until = max(until, one.until)
        if one.unit not in group or one.lasted > group[one.unit].lasted:
            group[one.unit] = one
    if group:
        yield [*group.values()]


def _finding(scene: Scene, group: Sequence[HandOver], causes: Sequence[Cause]) -> Finding:
    longest = max(group, key=lambda one: one.lasted)
    since, until = min(one.since for one in group), max(one.until for one in group)
    brokers = sorted({one.line.broker for one in group})
    others = f", and {len(group) - 1} more took longer than {lasting(SLOW)}" if len(group) > 1 else ""
    why = (
        f"the hand-over of {longest.unit} took {lasting(longest.lasted)} ({longest.line.values['operation']} at "
        f"{longest.line.broker}){others}: until it was over, nobody served the bundle"
    )
    return finding(
        END, Severity.VIOLATION if longest.lasted > scene.limits.in_flight else Severity.WARNING, why,
        [one.line for one in sorted(group, key=lambda one: -one.lasted)][:8], unit=longest.unit, brokers=brokers,
        window=Window(since, until, since, until), time=since, units=[one.unit for one in group],
        guard=f"a hand-over ends within {lasting(scene.limits.in_flight)}",
        repair="check that the destination and the bookies answered at that time",
        causes=causes,
    )  # fmt: skip


def _causes(scene: Scene, one: HandOver) -> Iterator[Cause]:
    """Yield the forced record that ended a hand-over, and the absences of its brokers: the logger, the destination."""
    for returned in given_back(scene):
        if returned.unit == one.unit and one.since <= returned.since <= one.until + SAME:
            yield from giving_back(scene, returned)
    handled = of_kinds(scene.said[one.line.broker], HANDLED)
    records = [line.values.get("cur") for line in handled if line.unit == one.unit and _is_within(line, one)]
    parties = [record.record.destination for record in records if isinstance(record, Printed)]
    for broker in dict.fromkeys((one.line.broker, *map(str, parties))):
        if broker != str(NOBODY):
            yield from why_away(scene, broker, one.since, one.until)


def _is_within(line: LogEvent, one: HandOver) -> bool:
    return one.since - SAME <= line.time <= one.until + SAME


LAWS: Final = (
    SceneLaw(
        END,
        "A hand-over ends in time, as the brokers measure it themselves.",
        "UnloadManager",
        order=16,
        waits=True,
        harm=Harm.DOUBTFUL,
        excuses=(stale_start,),
        needs=(Source.LOGS,),
        of_channel=True,
        without_channel=True,
        judge=_judge,
        uses=CLUSTER,
    ),
)
