"""
``REPLICA_GOALS`` and ``REPLICA_LIMITS`` judge the moves of Cruise Control for its goals, and when a goal is met.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

from oneowner.model.allocation.allocation_inputs import AverageSizes, ReplicaSizes, some_average, some_replicas
from oneowner.model.allocation.replica_goals import GOALS, HARD, MARGIN, Average, Replicas, limits, optimise
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown, always, answers
from oneowner.model.kernel.law import LawKind, Status

OPTIMIZER = "GoalOptimizer; AbstractGoal.maybeApplyBalancingAction"
VERIFIER = "OptimizationVerifier, GOAL_VIOLATION"
CLASS = "ReplicaDistributionAbstractGoal"
Found = Any
"""The placement of replicas after each goal, or the exception."""


def violations(given: Replicas) -> tuple[int, ...]:
    return tuple(goal(given) for goal in GOALS)


def moves_something(given: Replicas, found: Found) -> bool:
    return answers(given, found) and found[-1] != given


def was_met(given: Replicas, found: Found) -> bool:
    return not any(violations(given))


def can_be_met(given: Replicas, found: Found) -> bool:
    """Some placement of the replicas meets all hard goals."""
    places = product(range(1, given.brokers + 1), repeat=len(given.at))
    return any(not any(violations(given._replace(at=at))[:HARD]) for at in places)


def is_never_newly_violated(given: Replicas, found: Found) -> bool:
    """No later goal undoes an earlier goal's result."""
    stages = [violations(one) for one in found]
    return all(later[goal] <= stages[goal][goal] for goal in range(len(GOALS)) for later in stages[goal:])


def falls_in_order(given: Replicas, found: Found) -> bool:
    return bool(found) and violations(found[-1]) < violations(given)


def hard_ones_are_met(given: Replicas, found: Found) -> bool:
    return bool(found) and not any(violations(found[-1])[:HARD])


def nothing_moves(given: Replicas, found: Found) -> bool:
    return not isinstance(found, Thrown) and bool(found[-1:] == (given,))


def told(found: Found) -> Any:
    """Return what a fact gives: the violations that are left, or what is thrown."""
    return {"error": found.exception} if isinstance(found, Thrown) else list(violations(found[-1]))


def aims(given: Average) -> tuple[Fraction, Fraction]:
    """Return the limits before they are rounded, as rational numbers."""
    average = Fraction(given.replicas, given.brokers)
    part = (Fraction(str(given.threshold)) - 1) * Fraction(str(MARGIN))
    return average * max(Fraction(0), 1 - part), average * (1 + part)


def enclose_the_average(given: Average, found: tuple[int, int]) -> bool:
    return found[0] <= Fraction(given.replicas, given.brokers) <= found[1]


def are_within_the_threshold(given: Average, found: tuple[int, int]) -> bool:
    average, threshold = Fraction(given.replicas, given.brokers), Fraction(str(given.threshold))
    return floor(average * max(Fraction(0), 2 - threshold)) <= found[0] and found[1] <= ceil(average * threshold)


def are_what_is_computed_by_hand(given: Average, found: tuple[int, int]) -> bool:
    least, most = aims(given)
    return found == (floor(least), ceil(most))


def read(row: Mapping[str, Any]) -> Replicas:
    return Replicas(row["brokers"], row["capacity"], tuple(row["at"]))


REPLICA_GOALS = Decision(
    "allocation/replica-goals",
    "Which broker has which replica, by goals in their order (Cruise Control)",
    ReplicaSizes,
    some_replicas,
    optimise,
    (
        InputLaw("goal-is-never-newly-violated", "No later goal undoes an earlier goal's result.", OPTIMIZER,
                 answers, is_never_newly_violated, kind=LawKind.PROTOCOL),
        InputLaw("violations-fall-in-order", "If replicas move, the first goal that is violated more or less than"
                 " before is violated less.", OPTIMIZER, moves_something, falls_in_order, kind=LawKind.PROTOCOL),
        InputLaw("hard-goals-are-met", "Replicas move only if the result meets all hard goals.", VERIFIER, answers,
                 hard_ones_are_met, kind=LawKind.PURPOSE),
        InputLaw("nothing-moves-where-all-is-met", "Where all goals are met, no replica moves.", OPTIMIZER, was_met,
                 nothing_moves, kind=LawKind.PROTOCOL),
        InputLaw("hard-goals-are-met-if-they-can-be", "Where some placement meets all hard goals, one is found.",
                 OPTIMIZER, can_be_met, answers, kind=LawKind.PURPOSE),
    ),
    read,
    told=told,
)  # fmt: skip
REPLICA_LIMITS = Decision(
    "allocation/replica-limits",
    "How many replicas a broker is to have, at least and at most (Cruise Control)",
    AverageSizes,
    some_average,
    limits,
    (
        InputLaw("limits-enclose-the-average", "The average is within the limits.", CLASS, always,
                 enclose_the_average, kind=LawKind.PROTOCOL),
        InputLaw("limits-are-within-the-threshold", "The limits are not beyond what the configured threshold allows.",
                 CLASS, always, are_within_the_threshold, kind=LawKind.PROTOCOL),
        InputLaw("limits-are-exact", "The limits are those of the threshold with its margin. (This fails: for 100 "
                                     "replicas per broker, 109 is 109.00000000000001 in floating point, and 110 "
                                     "are allowed.)", CLASS, always,
                 are_what_is_computed_by_hand, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    lambda row: Average(row["brokers"], row["replicas"], row["threshold"]),
)  # fmt: skip
