"""Counterexamples with the fewest perturbations, then the fewest steps."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from oneowner.checkers.engines.explore.engine_choice import disagreement, explore_by
from oneowner.checkers.engines.explore.exploration import NO_LIMITS, Exploration, Limits
from oneowner.checkers.engines.explore.fewest_perturbations import with_fewest_perturbations
from oneowner.checkers.engines.explore.native import explore
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import Law, LawKind, StateLaw
from oneowner.model.kernel.system import budget, initial_states, perturbations
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from tests.command_line import TINY, oneowner

pytestmark = pytest.mark.slow

BOTH = ("explore", "transfer", "--fault", "no_broker_check", "--fault", "assign_before_close", "--set", "brokers=2",
        "--set", "assigns=1", "--set", "window=2", "--law", "legal-step", "--law", "single-writer")  # fmt: skip
"""Two faults at once: the one breaks a law in fewer steps, the other needs fewer perturbations."""


def cheap_or_short() -> Law:
    """Broken when both budgets are spent (two steps), or, for one of them, only when version 4 is written."""
    return StateLaw(
        "as-told",
        "",
        "",
        lambda _: True,
        lambda s: bool(s.unloads_left or s.transfers_left) and s.base[1].version < 4,
        kind=LawKind.PROTOCOL,
    )


def fewest(
    engine: str, bounds: Bounds, laws: Sequence[Law], ends: frozenset[str] = frozenset(), limits: Limits = NO_LIMITS
) -> Exploration:
    """Explore for the fewest perturbations, all witnesses included."""

    def once(within: Limits) -> tuple[Exploration, str]:
        return explore_by(engine, bounds, laws, WITNESSES, ends, within)

    return with_fewest_perturbations(once, bounds, ends, limits)[0]


@pytest.mark.parametrize("engine", ["native", "python", "c"])
def test_fewest_perturbations_come_before_fewest_steps(engine: str) -> None:
    laws = list(PROPERTIES)
    bounds = replace(TINY, assigns=1, rules=replace(TINY.rules, close_before_assign=False, broker_check=False))
    ends = frozenset({"single-writer", "legal-step"})
    by_steps = explore_by(engine, bounds, laws, (), ends)[0]
    by_few = fewest(engine, bounds, laws, ends)
    one, other = (found.laws[found.first_violation(sorted(ends)) or ""] for found in (by_steps, by_few))
    assert len(one.steps or ()) < len(other.steps or ())
    assert one.perturbations > other.perturbations


def test_least_perturbations_of_one_law_are_those_of_a_brute_force() -> None:
    law = cheap_or_short()
    short = explore(TINY, [law]).laws["as-told"]
    few = fewest("native", TINY, [law]).laws["as-told"]
    assert (len(short.steps or ()), short.perturbations) == (2, 2)
    assert few.perturbations == 1
    for most in range(few.perturbations):
        assert explore(TINY, [law], limits=Limits(perturbations=most)).laws["as-told"].steps is None
    assert explore(TINY, [law], limits=Limits(perturbations=1)).laws["as-told"].steps == few.steps
    assert few.steps is not None
    assert len(few.steps) > 2


@pytest.mark.parametrize("most", [0, 1, 2])
def test_limit_leaves_out_exactly_the_states_beyond_it(most: int) -> None:
    spent: set[int] = set()

    def seen(state: State) -> bool:
        spent.add(perturbations(state))
        return True

    law = StateLaw("seen", "", "", seen, lambda _: True, kind=LawKind.PROTOCOL)
    native = explore(TINY, [law], limits=Limits(perturbations=most))
    assert spent == set(range(most + 1))
    assert native.finished
    unlimited = explore(TINY, [law])
    assert (native.distinct == unlimited.distinct) == (most == budget(TINY))


def test_engines_agree_within_a_limit() -> None:
    limits = Limits(perturbations=1)
    native, python, c = (
        explore_by(engine, TINY, PROPERTIES, WITNESSES, limits=limits)[0] for engine in ("native", "python", "c")
    )
    assert disagreement(native, python) == disagreement(native, c) == ""


def test_without_a_violation_the_whole_graph_is_visited() -> None:
    whole, few = (explore(TINY, PROPERTIES, WITNESSES), fewest("native", TINY, PROPERTIES))
    few.perturbations_first = False
    assert few.finished
    assert disagreement(whole, few) == ""


def test_stopped_search_ends_it_undecided() -> None:
    found = fewest("native", TINY, [cheap_or_short()], limits=Limits(3))
    assert found.stopped == "there are more than 3 distinct states"
    assert not found.finished


def test_budget_is_what_all_perturbations_add_up_to() -> None:
    (state,) = initial_states(TINY)
    assert perturbations(state) == 0
    state.unloads_left = state.transfers_left = 0
    assert perturbations(state) == budget(TINY) == 2


def test_explore_minimises_what_it_is_asked_to() -> None:
    by_steps, by_few = (oneowner(*BOTH, "--json", "-", *more) for more in ((), ("--minimise", "perturbations")))
    assert (by_steps.code, by_few.code) == (1, 1)
    assert by_steps.json["counterexample"]["law"] == "legal-step"
    assert by_few.json["counterexample"]["law"] == "single-writer"
    few = [step.partition("(")[0] for step in by_few.json["counterexample"]["steps"]]
    assert few.count("transfer") == 1
    assert not {"unload", "assign"} & set(few)
    assert len(few) > len(by_steps.json["counterexample"]["steps"])
