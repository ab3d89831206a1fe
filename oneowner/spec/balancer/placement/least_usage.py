"""``LEAST_USAGE`` and ``LEAST_USAGE_EXTENSIBLE`` judge the broker that ``LeastResourceUsageWithWeight`` chooses."""

from collections.abc import Mapping
from math import fsum, inf
from typing import Any

from oneowner.model.balancer.batch.placements import usage_of
from oneowner.model.balancer.local_broker_data import LoadRules, max_usage_with_weight
from oneowner.model.balancer.placement.least_usage_extensible import Candidates as Loads
from oneowner.model.balancer.placement.least_usage_extensible import least_usage as least_usage_extensible
from oneowner.model.balancer.placement.least_usage_modular import Candidates, Choice, least_usage
from oneowner.model.balancer.placement.placement_inputs import CandidateSizes, PairSizes, some_loads, some_usages
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown
from oneowner.model.kernel.law import LawKind, Status

CLASS = "LeastResourceUsageWithWeight.selectBroker"
EXTENSIBLE = "extensions.strategy.LeastResourceUsageWithWeight.select"
OVERLOADED = 0.85


def has_candidates(given: Candidates, found: Choice) -> bool:
    return bool(given.candidates)


def knows_all(given: Candidates, found: Choice) -> bool:
    return has_candidates(given, found) and {one.name for one in given.brokers} >= set(given.candidates)


def has_an_idle_one(given: Candidates, found: Choice) -> bool:
    return knows_all(given, found) and any(one.traffic.rate == 0 for one in given.brokers)


def draws_someone(given: Candidates, found: Choice) -> bool:
    return bool(drawn(found))


def drawn(found: Choice) -> tuple[str, ...]:
    return () if isinstance(found.admissible, Thrown) else found.admissible


def is_below_average_or_all(given: Candidates, found: Choice) -> bool:
    averages = dict(found.history)
    if not averages.keys() >= set(given.candidates):
        return False
    mean = fsum(averages[name] for name in given.candidates) / len(given.candidates)
    below = {name for name in given.candidates if averages[name] + given.difference / 100 <= mean}
    return set(drawn(found)) == (below or set(given.candidates))


def draws_the_least(given: Candidates, found: Choice) -> bool:
    averages = dict(found.history)
    return min(given.candidates, key=lambda name: averages.get(name, inf)) in drawn(found)


def takes_the_idle_as_they_are(given: Candidates, found: Choice) -> bool:
    averages = dict(found.history)
    idle = (one for one in given.brokers if one.traffic.rate == 0)
    return all(averages.get(one.name) == max_usage_with_weight(one, given.weights, given.rules) for one in idle)


def draws_none_overloaded(given: Candidates, found: Choice) -> bool:
    averages = dict(found.history)
    least = min(averages.values(), default=0.0)
    return least > OVERLOADED or all(averages.get(name, inf) <= OVERLOADED for name in drawn(found))


def draws_the_same_again(given: Candidates, found: Choice) -> bool:
    return least_usage(given._replace(history=found.history)).admissible == found.admissible


def read(row: Mapping[str, Any]) -> Candidates:
    """Return the input that a fact gives as a cycle of a batch, with its ``conf`` and the averages remembered."""
    return usage_of(row, row, LoadRules())._replace(history=tuple(row.get("history", {}).items()))


def told(found: Choice) -> Any:
    """Return the set that upstream's tests compare: the brokers that may be drawn."""
    return list(drawn(found))


def has_loads(given: Loads, found: tuple[str, ...]) -> bool:
    return bool(given.loads)


def knows_some(given: Loads, found: tuple[str, ...]) -> bool:
    return any(load is not None for _, load in given.loads)


def draws_one(given: Loads, found: tuple[str, ...]) -> bool:
    return bool(found)


