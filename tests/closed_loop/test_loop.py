"""The loop takes the decisions of the balancer, and how soon it comes to rest is pinned to the cycle."""

from dataclasses import replace
from itertools import pairwise

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.model.balancer.load_reports import EXTENSIBLE, Measured, Reporter, is_due
from oneowner.model.balancer.shedding import overload_shedder, threshold_shedder
from oneowner.model.closed_loop.bounds import Bounds, Shedder
from oneowner.model.closed_loop.cycle import decide, followed, hand_over, place
from oneowner.model.closed_loop.deciding import Asked
from oneowner.model.closed_loop.deciding import decide as decided
from oneowner.model.closed_loop.reported import load_data
from oneowner.model.closed_loop.state import State
from oneowner.model.closed_loop.table import Table, first_instants, instants_after
from oneowner.model.kernel.guards import BoundReached, Disabled

ROWS = [name for name in families() if name.startswith("closed_loop/")]


def bounds_of(row: str) -> Bounds:
    bounds = families()[f"closed_loop/{row}"].bounds
    assert isinstance(bounds, Bounds)
    return bounds


def most_cycles(bounds: Bounds) -> int:
    """Return after how many cycles, at most, nothing moves any more; it must come to rest."""
    table, now, cycles, last = Table(bounds), set(first_instants(bounds)), 0, 0
    while cycles < 20:
        cycles += 1
        after = set()
        for one in now:
            case = Asked(one.heavies, one.owner, tuple(left > 0 for left in one.rest), one.wait > 0, one.memory)
            found = table.at(case, bounds)
            last = cycles if any(found.to) else last
            after |= set(instants_after(one, found, bounds))
        now = after
    return last


@pytest.mark.parametrize("row", ["unevenly", "uniform", "avg", "transfer"])
def test_horizon_is_the_last_cycle_that_moves_something(row: str) -> None:
    bounds = bounds_of(row)
    assert most_cycles(bounds) == bounds.horizon


@pytest.mark.parametrize("row", ["overload", "hot-bundle", "evenly"])
def test_window_is_the_first_in_which_a_bundle_is_back(row: str) -> None:
    family = families()[f"closed_loop/{row}"]
    assert family.laws["no-return"] == "invalid"
    bounds = bounds_of(row)
    assert bounds.window == bounds.grace + 1


def test_decision_is_that_of_the_shedder() -> None:
    bounds = Bounds(shedder=Shedder.OVERLOAD, brokers=2, bundles=4, heavies=4, heavy=45)
    owners, resting = (1, 1, 2, 2), (False, True, False, False)
    loads = load_data(bounds, 4, owners, resting)
    moves = overload_shedder.shed(loads, overload_shedder.Settings()).moves
    found = decided(Asked(4, owners, resting), bounds)
    assert [f"t/n/{at}" for at, to in enumerate(found.to, 1) if to] == sorted(bundle for bundle, _ in moves)


def test_one_idle_broker_of_six_is_left_alone_by_threshold() -> None:
    bounds = Bounds(shedder=Shedder.THRESHOLD, brokers=6, bundles=10, heavies=0, light=25)
    owners = (1, 1, 2, 2, 3, 3, 4, 4, 5, 5)
    loads = load_data(bounds, 0, owners, (False,) * 10)
    assert not threshold_shedder.shed(loads, threshold_shedder.Settings(), threshold_shedder.Rules(), {}).moves
    assert any(decided(Asked(0, owners, (False,) * 10), replace(bounds, lower_boundary=1)).to)


@pytest.mark.parametrize("row", ROWS)
def test_every_hand_over_is_reported(row: str) -> None:
    bounds = families()[row].bounds
    for count, more in pairwise(range(bounds.bundles + 1)):
        for reporter in (Reporter(seconds=0), EXTENSIBLE._replace(seconds=0)):
            assert is_due(reporter._replace(last=Measured(bundles=more)), Measured(bundles=count))


def test_case_that_the_table_lacks_ends_a_search_undecided() -> None:
    state = State(Bounds())
    with pytest.raises(BoundReached):
        followed(state, 0, 7)


def test_run_begins_when_all_bundles_are_placed() -> None:
    state = State(Bounds(bundles=2, heavies=1, fewest=1, dealt=1))
    with pytest.raises(Disabled, match="all bundles are placed"):
        decide(state)
    with pytest.raises(Disabled, match="must be heavy"):
        place(state.copy(), 1, 0)
    with pytest.raises(Disabled, match="dealt out"):
        place(state.copy(), 2, 1)
    place(state, 1, 1)
    place(state, 2, 0)
    decide(state)
    with pytest.raises(Disabled, match="in flight"):
        hand_over(state, 1, 1)


def test_shedder_with_a_memory_is_not_modelled_with_old_reports() -> None:
    with pytest.raises(ValueError, match="lag refused"):
        Bounds(shedder=Shedder.AVG, lag=1)
