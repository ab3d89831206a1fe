"""Variants: the effects of assumptions and repairs are measured, and shown by stories as short as can be."""

from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import bounds_under, families, variants
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.engines.liveness.check import check_liveness
from oneowner.checkers.native_code import compiler
from oneowner.checkers.places import TOP
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.record import FREE
from oneowner.spec.channel.registry import PROPERTIES
from tests.channel import DEFAULT_RELEASE, LIVENESS_LAWS

pytestmark = pytest.mark.slow

COUNTEREXAMPLES = TOP / "traces" / "counterexamples"
VARIANTS = variants()
MEASURED = [(variant.name, family) for variant in VARIANTS.values() for family in variant.families]
TOLD = {"failure", "forced-free", "tombstone", "tombstone-metadata-store", *VARIANTS}
STORIES = sorted(
    path.relative_to(COUNTEREXAMPLES).as_posix()
    for path in COUNTEREXAMPLES.glob("*/*.yaml")
    if path.parent.name in TOLD
    # The run of this one is the shortest in which the unit is not tainted either; the law fails two steps earlier.
    and path.relative_to(COUNTEREXAMPLES).as_posix() != "tombstone/single-server-always.yaml"
)


def shortest(bounds: Bounds, law: str) -> int:
    """Return the steps of the shortest counterexample."""
    if law in LIVENESS_LAWS:
        lasso = check_liveness(bounds, [LIVENESS_LAWS[law]])[1][law].lasso
        assert lasso is not None
        return len(lasso.steps)
    chosen = [one for one in PROPERTIES if one.name == law]
    steps = explore_compiled(bounds, chosen, stop_at=frozenset({law})).laws[law].steps
    assert steps is not None
    return len(steps)


@pytest.mark.skipif(compiler() is None, reason="no C compiler")
@pytest.mark.parametrize(("variant", "family"), MEASURED)
def test_variant_is_worth_what_is_pinned(variant: str, family: str) -> None:
    found = explore_compiled(bounds_under(families()[family].bounds, DEFAULT_RELEASE, [variant]), PROPERTIES)
    broken = {name: len(law.steps) for name, law in found.laws.items() if law.steps is not None}
    pinned = variants()[variant].families[family]
    assert (found.distinct, found.transitions, found.depth) == (pinned.states, pinned.transitions, pinned.depth)
    assert broken == pinned.broken


def test_neither_repair_is_enough_and_both_are() -> None:
    """models.H6: two brokers serve a unit with either repair of the system topic, and never with both."""
    broken = {
        name: variant.families["tombstone"].broken
        for name, variant in variants().items()
        if "tombstone" in variant.families
    }
    assert broken["compare_and_delete"]["single-server-always"] == 28
    assert broken["no_gap_rule"]["single-server-always"] == 27
    assert "single-server-always" not in broken["compare_and_delete_no_gap_rule"]
    assert variants()["compare_and_delete"].families["tombstone-metadata-store"].broken == {}  # it has no gap rule


def test_tombstone_delay_is_no_help_against_a_leader_that_lags_behind_a_new_owner() -> None:
    """T1 bounds how old the entry is that is deleted, not what came after it."""
    broken = variants()["lag_below_tombstone_delay"].families
    assert broken["tombstone"].broken["dual-serving-explained"] == 27
    assert broken["tombstone-metadata-store"].broken["dual-serving-explained"] == 17


@pytest.mark.skipif(compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("name", STORIES)
def test_story_is_as_short_as_can_be(name: str) -> None:
    """The gate checks that it breaks its law at its last step."""
    scenario = read_scenario(COUNTEREXAMPLES / name)
    assert len(scenario.steps) == shortest(scenario.bounds, scenario.path.stem)


def test_story_of_h6_needs_no_repair_to_happen() -> None:
    """Nothing in it is late but a lookup: the tombstone deletes what it was meant for, a free entry."""
    scenario = read_scenario(COUNTEREXAMPLES / "compare_and_delete" / "dual-serving-explained.yaml")
    plain = replace(scenario, faults=(), bounds=families()["tombstone"].bounds)
    replayed = replay(plain)
    assert replayed.broken["dual-serving-explained"] == len(scenario.steps)
    assert "tombstone-safe" not in replayed.broken
    deletion = [action.name for action in scenario.steps].index("tombstone")
    assert replayed.states[deletion].view[1, 1].state == FREE
