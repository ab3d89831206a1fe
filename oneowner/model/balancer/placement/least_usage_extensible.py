"""``LeastResourceUsageWithWeight`` of the extensible manager: the brokers that may be given a bundle."""

from typing import NamedTuple

from oneowner.model.java.arithmetic import added, divide


class Candidates(NamedTuple):
    """The brokers that could be given a bundle, in the order of the set, and the load of each; None: no load data."""

    loads: tuple[tuple[str, float | None], ...]
    difference: float = 10.0
    """``loadBalancerAverageResourceUsageDifferenceThresholdPercentage``"""


def least_usage(given: Candidates) -> tuple[str, ...]:
    """
    Return the candidates of which one is drawn at random: those clearly below the average of all that have load data.

    If none is, all are, the overloaded and those without load data included.
    """
    known = [load for _, load in given.loads if load is not None]
    average = divide(added(known), len(known))
    best = tuple(name for name, load in given.loads if load is not None and load + given.difference / 100 <= average)
    return best or tuple(name for name, _ in given.loads)
