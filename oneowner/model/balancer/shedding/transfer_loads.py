"""The loads that ``TransferShedder`` compares: average, deviation, who is highest and lowest, and what is imbalance."""

from oneowner.model.balancer.shedding.transfer_cycle import Broker, Cycle, Reason
from oneowner.model.java.arithmetic import order, root


class Statistics:
    """Average and deviation of loads, and the next pair (``LoadStats``)."""

    def __init__(self, cycle: Cycle) -> None:
        self.average = self.deviation = self.squares = 0.0
        self.count = self.shed = self.low = 0
        rows = [one for one in cycle.brokers if cycle.rules.sorts_gone or is_current(cycle, one)]
        self.sorted = sorted(rows, key=lambda one: order(one.load))
        self.high = len(self.sorted) - 1

    def update(self, loads: list[float]) -> None:
        """Take the loads in, summed up from left to right."""
        total = 0.0
        for load in loads:
            total += load
            self.squares += load * load
        self.count = len(loads)
        self.average = total / self.count
        self.deviation = root(self.squares / self.count - self.average * self.average)

    def offload(self, high: float, low: float, amount: float) -> None:
        """Move *amount* of load from the one to the other, and pair the next two."""
        self.squares -= high * high + low * low
        less, more = max(0.0, high - amount), low + amount
        self.squares += less * less + more * more
        self.deviation = root(abs(self.squares / self.count - self.average * self.average))
        self.shed += 1
        self.low += 1


def is_current(cycle: Cycle, broker: Broker) -> bool:
    """Return whether *broker* is registered, and the data on it is not too old."""
    return broker.name in cycle.available and broker.age <= cycle.settings.time_to_live


def take_loads(cycle: Cycle, statistics: Statistics) -> tuple[frozenset[str], Reason | None]:
    """Take the loads in; return whose last unload is long ago, and why the cycle ends here, if it does."""
    loads, forgotten, is_outdated = list[float](), set[str](), False
    unloaded = dict(cycle.unloaded_brokers)
    for broker in cycle.brokers:
        if broker.age > cycle.settings.time_to_live:
            is_outdated = True
            continue
        if broker.name in unloaded:
            if unloaded[broker.name] - broker.age < cycle.settings.delay:
                return frozenset(forgotten), Reason.COOL_DOWN
            forgotten.add(broker.name)
        loads.append(broker.load)
    if not loads or not statistics.sorted:
        return frozenset(forgotten), Reason.OUT_DATED_DATA if is_outdated else Reason.NO_BROKERS
    if set(cycle.available) - {broker.name for broker in cycle.brokers}:
        return frozenset(forgotten), Reason.NO_LOAD_DATA
    statistics.update(loads)
    return frozenset(forgotten), None


def imbalance(cycle: Cycle, statistics: Statistics) -> Reason | None:
    """Return why bundles should move, None if they should not."""
    if statistics.deviation > cycle.settings.target_deviation:
        return Reason.OVERLOADED
    if is_underloaded(cycle, statistics):
        return Reason.UNDERLOADED
    return Reason.OVERLOADED if is_overloaded(cycle, statistics) else None


def is_underloaded(cycle: Cycle, statistics: Statistics) -> bool:
    """Return whether the lowest broker has a small share of the average load, or of the highest broker's throughput."""
    lowest, highest = statistics.sorted[statistics.low], statistics.sorted[statistics.high]
    share = min(0.5, max(0.0, cycle.settings.target_deviation / 2))
    if not cycle.rules.compares_throughput:
        return lowest.throughput_average < 1 or lowest.load < statistics.average * share
    if lowest.load < statistics.average * share:
        return True
    return lowest.throughput_average < highest.throughput_average * share


def is_overloaded(cycle: Cycle, statistics: Statistics) -> bool:
    """Return whether the highest broker is above the limit, and clearly above the average."""
    load = statistics.sorted[statistics.high].load
    above = statistics.average + cycle.settings.target_deviation
    return load > cycle.settings.overloaded / 100 and load > above
