"""
Small clusters, and the bundles that a broker.conf's shedder and settings unload from them, by the release's model.

A shedder is asked as if it had seen the imbalance in as many cycles as it waits for.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from oneowner.model.balancer.batch.bundles import RULES as REPORTS
from oneowner.model.balancer.batch.bundles import held_of
from oneowner.model.balancer.batch.extensible import weights
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.shedders import KEYS, LOADS, SHEDDERS
from oneowner.model.balancer.batch.transfer import RULES, SETTINGS, cycle_of
from oneowner.model.balancer.load_data import Report, Usage, Weights, features
from oneowner.model.balancer.local_broker_data import BrokerData, max_usage_with_weight
from oneowner.model.balancer.shedding.transfer_cycle import Outcome, Settings
from oneowner.model.balancer.shedding.transfer_inputs import NOTHING
from oneowner.model.balancer.shedding.transfer_shedder import shed
from oneowner.model.balancer.top_bundles import top_bundles
from oneowner.model.kernel.decision import Thrown
from oneowner.model.kernel.releases import nearest, oldest_of_major
from oneowner.spec.settings.conf import TRANSFER, Conf, shedder

MODULAR: Final = {
    "impl.OverloadShedder": "overload",
    "impl.ThresholdShedder": "threshold",
    "impl.UniformLoadShedder": "uniform",
    "impl.AvgShedder": "avg",
}
REPORT: Final = "loadBalancerMaxNumberOfBundlesInBundleLoadReport"
WEIGHTS: Final = tuple(
    f"loadBalancer{resource}ResourceWeight"
    for resource in ("CPU", "Memory", "DirectMemory", "BandwidthIn", "BandwidthOut", "BandwithIn", "BandwithOut")
)
RESOURCES: Final = ("cpu", "memory", "directMemory", "bandwidthIn", "bandwidthOut")
MB: Final = 1024 * 1024


class Cluster(NamedTuple):
    """A busy broker, and others that are alike."""

    others: int = 1
    bundles: int = 2
    """Of the busy broker, all alike; each other one has two."""
    throughput: float = MB
    """Of a bundle of the busy broker, bytes a second; messages have 1 kB."""
    busy: float = 1.0
    idle: float = 0.0
    """The use of every resource; the others' bundles have a share of the traffic by it."""
    age: float = 0
    """Seconds since brokers reported their loads."""

    def __str__(self) -> str:
        """Describe it in words."""
        many = "another" if self.others == 1 else f"{self.others} others"
        size = f"{self.throughput / MB:,.0f} MB/s"
        return f"a broker at {self.busy:.0%} with {self.bundles} bundles of {size}, beside {many} at {self.idle:.0%}"


def uneven() -> Iterator[Cluster]:
    """Yield small clusters in which something should move, the smallest first."""
    for throughput in (MB, 100 * MB, 10_000 * MB):
        for bundles in (2, 20):
            for idle in (0.0, 0.5):
                yield Cluster(1, bundles, throughput, 1.0, idle)
    yield Cluster(199, 20, 10_000 * MB)


def even() -> Iterator[Cluster]:
    """Yield small clusters in which all brokers are alike, so that nothing should move."""
    for usage in (0.5, 1.0):
        for throughput in (MB, 100 * MB, 10_000 * MB):
            for bundles in (2, 20):
                yield Cluster(1, bundles, throughput, usage, usage)


def moved(conf: Conf, cluster: Cluster, recent: tuple[str, ...] = ()) -> list[str]:
    """Return the bundles that the shedder of *conf* unloads; *recent* ones were unloaded lately."""
    brokers, bundles = rows(cluster)
    changed = conf.changed()
    if shedder(conf) == TRANSFER:
        rules = of_release(RULES, conf)
        settings = configured(Settings(), changed, SETTINGS)
        loads = configured_weights(conf)
        told = {
            "brokers": [extensible_broker(one, loads, cluster.age) for one in brokers],
            "top_bundles": {broker["id"]: reported(conf, broker["bundles"], bundles) for broker in brokers},
            "recent_bundles": recent,
        }
        return [move.bundle for move in shed(cycle_of(told, settings, rules), waited(settings)).moves]
    asked = SHEDDERS[MODULAR[shedder(conf)]]
    told = {"brokers": brokers, "bundles": list(bundles.values()), "recent": recent}
    rules = of_release(asked.rules, conf)
    found = asked.cycle(told, changed, rules, asked.waited(told, changed, rules))
    return [bundle for bundle, _ in found.moves]


