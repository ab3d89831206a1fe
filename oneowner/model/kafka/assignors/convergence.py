"""``settle`` counts the rebalances until a group asks for no other, while each copy catches up by the next."""

from __future__ import annotations

from typing import Final, NamedTuple

from oneowner.model.kafka.assignors.group import Assignment, Group
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.assignors.series import rebalances

__traced__ = False  # decisions, concrete

BUDGET: Final = 40
"""So many rebalances are enough for any group of a few tasks; one that is not steady then never is, for all we know."""
END: Final = 9
"""The lag of a client without a copy."""


class Settled(NamedTuple):
    """How a group came to rest."""

    rebalances: int
    """How many assignments were made, the first one included."""
    steady: bool
    """True if no other was asked for in the end."""
    first: Assignment
    last: Assignment


def settle(group: Group) -> Settled:
    """Return how a group comes to rest; none of its lags is left out, and it has a client."""
    found = list(rebalances(group, (), assign_highly_available, END, BUDGET))
    first, last = found[0], found[-1]
    assert isinstance(first, Assignment)
    assert isinstance(last, Assignment)
    return Settled(len(found), not last.probing, first, last)
