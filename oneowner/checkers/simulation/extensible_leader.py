"""
The leader of the extensible load manager: ``TransferShedder``, by the loads and top bundles that brokers publish.

A broker measures its load twelve times in a cycle, and publishes it if it is due by ``load_reports``. One that gives or
gets a bundle deletes its report, and publishes one anew, without averages.
"""

from typing import Any, Final

from oneowner.checkers.simulation.cluster import Cluster
from oneowner.checkers.simulation.heaviest import Heaviest
from oneowner.checkers.simulation.modular_leader import GRACE, MINUTE
from oneowner.checkers.simulation.traces import Loads
from oneowner.model.balancer.batch import bundles as top_bundles
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.transfer import RULES, SETTINGS, cycle_of
from oneowner.model.balancer.load_data import Features, Report, Usage, Weights, features
from oneowner.model.balancer.load_reports import EXTENSIBLE, Measured, Reporter, Step, step
from oneowner.model.balancer.placement.least_usage_extensible import Candidates, least_usage
from oneowner.model.balancer.shedding.transfer_cycle import Outcome, Settings
from oneowner.model.balancer.shedding.transfer_inputs import NOTHING
from oneowner.model.balancer.shedding.transfer_shedder import shed
from oneowner.model.balancer.top_bundles import Held
from oneowner.model.kernel.batch import Row
from oneowner.model.kernel.releases import nearest
from oneowner.model.pulsar.variants import VARIANTS

EVERY: Final = 5.0
"""Seconds between two measurements (``loadBalancerReportUpdateMinIntervalMillis``)."""
REPORTS: Final = {
    "loadBalancerReportUpdateThresholdPercentage": "threshold",
    "loadBalancerReportUpdateMaxIntervalMinutes": "minutes",
}
LIKE: Final = {"3.0.0": "3.0.7", "4.0.7": "4.0.8", "5.0.0-M1": "4.2.4"}
"""Releases whose rules of the heaviest bundles follow from the history of the class."""
TOP_RULES: Final = {
    name: top_bundles.RULES[
        LIKE.get(name)
        or VARIANTS.equal_to(name, top_bundles.RULES, "TopKBundles")
        or nearest(name, top_bundles.RULES)
        or min(top_bundles.RULES)
    ]
    for name in RULES
}
"""The rules of the heaviest bundles by release: of an equal class, or of the nearest older release that was read."""


