"""``simulate`` runs a cluster through a trace with one shedder, and measures the result."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from oneowner.checkers.simulation.cluster import Cluster
from oneowner.checkers.simulation.extensible_leader import ExtensibleLeader
from oneowner.checkers.simulation.modular_leader import ModularLeader
from oneowner.checkers.simulation.traces import Trace
from oneowner.model.balancer.batch.shedders import SHEDDERS
from oneowner.model.balancer.batch.transfer import RULES, lacks
from oneowner.model.java.arithmetic import added
from oneowner.model.kernel.batch import Row

LEADERS: Final[dict[str, Callable[[str, str, Row], Any]]] = {
    **dict.fromkeys(SHEDDERS, ModularLeader),
    "transfer": ExtensibleLeader,
}
RELEASES: Final = {name: tuple(one.rules) for name, one in SHEDDERS.items()} | {"transfer": tuple(RULES)}
"""The modelled releases of each shedder."""
LACKS: Final[dict[str, Callable[[str], bool]]] = {
    **{name: one.lacks for name, one in SHEDDERS.items()},
    "transfer": lacks,
}
"""By shedder, the test of a release that has no such class."""


class Point(NamedTuple):
    """A cycle, measured after its moves; usage 1.0 is a broker that is used up."""

    cycle: int
    moves: int
    returns: int
    """Bundles that come back to the broker that they had left last."""
    most: float
    least: float

    @property
    def spread(self) -> float:
        return self.most - self.least


class Reasons(NamedTuple):
    """A number of events, and the reason of most of them."""

    number: int
    commonest: str
    """The last one of its kind, which numbers and names do not divide; empty if there is no event."""
    of_it: int
    """The number of events with this reason."""


class Run(NamedTuple):
    """The result of a run."""

    shedder: str
    points: tuple[Point, ...]
    moved: tuple[tuple[str, int], ...]
    """Bundles, and how often each moved; those that moved most come first."""
    fewest: int
    """A lower bound: fewer moves would not have brought the most used broker down to where the run has it."""
    rounds: int
    """The last cycle that moved something, from 1 on; 0: none did."""
    called_off: Reasons
    """Moves that the shedder named, and that placement undid."""
    overruled: int
    """Bundles that could not go to the broker that placement prefers."""
    idle: Reasons
    """Cycles in which the shedder named no bundle."""
    usages: tuple[tuple[float | None, ...], ...]
    """By cycle, the usage of each broker of the trace; None while it is not there."""

    @property
    def moves(self) -> int:
        return sum(point.moves for point in self.points)


Look = Callable[[int, Any], None]
"""Is shown every cycle, with the leader that has decided."""


def simulate(trace: Trace, shedder: str, release: str, conf: Row, seed: int, look: Look | None = None) -> Run:
    """Return the result of a trace with a shedder, which depends only on the seed."""
    cluster, leader = Cluster(trace, seed), LEADERS[shedder](shedder, release, conf)
    last, points = dict[int, int](), list[Point]()
    called_off, idle, overruled, measured = list[str](), list[str](), 0, list[tuple[float | None, ...]]()
    for cycle in range(len(trace.loads)):
        cluster.cycle = cycle
        before = len(cluster.moves)
        leader.read(cluster)
        for bundle, to in leader.adopt(cluster, orphans) if (orphans := cluster.orphans()) else ():
            cluster.give(bundle, to)
        for bundle, to in leader.decide(cluster):
            cluster.move(bundle, to)
        called_off += leader.called_off
        overruled += leader.overruled
        idle += [most_of(leader.idle)] if leader.idle else []
        if look is not None:
            look(cycle, leader)
        returns = 0
        for move in cluster.moves[before:]:
            returns += last.get(move.bundle) == move.to
            last[move.bundle] = move.source
        usages = dict(zip(cluster.there, cluster.usages(), strict=True))
        measured.append(tuple(usages.get(broker) for broker in range(len(trace.brokers))))
        points.append(Point(cycle, len(cluster.moves) - before, returns, max(usages.values()), min(usages.values())))
    counts = Counter(trace.bundles[move.bundle] for move in cluster.moves)
    moved = tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))
    rounds = max((point.cycle + 1 for point in points if point.moves), default=0)
    fewest = fewest_moves(trace, points[-1].most)
    off, none = reasons_of(called_off), reasons_of(idle)
    return Run(shedder, tuple(points), moved, fewest, rounds, off, overruled, none, tuple(measured))


def most_of(reasons: Sequence[str]) -> str:
    """Return the last reason of the kind that most of *reasons* are of."""
    return reasons_of(reasons).commonest


def reasons_of(every: Sequence[str]) -> Reasons:
    """
    Return the commonest of some reasons; those that differ in names and numbers are of one kind.

    >>> reasons_of(["b1 stays: 0.1 is below 0.2", "none", "b2 stays: 0.3 is below 0.4"])
    Reasons(number=3, commonest='b2 stays: 0.3 is below 0.4', of_it=2)
    """
    counts = Counter(map(kind_of, every))
    if not counts:
        return Reasons(0, "", 0)
    kind, count = counts.most_common(1)[0]
    return Reasons(len(every), next(one for one in reversed(every) if kind_of(one) == kind), count)


def kind_of(reason: str) -> str:
    """Return a reason without names and numbers: words with a digit in them."""
    return " ".join("" if any(map(str.isdigit, word)) else word for word in reason.split())


def fewest_moves(trace: Trace, most: float) -> int:
    """
    Return how many bundles must move at least, so that no broker is used more than *most* by the loads of the end.

    A bound from below: of each broker the heaviest bundles go first, and nobody asks where they fit. Bundles of brokers
    that go do not count.
    """
    last = len(trace.loads) - 1
    loads, there = trace.loads[last], set(trace.there(last))
    limit, found = most * trace.capacity * (1 + 1e-9), 0
    for broker in sorted(there):
        amounts = sorted((loads[one][0] for one, owner in enumerate(trace.owners) if owner == broker), reverse=True)
        found += len(list(too_much(amounts, limit)))
    return found


def too_much(amounts: list[float], limit: float) -> Iterator[float]:
    """Yield the largest amounts that have to go until the others are within the limit."""
    total = added(amounts)
    for amount in amounts:
        if total <= limit:
            return
        total -= amount
        yield amount
