"""
Inputs of the modular load manager's shedders: one cycle of a few brokers, and the fate of its unloads.

What a broker uses is in proportion to what its bundles have, so that one can say what it uses after a move.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from oneowner.model.balancer.load_data import Usage
from oneowner.model.balancer.local_broker_data import BrokerData, BundleData, LoadData, Traffic
from oneowner.model.balancer.shedding import avg_shedder, overload_shedder, threshold_shedder, uniform_load_shedder
from oneowner.model.balancer.shedding.load_shedding import Outcome
from oneowner.model.java.arithmetic import added
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

MIB = 1024 * 1024.0
LIMIT: Final = 100 * MIB
"""Bytes a second with which a broker is used up."""
BURST: Final = 10.0
"""The factor by which traffic that has just risen exceeds the average."""


class Given(NamedTuple):
    """A cycle of a shedder: its input and its memory."""

    loads: LoadData
    settings: Any
    memory: Any = ()
    bursts: bool = False
    """Traffic has just risen: the averages of bundles lag behind what their brokers have."""


@dataclass(frozen=True, slots=True)
class ModularSizes(Bounds):
    """The size of a cluster."""

    brokers: int = size(3, "how many brokers report at most; of one alone nothing is asked", least=2)
    bundles: int = size(2, "how many bundles a broker has at most")


def of_throughput(*mebibytes: float) -> tuple[Traffic, ...]:
    """Return traffic of so many MiB a second, and of no message."""
    return tuple(Traffic(throughput_in=one * MIB) for one in mebibytes)


def some_cycle(choose: Choose, sizes: ModularSizes, levels: tuple[Traffic, ...], *asked: tuple[Any, Any]) -> Given:
    """
    Return a cycle in which each bundle has traffic of one of the *levels*.

    *asked* are settings, each with what is remembered. With the first ones traffic may have risen, or a bundle may have
    been unloaded lately.
    """
    which = choose(0, len(asked) - 1)
    owned = []
    for number in range(1, choose(2, sizes.brokers) + 1):
        level, bundles = 0, []
        for bundle in range(choose(0, sizes.bundles)):
            level = choose(level, len(levels) - 1)
            bundles.append(BundleData(f"t/n/{number}-{bundle}", levels[level]))
        owned.append((f"b{number}", bundles))
    first = [bundle.name for _, bundles in owned for bundle in bundles][:1]
    kind = choose(0, 1 + len(first)) if which == 0 else 0
    loads = loads_of(owned, bursts=kind == 1)._replace(recent=frozenset(first if kind == 2 else ()))
    return Given(loads, *asked[which], bursts=kind == 1)


def loads_of(owned: Iterable[tuple[str, list[BundleData]]], bursts: bool = False) -> LoadData:
    """Return what the leader knows of brokers that have these bundles."""
    brokers, every = [], []
    for name, bundles in owned:
        throughput = added(bundle.short_term.throughput for bundle in bundles)
        traffic = Traffic(throughput, 0.0, added(bundle.short_term.rate for bundle in bundles))
        names = tuple(bundle.name for bundle in bundles)
        brokers.append(BrokerData(name, bandwidth_in=Usage(throughput, LIMIT), traffic=traffic, bundles=names))
        every += [averaged(bundle) for bundle in bundles] if bursts else bundles
    return LoadData(tuple(brokers), tuple(every))


def averaged(bundle: BundleData) -> BundleData:
    """Return a bundle whose average lags behind what it has."""
    return bundle._replace(short_term=Traffic(*(amount / BURST for amount in bundle.short_term)))


def settled(loads: LoadData, found: Outcome) -> LoadData:
    """
    Return the loads after each bundle that was unloaded went to the other broker that has the least throughput.

    What its broker does not have, or has given up already, goes nowhere: that is for other laws to say.
    """
    data = {bundle.name: bundle for bundle in loads.bundles}
    owned = {broker.name: [data[bundle] for bundle in broker.bundles] for broker in loads.brokers}
    for bundle, source in found.moves:
        if data.get(bundle) not in owned.get(source, ()):
            continue
        owned[source].remove(data[bundle])
        others = [name for name in owned if name != source]
        to = min(others, key=lambda name: added(one.short_term.throughput for one in owned[name]), default=source)
        owned[to].append(data[bundle])
    return loads_of(owned.items())


Decide = Callable[[Given], Outcome]


def decide_overload(given: Given) -> Outcome:
    """Return what a cycle of OverloadShedder unloads."""
    return overload_shedder.shed(given.loads, given.settings)


def decide_threshold(given: Given) -> Outcome:
    """Return what a cycle of ThresholdShedder unloads."""
    found = threshold_shedder.shed(given.loads, given.settings, threshold_shedder.Rules(), dict(given.memory))
    return found._replace(memory=tuple(found.memory.items()))


def decide_uniform(given: Given) -> Outcome:
    """Return what a cycle of UniformLoadShedder unloads."""
    return uniform_load_shedder.shed(given.loads, given.settings, uniform_load_shedder.Rules())


def decide_avg(given: Given) -> Outcome:
    """Return what a cycle of AvgShedder unloads."""
    return avg_shedder.shed(given.loads, given.settings, avg_shedder.Rules(), given.memory)
