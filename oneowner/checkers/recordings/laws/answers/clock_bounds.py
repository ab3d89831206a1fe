"""
Bounds of the differences of clocks: pairs of ordered events allow each clock an interval of leads before a common one.

If a happens before b, b's clock is ahead of a's by at most the difference of their stamps. Bounds add up along chains
of clocks. The common clock is the one with which most others may agree. A clock whose pairs contradict each other
drifts: a line through its bounds over time gives its lead, if there is one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import inf, isinf
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.laws.answers.clock_pairs import GRAIN, HISTORY, WIDE, Machine, Pair
from oneowner.checkers.recordings.laws.answers.observer_pairs import OBSERVERS
from oneowner.checkers.recordings.read.clock_leads import Lead
from oneowner.checkers.recordings.read.coded_table import Array

STEADY: Final = 100
"""Milliseconds by which a drift may deviate from a straight line."""
MOST_RATE: Final = 0.2
"""The fastest drift that is looked for, in milliseconds for each one."""


class Skew(NamedTuple):
    """The lead of a clock before the common one, and its bounds."""

    machine: Machine
    lead: Lead
    least: float
    """-inf: unbounded."""
    most: float
    unsure: float
    """Milliseconds by which the lead may be wrong; inf if neither a constant nor a straight line explains its pairs."""
    agreeing: tuple[Machine, ...]
    """The clocks that are the common one."""
    pairs: tuple[Pair, ...]
    """The pairs that bound it."""


class Measured(NamedTuple):
    """The differences between clocks."""

    skews: tuple[Skew, ...] = ()
    """The clocks that certainly differ from the common one by more than ``WIDE``."""
    bounded: frozenset[Machine] = frozenset()
    """The clocks whose leads have two bounds."""

    @property
    def is_sure(self) -> bool:
        """Return whether each lead is known."""
        return not any(isinf(skew.unsure) for skew in self.skews)


def measured(pairs: Sequence[Pair]) -> Measured:
    """Return the differences that pairs of events show."""
    compared = {machine for pair in pairs for machine in (pair.first, pair.then)}
    if not compared:
        return Measured()
    machines = sorted(compared.union(OBSERVERS if compared.intersection(OBSERVERS) else ()))
    number = {machine: at for at, machine in enumerate(machines)}
    direct = _direct(pairs, number)
    steady = _steady(direct, machines)
    bounds = _closed(direct, steady, [number[one] for one in OBSERVERS if one in number])
    common = _common(bounds, steady, machines)
    agreeing = tuple(machines[at] for at in steady if machines[at] in compared and _may_agree(bounds, at, common))
    found = list[Skew]()
    leads: dict[Machine, Lead] = {}
    for at in steady:
        least, most = -bounds[common, at], bounds[at, common]
        if least <= WIDE and most >= -WIDE:
            leads[machines[at]] = Lead(0)
            continue
        lead = leads[machines[at]] = Lead(round(_middle(least, most)))
        shown = _shown(pairs, machines[at], leads)
        found.append(Skew(machines[at], lead, least, most, (most - least) / 2, agreeing, shown))
    drifts = (_drift(pairs, machines[at], leads, agreeing) for at in range(len(machines)) if at not in steady)
    found += (one for one in drifts if max(-one.least, one.most) > WIDE)
    bounded = (machines[at] for at in steady if not isinf(bounds[at, common] + bounds[common, at]))
    return Measured(tuple(found), frozenset(bounded))


def _direct(pairs: Iterable[Pair], number: dict[Machine, int]) -> Array:
    """Return by how much each clock can be ahead of each other one at most, by their own pairs."""
    most = np.full((len(number), len(number)), inf)
    np.fill_diagonal(most, 0.0)
    for pair in pairs:
        one, other = number[pair.then], number[pair.first]
        most[one, other] = min(most[one, other], pair.gap + GRAIN)
    return most


def _steady(direct: Array, machines: Sequence[Machine]) -> list[int]:
    """Return the clocks whose bounds agree with each other; a clock that contradicts most of them is left out first."""
    kept = [*range(len(machines))]
    while True:
        own = direct[np.ix_(kept, kept)]
        against = ((own + own.T) < 0).sum(axis=1)
        if not against.any():
            against = (np.diag(_closure(own)) < 0).astype(np.int64)
            if not against.any():
                return kept
        ranked = sorted(range(len(kept)), key=lambda at: (against[at], machines[kept[at]] != HISTORY, at))
        del kept[ranked[-1]]


def _closure(most: Array) -> Array:
    """Return the least bounds along chains of clocks."""
    most = most.copy()
    for at in range(len(most)):
        np.minimum(most, most[:, at, None] + most[None, at, :], out=most)
    return most


def _closed(direct: Array, steady: Sequence[int], observers: Sequence[int]) -> Array:
    """Return the bounds of all chains of steady clocks; an observer's files are of one clock, if that can be."""
    bounds = np.full_like(direct, inf)
    own = np.ix_(steady, steady)
    apart, together = direct[own], direct.copy()
    together[np.ix_(observers, observers)] = np.minimum(together[np.ix_(observers, observers)], 0)
    closed = _closure(together[own])
    bounds[own] = closed if not (np.diag(closed) < 0).any() else _closure(apart)
    return bounds


