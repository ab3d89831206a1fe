"""An excuse of a single law of Kafka Streams, and sizes that are refused."""

import pytest

from oneowner.model.kafka.rebalance.bounds import Bounds
from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.state import State, Store
from oneowner.model.kernel.law import StepLaw
from oneowner.model.kernel.system import actions
from oneowner.spec.kafka.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import Cells


def test_client_that_does_not_tell_its_lag_is_excused_by_the_guarded_law_alone() -> None:
    bounds = Bounds(running=1, older=1, starts=1)
    before = where(State(bounds), listed={2: True}, up={2: True}, store={(2, 2): Store.BEHIND})
    after = where(before, given={(1, 1): Role.ACTIVE}, heir={2: 2})
    taken = next(one for one in actions(bounds) if one.name == "assign")
    guarded, bare = (SYSTEM.laws_by_name[name] for name in ("ready-clients-run", "ready-clients-run-always"))
    assert isinstance(guarded, StepLaw)
    assert isinstance(bare, StepLaw)
    assert guarded.holds(before, taken, after)
    assert not bare.holds(before, taken, after)


@pytest.mark.parametrize("sizes", [{"members": 4}, {"tasks": 3}, {"standbys": 2}, {"running": 3}])
def test_sizes_for_which_the_choice_is_not_traced_are_refused(sizes: Cells) -> None:
    with pytest.raises(ValueError, match="refused"):
        Bounds(**sizes)
