"""A law of when actions are enabled sees guards that are too strict or too loose, natively and traced alike."""

import sys
from dataclasses import replace

import pytest

from oneowner.checkers.engines.compile import program
from oneowner.checkers.engines.explore.exploration import Exploration
from oneowner.checkers.engines.explore.generated import explore_generated
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.trace.tracing import traceable_modules
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.state import State
from oneowner.model.kernel.enabled import EnabledLaw, Rule, enabled_law
from oneowner.spec.channel.may_serve import unloads

BOUNDS = Bounds(brokers=2, owner=1, unloads=1)
"""No lookup follows the one unload."""


def anywhere(bounds: Bounds) -> bool:
    return True


def nowhere(bounds: Bounds) -> bool:
    return False


def always(state: State, broker: int, unit: int) -> bool:
    return True


def never(state: State, broker: int, unit: int) -> bool:
    return False


def law(enough: object, needed: object, where: object = anywhere) -> EnabledLaw:
    rule = Rule("unload", enough, needed)  # type: ignore[arg-type]
    return enabled_law("unloads", "", "", rule, where=where)  # type: ignore[arg-type]


def found(asked: EnabledLaw) -> Exploration:
    """Explore by both engines that a law may run natively and traced in; they must agree."""
    one = explore(BOUNDS, [asked])
    assert one.laws == explore_generated(BOUNDS, [asked]).laws
    return one


@pytest.fixture(autouse=True)
def traceable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow tracing of this file's functions, as if they were of the spec."""
    monkeypatch.setattr(
        program, "traceable_modules", lambda system: (*traceable_modules(system), sys.modules[__name__])
    )


def test_exact_rule_holds_and_is_exercised_where_the_action_is_enabled() -> None:
    result = found(law(unloads, unloads)).laws["unloads"]
    assert result.steps is None
    assert result.exercised > 0


def test_guard_that_is_stricter_than_what_is_enough_breaks_the_law() -> None:
    assert found(law(always, always)).laws["unloads"].steps is not None


def test_guard_that_is_looser_than_what_is_needed_breaks_the_law_at_once() -> None:
    assert found(law(never, never)).laws["unloads"].steps == ()


def test_what_is_between_the_two_rules_is_left_open() -> None:
    assert found(law(never, always)).laws["unloads"].steps is None


def test_law_has_no_occasion_outside_its_bounds() -> None:
    assert found(law(always, always, nowhere)).laws["unloads"].exercised == 0


def test_rules_are_kept_beside_the_law() -> None:
    asked = law(unloads, unloads)
    assert replace(asked, name="other").rules == asked.rules
