"""
A law of clocks: the first of two ordered events has the earlier stamp, on any clock.

Some lines certainly come after a record or a write by another machine, and some before: a handled record was published
before, a node exists before its creator logs it, and an override is logged before its node is written. Where the stamps
contradict this order, the clocks differ by at least that much. Wall clocks only bound intervals, so this is the limit
of every other law's trust in them.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Final, NamedTuple

from oneowner.checkers.recordings.laws.answers.early_answers import EARLY
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.views.line_record_join import views
from oneowner.checkers.recordings.laws.views.record_places import places_of
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Source
from oneowner.checkers.recordings.read.zookeeper import BROKERS, LEADERS
from oneowner.checkers.recordings.scene.broker_processes import all_lives, lines_of
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.tables import Table, as_it_is
from oneowner.checkers.times import iso, seconds
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity

SKEW = "clocks-agree"
SAYS = ("registering", "registered", "elected")
GRAIN = 5
"""Milliseconds by which stamps of one clock differ: a line is written after the event in it was stamped."""
SAID_LATE = 500
"""The same for a line that one thread writes while another publishes the record in it."""
SHORT = 100
"""Milliseconds by which such a measure may fall short: the two moments of a pair are not one."""
WIDE = 1_000
"""Milliseconds beyond the known uncertainty from which an operator should look at the clocks."""


class Pair(NamedTuple):
    """Two moments of which the first was first; the line is of *broker*'s clock, the other one of another's."""

    broker: str
    reference: str
    """The broker whose clock made the other stamp."""
    ahead: int
    """The least lead of the broker's clock; below 0: behind."""
    said: LogEvent
    other: Citable


def _pairs(scene: Scene) -> Iterator[Pair | None]:
    """Yield every pair that was compared: None where its stamps are in order."""
    yield from _of_the_channel(scene)
    yield from _of_zookeeper(scene)


def _of_the_channel(scene: Scene) -> Iterator[Pair | None]:
    """
    A record is published before any view takes it or drops it, and written after its override is logged.

    In the system topic an override carries the stamp of the broker that logs it, and in a batch that of the batch's
    first message: one clock, which cannot be ahead of itself.
    """
    clock = "ZooKeeper" if scene.storage == Storage.METADATA_STORE else "the publisher"
    places = places_of(scene)
    published = scene.channel.columns.array("time")
    for view in views(scene):
        for lines in (view.taken, view.skipped):
            time, place, number = (lines.table[name] for name in ("time", "first", "number"))
            is_early = number > 0
            is_early[is_early] = time[is_early] < published[place[is_early]] - GRAIN
            for line in (number > 1).nonzero()[0].tolist():
                is_early[line] = time[line] < published[list(lines.steps_of(line))].min() - GRAIN
            yield from repeat(None, int((number > 0).sum() - is_early.sum()))
            for joined in lines.where(is_early):
                first = min(joined.steps, key=lambda step: step.time)
                yield _behind(joined.said, first.time, clock, first)
        for said in of_kinds(view.lines, "override"):
            is_own = scene.storage == Storage.SYSTEM_TOPIC  # stamped by the broker that logs it, or by its batch
            if not is_own and said.unit and said.values.get("override") is not None:
                steps = places.equal(said.unit, said.values["override"])
                if steps:
                    yield _ahead(said, steps[-1].time + SAID_LATE, clock, steps[-1])


def _of_zookeeper(scene: Scene) -> Iterator[Pair | None]:
    """
    A node is created after its creator logs the start, and before it logs the end.

    Lines and writes pair in order, so they are compared only if there are as many of one as of the other.
    """
    for broker in scene.said:
        lines = [said for life in all_lives(scene) if life.broker == broker for said in lines_of(scene, life, *SAYS)]
        nodes = [one for one in scene.writes if one.op in ("create", "setData")]
        own = [one for one in nodes if one.path == f"{BROKERS}{broker}"]
        yield from _paired([said for said in lines if said.event == "registered"], own, _behind)
        yield from _paired([said for said in lines if said.event == "registering"], own, _ahead)
        won = [one for one in nodes if one.path in LEADERS and broker in one.data]
        yield from _paired([said for said in lines if said.event == "elected"], won, _behind)


