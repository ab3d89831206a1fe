"""
The decision of a cycle, by the functions of ``model.balancer``: the bundles that go, and the brokers for each.

They compute with doubles and names, which no engine traces. So ``table`` asks them of all that a loop can come to, and
the loop looks the answer up.

Source: ModularLoadManagerImpl.doLoadShedding, UnloadScheduler.execute; policies.3.5, policies.5.
"""

from typing import Any, Final, NamedTuple

from oneowner.model.balancer.filters import anti_affinity, isolation, settings
from oneowner.model.balancer.load_data import Weights
from oneowner.model.balancer.local_broker_data import LoadData
from oneowner.model.balancer.placement.avg_placement import Candidates as Planned
from oneowner.model.balancer.placement.avg_placement import avg_placement
from oneowner.model.balancer.placement.least_long_term import Candidates
from oneowner.model.balancer.placement.modular_selection import Selection, filtered, select
from oneowner.model.balancer.shedding import avg_shedder, overload_shedder, threshold_shedder, uniform_load_shedder
from oneowner.model.balancer.shedding import transfer_cycle as cycle
from oneowner.model.balancer.shedding.load_shedding import Outcome
from oneowner.model.balancer.shedding.transfer_inputs import NOTHING
from oneowner.model.balancer.shedding.transfer_shedder import shed as transfer
from oneowner.model.closed_loop.bounds import BROKER, Bounds, Shedder
from oneowner.model.closed_loop.reported import broker_name, bundle_name, load_data
from oneowner.model.kernel.decision import Thrown

PRESENT: Final = Weights(history=0.0)
"""Averages of usage are those of now: ``loadBalancerHistoryResourcePercentage`` is 0."""


class Asked(NamedTuple):
    """The leader's input."""

    heavies: int
    """How many bundles, the first ones, are heavy."""
    seen: tuple[int, ...]
    """By bundle: its owner, as brokers have reported."""
    resting: tuple[bool, ...]
    """By bundle: whether it was unloaded lately."""
    waits: bool = False
    """True if a broker gave or was given a bundle so lately that TransferShedder waits."""
    memory: Any = None
    """The shedder's memory of the cycle before."""


class Found(NamedTuple):
    """The decision of a cycle."""

    to: tuple[tuple[int, ...], ...]
    """By bundle: the brokers of which one is given it, its own among them if it may stay; none: it stays."""
    memory: Any = None
    again: tuple[tuple[int, ...], ...] = ()
    """By bundle: the brokers of which a second lookup is given one, once nobody has the bundle (with ``races``)."""


def decide(asked: Asked, bounds: Bounds) -> Found:
    if bounds.shedder == Shedder.TRANSFER:
        return decide_transfer(asked, bounds)
    loads = load_data(bounds, asked.heavies, asked.seen, asked.resting)
    outcome = shed(loads, asked.memory, bounds)
    unloaded = {bundle for bundle, _ in outcome.moves}
    to, again, seen = list[tuple[int, ...]](), list[tuple[int, ...]](), list(asked.seen)
    is_free = not bounds.rules.chooses_first
    for at, source in enumerate(asked.seen, 1):
        given = given_to(at, seen, loads, outcome, bounds, is_free=is_free) if bundle_name(at) in unloaded else ()
        if bounds.rules.narrows:
            given = tuple(one for one in given if narrows(asked.heavies, seen, at, one, bounds))
            seen[at - 1] = given[0] if given else source
        to.append(() if given == (source,) and not is_free else given)
        raced = to[-1] and bounds.races
        again.append(given_to(at, seen, loads, outcome, bounds, is_free=True) if raced else ())
    return Found(tuple(to), remembered(outcome, bounds), tuple(again))


def shed(loads: LoadData, memory: Any, bounds: Bounds) -> Outcome:
    """Return what a shedder of the modular manager unloads."""
    if bounds.shedder == Shedder.OVERLOAD:
        return overload_shedder.shed(loads, overload_shedder.Settings())
    if bounds.shedder == Shedder.THRESHOLD:
        asked = threshold_shedder.Settings(lower_boundary=bool(bounds.lower_boundary), weights=PRESENT)
        return threshold_shedder.shed(loads, asked, threshold_shedder.Rules(), {})
    if bounds.shedder == Shedder.UNIFORM:
        return uniform_load_shedder.shed(loads, uniform_load_shedder.Settings(), uniform_load_shedder.Rules())
    waits = avg_shedder.Settings(low_hits=bounds.hits, high_hits=bounds.hits)
    return avg_shedder.shed(loads, waits, avg_shedder.Rules(), memory or avg_shedder.Memory())