class ExtensibleLeader:
    """A leader with ``TransferShedder``."""

    def __init__(self, name: str, release: str, conf: Row) -> None:
        self.release, self.conf = release, conf
        self.settings_of = configured(Settings(), conf, SETTINGS)
        self.before: Outcome = NOTHING
        self.begins = configured(EXTENSIBLE, conf, REPORTS)
        self.reporters: dict[int, Reporter] = {}
        self.features: dict[int, Features] = {}
        self.reports: dict[int, Row] = {}
        held = configured(Held((), rules=TOP_RULES[release]), conf, top_bundles.SETTINGS)
        self.held = held._replace(most=int(held.most))
        self.heaviest: Heaviest | None = None
        self.tops: dict[int, tuple[Loads, list[int], list[Any]]] = {}
        """The loads and bundles that each broker published."""
        self.changed: dict[int, int] = {}
        """The cycle in which each broker last gave or received a bundle."""
        self.unloaded: dict[int, int] = {}
        """The cycle in which the leader last unloaded a bundle of each broker (``recentlyUnloadedBrokers``)."""
        self.asked: Row = {}
        self.told: list[Row] = []
        self.called_off: list[str] = []
        """Why bundles stay in this cycle that the shedder names, a reason for each."""
        self.overruled = 0
        """Bundles that could not go to the broker that placement prefers: none, since the filters do not count them."""
        self.idle: tuple[str, ...] = ()
        """Why the shedder names none in this cycle."""

    def read(self, cluster: Cluster) -> None:
        """Read what brokers have published until the end of this cycle."""
        before, self.reports = self.reports, {}
        for broker in cluster.there:
            found = self.reported(cluster, broker)
            self.reports[broker] = (
                {**before[broker], "age_s": before[broker]["age_s"] + MINUTE} if found is None else found
            )

    def reported(self, cluster: Cluster, broker: int) -> Row | None:
        """Return the last report of a broker in this cycle, or None if none is due."""
        trace, last = cluster.trace, None
        throughput, rate = cluster.traffic(broker)
        usage = Usage(throughput, trace.capacity)
        now = Measured(rate, throughput, len(cluster.bundles[broker]), usage.percent / 100)
        report = Report(bandwidth_in=usage, throughput_in=throughput)
        reporter, before = self.reporters.get(broker, self.begins), self.features.get(broker)
        if self.changed.get(broker) == cluster.cycle - 1:
            reporter, before = reporter._replace(seconds=None), None
        most, averaged = round(MINUTE / EVERY), 0
        for number in range(1, most + 1):
            reporter, done = step(reporter, Step(EVERY, now))
            if done:
                before, averaged = features(report, over(number - averaged), before), number
                last = {
                    "id": trace.brokers[broker],
                    "load": before.weighted_max,
                    "throughput_in": throughput,
                    "throughput_ema": before.throughput,
                    "age_s": MINUTE - EVERY * number,
                }
        self.features[broker] = (
            before if before and averaged == most else features(report, over(most - averaged), before)
        )
        self.reporters[broker] = reporter
        return last

    def top(self, cluster: Cluster, broker: int) -> list[Any]:
        """Return the heaviest bundles of a broker as it publishes them."""
        names, loads = cluster.trace.bundles, cluster.trace.loads[cluster.cycle]
        if self.heaviest is None:
            self.heaviest = Heaviest(names, self.held)
        bundles = sorted(cluster.bundles[broker])
        before = self.tops.get(broker)
        if before is None or before[0] is not loads or before[1] != bundles:
            found = self.heaviest.of(bundles, loads)
            self.tops[broker] = before = loads, bundles, [[names[one], loads[one][0], 0.0] for one in found]
        return before[2]

    def decide(self, cluster: Cluster) -> list[tuple[int, int]]:
        """Run the shedder; return the moves of bundles to brokers, by numbers of the trace."""
        trace = cluster.trace
        since = {broker: MINUTE * (cluster.cycle - when) for broker, when in self.unloaded.items()}
        grace = int(float(self.conf.get("loadBalancerSheddingGracePeriodMinutes", GRACE)))
        self.asked = {
            "brokers": list(self.reports.values()),
            "top_bundles": {trace.brokers[broker]: self.top(cluster, broker) for broker in self.reports},
            "recent_bundles": sorted(cluster.recent(grace)),
            "recent_brokers": {trace.brokers[broker]: seconds for broker, seconds in since.items()},
        }
        self.before = shed(cycle_of(self.asked, self.settings_of, RULES[self.release]), self.before)
        places = {name: place for place, name in enumerate(trace.bundles)}
        brokers = {trace.brokers[broker]: broker for broker in cluster.there}
        for name in self.before.forgotten:
            self.unloaded.pop(brokers[name], None)
        self.told = [move._asdict() for move in self.before.moves]
        given: list[tuple[int, int]] = []
        self.called_off, self.idle = [], ()
        if not self.before.moves:
            self.idle = (f"nothing moves: {self.before.skipped}",)
        for move in self.before.moves:
            bundle = places[move.bundle]
            source = cluster.owners[bundle]
            to = brokers[move.destination] if move.destination else self.drawn(cluster)
            self.changed[to] = self.changed[source] = self.unloaded[source] = cluster.cycle
            if to != source:
                given.append((bundle, to))
            else:
                self.called_off.append("the next lookup gives it back to the broker that it left, the least used one")
        return given

    def row(self) -> Row:
        """Return the input of the shedder, in the form for ``decide``."""
        return self.asked

    def adopt(self, cluster: Cluster, orphans: list[int]) -> list[tuple[int, int]]:
        """Return the new owners of the bundles of a lost broker."""
        given = [(bundle, self.drawn(cluster)) for bundle in orphans]
        self.changed |= {to: cluster.cycle for _, to in given}
        return given

    def drawn(self, cluster: Cluster) -> int:
        """Return the broker to which the next lookup assigns a bundle; the seed chooses among equals."""
        loads = tuple((one["id"], one["load"]) for one in self.reports.values())
        brokers = {cluster.trace.brokers[broker]: broker for broker in cluster.there}
        return brokers[cluster.chance.choice(least_usage(Candidates(loads)))]


def over(count: int) -> Weights:
    """
    Return weights by which an average is after so many equal measurements.

    >>> round(over(2).history, 4)
    0.81
    """
    return Weights(history=Weights().history ** count)
