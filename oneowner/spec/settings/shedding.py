"""Laws of the settings by which bundles are unloaded."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Final

from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.shedders import SHEDDERS
from oneowner.model.balancer.batch.transfer import SETTINGS
from oneowner.model.balancer.load_data import Report, Reports, Usage, Weights, features_of_all
from oneowner.model.balancer.local_broker_data import BrokerData, BundleData, LoadData, Traffic
from oneowner.model.balancer.shedding import avg_shedder
from oneowner.model.balancer.shedding.transfer_cycle import Broker, Bundle, Cycle, Settings
from oneowner.model.balancer.shedding.transfer_inputs import NOTHING
from oneowner.model.balancer.shedding.transfer_shedder import shed
from oneowner.spec.settings.clusters import (
    MB,
    WEIGHTS,
    Cluster,
    culprits,
    even,
    is_modelled,
    moved,
    of_release,
    read_by_shedder,
    uneven,
    usage_of,
    waited,
)
from oneowner.spec.settings.conf import TRANSFER, Broken, Conf, manager, placement, setting_law, shedder, sheds

LIMIT: Final = "loadBalancerNamespaceBundleMaxBandwidthMbytes"
LEAST: Final = "loadBalancerBundleUnloadMinThroughputThreshold"
GRACE, INTERVAL = "loadBalancerSheddingGracePeriodMinutes", "loadBalancerSheddingIntervalMinutes"
TTL, REPORTED = "loadBalancerBrokerLoadDataTTLInSeconds", "loadBalancerReportUpdateMaxIntervalMinutes"
HISTORY: Final = "loadBalancerHistoryResourcePercentage"
TARGET: Final = "loadBalancerBrokerLoadTargetStd"
DEBUG: Final = "loadBalancerDebugModeEnabled"
AVG: Final = "loadBalancerAvgShedder"
HIGH, LOW = f"{AVG}HighThreshold", f"{AVG}LowThreshold"
HIGH_HITS, LOW_HITS = f"{AVG}HitCountHighThreshold", f"{AVG}HitCountLowThreshold"


def is_asked(conf: Conf) -> bool:
    return sheds(conf) and is_modelled(conf)


def tells_loads_apart(conf: Conf) -> bool:
    return usage_of(conf, 100) > usage_of(conf, 0)


def weighs(conf: Conf) -> bool:
    return is_asked(conf) and shedder(conf) != "impl.UniformLoadShedder"


def averages(conf: Conf) -> bool:
    by_average = ("impl.ThresholdShedder", TRANSFER)
    return sheds(conf) and (shedder(conf) in by_average or placement(conf).endswith("LeastResourceUsageWithWeight"))


def is_extensible_and_asked(conf: Conf) -> bool:
    return manager(conf) == "extensible" and is_asked_with_weights(conf)


def is_asked_with_weights(conf: Conf) -> bool:
    return is_asked(conf) and (not weighs(conf) or tells_loads_apart(conf))


@setting_law("LocalBrokerData.getMaxResourceUsageWithWeight; BrokerLoadData", weighs)
def weights_tell_loads_apart(conf: Conf) -> Iterator[Broken]:
    """A broker whose resources are used up has a higher load than an idle one."""
    if not tells_loads_apart(conf):
        keys = culprits(conf, tuple(key for key in WEIGHTS if conf.has(key)), tells_loads_apart)
        loads = [f"{usage_of(conf, usage):g}" for usage in (100, 0)]
        follows = "a busy broker looks no busier than an idle one"
        witness = f"of every resource 100 % used, the load is {loads[0]}; 0 % used, it is {loads[1]}"
        yield Broken(keys, follows, witness, conf.defaults(keys))


def unloads_something(conf: Conf) -> bool:
    return any(moved(conf, cluster) for cluster in uneven())


@setting_law(
    "OverloadShedder, ThresholdShedder, UniformLoadShedder, AvgShedder, TransferShedder, TopKBundles",
    is_asked_with_weights,
)
def shedder_can_act(conf: Conf) -> Iterator[Broken]:
    """There is a small uneven cluster of which the shedder unloads something."""
    if not unloads_something(conf):
        keys = culprits(conf, read_by_shedder(conf), unloads_something)
        repaired = conf.with_values(conf.defaults(keys))
        first = next((one for one in uneven() if moved(repaired, one)), None)
        name = shedder(conf).rpartition(".")[2]
        follows = f"{name} never unloads a bundle; of {len(list(uneven()))} uneven clusters it leaves each as it is"
        if first is not None:
            yield Broken(keys, follows, f"{first}: nothing is unloaded, repaired some is", conf.defaults(keys))


def rests(conf: Conf) -> bool:
    return not any(moved(conf, cluster) for cluster in even())


@setting_law(
    "ThresholdShedder, UniformLoadShedder, AvgShedder, TransferShedder",
    lambda conf: is_asked_with_weights(conf) and shedder(conf) != "impl.OverloadShedder",
)
def even_cluster_rests(conf: Conf) -> Iterator[Broken]:
    """Of a cluster in which all brokers are loaded alike nothing is unloaded."""
    if not rests(conf):
        keys = culprits(conf, read_by_shedder(conf), rests)
        first = next(one for one in even() if moved(conf, one))
        follows = "bundles are unloaded where all brokers are loaded alike, cycle after cycle"
        yield Broken(keys, follows, f"{first}: {moved(conf, first)[0]} is unloaded", conf.defaults(keys))


def has_full_bundles(conf: Conf) -> bool:
    is_split = conf.flag("loadBalancerAutoBundleSplitEnabled") and 0 < conf.number(LIMIT) < 2048
    return shedder(conf) == "impl.ThresholdShedder" and is_split and is_asked(conf) and unloads_something(conf)


def full_bundles(conf: Conf, bundles: int = 2) -> Cluster:
    """Return a broker that is used up by bundles as large as they may be, beside nine idle ones."""
    return Cluster(others=9, bundles=bundles, throughput=conf.number(LIMIT) * MB)


@setting_law("ThresholdShedder; BundleSplitterTask", has_full_bundles)
def two_full_bundles_can_part(conf: Conf) -> Iterator[Broken]:
    """Of a broker with two bundles as large as they may be, beside nine idle ones, one is unloaded."""
    least = conf.number(LEAST)
    if (
        not least > 0
        or moved(conf, full_bundles(conf))
        or not moved(conf.with_values({LEAST: "0"}), full_bundles(conf))
    ):
        return
    enough = next((n for n in range(3, 100) if moved(conf, full_bundles(conf, n))), None)
    repair = largest(lambda n: bool(moved(conf.with_values({LEAST: str(n)}), full_bundles(conf))), int(least))
    follows = "a broker whose two bundles are as large as they may be before a split keeps both, whoever is idle"
    more = f"it takes {enough} such bundles" if enough else "nor are a hundred such bundles enough"
    yield Broken((LEAST, LIMIT), follows, f"{full_bundles(conf)}: nothing is unloaded; {more}", {LEAST: str(repair)})


def largest(holds: Callable[[int], bool], most: int) -> int:
    """Return the largest number up to *most* of which it holds, if it holds of 0 and of none after the first not."""
    low = 0
    while low < most:
        middle = (low + most + 1) // 2
        low, most = (middle, most) if holds(middle) else (low, middle - 1)
    return low


@setting_law("UnloadScheduler; ModularLoadManagerImpl", is_asked_with_weights)
def grace_outlasts_interval(conf: Conf) -> Iterator[Broken]:
    """A bundle that was unloaded is spared in the next cycle."""
    grace, interval = conf.number(GRACE), conf.number(INTERVAL)
    again = next((one for one in uneven() if moved(conf, one)), None)
    if grace < interval and again is not None:
        bundle = moved(conf, again)[0]
        follows = "what was unloaded is forgotten before the next cycle, which may unload it again"
        witness = f"{again}: {bundle} is unloaded, forgotten after {grace:.0f} minutes, and unloaded again"
        spared = bundle not in moved(conf, again, (bundle,))
        if spared:
            repair = str(int(max(interval, float(conf.facts.settings[GRACE].default))))
            yield Broken((GRACE, INTERVAL), follows, f"{witness} after {interval:.0f}", {GRACE: repair})


@setting_law("TransferShedder; BrokerLoadDataReporter", is_extensible_and_asked)
def reports_outlive_their_interval(conf: Conf) -> Iterator[Broken]:
    """A report of load counts until the next one may come."""
    age = conf.number(REPORTED) * 60
    first = next((one for one in uneven() if moved(conf, one._replace(age=0)) and not moved_at(conf, one, age)), None)
    if first is not None:
        follows = "brokers whose loads do not change are ignored until they report again, and keep their bundles"
        witness = f"{first}, who have reported {age:.0f} seconds ago, as they may: nothing is unloaded"
        yield Broken((TTL, REPORTED), follows, witness, {TTL: str(int(2 * age))})


def moved_at(conf: Conf, cluster: Cluster, age: float) -> list[str]:
    return moved(conf, cluster._replace(age=age))


@setting_law("TransferShedder", is_extensible_and_asked)
def target_can_be_exceeded(conf: Conf) -> Iterator[Broken]:
    """Some loads between 0 and 1 deviate from each other by more than the target."""
    loads = (Broker("high", 1.0), Broker("low", 0.0))
    deviation = shed(Cycle(loads, ("high", "low"), ()), NOTHING).deviation
    if deviation <= conf.number(TARGET):
        follows = "the deviation of loads, which are between 0 and 1, is never above this target"
        witness = f"one broker is used up, another is idle: their deviation is {deviation:g}, and no cluster has more"
        yield Broken((TARGET,), follows, witness, conf.defaults([TARGET]))


@setting_law("BrokerLoadData; ThresholdShedder; LeastResourceUsageWithWeight", averages)
def average_takes_new_loads(conf: Conf) -> Iterator[Broken]:
    """The average of a broker's load follows its load, and stays between 0 and 1."""
    past, rounds = conf.number(HISTORY), 1_000
    busy = Report(cpu=Usage(100, 100))
    found = features_of_all(Reports((Report(), *[busy] * rounds), Weights(history=past)))
    if not all(0 <= one.weighted_max <= 1 for one in found) or found[-1].weighted_max < 0.5:
        follows = "the average that decides does not follow the load"
        witness = f"a broker that was idle is used up: after {rounds} reports its average is {found[-1].weighted_max:g}"
        yield Broken((HISTORY,), follows, witness, conf.defaults([HISTORY]))


