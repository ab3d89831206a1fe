"""A broker that is not registered opens topics of a unit that is in flight to it; any other waits for the Owned."""

from dataclasses import replace

import pytest

from oneowner.model.channel import broker
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.early_opens import names_itself
from oneowner.model.channel.parts import Stage
from oneowner.model.channel.record import ASSIGNING, OWNED, RELEASING, Record, ServiceUnitState
from oneowner.model.channel.releases import rules_of
from oneowner.model.channel.rules import RELEASE_4_0_6, Rules
from oneowner.model.channel.state import State
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import initial_states

BOUNDS = Bounds(owner=1, transfers=1, crashes=1, early_opens=1)
IN_FLIGHT = Record(ASSIGNING, 2, 1, False, 3)


def destination(rules: Rules = RELEASE_4_0_6, held: Record = IN_FLIGHT, unregistered: bool = True) -> State:
    """Return a state in which broker 2 holds *held*, and is not registered."""
    (state,) = initial_states(replace(BOUNDS, rules=rules))
    state.view[2, 1] = held
    state.unregistered[2], state.known[2, 2] = unregistered, not unregistered
    return state


@pytest.mark.parametrize("phase", [ASSIGNING, RELEASING])
def test_destination_that_is_not_registered_opens_within_the_budget(phase: ServiceUnitState) -> None:
    state = destination(held=Record(phase, 2, 1, False, 3))
    broker.open(state, 2, 1)
    assert (state.serving[1, 1], state.serving[2, 1]) == (True, True)
    state.serving[2, 1] = False
    with pytest.raises(Disabled, match="another unregistered broker to open early"):
        broker.open(state, 2, 1)


def test_destination_that_is_registered_waits_for_the_owned() -> None:
    with pytest.raises(Disabled, match="says that it owns the unit"):
        broker.open(destination(unregistered=False), 2, 1)


def test_owner_that_is_not_registered_spends_no_budget() -> None:
    state = destination(held=Record(OWNED, 2, 1, False, 3))
    broker.open(state, 2, 1)
    assert state.early_opens_left == 1


@pytest.mark.parametrize("rules", [rules_of("3.3.2"), Rules(unregistered_awaits_owned=True)])
def test_releases_before_and_the_repair_wait(rules: Rules) -> None:
    assert not names_itself(destination(rules), 2, 1)


@pytest.mark.parametrize(("release", "names"), [("4.0.6", True), ("4.0.8", False)])
def test_destination_that_shuts_down_waits_since_it_asks_no_registry(release: str, names: bool) -> None:
    state = destination(rules_of(release))
    state.stage[2] = Stage.UNREGISTERED
    assert names_itself(state, 2, 1) == names
