"""
``TransferShedder`` decides which bundles move from which broker to which, once a minute, at the leader.

It pairs the broker of the highest load with that of the lowest, the second highest with the second lowest, and so on,
and moves bundles of the former until half of the difference is moved, or swaps bundles where one is too big to move. A
cycle is skipped while data are missing, and until the imbalance was seen often enough in a row.

Lists are in the order of the original's maps: ties, and sums of doubles, follow it.
"""

from collections.abc import Iterator

from oneowner.model.balancer.shedding.amounts import rate
from oneowner.model.balancer.shedding.transfer_cycle import Broker, Bundle, Cycle, Move, Outcome, Reason, namespace_of
from oneowner.model.balancer.shedding.transfer_loads import Statistics, imbalance, take_loads
from oneowner.model.java.arithmetic import divide


def shed(cycle: Cycle, before: Outcome) -> Outcome:
    """Return what a cycle decides, after what the cycle *before* remembers."""
    statistics = Statistics(cycle)
    forgotten, skipped = take_loads(cycle, statistics)
    if skipped is not None:
        return before._replace(
            moves=(), skipped=skipped, deviation_after=0.0, forgotten=forgotten, reasons=(WHY[skipped],)
        )
    average, deviation = statistics.average, statistics.deviation
    hits = before.hits + 1 if imbalance(cycle, statistics) is not None else 0
    found = Outcome((), Reason.HIT_COUNT, hits, average, deviation, deviation, forgotten)
    if hits <= cycle.settings.hits:
        return found._replace(reasons=(f"{hits} of {cycle.settings.hits} cycles in a row saw an imbalance",))
    pairs = Pairs(cycle, statistics)
    pairs.run()
    if pairs.moves:
        return found._replace(
            moves=tuple(sorted(set(pairs.moves))),
            skipped=None,
            hits=0,
            deviation_after=statistics.deviation,
            reasons=tuple(pairs.reasons),
        )
    skipped = Reason.NO_LOAD_DATA if pairs.empty else Reason.NO_BUNDLES if pairs.few else Reason.HIT_COUNT
    return found._replace(skipped=skipped, deviation_after=statistics.deviation, reasons=tuple(pairs.reasons))


WHY = {
    Reason.COOL_DOWN: "a broker gave or was given a bundle, and has yet to report its load since",
    Reason.OUT_DATED_DATA: "all reports of load are too old",
    Reason.NO_BROKERS: "there is no report of load",
    Reason.NO_LOAD_DATA: "a broker that is registered has no report of load",
}
"""The reason that a cycle ends before it looks at any bundle."""


