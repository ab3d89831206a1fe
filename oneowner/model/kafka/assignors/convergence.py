"""``settle`` counts the rebalances until a group asks for no other, while each copy catches up by the next."""

from typing import Final, NamedTuple

from oneowner.model.kafka.assignors.group import Assignment, Group
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.assignors.series import rebalances

BUDGET: Final = 40
"""So many rebalances are enough for any small group tried; one that is not steady by then is taken as never steady."""
END: Final = 9
"""The lag of a client without a copy."""


class Settled(NamedTuple):
    """The rebalances of a group until it rests."""

    rebalances: int
    """The number of assignments, the first one included."""
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