def due(conf: Conf, difference: float, changed: dict[str, str]) -> int:
    """Return in which cycle AvgShedder acts on two brokers that differ by so much; 0: in none of a hundred."""
    told = conf.with_values(changed)
    low, high, low_hits, high_hits = (told.number(key) for key in (LOW, HIGH, LOW_HITS, HIGH_HITS))
    settings = avg_shedder.Settings(low, high, low_hits, high_hits, least_rate=0)
    rules = of_release(SHEDDERS["avg"].rules, conf)
    brokers = tuple(
        BrokerData(name, Usage(usage, 100), traffic=Traffic(rate_in=usage), bundles=(f"t/n/{name}",))
        for name, usage in (("idle", 0.0), ("busy", difference))
    )
    bundles = (BundleData("t/n/busy", Traffic(rate_in=difference / 100)),)
    memory = avg_shedder.Memory()
    for cycle in range(1, 101):
        found = avg_shedder.shed(LoadData(brokers, bundles), settings, rules, memory)
        if found.unload:
            return cycle
        memory = found.memory
    return 0


@setting_law("AvgShedder", lambda conf: is_asked(conf) and shedder(conf) == "impl.AvgShedder")
def both_thresholds_decide(conf: Conf) -> Iterator[Broken]:
    """Each of AvgShedder's two thresholds decides something that the other does not."""
    # Whatever else a difference is, it is decided like one of these: only thresholds tell differences apart.
    near = {conf.number(key) + step for key in (LOW, HIGH) for step in (-1, 0)} | {100}
    differences = sorted(one for one in near if 0 < one <= 100)
    found = [due(conf, one, {}) for one in differences]
    for idle, other in (((HIGH_HITS, HIGH), (LOW_HITS, LOW)), ((LOW_HITS, LOW), (HIGH_HITS, HIGH))):
        if any(found) and found == [due(conf, one, {idle[0]: "1000000"}) for one in differences]:
            every = (*idle, *other)
            keys = sorted(every, key=lambda key: key not in conf.changed())
            seen = min(cycle for cycle in found if cycle)
            follows = f"{idle[0]} decides nothing: what the other threshold asks for always comes first"
            witness = f"of brokers that differ by 1 to 100 %, the first act in cycle {seen}: each as without it"
            yield Broken(tuple(keys), follows, witness, conf.defaults(every))