class Pairs:
    """The brokers of the highest and of the lowest load, pair by pair, and the bundles that move between them."""

    def __init__(self, cycle: Cycle, statistics: Statistics) -> None:
        self.cycle, self.statistics = cycle, statistics
        self.moves: list[Move] = []
        self.reasons: list[str] = []
        self.empty = self.few = 0

    def run(self) -> None:
        """Go through the pairs until the loads are even, or as many brokers have shed as may."""
        it = self.statistics
        while it.shed < self.cycle.settings.most_brokers and it.low < it.high:
            reason = imbalance(self.cycle, it)
            if reason is None:
                self.reasons.append("the loads are even")
                return
            highest, lowest = it.sorted[it.high], it.sorted[it.low]
            it.high -= 1
            self.pair(highest, lowest, reason)

    def pair(self, highest: Broker, lowest: Broker, reason: Reason) -> None:
        """Move bundles from the one to the other."""
        bundles = self.cycle.top(highest.name)
        if len(bundles) < 2:
            self.empty += not bundles
            self.few += len(bundles)
            self.reasons.append(f"{highest.name} reports {len(bundles)} bundles: none moves")
            return
        share = (highest.load - lowest.load) / 2
        target = divide(highest.throughput * share, highest.load)
        moved, gained = self.move(highest, lowest, bundles, target, reason)
        if moved > 0:
            amount = divide((moved - gained) * highest.load, highest.throughput)
            self.statistics.offload(highest.load, lowest.load, amount)
        else:
            self.few += 1

    def move(
        self, highest: Broker, lowest: Broker, bundles: tuple[Bundle, ...], target: float, reason: Reason
    ) -> tuple[float, float]:
        """Move bundles until *target* bytes a second are moved; return how many are, and how many came back."""
        cycle, source, to = self.cycle, highest.name, lowest.name
        moved = gained = 0.0
        remaining = len(bundles)
        others = iter(cycle.top(to))
        for bundle in bundles:
            if (why := stays(cycle, bundle.name, source, to)) is not None:
                self.reasons.append(f"{bundle.name} stays at {source}: {why}")
                continue
            if remaining <= 1:
                self.reasons.append(f"{bundle.name} stays at {source}: it is the last of its top bundles")
                break
            if bundle.throughput == 0 and cycle.rules.idle_bundles_stay:
                self.reasons.append(f"{bundle.name} stays at {source}: it has no throughput")
                continue
            swapped: list[Bundle] = []
            if moved - gained + bundle.throughput > target:
                if cycle.settings.transfers:
                    after = highest.throughput - moved + gained - bundle.throughput
                    beside = lowest.throughput + moved - gained + bundle.throughput
                    swapped = swap(cycle, highest, lowest, others, after, beside)
                if not swapped:
                    why = f"its {rate(bundle.throughput)} exceed {rate(target)}, and none swaps"
                    self.reasons.append(f"{bundle.name} stays at {source}: {why}")
                    break
            for one in swapped:
                self.moves.append(Move(one.name, to, source, reason))
            if swapped and (cycle.settings.debug or not cycle.rules.gain_needs_debug):
                gained += total(swapped)
            self.moves.append(Move(bundle.name, source, to if cycle.settings.transfers else "", reason))
            self.reasons.append(f"{bundle.name} moves from {source} to {to}: {reason}")
            moved += bundle.throughput
            remaining -= 1
        return moved, gained


def total(bundles: list[Bundle]) -> float:
    """Return the throughput of *bundles*, summed up from left to right."""
    found = 0.0
    for bundle in bundles:
        found += bundle.throughput
    return found


def swap(
    cycle: Cycle, highest: Broker, lowest: Broker, others: Iterator[Bundle], after: float, beside: float
) -> list[Bundle]:
    """
    Return the bundles of *lowest* to take back for one that is too big; none if no swap helps.

    *after* and *beside* are what the two would have without it. *others* goes on where the bundle before has stopped.
    """
    taken: list[Bundle] = []
    for other in others:
        if not is_transferable(cycle, other.name, lowest.name, highest.name):
            continue
        if other.throughput == 0 and cycle.rules.idle_bundles_stay:
            continue
        more, less = after + other.throughput, beside - other.throughput
        if more < highest.throughput and less < highest.throughput:
            taken.append(other)
            after, beside = more, less
            if beside <= after < highest.throughput * 0.75:
                return taken
    return []


def stays(cycle: Cycle, bundle: str, source: str, destination: str) -> str | None:
    """Return why a bundle may not move at all, None if it may."""
    if cycle.rules.excludes_namespaces and namespace_of(bundle) in cycle.settings.excluded:
        return "its namespace is excluded from shedding"
    if bundle in cycle.not_owned:
        return "its owner is another by now"
    if bundle in cycle.unloaded_bundles:
        return "it was unloaded lately"
    if not is_transferable(cycle, bundle, source, destination):
        return f"{destination} may not have it, by policies, filters or the registry"
    return None


def is_transferable(cycle: Cycle, bundle: str, source: str, destination: str) -> bool:
    """Return whether policies and filters let *destination* have a bundle; for an unload any beside *source*."""
    if namespace_of(bundle) in cycle.with_policies and not cycle.settings.with_policies:
        return False
    if cycle.filters_fail:
        return False
    candidates = set(cycle.available) - dict(cycle.barred).get(bundle, frozenset())
    if destination not in candidates:
        return False
    return cycle.settings.transfers or bool(candidates - {source})