def _paired(
    lines: Sequence[LogEvent],
    writes: Sequence[NodeWrite],
    compare: Callable[[LogEvent, int, str, NodeWrite], Pair | None],
) -> Iterator[Pair | None]:
    if len(lines) == len(writes):
        for said, write in zip(lines, writes, strict=True):
            yield compare(said, write.time, "ZooKeeper", write)


def _behind(said: LogEvent, other: int, clock: str, seen: Step | NodeWrite) -> Pair | None:
    """The line is later for sure."""
    return Pair(said.broker, clock, said.time - other, said, seen) if said.time < other - GRAIN else None


def _ahead(said: LogEvent, other: int, clock: str, seen: Step | NodeWrite) -> Pair | None:
    """The line is earlier for sure."""
    return Pair(said.broker, clock, said.time - other, said, seen) if said.time > other + GRAIN else None


class Compared(NamedTuple):
    """The clock differences that pairs of lines of some brokers show."""

    number: int
    """Their number."""
    worst: dict[tuple[str, str, bool], tuple[Pair, int]]
    """By broker, reference, and whether it is ahead: the pair that shows most, and how many show anything."""


def _compared(scene: Scene) -> Compared:
    number, worst = 0, dict[tuple[str, str, bool], tuple[Pair, int]]()
    for pair in _pairs(scene):
        number += 1
        if pair is not None:
            key = pair.broker, pair.reference, pair.ahead > 0
            before, count = worst.get(key, (pair, 0))
            worst[key] = pair if abs(pair.ahead) > abs(before.ahead) else before, count + 1
    return Compared(number, worst)


def _of_both(one: Compared, other: Compared) -> Compared:
    """Put them together: a broker is of one part."""
    return Compared(one.number + other.number, one.worst | other.worst)


CLOCKS: Final = Table(_compared, _of_both, as_it_is)
"""The clock differences that all pairs show."""


def _clock_skew(scene: Scene) -> LawOutcome:
    found = CLOCKS.of(scene)
    return LawOutcome(found.number, [_say(scene, *one) for one in found.worst.values()])


def apart(scene: Scene) -> int:
    """Return the certain skew between the clocks of the machines; 0 without a sign of one."""
    known = [abs(pair.ahead) for pair, _ in CLOCKS.of(scene).worst.values()]
    return max((by + SHORT for by in (*known, EARLY.of(scene)) if by), default=0)


def _say(scene: Scene, worst: Pair, count: int) -> Finding:
    by = abs(worst.ahead)
    is_wide = by > scene.limits.clock_skew + WIDE
    how = "ahead of" if worst.ahead > 0 else "behind"
    known = f"{seconds(scene.limits.clock_skew)} are allowed for"
    why = (
        f"the clock of {worst.broker} is at least {by} ms {how} that of {worst.reference}, by {count} pairs of "
        f"lines, such as at {iso(worst.said.time)}; {known}: times of different machines are not to be compared closer"
    )
    return finding(
        SKEW,
        Severity.WARNING if is_wide else Severity.NOTE,
        why,
        [worst.said, worst.other],
        brokers=(worst.broker,),
        time=worst.said.time,
        guard="what comes first is stamped first",
        repair=f"synchronise the clocks, or judge with --clock-skew {by}ms",
    )


CLOCK_SKEW = SceneLaw(
    SKEW,
    "What comes first is stamped first by all machines' clocks.",
    "ServiceUnitStateChannelImpl.monitorOwnerships, which compares the publisher's clock with its own",
    order=62,
    by_given_limits=True,
    needs=(Source.LOGS,),
    by_logs=True,
    judge=_clock_skew,
    uses=(Source.CHANNEL, Source.ZOOKEEPER),
    severity=Severity.WARNING,
)
LAWS = (CLOCK_SKEW,)
