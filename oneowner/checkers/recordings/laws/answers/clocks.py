"""
A law of clocks: the clocks of all machines agree.

Clocks are compared by pairs of events of which one certainly came first (``clock_pairs.py``). A clock that differs by
more than a second is reported with the bounds of its lead, and the run is judged with that clock corrected. Where the
lead is not bounded, no duration on two clocks accuses anybody, and the run cannot be valid. A smaller difference limits
every other law's trust in times of two machines.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, isinf
from typing import Final, NamedTuple

from oneowner.checkers.recordings.laws.answers.clock_bounds import Measured, Skew, grouped, measured
from oneowner.checkers.recordings.laws.answers.clock_pairs import (
    GRAIN,
    HISTORY,
    WIDE,
    Machine,
    Pair,
    Pairs,
    author_of,
    keep,
    of_both,
    of_versions,
    pairs_of,
)
from oneowner.checkers.recordings.laws.answers.line_pairs import of_lines
from oneowner.checkers.recordings.laws.answers.observer_pairs import OBSERVERS, of_observers
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.views.publishers import publishers
from oneowner.checkers.recordings.read.clock_leads import ClockLeads
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.read.file_reads import Coverage
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.tables import Table
from oneowner.checkers.times import seconds
from oneowner.model.kernel.law import Severity

SKEW = "clocks-agree"
SHORT = 100
"""Milliseconds by which such a measure may fall short: the two moments of a pair are not one."""
MOST_TRIED: Final = 20
"""Brokers whose logs and records are tried apart."""
UNBOUNDED: Final = 30 * 86_400_000
"""Milliseconds by which clocks may differ whose difference has no bound: longer than any run."""


class Compared(NamedTuple):
    """The comparison of all clocks of a run."""

    number: int
    """The number of compared lines."""
    early: tuple[Pair, ...]
    """For each two clocks the closest pair, if its later event has the earlier stamp."""
    measured: Measured
    owners: dict[str, str]
    """The broker of each producer of the channel."""


def _compared(scene: Scene, found: Pairs) -> Compared:
    keep(scene, found, of_versions(scene))
    keep(scene, found, of_observers(scene))
    keep(scene, found, of_lines(scene))
    owners = known = _owners(scene)
    pairs = _by_owner(found, owners)
    result = measured(pairs)
    fewest: int | None = None
    if not result.is_sure:  # one broker's log may have another clock than its records
        for broker in sorted(set(known.values()))[:MOST_TRIED]:
            fewer = {producer: own for producer, own in known.items() if own != broker}
            apart = _by_owner(found, fewer)
            other = measured(apart)
            is_better = fewest is None or len(other.skews) < fewest
            if other.is_sure and is_better:
                fewest = len(other.skews)
                owners, pairs, result = fewer, apart, other
    early = (pair for pair in grouped(pairs) if pair.gap < -GRAIN - scene.clocks.apart)
    return Compared(found.number, tuple(early), result, owners)


def _by_owner(found: Pairs, owners: Mapping[str, str]) -> list[Pair]:
    """Return the pairs of different machines, with brokers in place of their producers."""
    pairs = list[Pair]()
    for pair in found.closest.values():
        first, then = (_owner(machine, owners) for machine in (pair.first, pair.then))
        if first != then and (not pair.writer or owners.get(pair.writer) == pair.first.name):
            pairs.append(pair._replace(first=first, then=then))
    return pairs


def _owners(scene: Scene) -> dict[str, str]:
    """Return the broker of each producer, by logs or the registry, else by the records that one broker publishes."""
    found = {producer: broker for producer, (broker, _) in publishers(scene)[0].items()}
    if scene.logged is None:
        authors: dict[str, set[str]] = {}
        columns = scene.channel.columns
        for code, shape in sorted(set(zip(columns.producer, columns.shape, strict=True))):
            producer, author = columns.producers.names[code], author_of(columns.shapes.names[shape])
            if author and producer and producer not in found:
                authors.setdefault(producer, set()).add(author)
        found |= {producer: min(some) for producer, some in authors.items() if len(some) == 1}
    return found


def _owner(machine: Machine, owners: Mapping[str, str]) -> Machine:
    if machine.kind == "producer" and machine.name in owners:
        return Machine("broker", owners[machine.name])
    return machine


CLOCKS: Final = Table(pairs_of, of_both, _compared)
"""The comparison of all clocks."""


def are_compared(scene: Scene, brokers: Iterable[str]) -> bool:
    """Return whether the clocks of some brokers have bounds, within which they agree or are corrected."""
    return {Machine("broker", broker) for broker in brokers} <= CLOCKS.of(scene).measured.bounded


def apart(scene: Scene) -> int:
    """Return the certain skew between clocks that are not corrected; 0 without a sign of one."""
    return max((-pair.gap + SHORT for pair in CLOCKS.of(scene).early), default=0)


def leads_of(scene: Scene, logs: Sequence[Coverage]) -> ClockLeads | None:
    """Return the clocks to be corrected, and the findings about them; None if all agree, or are corrected already."""
    found = CLOCKS.of(scene)
    skews = found.measured.skews
    if not skews or scene.clocks.found:
        return None
    leads = {skew.machine: skew.lead for skew in skews}
    of_logs = {log.path: leads[own] for log in logs if (own := Machine("broker", log.broker)) in leads}
    producers = {
        name: leads[own]
        for name in scene.channel.columns.producers.names
        if (own := _owner(Machine("producer", name), found.owners)) in leads
    }
    files = {machine.name: lead for machine, lead in leads.items() if machine.kind == "file"}
    unsure = max(skew.unsure for skew in skews)
    wide = UNBOUNDED if isinf(unsure) else ceil(unsure)
    doubts = tuple(f"{scene.name}: {_doubt(skew)}" for skew in skews if skew.unsure > WIDE)
    brokers = {machine.name: lead for machine, lead in leads.items() if machine.kind == "broker"}
    return ClockLeads(of_logs, producers, brokers, files, wide, _of_skews(scene, skews), doubts)


def _clock_skew(scene: Scene) -> LawOutcome:
    found = CLOCKS.of(scene)
    skews = found.measured.skews
    off = {skew.machine for skew in skews}
    wide = scene.clocks.found or _of_skews(scene, skews)
    early = (pair for pair in found.early if not off.intersection((pair.first, pair.then)))
    return LawOutcome(found.number, [*wide, *(_of_pair(scene, pair) for pair in early)])


def _of_skews(scene: Scene, skews: Sequence[Skew]) -> tuple[Finding, ...]:
    """Return the findings about clocks; files of an observer with the same lead are one."""
    together: dict[object, list[Skew]] = {}
    for skew in skews:
        together.setdefault(skew.lead if skew.machine in OBSERVERS else skew.machine, []).append(skew)
    return tuple(_of_skew(scene, some) for some in together.values())


def _of_skew(scene: Scene, some: Sequence[Skew]) -> Finding:
    skew = some[0]
    shown = [pair for one in some for pair in one.pairs]
    size = max((abs(by) for by in (skew.least, skew.most) if not isinf(by)), default=UNBOUNDED)
    severity = Severity.NOTE if size <= scene.limits.clock_skew + WIDE else Severity.WARNING
    first = min(shown, key=lambda pair: pair.time) if shown else None
    time = None if first is None else first.time if first.then == skew.machine else first.time + first.gap
    return finding(
        SKEW,
        severity,
        f"{_size_of(some)}; {_use_of(skew)}",
        _lines_of(shown) or _lines_of(CLOCKS.of(scene).early),
        brokers=(skew.machine.name,) if skew.machine.kind == "broker" else (),
        time=time,
        guard="what comes first is stamped first",
        repair=f"synchronise the clock of {_named(skew.machine)}: NTP or chrony",
    )


def _lines_of(pairs: Sequence[Pair]) -> list[Citable]:
    """Return the lines of the first pairs."""
    return [seen for pair in pairs[:2] for seen in (pair.earlier, pair.later) if seen is not None]


def _size_of(some: Sequence[Skew]) -> str:
    """Describe the lead of a clock, and its bounds."""
    skew = some[0]
    machines = [skew.machine, *(one.machine for one in some[1:])]
    what = f"the clock of {' and '.join(dict.fromkeys(map(_named, machines)))}"
    names = [_named(machine) for machine in skew.agreeing if machine not in OBSERVERS] or ["the others"]
    those = f"that of {names[0]}" if len(names) == 1 else f"those of {', '.join(names[:-1])} and {names[-1]}"
    if (isinf(skew.least) and isinf(skew.most)) or (skew.lead.rate and isinf(skew.unsure)):
        return f"{what} differs from {those} by an amount that changes: it was set, or drifts unevenly"
    is_ahead = skew.lead.by > 0 or skew.most > -skew.least
    how = "ahead of" if is_ahead else "behind"
    least, most = (skew.least, skew.most) if is_ahead else (-skew.most, -skew.least)
    if isinf(least) or isinf(most):
        return f"{what} is at least {_exact(least)} {how} {those}: nothing shows how much more"
    if skew.lead.rate:
        rate = f"drifts by {abs(skew.lead.rate) * 1000:.0f} ms in each second"
        return f"{what} {rate}: it is {_exact(least)} to {_exact(most)} {how} {those}"
    return f"{what} is {_exact(abs(skew.lead.by))} {how} {those}, and certainly {_exact(least)} to {_exact(most)}"


def _exact(by: float) -> str:
    """
    Return a difference of clocks with its milliseconds.

    >>> _exact(89_991)
    '89.991 s'
    """
    return f"{by / 1000:.3f} s"


def _use_of(skew: Skew) -> str:
    if skew.unsure > WIDE:
        return "durations between it and another clock are not judged"
    return "its times are corrected by that"


def _doubt(skew: Skew) -> str:
    return f"{_size_of([skew])}; {_use_of(skew)}; collect the logs of all brokers in debug mode, which bound it"


def _named(machine: Machine) -> str:
    if machine == HISTORY:
        return "ZooKeeper"
    return (
        "the observer"
        if machine in OBSERVERS
        else machine.name
        if machine.kind == "broker"
        else f"producer {machine.name}"
    )


def _of_pair(scene: Scene, pair: Pair) -> Finding:
    by, is_ahead = -pair.gap, pair.line is not None and pair.line is pair.earlier
    own, other = (pair.first, pair.then) if is_ahead else (pair.then, pair.first)
    known = f"{seconds(scene.limits.clock_skew)} are allowed for"
    why = (
        f"the clock of {_named(own)} is at least {by} ms {'ahead of' if is_ahead else 'behind'} that of "
        f"{_named(other)}; {known}: times of different machines are not to be compared closer"
    )
    return finding(
        SKEW,
        Severity.WARNING if by > scene.limits.clock_skew + WIDE else Severity.NOTE,
        why,
        _lines_of([pair]),
        brokers=(own.name,) if own.kind == "broker" else (),
        time=pair.time,
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
    uses=(Source.CHANNEL, Source.ZOOKEEPER, Source.CALLS, Source.LOOKUPS, Source.POLLS),
    severity=Severity.WARNING,
)
LAWS = (CLOCK_SKEW,)
