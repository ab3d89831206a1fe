"""Symmetry: orbits add up to the whole graph, counterexamples are the model's, things that differ are refused."""

from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import bounds_under, families, faults
from oneowner.checkers.engines.compile.exchange import Exchange, classes
from oneowner.checkers.engines.compile.program import Check, trace
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.engines.explore.symmetry import proved
from oneowner.checkers.trace.expressions import choose, constant, variable
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.record import Record
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.system import initial_states
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from tests.command_line import oneowner

pytestmark = pytest.mark.slow

STORE = families()["transfer-metadata-store"].bounds
ALIKE = {
    "two brokers": (STORE, ("broker",), 2),
    "three brokers": (
        Bounds(brokers=4, owner=1, storage=Storage.METADATA_STORE, unloads=1, transfers=1),
        ("broker",),
        6,
    ),
    "two units": (Bounds(brokers=2, units=2, owner=1, storage=Storage.METADATA_STORE, unloads=2), ("unit",), 2),
    "brokers and units": (
        Bounds(brokers=3, units=2, owner=1, storage=Storage.METADATA_STORE, transfers=1),
        ("broker", "unit"),
        4,
    ),
}


BIG = ("three brokers", "brokers and units")
OF_UNITS_ALIKE = tuple(law for law in PROPERTIES if law.name != "publishes-by-rule")
"""All laws but one, which numbers the children of a split."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in BIG else n for n in ALIKE])
def test_orbits_add_up_to_the_whole_graph(name: str) -> None:
    bounds, kinds, most = ALIKE[name]
    laws = OF_UNITS_ALIKE if "unit" in kinds else PROPERTIES
    whole = explore_compiled(bounds, laws, WITNESSES)
    orbits = explore_compiled(bounds, laws, WITNESSES, symmetry=kinds)
    assert orbits.finished
    assert orbits.represented == whole.distinct > orbits.distinct
    assert 1.5 < whole.distinct / orbits.distinct <= most
    assert (orbits.depth, orbits.witnesses) == (whole.depth, whole.witnesses)
    for law, row in whole.laws.items():
        mine = orbits.laws[law]
        assert (mine.steps is None, mine.exercised > 0) == (row.steps is None, row.exercised > 0)
        assert len(mine.steps or ()) == len(row.steps or ())


def test_threads_change_nothing_of_orbits() -> None:
    one, two = (explore_compiled(STORE, PROPERTIES, WITNESSES, symmetry=("broker",), threads=n) for n in (1, 2))
    assert (one.distinct, one.transitions, one.represented) == (two.distinct, two.transitions, two.represented)


@pytest.mark.slow
def test_counterexample_is_told_by_real_names_and_as_short() -> None:
    fault = faults()["no_version_check"]
    bounds = bounds_under(families()[fault.family].bounds, "4.0.6", [fault.name])
    ends = frozenset([fault.law])
    whole = explore_compiled(bounds, PROPERTIES, WITNESSES, ends)
    orbits = explore_compiled(bounds, PROPERTIES, WITNESSES, ends, symmetry=("broker",))  # confirmed natively
    found, known = orbits.laws[fault.law], whole.laws[fault.law]
    assert found.steps is not None
    assert known.steps is not None
    assert (len(found.steps), found.perturbations) == (len(known.steps), known.perturbations)


def test_exchange_is_its_own_inverse_and_keeps_what_it_does_not_name() -> None:
    program = trace(STORE, (), ())
    exchange = Exchange("broker", 2, 3, program.places, program.sorts)
    state = initial_states(STORE)[0]
    state.view[2, 1] = Record(state.view[1, 1].state, 3, 2, version=4)
    swapped = state.with_codes(exchange.codes(state.codes()))
    assert swapped.view[3, 1] == Record(state.view[1, 1].state, 2, 3, version=4)
    assert swapped.view[1, 1] == state.view[1, 1]
    assert exchange.codes(exchange.codes(state.codes())) == tuple(state.codes())


def test_leader_and_owner_are_like_no_other_broker() -> None:
    program = trace(STORE, (), ())
    assert [(same.kind, same.members) for same in classes(program, ["broker", "unit"])] == [("broker", (2, 3))]


def test_law_that_tells_brokers_apart_is_refused_by_name() -> None:
    program = trace(STORE, (), ())
    slot = next(at for at, place in enumerate(program.places) if place.name == "serving[2,1]")
    unfair = Check("unfair", choose(variable(slot, 0, 1), constant(1), constant(2)))
    with pytest.raises(Misuse, match="broker 2 and broker 3 are not interchangeable: law unfair tells them apart"):
        proved(replace(program, state_laws=(unfair,)), ("broker",))
    trees = list(program.trees)
    trees[0], trees[1] = trees[1], trees[0]
    with pytest.raises(Misuse, match="tells them apart"):
        proved(replace(program, trees=tuple(trees)), ("broker",))


def test_nothing_alike_is_refused_with_the_reason() -> None:
    with pytest.raises(Misuse, match="the initial states tell all things of kind broker apart"):
        proved(trace(replace(STORE, brokers=2), (), ()), ("broker",))
    found = oneowner("explore", "expiry", "--symmetry")
    assert found.code == 2
    assert found.err == "error: symmetry refused: the family expiry does not declare any, such as symmetry: [broker]\n"
    assert oneowner("explore", "transfer", "--symmetry", "--engine", "native").code == 2


def test_explore_with_symmetry_is_as_pinned() -> None:
    found = oneowner("explore", "transfer-metadata-store", "--symmetry")
    assert found.code == 0
    assert "5,032 states in all, 1.98 times as many" in found.out
    assert "as pinned" in found.out
    assert explore(STORE, ()).distinct == 5032