def _may_agree(bounds: Array, one: int, other: int) -> bool:
    return bool(bounds[one, other] >= -WIDE and bounds[other, one] >= -WIDE)


def _common(bounds: Array, steady: Sequence[int], machines: Sequence[Machine]) -> int:
    """Return the clock with which most servers certainly agree, then may agree; ZooKeeper's rather than others."""
    servers = [at for at in steady if machines[at] not in OBSERVERS]

    def rank(one: int) -> tuple[int, int, bool]:
        may = [other for other in servers if _may_agree(bounds, one, other)]
        sure = [other for other in may if not isinf(bounds[one, other] + bounds[other, one])]
        return len(sure), len(may), machines[one] == HISTORY

    return max(servers or steady, key=rank)


def _middle(least: float, most: float) -> float:
    return most if isinf(least) else least if isinf(most) else (least + most) / 2


def _shown(pairs: Iterable[Pair], machine: Machine, leads: dict[Machine, Lead]) -> tuple[Pair, ...]:
    """Return the closest pairs of a clock with others in both directions."""
    shown = list[Pair]()
    for is_first in (True, False):
        own = [pair for pair in pairs if (pair.first if is_first else pair.then) == machine]
        with_common = [pair for pair in own if leads.get(pair.then if is_first else pair.first, Lead(1)).by == 0]
        shown += [min(some, key=lambda pair: pair.gap) for some in (with_common or own,) if some]
    return tuple(shown)


def _drift(pairs: Sequence[Pair], machine: Machine, leads: dict[Machine, Lead], agreeing: tuple[Machine, ...]) -> Skew:
    """Return the lead of a clock that drifts, by the bounds of its pairs with steady clocks at their times."""
    least, most = list[tuple[int, int]](), list[tuple[int, int]]()
    for pair in pairs:
        if pair.first == machine and pair.then in leads:
            least.append((pair.time, leads[pair.then].by - pair.gap - GRAIN))
        elif pair.then == machine and pair.first in leads:
            most.append((pair.time + pair.gap, leads[pair.first].by + pair.gap + GRAIN))
    shown = _shown(pairs, machine, leads)
    if not least or not most:
        return Skew(machine, Lead(0), -inf, inf, inf, agreeing, shown)
    start = min(time for time, _ in (*least, *most))
    low, high = (np.array([(time - start, by) for time, by in some], float).T for some in (least, most))

    def margin(rate: float) -> tuple[float, float]:
        bottom, top = float((low[1] - rate * low[0]).max()), float((high[1] - rate * high[0]).min())
        return (top - bottom) / 2, (top + bottom) / 2

    slow, fast = -MOST_RATE, MOST_RATE
    for _ in range(80):  # the margin is concave in the rate
        third = (fast - slow) / 3
        if margin(slow + third)[0] < margin(fast - third)[0]:
            slow += third
        else:
            fast -= third
    rate = (slow + fast) / 2
    spare, by = margin(rate)
    ends = [rate * float(max(low[0].max(), high[0].max())) + by, by]
    unsure = abs(spare) if spare >= -STEADY else inf
    return Skew(machine, Lead(round(by), rate, start), min(ends), max(ends), unsure, agreeing, shown)


def grouped(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the closest pair of each two clocks."""
    closest: dict[tuple[Machine, Machine], list[Pair]] = defaultdict(list)
    for pair in pairs:
        closest[pair.first, pair.then].append(pair)
    return [min(some, key=lambda pair: pair.gap) for some in closest.values()]
