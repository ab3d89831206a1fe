"""The breadth-first search against a brute force on top of ``actions`` and ``step``; verdicts of a search."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import bounds_under, families
from oneowner.checkers.engines.explore.exploration import Exploration, Limits
from oneowner.checkers.engines.explore.native import explore
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.law import Law, LawKind, StateLaw, StepLaw
from oneowner.model.kernel.system import actions, initial_states, perturbations, step
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from tests.command_line import TINY

EXPIRY = replace(families()["expiry"].bounds, assigns=0, unloads=0)
WITHOUT_HEALTH_CHECK = bounds_under(families()["expiry"].bounds, "4.0.6", ["cleanup_without_health_check"])
OTHER_LAWS = [law for law in PROPERTIES if law.name != "single-server-always"]


def successors(state: State) -> Iterator[tuple[int, Action, State]]:
    for rank, action in enumerate(actions(state.bounds)):
        try:
            yield rank, action, step(state, action)
        except Disabled:
            continue


def looks(state: State) -> str:
    """A state as its cells print, not as the product keys it."""
    cells = ((name, getattr(state, name)) for name in state.domains)
    return "; ".join(f"{name}={list(cell) if isinstance(cell, Cells) else cell!r}" for name, cell in cells)


def broken(law: Law, before: State, action: Action, after: State) -> bool:
    if isinstance(law, StateLaw):
        return law.when(after) and not law.holds(after)
    return law.when(before, action, after) and not law.holds(before, action, after)


def least_path(bounds: Bounds, law: Law, longest: int) -> tuple[str, ...] | None:
    """Try every path, without remembering states: fewest steps, then fewest perturbations, then first in order."""
    level: list[tuple[tuple[int, ...], tuple[str, ...], State]] = [((), (), initial_states(bounds)[0])]
    for _ in range(longest):
        following, found = [], []
        for ranks, names, state in level:
            for rank, action, after in successors(state):
                path = ((*ranks, rank), (*names, str(action)), after)
                following.append(path)
                if broken(law, state, action, after):
                    found.append((perturbations(after), *path[:2]))
        if found:
            return min(found)[2]
        level = following
    return None


def graph(bounds: Bounds) -> tuple[int, int, int, dict[str, int]]:
    """Return states, transitions, depth and enabled steps per action, by sets of printed states."""
    level = {looks(state): state for state in initial_states(bounds)}
    seen, transitions, depth = set(level), 0, -1
    fired = {action.name: 0 for action in actions(bounds)}
    while level:
        depth += 1
        following = {}
        for state in level.values():
            for _, action, after in successors(state):
                transitions += 1
                fired[action.name] += 1
                following[looks(after)] = after
        level = {name: state for name, state in following.items() if name not in seen}
        seen |= set(level)
    return len(seen), transitions, depth, fired


def result_of(exploration: Exploration) -> object:
    """The whole result of a search, without its duration."""
    laws = {name: (row.exercised, row.perturbations, list(map(str, row.steps or ()))) for name, row in
            exploration.laws.items()}  # fmt: skip
    return (
        laws, exploration.fired, exploration.witnesses, exploration.distinct, exploration.transitions,
        exploration.depth, exploration.finished, exploration.stopped,
    )  # fmt: skip


@pytest.mark.parametrize("bounds", [TINY, EXPIRY, replace(EXPIRY, expiries=0, crashes=1)], ids=["tiny", "expiry",
                                                                                               "crash"])  # fmt: skip
def test_search_counts_what_a_brute_force_counts(bounds: Bounds) -> None:
    found = explore(bounds, PROPERTIES, WITNESSES)
    assert (found.distinct, found.transitions, found.depth, found.fired) == graph(bounds)
    assert found.finished
    assert sum(found.fired.values()) == found.transitions


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("bounds", "law", "longest"),
    [
        (WITHOUT_HEALTH_CHECK, "override-names-the-gone", 5),
        (bounds_under(TINY, "4.0.6", ["assign_before_close"]), "single-writer", 7),
        (EXPIRY, "single-server-always", 6),
    ],
    ids=["four steps", "six steps", "documented"],
)
def test_counterexample_is_the_least_of_all_paths(bounds: Bounds, law: str, longest: int) -> None:
    chosen = next(one for one in PROPERTIES if one.name == law)
    found = explore(bounds, PROPERTIES, WITNESSES, frozenset({law}))
    steps = found.laws[law].steps
    assert steps is not None
    assert tuple(map(str, steps)) == least_path(bounds, chosen, longest)


def nothing(*_: object) -> bool:
    return True


def seen_at(failing: Callable[[State], bool]) -> Law:
    return StateLaw(
        "as-told",
        "Fails where the test says.",
        "this test",
        nothing,
        lambda state: not failing(state),
        kind=LawKind.PROTOCOL,
    )


def test_counterexample_of_equal_length_has_the_fewest_perturbations() -> None:
    # In the order of actions, "unload, transfer" (two perturbations) comes before "unload, append" (one).
    law = seen_at(lambda state: not (state.unloads_left or state.transfers_left) or state.base[1].version > 2)
    found = explore(replace(TINY, brokers=3), [law])
    steps = found.laws[law.name].steps
    assert steps is not None
    assert [action.name for action in steps] == ["unload", "append"]
    assert found.laws[law.name].perturbations == 1


def test_counterexample_of_equal_size_is_the_first_in_the_order_of_actions() -> None:
    law = StepLaw(
        "as-told",
        "No unload.",
        "this test",
        nothing,
        lambda before, action, after: action.name != "unload",
        kind=LawKind.PROTOCOL,
    )
    steps = explore(TINY, [law]).laws[law.name].steps
    unloads = [str(action) for action in actions(TINY) if action.name == "unload"]
    assert len(unloads) > 1
    assert list(map(str, steps or ())) == unloads[:1]


def test_law_broken_in_the_initial_state_has_a_counterexample_without_steps() -> None:
    law = seen_at(lambda state: state.leader == 1)
    found = explore(TINY, [law], stop_at=frozenset({law.name}))
    assert found.laws[law.name].steps == ()
    assert not found.finished


def test_search_of_the_same_model_twice_tells_the_same() -> None:
    first, second = (explore(WITHOUT_HEALTH_CHECK, PROPERTIES, WITNESSES, limits=Limits(150)) for _ in range(2))
    assert result_of(first) == result_of(second)


def test_search_finishes_the_level_of_the_first_violation() -> None:
    whole = explore(EXPIRY, PROPERTIES)
    stopped = explore(EXPIRY, PROPERTIES, stop_at=frozenset({"single-server-always"}))
    steps = stopped.laws["single-server-always"].steps
    assert steps is not None
    assert stopped.depth == len(steps) < whole.depth
    assert not stopped.finished
    assert not stopped.stopped  # no budget ended it
    assert stopped.distinct < whole.distinct
    assert whole.laws["single-server-always"].steps == steps  # going on finds no other


@pytest.mark.parametrize("most", [1, 10, 80])
def test_search_stops_beyond_its_budget_of_states(most: int) -> None:
    found = explore(TINY, PROPERTIES, limits=Limits(most))
    assert not found.finished
    assert found.stopped == f"there are more than {most} distinct states"
    assert found.distinct == most


def test_search_with_a_budget_of_exactly_its_states_finishes() -> None:
    states = explore(TINY, []).distinct
    assert explore(TINY, [], limits=Limits(states)).finished
    assert not explore(TINY, [], limits=Limits(states - 1)).finished


def test_law_is_exercised_once_per_state_or_step_that_it_speaks_of() -> None:
    spoken = StateLaw("spoken", "Of every state.", "this test", nothing, nothing, kind=LawKind.PROTOCOL)
    stepped = StepLaw("stepped", "Of every step.", "this test", nothing, nothing, kind=LawKind.PROTOCOL)
    silent = StateLaw("silent", "Of no state.", "this test", lambda _: False, lambda _: False, kind=LawKind.PROTOCOL)
    found = explore(TINY, [spoken, stepped, silent])
    assert found.laws["spoken"].exercised == found.distinct
    assert found.laws["stepped"].exercised == found.transitions
    assert found.laws["silent"].exercised == 0
    assert found.laws["silent"].steps is None


def test_search_marks_exactly_the_witnesses_that_some_step_reaches() -> None:
    found = explore(TINY, OTHER_LAWS, WITNESSES)
    reached = set()
    level = {looks(state): state for state in initial_states(TINY)}
    seen: set[str] = set()
    while level:
        seen |= set(level)
        following = {}
        for state in level.values():
            for _, action, after in successors(state):
                reached |= {witness.name for witness in WITNESSES if witness.reached(state, action, after)}
                following[looks(after)] = after
        level = {name: state for name, state in following.items() if name not in seen}
    assert {name for name, yes in found.witnesses.items() if yes} == reached
    assert "transfer-ends" in reached
