"""
``AvgShedder`` pairs the busiest broker with the idlest, the second busiest with the second idlest, and so on (PIP-364).

A pair whose scores have differed much in enough cycles in a row moves bundles from the one to the other; the shedder is
a placement strategy, too, and remembers who should have them.
"""

from typing import Final, NamedTuple

from oneowner.model.balancer.load_data import Weights
from oneowner.model.balancer.local_broker_data import BundleData, LoadData, LoadRules, max_usage_with_weight
from oneowner.model.balancer.shedding import amounts
from oneowner.model.balancer.shedding.load_shedding import Outcome, Shedding
from oneowner.model.java.arithmetic import order, whole
from oneowner.model.java.tim_sort import NoOrder, java_sorted

LOW: Final = "loadBalancerAvgShedderLowThreshold"
NO_ORDER = "java.lang.IllegalArgumentException: Comparison method violates its general contract!"


class Settings(NamedTuple):
    """Keys of broker.conf, with their defaults."""

    low: float = 15.0
    """``loadBalancerAvgShedderLowThreshold``, of scores that are per cents"""
    high: float = 40.0
    """``loadBalancerAvgShedderHighThreshold``"""
    low_hits: float = 8.0
    """``loadBalancerAvgShedderHitCountLowThreshold``"""
    high_hits: float = 2.0
    """``loadBalancerAvgShedderHitCountHighThreshold``"""
    share: float = 0.2
    """``maxUnloadPercentage``"""
    least_rate: float = 1000.0
    """``minUnloadMessage``"""
    least_throughput: float = 1048576.0
    """``minUnloadMessageThroughput``"""
    weights: Weights = Weights()


class Rules(NamedTuple):
    """The behaviour that differs by release."""

    load: LoadRules = LoadRules()
    """The definition of load, and of the bundles that may move."""
    cuts_differences: bool = True
    """Scores are compared by their difference cut off, which is no order (until #24954)."""
    plans_by_value: bool = True
    """Bundles of equal traffic are one in the plan; before, each is one of its own."""


class Memory(NamedTuple):
    """The shedder's memory."""

    high_hits: tuple[tuple[str, int], ...] = ()
    low_hits: tuple[tuple[str, int], ...] = ()
    plan: tuple[tuple[BundleData, str], ...] = ()
    """Which broker should have which bundle: its name, or its traffic, is what the plan tells it by."""


class Pair(NamedTuple):
    """Two brokers, and by how much their scores differ."""

    idle: str
    busy: str
    difference: float


def shed(
    loads: LoadData, settings: Settings, rules: Rules, before: Memory, score_order: tuple[str, ...] = ()
) -> Outcome:
    """
    Return the unloads of a cycle, and its memory.

    *score_order* lists the brokers in the order of the map of scores, if it is another than that of *loads*.
    """
    scores = {one.name: max_usage_with_weight(one, settings.weights, loads.rules) * 100 for one in loads.brokers}
    try:
        names = by_score(list(score_order or scores), scores, rules)
    except NoOrder:
        return Outcome((), before, thrown=NO_ORDER)
    pairing = Pairing(loads, settings, rules, before)
    pairing.run(names, scores)
    return pairing.cycle.outcome(pairing.memory())


def by_score(names: list[str], scores: dict[str, float], rules: Rules) -> list[str]:
    """Return the names of brokers, the idlest first; raises NoOrder."""
    if rules.cuts_differences:
        return java_sorted(names, lambda one, other: whole(scores[one] - scores[other]))
    return sorted(names, key=lambda name: order(scores[name]))


class Pairing:
    """The pairs of a cycle, and their counts."""

    def __init__(self, loads: LoadData, settings: Settings, rules: Rules, before: Memory) -> None:
        self.settings, self.rules, self.cycle = settings, rules, Shedding(loads)
        self.brokers = {broker.name: broker for broker in loads.brokers}
        self.high_hits, self.low_hits, self.plan = dict(before.high_hits), dict(before.low_hits), dict(before.plan)

    def memory(self) -> Memory:
        """Return what the next cycle is told."""
        return Memory(tuple(self.high_hits.items()), tuple(self.low_hits.items()), tuple(self.plan.items()))

    def run(self, names: list[str], scores: dict[str, float]) -> None:
        """Go through the pairs of *names*, the idlest first."""
        half = (len(names) + 1) // 2
        pairs = [
            Pair(idle, busy, scores[busy] - scores[idle])
            for idle, busy in zip(names[:half], names[: -half - 1 : -1], strict=True)
        ]
        far = [pair for pair in pairs if self.count(pair)]
        if not far:
            self.high_hits, self.low_hits = {}, {}
        for pair in far:
            if self.is_due(pair):
                for hits in (self.high_hits, self.low_hits):
                    for name in (pair.idle, pair.busy):
                        hits.pop(name, None)
                self.move(pair)
            else:
                self.cycle.reasons.append(
                    f"{pair.busy} stays as it is: in too few cycles it was {pair.difference:.1f} % above {pair.idle}"
                )

    def count(self, pair: Pair) -> bool:
        """Count a hit for the two brokers of a pair, or forget theirs; say whether they differ."""
        is_far = not pair.difference < self.settings.low
        is_very_far = is_far and not pair.difference < self.settings.high
        for name in (pair.busy, pair.idle):
            for hits, is_hit in ((self.low_hits, is_far), (self.high_hits, is_very_far)):
                if is_hit:
                    hits[name] = hits.get(name, 0) + 1
                else:
                    hits.pop(name, None)
        if not is_far:
            self.cycle.reasons.append(
                f"{pair.busy} stays as it is: its usage is {pair.difference:.1f} % above {pair.idle}, below {LOW}"
                f" {self.settings.low:g} %"
            )
        return is_far

    def is_due(self, pair: Pair) -> bool:
        """Return whether one of the two was hit often enough; a pair that is asked about has a count from then on."""
        return any(
            hits.setdefault(name, 0) >= enough
            for hits, enough in ((self.high_hits, self.settings.high_hits), (self.low_hits, self.settings.low_hits))
            for name in (pair.idle, pair.busy)
        )

    def move(self, pair: Pair) -> None:
        """Unload bundles of the busy broker, and plan them for the idle one."""
        busy, idle, settings = self.brokers[pair.busy], self.brokers[pair.idle], self.settings
        rate = (busy.traffic.rate - idle.traffic.rate) * settings.share
        throughput = (busy.traffic.throughput - idle.traffic.throughput) * settings.share
        if not (rate > settings.least_rate or throughput > settings.least_throughput):
            self.cycle.reasons.append(
                f"{busy.name} stays as it is: {amounts.messages(rate)} or {amounts.rate(throughput)} are too few"
            )
            return
        by_rate = rate > settings.least_rate
        budget = rate if by_rate else throughput
        data, shown = {bundle.name: bundle for bundle in self.cycle.bundles}, amounts.of(by_rate)
        for name, amount in self.cycle.heaviest(busy, lambda one: one.rate if by_rate else one.throughput):
            if 0 < amount <= budget:
                self.cycle.take(busy, name, f"its {shown(amount)} are within {shown(budget)}, for {idle.name}")
                self.plan[planned(data[name], self.rules)] = idle.name
                budget -= amount
            else:
                self.cycle.reasons.append(
                    f"{name} stays at {busy.name}: {shown(amount)} are not within {shown(budget)}"
                )


def planned(bundle: BundleData, rules: Rules) -> BundleData:
    """Return what the plan tells a bundle by: its traffic without its name, or its name."""
    return bundle._replace(name="") if rules.plans_by_value else BundleData(bundle.name)