def remembered(outcome: Outcome, bounds: Bounds) -> Any:
    """
    Return what the next cycle is told: of AvgShedder the counts, of all others nothing.

    Its plan is read in the cycle that makes it, and written anew before it is read again.
    """
    if bounds.shedder != Shedder.AVG:
        return None
    memory: avg_shedder.Memory = outcome.memory
    high, low = (tuple(sorted((name, hits) for name, hits in one if hits)) for one in memory[:2])
    return avg_shedder.Memory(high, low) if high or low else None


def given_to(
    bundle: int, seen: list[int], loads: LoadData, outcome: Outcome, bounds: Bounds, *, is_free: bool
) -> tuple[int, ...]:
    """Return the brokers of which one is chosen for a bundle; once it is unloaded, it is free: nobody has it."""
    owners = [0 if at == bundle and is_free else owner for at, owner in enumerate(seen, 1)]
    asked = selection(bundle, owners, loads, bounds)
    if bounds.shedder == Shedder.AVG:
        data = {one.name: one for one in loads.bundles}[bundle_name(bundle)]
        found = avg_placement(Planned(filtered(asked, isolation.kept(asked.policies)), data, outcome.memory.plan))
    else:
        found = select(asked)
    chosen = () if isinstance(found, Thrown) else found
    return tuple(broker for broker in BROKER.range_of(bounds) if broker_name(broker) in chosen)


def selection(bundle: int, owners: list[int], loads: LoadData, bounds: Bounds) -> Selection:
    """Return what ``selectBroker`` is asked, where nobody has a policy and all are alike but for their bundles."""
    names = tuple(one.name for one in loads.brokers)
    owned = tuple(anti_affinity.Owned(bundle_name(at), broker_name(one)) for at, one in enumerate(owners, 1) if one)
    return Selection(
        isolation.Isolated((), "t/n", False, names, names, names),
        anti_affinity.Asked((), owned, (), names, bundle_name(bundle), ""),
        settings.Candidates(
            tuple((name, settings.Broker(load_manager=settings.Settings().load_manager)) for name in names), names
        ),
        Candidates(loads.brokers, names),
        evenly=not bounds.uneven,
    )


def narrows(heavies: int, seen: list[int], bundle: int, broker: int, bounds: Bounds) -> bool:
    """Return whether a broker would be used less with a bundle than its present one is."""
    brokers = load_data(bounds, heavies, seen, ()).brokers
    source, to = (brokers[one - 1].traffic.throughput for one in (seen[bundle - 1], broker))
    data = load_data(bounds, heavies, seen, ()).bundles[bundle - 1]
    return to + data.short_term.throughput < source


def decide_transfer(asked: Asked, bounds: Bounds) -> Found:
    """Return what TransferShedder decides, and how many cycles in a row have seen an imbalance, as far as it counts."""
    loads = load_data(bounds, asked.heavies, asked.seen, asked.resting)
    weight = {one.name: one.short_term.throughput for one in loads.bundles}
    told = cycle.Cycle(
        tuple(
            cycle.Broker(one.name, one.bandwidth_in.percent / 100, one.traffic.throughput, one.traffic.throughput)
            for one in loads.brokers
        ),
        tuple(one.name for one in loads.brokers),
        tuple(
            (one.name, tuple(cycle.Bundle(name, weight[name]) for name in sorted(one.bundles, key=weight.__getitem__)))
            for one in loads.brokers
        ),
        cycle.Settings(hits=bounds.hits, delay=1),
        unloaded_bundles=loads.recent,
        unloaded_brokers=tuple((one.name, 0.0) for one in loads.brokers if asked.waits),
    )
    found = transfer(told, NOTHING._replace(hits=asked.memory or 0))
    moves = {move.bundle: move.destination for move in found.moves}
    to = tuple(
        tuple(one for one in BROKER.range_of(bounds) if moves.get(bundle_name(at)) == broker_name(one))
        for at in range(1, bounds.bundles + 1)
    )
    return Found(to, min(found.hits, bounds.hits + 1) or None)
