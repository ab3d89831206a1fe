"""
The leader of the modular load manager: reads reports, runs a shedder once a cycle, and assigns bundles.

A report replaces the one before if it is due by ``load_reports``. Averages of bundles get one sample a cycle; Pulsar
adds one with each notification, so that its averages move sooner.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from oneowner.checkers.simulation.cluster import Cluster
from oneowner.checkers.simulation.placing import Placing
from oneowner.model.balancer.batch.row import value_like
from oneowner.model.balancer.batch.shedders import SHEDDERS, load_rules
from oneowner.model.balancer.load_data import Usage
from oneowner.model.balancer.load_reports import Measured, Reporter, Step, step
from oneowner.model.balancer.local_broker_data import BrokerData, BundleData, LoadData, Traffic
from oneowner.model.balancer.placement.avg_placement import Candidates, avg_placement
from oneowner.model.java.arithmetic import added
from oneowner.model.kernel.batch import Row
from oneowner.model.kernel.decision import Thrown

Averages = NDArray[np.float64]
"""Bytes and messages per second, a row for each bundle."""
MINUTE: Final = 60.0
"""Seconds of a cycle (``loadBalancerSheddingIntervalMinutes`` is 1)."""
GRACE: Final = 30
SHORT, LONG = 10, 1000
"""Samples of the two averages of a bundle."""


class ModularLeader:
    """A leader with one of the shedders of the modular manager."""

    def __init__(self, name: str, release: str, conf: Row) -> None:
        self.shedder, self.conf = SHEDDERS[name], conf
        self.is_avg = name == "avg"
        self.rules = self.shedder.rules[release]
        self.load_rules = load_rules(self.rules)
        self.grace = int(float(conf.get("loadBalancerSheddingGracePeriodMinutes", GRACE)))
        self.memory: Any = None
        self.reporters: dict[int, Reporter] = {}
        self.reports: dict[int, BrokerData] = {}
        self.short: Averages = np.empty((0, 2))
        self.long: Averages = self.short
        self.samples = 0
        self.loads = LoadData(())
        """The input of the shedder."""
        self.active: list[str] = []
        self.told: dict[str, list[str]] = {}
        """The unloaded bundles, by broker."""
        self.called_off: list[str] = []
        """Why bundles stay in this cycle that the shedder names, a reason for each."""
        self.overruled = 0
        """Bundles that could not go to the broker that placement prefers: it has more bundles of their namespace."""
        self.idle: tuple[str, ...] = ()
        """Why the shedder names none in this cycle."""

    def read(self, cluster: Cluster) -> None:
        """Read the reports that are due, and take this cycle into the averages."""
        trace = cluster.trace
        self.samples += 1
        loads = np.array(trace.loads[cluster.cycle])
        self.short = averaged(self.short, loads, min(self.samples, SHORT))
        self.long = averaged(self.long, loads, min(self.samples, LONG))
        rates = dict(zip(trace.bundles, self.long[:, 1].tolist(), strict=True))
        before, self.reports = self.reports, {}
        for broker in cluster.there:
            report = self.reported(cluster, broker, before.get(broker))
            average = Traffic(rate_in=added(rates[name] for name in report.bundles))
            self.reports[broker] = report._replace(time_average=average)

    def reported(self, cluster: Cluster, broker: int, before: BrokerData | None) -> BrokerData:
        """Return the report of a broker: the one before, if none is due."""
        trace = cluster.trace
        throughput, rate = cluster.traffic(broker)
        measured = Measured(rate, throughput, len(cluster.bundles[broker]), throughput / trace.capacity)
        asked = Step(MINUTE, measured, force=before is None)
        self.reporters[broker], done = step(self.reporters.get(broker, Reporter()), asked)
        if before is not None and not done:
            return before
        return BrokerData(
            trace.brokers[broker],
            bandwidth_in=Usage(throughput, trace.capacity),
            traffic=Traffic(throughput, 0.0, rate),
            bundles=tuple(trace.bundles[one] for one in sorted(cluster.bundles[broker])),
        )

    def decide(self, cluster: Cluster) -> list[tuple[int, int]]:
        """Run the shedder; return the moves of bundles to brokers, by numbers of the trace."""
        trace = cluster.trace
        bundles = tuple(
            BundleData(name, Traffic(amount, 0.0, rate))
            for name, (amount, rate) in zip(trace.bundles, self.short.tolist(), strict=True)
        )
        self.active = [trace.brokers[broker] for broker in cluster.there]
        self.loads = LoadData(tuple(self.reports.values()), bundles, cluster.recent(self.grace), self.load_rules)
        found = self.shedder.shed(self.loads, {"active": self.active}, self.conf, self.rules, self.memory)
        self.memory = found.memory
        self.told = {broker: list(unloaded) for broker, unloaded in found.unload}
        self.idle = () if found.moves else found.reasons
        return self.placed(cluster, found.moves)

    def row(self) -> Row:
        """Return the input of the shedder, in the form for ``decide``."""
        return {
            "brokers": [
                {
                    "id": one.name,
                    "bandwidthIn": list(one.bandwidth_in),
                    "msgThroughputIn": one.traffic.throughput_in,
                    "msgRateIn": one.traffic.rate_in,
                    "bundles": list(one.bundles),
                    "timeAverage": {"msgRateIn": one.time_average.rate_in},
                }
                for one in self.loads.brokers
            ],
            "bundles": [
                {
                    "name": one.name,
                    "shortTerm": {
                        "msgThroughputIn": one.short_term.throughput_in,
                        "msgRateIn": one.short_term.rate_in,
                    },
                }
                for one in self.loads.bundles
            ],
            "recent": sorted(self.loads.recent),
            "active": self.active,
        }

    def placed(self, cluster: Cluster, moves: list[tuple[str, str]]) -> list[tuple[int, int]]:
        """Return the brokers to which bundles are given; a bundle whose own broker is drawn stays."""
        self.called_off, self.overruled = [], 0
        if not moves:
            return []
        trace, placing = cluster.trace, self.placing()
        brokers = {trace.brokers[broker]: broker for broker in cluster.there}
        bundles = {name: place for place, name in enumerate(trace.bundles)}
        given = []
        for bundle, _ in moves:
            chosen = cluster.chance.choice(self.candidates(placing, bundle))
            self.overruled += not self.is_avg and chosen not in placing.least(placing.names)
            if brokers[chosen] != cluster.owners[bundles[bundle]]:
                given.append((bundles[bundle], brokers[chosen]))
            else:
                self.called_off.append(self.why_own(placing, bundle))
        return given

    def why_own(self, placing: Placing, bundle: str) -> str:
        """Return why a bundle is given back to the broker that it would leave."""
        if len(placing.filtered(bundle)) == 1:
            return (
                "the broker that it would leave has the fewest bundles of its namespace, and is the only candidate"
                " (loadBalancerDistributeBundlesEvenlyEnabled)"
            )
        if self.is_avg:
            return "the plan of AvgShedder gives it back to the broker that it would leave"
        return (
            "the placement gives it back to the broker that it would leave, which has the fewest messages a second"
            " (LeastLongTermMessageRate)"
        )

    def placing(self) -> Placing:
        """Return the leader's view of the candidates for a bundle."""
        evenly = value_like(True, self.conf.get("loadBalancerDistributeBundlesEvenlyEnabled", True))
        return Placing(tuple(self.reports.values()), self.load_rules, evenly)

    def candidates(self, placing: Placing, bundle: str) -> tuple[str, ...]:
        if not self.is_avg:
            return placing.admissible(bundle)
        data = next(one for one in self.loads.bundles if one.name == bundle)
        found = avg_placement(Candidates(placing.filtered(bundle), data, self.memory.plan, self.rules))
        return placing.names if isinstance(found, Thrown) else found

    def adopt(self, cluster: Cluster, orphans: list[int]) -> list[tuple[int, int]]:
        """Return the new owners of the bundles of a lost broker, one lookup after another."""
        placing = self.placing()
        given = []
        brokers = {cluster.trace.brokers[broker]: broker for broker in cluster.there}
        for bundle in orphans:
            name = cluster.trace.bundles[bundle]
            chosen = cluster.chance.choice(placing.admissible(name))
            placing.promise(name, chosen, float(self.long[bundle, 1]))
            given.append((bundle, brokers[chosen]))
        return given


def averaged(before: Averages, now: Averages, count: int) -> Averages:
    """Return running averages after one more sample (``TimeAverageMessageData.getUpdatedValue``)."""
    return now if count == 1 else ((count - 1) * before + now) / count
