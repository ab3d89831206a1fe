"""
When a broker reports its load: if it has changed by much since the last report, or that is old.

The extensible manager also removes a report where the broker gains or loses a bundle, so that nobody decides by it; a
leader that finds none waits. How old a report may be is said by ``loadBalancerBrokerLoadDataTTLInSeconds`` to
``TransferShedder`` alone; placements take one of any age.

Source: ModularLoadManagerImpl.needBrokerDataUpdate, BrokerLoadDataReporter, TopBundleLoadDataReporter; policies.7.
"""

from math import inf
from typing import Final, Literal, NamedTuple

DEDUP: Final = 10
"""Within so many seconds after a removal there is no other."""
Done = Literal["pushed", "removed"]


class Measured(NamedTuple):
    """The values by which reports are compared: messages and bytes a second, bundles, the busiest resource's usage."""

    rate: float = 0.0
    throughput: float = 0.0
    bundles: int = 0
    usage: float = 0.0
    """1.0 is a resource that is used up."""


class Reporter(NamedTuple):
    """A broker's memory of its reports, and its settings."""

    last: Measured = Measured()
    seconds: float | None = 0
    """Since the last report; None: none, or its bundles have changed since."""
    removed: float | None = None
    """Seconds since it has removed its report."""
    threshold: float = 10.0
    """``loadBalancerReportUpdateThresholdPercentage``"""
    minutes: float = 15.0
    """``loadBalancerReportUpdateMaxIntervalMinutes``"""


EXTENSIBLE: Final = Reporter(Measured(usage=1.0), None)
"""At its start a broker of the extensible manager is taken to be used up."""


class Step(NamedTuple):
    """A report that could be made, or a record of the channel, so many seconds *after* the step before."""

    after: float = 0.0
    measured: Measured | None = None
    """None: a record says that a bundle of this broker comes or goes, if *is_mine*."""
    force: bool = False
    is_mine: bool = False
    connected: bool = True
    """True if the metadata store can be reached, which the modular manager asks first."""
    fails: bool = False
    """True if a push or a removal does not arrive."""


def step(reporter: Reporter, asked: Step) -> tuple[Reporter, Done | None]:
    """Return the broker's memory afterwards, and its action."""
    seconds, removed = (None if one is None else one + asked.after for one in (reporter.seconds, reporter.removed))
    reporter = reporter._replace(seconds=seconds, removed=removed)
    if asked.measured is not None:
        if not asked.connected or not (asked.force or is_due(reporter, asked.measured)):
            return reporter, None
        return reporter if asked.fails else reporter._replace(last=asked.measured, seconds=0), "pushed"
    if not asked.is_mine:
        return reporter, None
    reporter = reporter._replace(seconds=None)
    if removed is not None and removed < DEDUP:
        return reporter, None
    return reporter if asked.fails else reporter._replace(removed=0), "removed"


def is_due(reporter: Reporter, now: Measured) -> bool:
    """Return whether a report is made that nobody forces."""
    old = reporter.seconds is None or reporter.seconds > 60 * reporter.minutes
    return old or change(reporter.last, now) > reporter.threshold


def change(last: Measured, now: Measured) -> float:
    """Return the largest change in per cent; usage changes by points."""
    pairs = zip(last[:3], now[:3], strict=True)
    return max(100 * abs(last.usage - now.usage), *(percent_change(*pair) for pair in pairs))


def percent_change(before: float, now: float) -> float:
    """
    Return a change in per cent of the value before.

    >>> percent_change(100, 94), percent_change(0, 1e-9), percent_change(0, 0)
    (6.0, inf, 0.0)
    """
    if before == 0:
        return inf if now else 0.0
    return 100 * abs((before - now) / before)
