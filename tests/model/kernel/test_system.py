"""The seam: the actions, the effect of a step, and the actions that count as perturbations."""

import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.scenarios.scenario import find_action
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.record import OWNED, TOMBSTONE, Record
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, initial_states, perturbations, step
from tests.model.channel.strategies import SMALL, choices, enabled, steadily

EVERYTHING = Bounds(
    brokers=2, units=2, assigns=1, unloads=1, transfers=1, crashes=1, expiries=1, tombstones=1, unplaced=1, resends=1,
    closings=2, compactions=1,
)  # fmt: skip

FOLLOWED = Bounds(brokers=2, owner=1, lookups=1, shutdowns=2, transfers=1, closings=2)
IN_SAFE_MODE = Bounds(brokers=2, owner=2, crashes=1, expiries=1, outages=1, safe_mode=1, closings=2)
WITH_BELIEFS = Bounds(brokers=2, owner=2, expiries=2, beliefs=1, closings=2)

EACH = {
    action.name: action
    for bounds in (Bounds(storage=Storage.METADATA_STORE), EVERYTHING, FOLLOWED, WITH_BELIEFS, IN_SAFE_MODE)
    for action in actions(bounds)
}


def test_actions_are_all_combinations_of_their_arguments_in_a_fixed_order() -> None:
    listed = [str(action) for action in actions(EVERYTHING)]
    assert len(set(listed)) == len(listed)
    assert listed == [str(action) for action in actions(EVERYTHING)]
    expected = {
        "look_up": 4, "assign": 8, "unload": 4, "transfer": 8, "append": 2, "append_unacknowledged": 2,
        "consume": 2, "open": 4, "close": 4, "crash": 2, "lose": 2, "restart": 2, "expire": 2, "reestablish": 2,
        "register": 2, "notice": 4, "elect": 2, "override": 8, "free_orphan": 4, "tombstone": 4,
        "start_compaction": 2, "write_ledger": 2, "show_ledger": 2,
        "save_cursor": 2, "delete_ledger": 2, "jump": 2,
    }  # fmt: skip
    names = [action.name for action in actions(EVERYTHING)]
    assert {name: names.count(name) for name in names} == expected
    assert listed[:3] == ["look_up(broker=1, unit=1)", "look_up(broker=1, unit=2)", "look_up(broker=2, unit=1)"]


def test_actions_without_a_budget_do_not_exist() -> None:
    assert {action.name for action in actions(Bounds())} == {"append", "consume", "open", "close"}
    assert {action.name for action in actions(Bounds(storage=Storage.METADATA_STORE))} == {
        "append", "notify", "open", "close",
    }  # fmt: skip
    assert not {"crash", "lose", "restart"} & {action.name for action in actions(Bounds(expiries=1))}


@pytest.mark.parametrize("action", EACH.values(), ids=list(EACH))
def test_action_documents_when_it_is_enabled_what_changes_and_what_it_mirrors(action: Action) -> None:
    """Every docstring states the actor, the guard, the changes and the Pulsar class."""
    words = (inspect.getdoc(action.run) or "").replace("\n", " ")
    about = words + (inspect.getdoc(inspect.getmodule(action.run)) or "")
    missing = [part for part in ("Enabled:", "Changes:") if part not in words]
    missing += ["Mirrors"] if "Mirrors" not in about else []
    assert missing == []


def test_action_gives_its_arguments_back() -> None:
    action = find_action(EVERYTHING, "transfer(broker=1, unit=2, destination=2)")
    assert [action.argument(name) for name in ("broker", "unit", "destination")] == [1, 2, 2]
    assert str(action) == "transfer(broker=1, unit=2, destination=2)"


def test_cluster_starts_healthy_with_broker_1_leading() -> None:
    (state,) = initial_states(Bounds(brokers=3))
    assert list(state.run) == [Run.UP] * 3
    assert list(state.node) == [Node.PRESENT] * 3
    assert all(state.known)
    assert state.leader == 1
    assert set(state.view) | set(state.base) == {TOMBSTONE}
    assert not any([*state.serving, *state.won, *state.tainted, state.poisoned])


@pytest.mark.parametrize("storage", Storage)
def test_cluster_with_an_owner_starts_after_an_assignment(storage: Storage) -> None:
    (state,) = initial_states(Bounds(brokers=3, units=2, owner=2, storage=storage))
    assert set(state.view) | set(state.base) == {Record(OWNED, 2, version=2)}
    assert list(state.serving) == [False, False, True, True, False, False]
    for unit in (1, 2):
        assert [state.won[unit, version] for version in (1, 2, 3)] == [True, True, False]


def test_step_leaves_the_state_before_it_alone_even_if_it_is_refused() -> None:
    (state,) = initial_states(Bounds(owner=1, units=2, unloads=2))
    key = state.key()
    after = step(state, find_action(state.bounds, "unload(broker=1, unit=1)"))
    assert state.key() == key
    assert after.key() != key
    kept = after.key()
    with pytest.raises(Disabled):  # refused half-way: its budget was already taken off the copy
        step(after, find_action(state.bounds, "unload(broker=1, unit=2)"))
    assert after.key() == kept


@settings(steadily, max_examples=20)
@given(st.sampled_from([*SMALL, EVERYTHING, FOLLOWED, IN_SAFE_MODE, WITH_BELIEFS]), choices(40))
def test_step_is_a_function_of_the_state_and_stays_in_the_domain(bounds: Bounds, steps: list[int]) -> None:
    (state,) = initial_states(bounds)
    for choice in steps:
        key, options = state.key(), enabled(state)
        assert state.key() == key
        if not options:
            break
        action, after = options[choice % len(options)]
        assert step(state.with_codes(state.codes()), action) == after
        assert after.in_domain()
        assert 0 <= perturbations(after) - perturbations(state) <= 1
        state = after


def test_perturbations_are_the_budgets_that_are_spent() -> None:
    (state,) = initial_states(EVERYTHING)
    assert perturbations(state) == 0
    for count, words in enumerate(("look_up(broker=1, unit=1)", "expire(broker=2)", "crash(broker=2)"), 1):
        state = step(state, find_action(EVERYTHING, words))
        assert perturbations(state) == count
    assert perturbations(step(state, find_action(EVERYTHING, "assign(broker=1, unit=1, destination=1)"))) == 3
