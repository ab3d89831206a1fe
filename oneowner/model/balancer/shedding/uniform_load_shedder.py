"""
``UniformLoadShedder`` unloads bundles of the busiest broker, if it has much more messages or bytes than the idlest.

The load that should go is an int of 32 bits, from which each bundle is taken away, cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from oneowner.model.balancer.local_broker_data import BrokerData, LoadData, LoadRules, Traffic
from oneowner.model.balancer.shedding import amounts
from oneowner.model.balancer.shedding.load_shedding import Measure, Outcome, Shedding
from oneowner.model.java.arithmetic import divide, whole, wrapped

LARGEST = 2**31 - 1


class Settings(NamedTuple):
    """Keys of broker.conf, with their defaults."""

    rate_difference: float = 50.0
    """``loadBalancerMsgRateDifferenceShedderThreshold``, per cent; 0: rates are not compared"""
    throughput_factor: float = 4.0
    """``loadBalancerMsgThroughputMultiplierDifferenceShedderThreshold``; 0: throughputs are not compared"""
    share: float = 0.2
    """``maxUnloadPercentage``"""
    least_rate: float = 1000.0
    """``minUnloadMessage``"""
    least_throughput: float = 1048576.0
    """``minUnloadMessageThroughput``"""
    most_bundles: float = -1.0
    """``maxUnloadBundleNumPerShedding``; -1: as many as it takes"""


class Rules(NamedTuple):
    """The behaviour that differs by release."""

    load: LoadRules = LoadRules()
    """The definition of load, and of the bundles that may move."""
    slack: int = 1000
    """By how much a bundle may exceed what should go (until #21906)."""
    joint: bool = False
    """One broker has the most, by whichever it exceeds the one before, and has two bundles (2.10)."""


class Extremes(NamedTuple):
    """The broker that has the most of something, with the amount, and the least amount of any broker."""

    busiest: BrokerData | None = None
    most: float = -1.0
    least: float = float(LARGEST)

    def above_zero(self) -> Extremes:
        """Return them with 1 for a least of 0, by which one can divide."""
        return self._replace(least=1.0) if -1e-6 <= self.least <= 1e-6 else self


def shed(loads: LoadData, settings: Settings, rules: Rules) -> Outcome:
    """Return what a cycle unloads; the shedder remembers nothing."""
    cycle = Shedding(loads)
    rates, throughputs = joint_extremes(loads.brokers) if rules.joint else extremes(loads.brokers)
    is_itself = rules.joint and rates.most == rates.least and throughputs.most == throughputs.least
    rates, throughputs = rates.above_zero(), throughputs.above_zero()
    difference = divide((rates.most - rates.least) * 100, rates.least)
    factor = divide(throughputs.most, throughputs.least)
    by_rate = settings.rate_difference > 0 and difference > settings.rate_difference
    by_throughput = settings.throughput_factor > 0 and factor > settings.throughput_factor
    rate, throughput = (whole((one.most - one.least) * settings.share) for one in (rates, throughputs))
    is_enough = {True: rate >= settings.least_rate, False: throughput >= settings.least_throughput}
    busiest = (rates if by_rate else throughputs).busiest
    if not (by_rate or by_throughput) or busiest is None:
        itself = f"; {busiest.name} is compared with itself (#21016)" if is_itself and busiest is not None else ""
        cycle.reasons.append(
            f"nothing is unloaded: rates differ by {difference:.0f} %, throughputs by factor {factor:.1f}{itself}"
        )
    elif not (any(is_enough.values()) if rules.joint else is_enough[by_rate]):
        cycle.reasons.append(f"nothing is unloaded: {amounts.messages(rate)} or {amounts.rate(throughput)} are too few")
    elif cycle.has_two(busiest):
        if by_rate:
            take(cycle, settings, busiest, lambda traffic: traffic.rate, rate, rules.slack, amounts.messages)
        else:
            slack = 0 if rules.joint else rules.slack
            take(cycle, settings, busiest, lambda traffic: traffic.throughput, throughput, slack, amounts.rate)
    return cycle.outcome()


def extremes(brokers: Iterable[BrokerData]) -> tuple[Extremes, Extremes]:
    """Return the broker with the most messages, and the one with the most bytes; the first of equals."""
    rates, throughputs = Extremes(), Extremes()
    for broker in brokers:
        rates = wider(rates, broker, broker.traffic.rate)
        throughputs = wider(throughputs, broker, broker.traffic.throughput)
    return rates, throughputs


def wider(before: Extremes, broker: BrokerData, amount: float) -> Extremes:
    """Return extremes with one more broker."""
    if amount > before.most:
        before = before._replace(busiest=broker, most=amount)
    return before._replace(least=amount) if amount < before.least else before


def joint_extremes(brokers: Iterable[BrokerData]) -> tuple[Extremes, Extremes]:
    """Return the traffic of one broker, and of another: each has more, or less, of one than the one before it."""
    highest, busiest = Traffic(rate_in=-1.0, throughput_in=-1.0), None
    least_rate = least_throughput = float(LARGEST)
    for broker in brokers:
        if len(broker.bundles) < 2:
            continue
        rate, throughput = broker.traffic.rate, broker.traffic.throughput
        if rate > highest.rate or throughput > highest.throughput:
            highest, busiest = broker.traffic, broker
        if rate < least_rate or throughput < least_throughput:
            least_rate, least_throughput = rate, throughput
    return Extremes(busiest, highest.rate, least_rate), Extremes(busiest, highest.throughput, least_throughput)


def take(
    cycle: Shedding,
    settings: Settings,
    busiest: BrokerData,
    measure: Measure,
    budget: int,
    slack: int,
    shown: Callable[[float], str],
) -> None:
    """Unload the heaviest bundles that fit into *budget*, one after another; *shown* prints an amount."""
    for bundle, amount in cycle.heaviest(busiest, measure):
        if len(cycle.unload.get(busiest.name, ())) >= settings.most_bundles != -1:
            cycle.reasons.append(f"{bundle} stays at {busiest.name}: {settings.most_bundles:.0f} bundles are unloaded")
        elif amount <= wrapped(budget + slack):
            cycle.take(busiest, bundle, f"its {shown(amount)} are within {shown(wrapped(budget + slack))}")
            budget = wrapped(budget + whole(-amount))
        else:
            most = shown(wrapped(budget + slack))
            cycle.reasons.append(f"{bundle} stays at {busiest.name}: {shown(amount)} exceed {most}")
