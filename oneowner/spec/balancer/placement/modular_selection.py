"""``MODULAR_SELECTION`` judges the broker that the modular load manager chooses by its filters and a strategy."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.balancer.batch.selection import selection_of
from oneowner.model.balancer.filters import isolation
from oneowner.model.balancer.local_broker_data import LoadRules
from oneowner.model.balancer.placement.modular_selection import Selection, filtered, select
from oneowner.model.balancer.placement.placement_inputs import PairSizes, some_selection
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown
from oneowner.model.kernel.law import LawKind, Status

CLASS = "ModularLoadManagerImpl.selectBroker"
Found = tuple[str, ...] | Thrown


def is_allowed_somewhere(asked: Selection, found: Found) -> bool:
    return bool(isolation.kept(asked.policies))


def obeys_policies(asked: Selection, found: Found) -> bool:
    return set(names(found)) <= set(isolation.kept(asked.policies))


def draws_someone(asked: Selection, found: Found) -> bool:
    return bool(names(found))


def names(found: Found) -> tuple[str, ...]:
    return () if isinstance(found, Thrown) else found


def passes_the_filters(asked: Selection, found: Found) -> bool:
    return set(names(found)) <= set(filtered(asked, isolation.kept(asked.policies)))


def is_of_its_manager(asked: Selection, found: Found) -> bool:
    mine = asked.known.settings.load_manager
    return set(names(found)) <= {name for name, broker in asked.known.brokers if broker.load_manager == mine}


def read(row: Mapping[str, Any]) -> Selection:
    """Return the input that a fact gives as a line of a batch."""
    return selection_of(row, LoadRules())


MODULAR_SELECTION = Decision(
    "balancer/modular-selection",
    "Who is given a bundle by the modular load manager (ModularLoadManagerImpl.selectBroker)",
    PairSizes,
    some_selection,
    select,
    (
        InputLaw("policies-are-obeyed", "Who is drawn is allowed by policies.", CLASS, is_allowed_somewhere,
                 obeys_policies, kind=LawKind.PURPOSE),
        InputLaw("allowed-bundle-finds-a-broker", "If policies allow a broker, one is drawn.", CLASS,
                 is_allowed_somewhere, draws_someone, kind=LawKind.PURPOSE),
        InputLaw("drawn-passes-the-filters", "Who is drawn is left by all filters, if anybody is. (If the first choice"
                 " is overloaded, all whom policies allow are candidates: groups, even distribution, topics and"
                 " versions count no longer.)", CLASS, is_allowed_somewhere, passes_the_filters, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("drawn-has-this-manager", "Who is drawn has the same load manager. (If nobody has, or the first choice"
                 " is overloaded, others are.)", CLASS, is_allowed_somewhere, is_of_its_manager, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
    ),
    read,
)  # fmt: skip