@setting_law(
    "TransferShedder; ExtensibleLoadManagerImpl", lambda conf: is_extensible_and_asked(conf) and conf.flag(DEBUG)
)
def debug_changes_nothing(conf: Conf) -> Iterator[Broken]:
    """Debug mode prints more, and decides nothing."""
    settings = configured(Settings(), conf.changed(), SETTINGS)
    for low, high in product((0.05, 0.36), (0.9, 1.0)):
        brokers = (Broker("low", low, 6.0, 6.0), Broker("high", high, 15.0, 15.0))
        bundles = (("low", named("low", 1.0, 5.0)), ("high", named("high", 5.0, 5.0, 5.0)))
        moves = [
            [move.bundle for move in shed(Cycle(brokers, ("low", "high"), bundles, one), waited(settings)).moves]
            for one in (settings._replace(debug=True), settings._replace(debug=False))
        ]
        if moves[0] != moves[1]:
            follows = "it decides which bundles move: what a swap brings back is counted in this mode alone"
            sizes = f"a broker at {high:.0%} with bundles of 5, 5, 5, beside one at {low:.0%} with 1, 5"
            with_it, without = (", ".join(one) or "none" for one in moves)
            yield Broken((DEBUG,), follows, f"{sizes}: {with_it} move; without it {without}", {DEBUG: "false"})
            return


def named(broker: str, *amounts: float) -> tuple[Bundle, ...]:
    return tuple(Bundle(f"t/{broker}/{number}", amount) for number, amount in enumerate(amounts))


LAWS: Final = (
    weights_tell_loads_apart,
    shedder_can_act,
    even_cluster_rests,
    two_full_bundles_can_part,
    grace_outlasts_interval,
    reports_outlive_their_interval,
    target_can_be_exceeded,
    average_takes_new_loads,
    both_thresholds_decide,
    debug_changes_nothing,
)