def waited(settings: Settings) -> Outcome:
    """Return TransferShedder's memory of as many cycles with an imbalance as it waits for."""
    return NOTHING._replace(hits=int(settings.hits))


def rows(cluster: Cluster) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the brokers of a cluster and their bundles by name, as a line of a batch gives them."""
    brokers, bundles = [], dict[str, dict[str, Any]]()
    for number in range(cluster.others + 1):
        usage = cluster.busy if number == 0 else cluster.idle
        many = cluster.bundles if number == 0 else 2
        each = cluster.throughput * cluster.bundles * usage / cluster.busy / many
        names = [f"t/n{number}/0x{index:08x}_0x{index + 1:08x}" for index in range(many)]
        traffic = {"msgThroughputIn": each, "msgRateIn": each / 1024}
        bundles |= {name: {"name": name, "shortTerm": traffic, "longTerm": traffic} for name in names}
        total = {name: amount * many for name, amount in traffic.items()}
        used = {key: [usage * 100, 100] for key in RESOURCES}
        brokers.append({"id": f"b{number}", **used, **total, "bundles": names})
    return brokers, bundles


def extensible_broker(broker: Mapping[str, Any], loads: Weights, age: float) -> dict[str, Any]:
    """Return a broker's report to the extensible manager."""
    throughput = broker["msgThroughputIn"]
    return {
        "id": broker["id"], "load": load_of(broker["cpu"][0], loads), "age_s": age,
        "throughput_in": throughput, "throughput_ema": throughput,
    }  # fmt: skip


def load_of(percent: float, loads: Weights) -> float:
    """Return ``weightedMaxEMA`` of a broker that uses so much of every resource."""
    used = Usage(percent, 100)
    return features(Report(used, used, used, used, used), loads, None).weighted_max


def usage_of(conf: Conf, percent: float) -> float:
    """Return the load that the manager of *conf* sees in a broker that uses so much of every resource."""
    if shedder(conf) == TRANSFER:
        return load_of(percent, configured_weights(conf))
    used = Usage(percent, 100)
    broker = BrokerData("b", used, used, used, used, used)
    return max_usage_with_weight(broker, configured_weights(conf), of_release(LOADS, conf))


def configured_weights(conf: Conf) -> Weights:
    """Return the weights that a release reads, by both spellings of bandwidth."""
    return weights(conf.changed(), of_release(LOADS, conf))


def reported(conf: Conf, names: list[str], bundles: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, float, float]]:
    """Return the top bundles that a broker reports; of a report that is lost, none."""
    told = {"bundles": [{"name": name, **bundles[name]["shortTerm"]} for name in names]}
    held = held_of({**told, "conf": conf.changed()}, of_release(REPORTS, conf))
    found = top_bundles(held)
    throughputs = {one.name: one.throughput_in for one in held.bundles}
    return [] if isinstance(found, Thrown) else [(name, throughputs[name], 0.0) for name in found]


def read_by_shedder(conf: Conf) -> tuple[str, ...]:
    """Return the settings that the shedder decides by."""
    keys = (*SETTINGS, REPORT) if shedder(conf) == TRANSFER else tuple(KEYS[MODULAR[shedder(conf)]])
    more = ("maxUnloadBundleNumPerShedding",) if shedder(conf) == "impl.UniformLoadShedder" else ()
    return tuple(key for key in (*keys, *more, *WEIGHTS) if conf.has(key))


def judged_by(rules: Mapping[str, Any], conf: Conf) -> str:
    """Return the release that judges that of *conf*: itself, the nearest older one, or the oldest of its major line."""
    release = conf.facts.release
    return nearest(release, rules) or oldest_of_major(release, rules) or ""


def of_release(rules: Mapping[str, Any], conf: Conf) -> Any:
    """Return the rules that judge a release."""
    return rules[judged_by(rules, conf)]


def is_modelled(conf: Conf) -> bool:
    """Return whether the model has the shedder of this release."""
    name = shedder(conf)
    if name == TRANSFER:
        return True
    return name in MODULAR and judged_by(SHEDDERS[MODULAR[name]].rules, conf) != ""


def culprits(conf: Conf, keys: tuple[str, ...], is_well: Any) -> tuple[str, ...]:
    """Return the changed settings of *keys* each of which alone, if set back, makes it well; else all of them."""
    changed = tuple(key for key in keys if key in conf.changed())
    alone = tuple(key for key in changed if is_well(conf.with_values(conf.defaults([key]))))
    return alone or changed
