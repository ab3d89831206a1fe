"""``LEAST_LONG_TERM`` judges the broker that ``LeastLongTermMessageRate`` chooses for a bundle."""

from collections.abc import Mapping
from math import fsum, inf
from typing import Any

from oneowner.model.balancer.batch.placements import long_term_of
from oneowner.model.balancer.local_broker_data import BrokerData, LoadRules, overload
from oneowner.model.balancer.placement.least_long_term import Candidates, least_long_term, score_of
from oneowner.model.balancer.placement.placement_inputs import PairSizes, some_long_term
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown
from oneowner.model.kernel.law import LawKind, Status

CLASS = "LeastLongTermMessageRate.selectBroker"
Found = tuple[str, ...] | Thrown


def has_candidates(given: Candidates, found: Found) -> bool:
    return bool(given.candidates)


def knows_all(given: Candidates, found: Found) -> bool:
    return has_candidates(given, found) and {one.name for one in given.brokers} >= set(given.candidates)


def has_room(given: Candidates, found: Found) -> bool:
    return knows_all(given, found) and any(not is_overloaded(one, given) for one in given.brokers)


def is_full(given: Candidates, found: Found) -> bool:
    return knows_all(given, found) and not has_room(given, found)


def is_overloaded(broker: BrokerData, given: Candidates) -> bool:
    return overload(broker, given.weights, given.rules) > given.overloaded / 100


def draws_someone(given: Candidates, found: Found) -> bool:
    return bool(found) and not isinstance(found, Thrown)


def has_least_score(given: Candidates, found: Found) -> bool:
    scores = {one.name: score_of(one, given) for one in given.brokers}
    return {name for name, score in scores.items() if score == min(scores.values())} == set(found_of(found))


def draws_none_overloaded(given: Candidates, found: Found) -> bool:
    return all(not is_overloaded(one, given) or one.name not in found_of(found) for one in given.brokers)


def draws_the_least_overloaded(given: Candidates, found: Found) -> bool:
    usages = {one.name: overload(one, given.weights, given.rules) for one in given.brokers}
    return all(usages.get(name) == min(usages.values()) for name in found_of(found))


def draws_all_of_least_rate(given: Candidates, found: Found) -> bool:
    rates = {one.name: inf if is_overloaded(one, given) else rate(one) for one in given.brokers}
    return {name for name, one in rates.items() if one == min(rates.values())} == set(found_of(found))


def rate(broker: BrokerData) -> float:
    """Return all its messages a second, summed up without rounding."""
    return fsum([broker.time_average.rate, *(bundle.long_term.rate for bundle in broker.preallocated)])


def draws_the_same_in_any_order(given: Candidates, found: Found) -> bool:
    again = least_long_term(given._replace(candidates=given.candidates[::-1]))
    return found_of(again)[::-1] == found_of(found)


def found_of(found: Found) -> tuple[str, ...]:
    return () if isinstance(found, Thrown) else found


def read(row: Mapping[str, Any]) -> Candidates:
    """Return the input that a fact gives as a cycle of a batch, with its ``conf``."""
    return long_term_of(row, row, LoadRules())


LEAST_LONG_TERM = Decision(
    "balancer/least-long-term",
    "Who is given a bundle by the fewest messages a second (LeastLongTermMessageRate)",
    PairSizes,
    some_long_term,
    least_long_term,
    (
        InputLaw("someone-is-drawn", "If all candidates are known, one is drawn.", CLASS, knows_all, draws_someone,
                 kind=LawKind.PURPOSE),
        InputLaw("least-score-is-drawn", "Who may be drawn has the least score.", CLASS, knows_all, has_least_score,
                 kind=LawKind.MIRROR),
        InputLaw("overloaded-is-passed-over", "Nobody who is overloaded is drawn while one is not.", CLASS, has_room,
                 draws_none_overloaded, kind=LawKind.PURPOSE),
        InputLaw("order-of-candidates-draws-nobody", "The order of candidates decides nothing.", CLASS, has_candidates,
                 draws_the_same_in_any_order, kind=LawKind.PROTOCOL),
        InputLaw("least-rate-is-drawn-always", "Who has the fewest messages a second may be drawn. (Sums follow the"
                 " names of bundles, and round.)", CLASS, has_room, draws_all_of_least_rate, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("least-overloaded-is-drawn", "If all are overloaded, the least loaded is drawn. (Any of them may be:"
                 " their score is infinite.)", CLASS, is_full, draws_the_least_overloaded, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("unknown-candidate-throws-nothing", "A candidate without load data stops no placement. (It does, by a"
                 " NullPointerException.)", CLASS, has_candidates, draws_someone, Status.DOCUMENTED,
                 kind=LawKind.PURPOSE),
    ),
    read,
)  # fmt: skip
