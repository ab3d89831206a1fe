"""
``BrokerLoadData`` holds a broker's load as it reports it, and the averages that the extensible manager decides by.

Averages are exponential: a new value counts ``1 - loadBalancerHistoryResourcePercentage``. A broker that generates a
report moves them, so that an operator who scrapes metrics more often changes what is decided.
"""

from math import inf
from typing import NamedTuple

from oneowner.model.java.arithmetic import percent


class Usage(NamedTuple):
    """The usage and the limit of a resource."""

    usage: float = 0.0
    limit: float = 0.0

    @property
    def percent(self) -> float:
        return percent(self.usage, self.limit)


class Weights(NamedTuple):
    """How much a resource counts (``loadBalancer..ResourceWeight``), and the share of the past in an average."""

    cpu: float = 1.0
    memory: float = 0.0
    direct_memory: float = 0.0
    bandwidth_in: float = 1.0
    bandwidth_out: float = 1.0
    history: float = 0.9


class Report(NamedTuple):
    """A broker's measurements: resources, and bytes a second."""

    cpu: Usage = Usage()
    memory: Usage = Usage()
    direct_memory: Usage = Usage()
    bandwidth_in: Usage = Usage()
    bandwidth_out: Usage = Usage()
    throughput_in: float = 0.0
    throughput_out: float = 0.0


class Features(NamedTuple):
    """Values computed from a report: ``maxResourceUsage``, ``weightedMaxEMA``, ``msgThroughputEMA``."""

    max_usage: float
    weighted_max: float
    throughput: float


def features(report: Report, weights: Weights, before: Features | None) -> Features:
    """
    Return the features of *report*; *before* are those of the report before it, None after a start or a tombstone.

    Memory, the heap, counts in the weighted maximum and not in the other (``BrokerLoadData.updateFeatures``).
    """
    percents = [
        usage.percent for usage in (report.cpu, report.direct_memory, report.bandwidth_in, report.bandwidth_out)
    ]
    weighted = max(
        -inf,  # what is no number is passed over
        report.cpu.percent * weights.cpu,
        report.memory.percent * weights.memory,
        report.direct_memory.percent * weights.direct_memory,
        report.bandwidth_in.percent * weights.bandwidth_in,
        report.bandwidth_out.percent * weights.bandwidth_out,
    )
    now = Features(max(-inf, *percents) / 100, weighted / 100, report.throughput_in + report.throughput_out)
    if before is None:
        return now
    past, share = weights.history, 1 - weights.history
    return now._replace(
        weighted_max=before.weighted_max * past + share * now.weighted_max,
        throughput=before.throughput * past + share * now.throughput,
    )


class Reports(NamedTuple):
    """The reports of one broker, one after another."""

    reports: tuple[Report, ...]
    weights: Weights = Weights()


def features_of_all(given: Reports) -> tuple[Features, ...]:
    found: list[Features] = []
    for report in given.reports:
        found.append(features(report, given.weights, found[-1] if found else None))
    return tuple(found)
