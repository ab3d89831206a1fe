"""Cruise Control: which broker has which replica, by goals in the order of their priority (``GoalOptimizer``)."""

from math import ceil, floor
from typing import NamedTuple

from oneowner.model.kernel.decision import Thrown

MARGIN = 0.9
"""A goal aims at a part of the range that it allows (``ReplicaDistributionAbstractGoal.BALANCE_MARGIN``)."""


class Replicas(NamedTuple):
    """Brokers of one rack each; two replicas a partition, one behind the other: the broker of each."""

    brokers: int
    capacity: int
    at: tuple[int, ...]


class Average(NamedTuple):
    """The numbers of replicas and of brokers, and the permitted difference of a broker's count."""

    brokers: int
    replicas: int
    threshold: float = 1.1


def limits(given: Average) -> tuple[int, int]:
    """
    Return how many replicas a broker is to have, at least and at most (``balanceLowerLimit``, ``balanceUpperLimit``).

    >>> limits(Average(1, 10)), limits(Average(1, 100))
    ((9, 11), (90, 110))
    """
    average, part = given.replicas / given.brokers, (given.threshold - 1) * MARGIN
    return floor(average * max(0, 1 - part)), ceil(average * (1 + part))


def counts(given: Replicas) -> list[int]:
    return [given.at.count(one) for one in range(1, given.brokers + 1)]


def rack_aware(given: Replicas) -> int:
    return sum(one == other for one, other in zip(given.at[::2], given.at[1::2], strict=True))


def replica_capacity(given: Replicas) -> int:
    return sum(max(0, one - given.capacity) for one in counts(given))


def replica_distribution(given: Replicas) -> int:
    least, most = limits(Average(given.brokers, len(given.at)))
    return sum(max(0, least - one, one - most) for one in counts(given))


GOALS = (rack_aware, replica_capacity, replica_distribution)
"""Each says by how much replicas violate it."""
HARD = 2
"""So many of the first goals are hard: where one cannot be met, nothing is done."""


def moves(given: Replicas) -> list[Replicas]:
    places = [(one, to) for one in range(len(given.at)) for to in range(1, given.brokers + 1)]
    return [given._replace(at=(*given.at[:one], to, *given.at[one + 1 :])) for one, to in places]


def optimise(given: Replicas) -> tuple[Replicas, ...] | Thrown:
    """Return where replicas are after each goal: a move is made if it serves the goal and no earlier one objects."""
    after = []
    for number, goal in enumerate(GOALS):
        while goal(given):
            better = [
                one
                for one in moves(given)
                if goal(one) < goal(given) and all(earlier(one) <= earlier(given) for earlier in GOALS[:number])
            ]
            if not better:
                break
            given = better[0]
        if goal(given) and number < HARD:
            return Thrown("OptimizationFailureException", f"{goal.__name__} cannot be met")
        after.append(given)
    return tuple(after)