def is_below_average_of_the_known(given: Loads, found: tuple[str, ...]) -> bool:
    known = {name: load for name, load in given.loads if load is not None}
    mean = fsum(known.values()) / len(known)
    below = {name for name, load in known.items() if load + given.difference / 100 <= mean}
    return set(found) == (below or {name for name, _ in given.loads})


def draws_the_known(given: Loads, found: tuple[str, ...]) -> bool:
    return all(load is not None or name not in found for name, load in given.loads)


def draws_none_that_is_overloaded(given: Loads, found: tuple[str, ...]) -> bool:
    known = {name: load for name, load in given.loads if load is not None}
    return min(known.values()) > OVERLOADED or all(known.get(name, 0.0) <= OVERLOADED for name in found)


def read_loads(row: Mapping[str, Any]) -> Loads:
    """Return the input that a fact gives."""
    return Loads(tuple(row["loads"].items()), row["difference"])


LEAST_USAGE = Decision(
    "balancer/least-usage",
    "Who is given a bundle by the modular manager's LeastResourceUsageWithWeight",
    PairSizes,
    some_usages,
    least_usage,
    (
        InputLaw("some-usage-is-least", "If all candidates are known, one is drawn.", CLASS, knows_all, draws_someone,
                 kind=LawKind.PURPOSE),
        InputLaw("drawn-is-below-average", "Those are drawn whose average usage lies below the mean by the difference;"
                 " if none does, all are.", CLASS, knows_all, is_below_average_or_all, kind=LawKind.MIRROR),
        InputLaw("least-used-may-be-drawn", "The least used may be drawn.", CLASS, knows_all, draws_the_least,
                 kind=LawKind.PROTOCOL),
        InputLaw("idle-broker-has-no-past", "A broker without messages counts with its present usage.",
                 "LeastResourceUsageWithWeight.updateAndGetMaxResourceUsageWithWeight", has_an_idle_one,
                 takes_the_idle_as_they_are, kind=LawKind.MIRROR),
        InputLaw("overloaded-is-not-drawn", "Nobody who is overloaded is drawn while another is not. (If none is below"
                 " the mean, all are drawn.)", CLASS, knows_all, draws_none_overloaded, Status.DOCUMENTED,
                 kind=LawKind.PURPOSE),
        InputLaw("asking-changes-nothing", "The same question has the same answer again. (Each question moves the"
                 " averages on: how fast they follow the load depends on how many bundles are placed.)", CLASS,
                 knows_all, draws_the_same_again, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("unknown-candidate-stops-nothing", "A candidate without load data stops no placement. (It does, by a"
                 " NullPointerException.)", CLASS, has_candidates, draws_someone, Status.DOCUMENTED,
                 kind=LawKind.PURPOSE),
    ),
    read,
    told=told,
)  # fmt: skip
LEAST_USAGE_EXTENSIBLE = Decision(
    "balancer/least-usage-extensible",
    "Who is given a bundle by the extensible manager's LeastResourceUsageWithWeight",
    CandidateSizes,
    some_loads,
    least_usage_extensible,
    (
        InputLaw("some-load-is-least", "Of candidates one is drawn.", EXTENSIBLE, has_loads, draws_one,
                 kind=LawKind.PURPOSE),
        InputLaw("drawn-is-below-the-known", "Those are drawn whose load lies below the mean of the known by the"
                 " difference; if none does, all are.", EXTENSIBLE, knows_some, is_below_average_of_the_known,
                 kind=LawKind.MIRROR),
        InputLaw("unknown-is-not-drawn", "Nobody without load data is drawn while another has some. (If none is below"
                 " the mean, all are drawn.)", EXTENSIBLE, knows_some, draws_the_known, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("overloaded-load-is-not-drawn", "Nobody who is overloaded is drawn while another is not. (If none is"
                 " below the mean, all are drawn.)", EXTENSIBLE, knows_some, draws_none_that_is_overloaded,
                 Status.DOCUMENTED, kind=LawKind.PURPOSE),
    ),
    read_loads,
)  # fmt: skip
