"""The compiled search gives one answer, however many threads it has, and compares small states whole."""

from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import bounds_under, families, faults
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.engines.explore.engine_choice import disagreement
from oneowner.checkers.engines.explore.exploration import Limits
from oneowner.checkers.engines.explore.native import explore
from oneowner.model.channel.bounds import Bounds
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES

pytestmark = pytest.mark.slow

WIDE = families()["transfer"].bounds
SMALL = Bounds(brokers=2, owner=1, unloads=1, transfers=1, window=2)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_change_nothing(threads: int) -> None:
    one = explore_compiled(WIDE, PROPERTIES, WITNESSES, threads=1)
    several = explore_compiled(WIDE, PROPERTIES, WITNESSES, threads=threads)
    assert several.finished
    assert disagreement(one, several) == ""


@pytest.mark.parametrize("name", ["no_version_check", "cleanup_without_health_check"])
def test_threads_find_the_same_counterexample(name: str) -> None:
    fault = faults()[name]
    bounds = bounds_under(families()[fault.family].bounds, "4.0.6", [name])
    runs = [explore_compiled(bounds, PROPERTIES, WITNESSES, frozenset([fault.law]), threads=n) for n in (1, 2, 5)]
    assert runs[0].laws[fault.law].steps is not None
    assert disagreement(runs[0], runs[1]) == disagreement(runs[0], runs[2]) == ""


@pytest.mark.parametrize("most", [1, 63, 64, 65, 500, 4_500])
def test_search_that_is_cut_short_has_counted_up_to_the_same_step(most: int) -> None:
    native = explore(WIDE, PROPERTIES, WITNESSES, limits=Limits(most))
    for threads in (1, 2):
        compiled = explore_compiled(WIDE, PROPERTIES, WITNESSES, limits=Limits(most), threads=threads)
        assert compiled.is_cut_short
        assert (compiled.distinct, compiled.transitions, compiled.fired) == (most, native.transitions, native.fired)
        assert compiled.laws == native.laws


@pytest.mark.slow
def test_bound_that_is_used_up_is_the_first_one_whatever_the_threads() -> None:
    bounds = replace(WIDE, versions=4)
    native = explore(bounds, PROPERTIES, WITNESSES)
    assert "versions" in native.stopped
    for threads in (1, 3):
        assert disagreement(explore_compiled(bounds, PROPERTIES, WITNESSES, threads=threads), native) == ""


@pytest.mark.parametrize(
    "bounds", [Bounds(brokers=1, assigns=1, unloads=1, versions=3), Bounds(brokers=1, assigns=2, pending=2, versions=8)]
)
def test_states_of_at_most_128_bits_are_compared_whole(bounds: Bounds) -> None:
    """Those of the second need 126 bits, but three words: eight slots side by side get as many bits as the widest."""
    for threads in (1, 2):
        compiled = explore_compiled(bounds, PROPERTIES, WITNESSES, threads=threads)
        assert compiled.missed == 0
        assert disagreement(compiled, explore(bounds, PROPERTIES, WITNESSES)) == ""


def test_larger_states_are_told_apart_by_fingerprints_and_the_risk_is_told() -> None:
    compiled = explore_compiled(SMALL, PROPERTIES, WITNESSES)
    assert compiled.missed is not None
    assert 0 < compiled.missed < 1e-9


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_cap_on_perturbations_leaves_out_the_states_beyond_it(most: int) -> None:
    spent = SMALL.unloads + SMALL.transfers
    capped = explore_compiled(SMALL, PROPERTIES, WITNESSES, limits=Limits(perturbations=most))
    whole = explore_compiled(SMALL, PROPERTIES, WITNESSES)
    assert (capped.distinct == whole.distinct) == (most >= spent)
    assert capped.fired["transfer"] <= whole.fired["transfer"]
    assert capped.distinct == 1 or most
