"""``AVG_PLACEMENT`` judges the broker that ``AvgShedder`` chooses for a bundle."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.balancer.batch.placements import avg_candidates_of
from oneowner.model.balancer.placement.avg_placement import Candidates, avg_placement
from oneowner.model.balancer.placement.placement_inputs import PairSizes, some_planned
from oneowner.model.balancer.shedding.avg_shedder import Rules
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown, always
from oneowner.model.kernel.law import LawKind, Status

CLASS = "AvgShedder.selectBroker"
Found = tuple[str, ...] | Thrown


def own(given: Candidates) -> str | None:
    """Return who is planned for the bundle itself, if that is a candidate."""
    chosen = [broker for bundle, broker in given.plan if bundle.name == given.bundle.name]
    return chosen[-1] if chosen and chosen[-1] in given.candidates else None


def others_alike(given: Candidates) -> bool:
    return any(one.name != given.bundle.name and one.short_term == given.bundle.short_term for one, _ in given.plan)


def has_candidates(given: Candidates, found: Found) -> bool:
    return bool(given.candidates)


def has_a_plan(given: Candidates, found: Found) -> bool:
    return own(given) is not None


def has_the_only_plan(given: Candidates, found: Found) -> bool:
    return has_a_plan(given, found) and not others_alike(given)


def has_no_plan(given: Candidates, found: Found) -> bool:
    return has_candidates(given, found) and own(given) is None and not others_alike(given)


def draws_candidates(given: Candidates, found: Found) -> bool:
    return isinstance(found, tuple) and bool(found) and set(found) <= set(given.candidates)


def draws_the_planned(given: Candidates, found: Found) -> bool:
    return found == (own(given),)


def draws_anyone(given: Candidates, found: Found) -> bool:
    return found == given.candidates


def draws_someone(given: Candidates, found: Found) -> bool:
    return isinstance(found, tuple)


def read(row: Mapping[str, Any]) -> Candidates:
    """Return the input that a fact gives as a line of a batch."""
    return avg_candidates_of(row, Rules())


AVG_PLACEMENT = Decision(
    "balancer/avg-placement",
    "Who is given a bundle by AvgShedder, which is a placement strategy, too",
    PairSizes,
    some_planned,
    avg_placement,
    (
        InputLaw("planned-broker-is-drawn", "If a candidate is planned for the bundle, and no other bundle has its"
                 " traffic, that one is drawn.", CLASS, has_the_only_plan, draws_the_planned, kind=LawKind.PROTOCOL),
        InputLaw("unplanned-bundle-goes-anywhere", "If none is, any candidate may be drawn, whatever its load.", CLASS,
                 has_no_plan, draws_anyone, kind=LawKind.MIRROR),
        InputLaw("candidate-is-drawn", "Of candidates one is drawn.", CLASS, has_candidates, draws_candidates,
                 kind=LawKind.PURPOSE),
        InputLaw("own-plan-decides", "If a candidate is planned for the bundle, that one is drawn. (Not if a bundle of"
                 " the same traffic was planned later: they are one in the plan, #26246.)", CLASS, has_a_plan,
                 draws_the_planned, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("placement-throws-nothing", "Nothing is thrown. (Without a candidate an ArithmeticException is.)",
                 "AvgShedder.getExpectedBroker", always, draws_someone, Status.DOCUMENTED, kind=LawKind.PURPOSE),
    ),
    read,
)  # fmt: skip
