"""Inputs of the triggers: a few bundles of one namespace, at their limits and beyond."""

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from oneowner.model.balancer.bundle_stats import BundleStats
from oneowner.model.balancer.splitting.triggers import Cluster, Cycle, Decided, Limits, Load, Rules, extensible_trigger
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

T = TypeVar("T")
BUNDLES: Final = ("t/n/0x00000000_0x00000008", "t/n/0x00000008_0x00000010", "t/n/0x00000010_0xffffffff")
MEGABYTES: Final = (100, 2048)
OLDEST: Final = Rules(idle_may_split=True, sessions_always_count=True, counts_chosen=False, names_broker=False)
"""Those of 2.9."""


@dataclass(frozen=True, slots=True)
class TriggerSizes(Bounds):
    """The size of a namespace."""

    bundles: int = size(2, "how many bundles it has at most, of three")


def pick(choose: Choose, of: tuple[T, ...]) -> T:
    return of[choose(0, len(of) - 1)]


def some_limits(choose: Choose) -> Limits:
    """Return limits of which a few topics are too many."""
    sessions = pick(choose, (0, 20))
    return Limits(bundles=3, topics=4, sessions=sessions, rate=10, megabytes=pick(choose, MEGABYTES))


def some_cluster(choose: Choose, sizes: TriggerSizes) -> Cluster:
    """Return a leader's namespace at one broker, by the rules of 2.9 or of today."""
    rules, limits = pick(choose, (Rules(), OLDEST)), some_limits(choose)
    count = pick(choose, (1, 2, 3))
    bundles, averages = list[BundleStats](), list[tuple[str, Load]]()
    for name in BUNDLES[: choose(0, sizes.bundles)]:
        bundles.append(BundleStats(name, topics=pick(choose, (0, 1, 4, 5)), producers=pick(choose, (20, 21))))
        averages.append((name, Load(rate=pick(choose, (10.0, 11.0)))))
    return Cluster((("b1", tuple(bundles)),), tuple(averages), (("t/n", count),), limits, rules)


class Due(NamedTuple):
    """A cycle of a broker, and the hits of the cycle before."""

    cycle: Cycle
    hits: tuple[tuple[str, int], ...] = ()


def some_cycle(choose: Choose, sizes: TriggerSizes) -> Due:
    """Return a broker's cycle; beside its namespace, in one whose name begins so, a split may be under way."""
    limits = Limits(bundles=3, topics=4, megabytes=pick(choose, MEGABYTES))
    count, most = pick(choose, (1, 2, 3)), pick(choose, (2, 1))
    splitting = pick(choose, ((), (BUNDLES[0].replace("t/n/", "t/n2/"),)))
    bundles, hits = list[BundleStats](), list[tuple[str, int]]()
    boundaries = list[tuple[str, tuple[int, ...]]]()
    for at, name in enumerate(BUNDLES[: choose(0, sizes.bundles)]):
        bundles.append(BundleStats(name, topics=pick(choose, (4, 5))))
        hits.append((name, pick(choose, (0, 1))))
        proposed = pick(choose, ((4,), (), (0,), (2, 4)))
        boundaries.append((name, tuple(8 * at + one for one in proposed)))
    cycle = Cycle(tuple(bundles), tuple(boundaries), frozenset(), splitting, (("t/n", count),), limits, 1, most)
    return Due(cycle, tuple(hits))


def decide(due: Due) -> Decided:
    """Return what the cycle decides."""
    return extensible_trigger(due.cycle, dict(due.hits))
