"""``EXTENSIBLE_SELECTION`` judges the candidates of the extensible load manager, whichever filter answers first."""

from oneowner.model.balancer.batch.placements import extensible_selection_of
from oneowner.model.balancer.placement.extensible_selection import Selection, left
from oneowner.model.balancer.placement.placement_inputs import CandidateSizes, some_filters
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status

CLASS = "ExtensibleLoadManagerImpl.selectAsync"
Found = tuple[str, ...]


def one_fails(asked: Selection, found: Found) -> bool:
    return any(one.fails for one in asked.filters)


def none_fails(asked: Selection, found: Found) -> bool:
    return not one_fails(asked, found)


def allowed(asked: Selection) -> set[str]:
    """Return whom every filter that answers lets pass by name."""
    kept = [one.keeps for one in asked.filters if one.keeps is not None and not one.fails]
    return set(asked.candidates).intersection(*kept)


def allows_someone(asked: Selection, found: Found) -> bool:
    return none_fails(asked, found) and bool(allowed(asked))


def leaves_the_allowed(asked: Selection, found: Found) -> bool:
    return set(found) <= allowed(asked)


def leaves_someone(asked: Selection, found: Found) -> bool:
    return bool(found)


def leaves_nobody(asked: Selection, found: Found) -> bool:
    return not found


def leaves_the_same_in_the_other_order(asked: Selection, found: Found) -> bool:
    other = tuple(one._replace(answers=len(asked.filters) + 1 - one.answers) for one in asked.filters)
    return left(asked._replace(filters=other)) == found


EXTENSIBLE_SELECTION = Decision(
    "balancer/extensible-selection",
    "Who may be drawn by the extensible load manager (ExtensibleLoadManagerImpl.selectAsync)",
    CandidateSizes,
    some_filters,
    left,
    (
        InputLaw("left-brokers-pass", "Every filter that answers lets pass whoever is left.", CLASS, always,
                 leaves_the_allowed, kind=LawKind.PURPOSE),
        InputLaw("failed-filter-lets-nobody-pass", "If a filter fails, nobody is left. (Everybody is whom the others"
                 " leave: while policies cannot be read, they count for nothing.)", CLASS, one_fails, leaves_nobody,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("order-of-answers-decides-nothing", "Whichever filter answers first, the same brokers are left. (All"
                 " work on one map: the emptiest of all is another than the emptiest of those that policies allow.)",
                 CLASS, none_fails, leaves_the_same_in_the_other_order, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("allowed-bundle-finds-a-broker", "If policies allow a broker, one is left. (Nobody is, if they allow"
                 " none of those that have the fewest of the group, and answer last.)", CLASS, allows_someone,
                 leaves_someone, Status.DOCUMENTED, kind=LawKind.PURPOSE),
    ),
    extensible_selection_of,
)  # fmt: skip
