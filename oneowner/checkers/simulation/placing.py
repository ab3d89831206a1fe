"""
``Placing`` chooses brokers for bundles as the modular manager does, with incremental counts and scores for speed.

It equals ``modular_selection.select`` without policies and groups; a test compares the two.
"""

from collections import Counter
from math import inf

from oneowner.model.balancer.filters.anti_affinity import fewest, namespace_of
from oneowner.model.balancer.local_broker_data import BrokerData, LoadRules, max_usage_with_weight
from oneowner.model.balancer.placement.least_long_term import Candidates, score_of


class Placing:
    """A leader's view of the candidates for a bundle in one cycle."""

    def __init__(self, brokers: tuple[BrokerData, ...], rules: LoadRules, evenly: bool = True) -> None:
        asked = Candidates(brokers, (), rules.weights, rules=rules)
        self.names = tuple(broker.name for broker in brokers)
        self.evenly = evenly
        self.scores = {broker.name: score_of(broker, asked) for broker in brokers}
        limit = asked.overloaded / 100
        self.is_overloaded = {
            broker.name: max_usage_with_weight(broker, rules.weights, rules) > limit for broker in brokers
        }
        self.counts = dict[str, Counter[str]]()
        for broker in brokers:
            for bundle in set(broker.bundles):
                self.counts.setdefault(namespace_of(bundle), Counter())[broker.name] += 1

    def admissible(self, bundle: str) -> tuple[str, ...]:
        """Return the candidates for a bundle."""
        first = self.least(self.filtered(bundle))
        return self.least(self.names) if any(self.is_overloaded[name] for name in first) else first

    def filtered(self, bundle: str) -> tuple[str, ...]:
        """Return the brokers that pass the filters."""
        namespace = namespace_of(bundle)
        if self.evenly or namespace == "pulsar/system":
            return fewest(self.names, self.counts.get(namespace, {}))
        return self.names

    def promise(self, bundle: str, broker: str, rate: float) -> None:
        """Count a bundle that a broker is given (``preallocatedBundleToBroker``), of so many messages a second."""
        self.counts.setdefault(namespace_of(bundle), Counter())[broker] += 1
        self.scores[broker] += rate

    def least(self, candidates: tuple[str, ...]) -> tuple[str, ...]:
        """Return the candidates of the least score; all, if every one is infinite."""
        least = min((self.scores[name] for name in candidates), default=inf)
        return tuple(name for name in candidates if self.scores[name] == least)
