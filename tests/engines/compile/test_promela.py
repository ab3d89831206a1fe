"""Promela: the export, and Spin's verdict on it."""

import re
from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import bounds_under, families, faults
from oneowner.checkers.engines.compile import promela
from oneowner.checkers.engines.compile.program import Check, Place, Program, trace
from oneowner.checkers.engines.compile.promela import counted, emit
from oneowner.checkers.engines.compile.trees import Beyond, Branch, Disabled, Tree, Update
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.ledger import referee, spin
from oneowner.checkers.ledger.family_export import promela_of
from oneowner.checkers.trace.expressions import (
    Expression,
    add,
    choose,
    constant,
    equal,
    less,
    negation,
    variable,
)
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.system import actions
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from tests.channel import DEFAULT_RELEASE, LAWS

pytestmark = pytest.mark.slow

FAMILY = "transfer-metadata-store"

needs_spin = pytest.mark.skipif(not spin.is_installed(), reason=spin.HINT)


def test_export_has_every_action_and_an_assertion_for_every_law_that_holds() -> None:
    family = families()[FAMILY]
    ((name, model),) = promela_of(FAMILY, (), DEFAULT_RELEASE, {}).items()
    assert name == "transfer-metadata-store.pml"
    assert re.findall(r'printf\("(.*)\\n"\)', model) == [str(action) for action in actions(family.bounds)]
    asserted = {law.replace("_", "-") for law in re.findall(r"assert\(law_(\w+) != 2\)", model)}
    holding = {law for law, verdict in family.laws.items() if verdict == Verdict.VALID}
    assert asserted == holding


def test_export_is_the_same_every_time() -> None:
    first = promela_of("expiry", (), DEFAULT_RELEASE, {})
    promela_of(FAMILY, (), DEFAULT_RELEASE, {})
    assert promela_of("expiry", (), DEFAULT_RELEASE, {}) == first


def test_referee_without_spin_is_unknown_and_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    family = families()[FAMILY]
    ours = explore_compiled(family.bounds, PROPERTIES, WITNESSES)
    monkeypatch.setenv("PATH", "/nowhere")
    row = referee.by_spin(family, ours)
    assert (row.verdict, row.words) == (Verdict.UNKNOWN, "Spin is not installed: make setup-referees")


@needs_spin
def test_guard_that_is_too_long_to_be_spelt_out_is_a_function_and_the_counts_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """recreation: 18 million characters for one guard."""
    monkeypatch.setattr(promela, "LONGEST_GUARD", 100)
    family = families()[FAMILY]
    assert "c_expr" in promela_of(FAMILY, (), DEFAULT_RELEASE, {})[f"{FAMILY}.pml"]
    row = referee.by_spin(family, explore_compiled(family.bounds, PROPERTIES, WITNESSES))
    assert (row.verdict, row.distinct, row.transitions) == (Verdict.VALID, family.states, family.transitions)


@needs_spin
@pytest.mark.parametrize("fault", ["assign_before_close", "cleanup_without_health_check"])
def test_spin_finds_the_law_that_kills_a_fault_broken(fault: str) -> None:
    """Alone: Spin stops at whatever law breaks first, depth first, and some faults break more than one."""
    record = faults()[fault]
    program = trace(bounds_under(families()[record.family].bounds, DEFAULT_RELEASE, (fault,)), [LAWS[record.law]], ())
    assert spin.verify(emit(program, fault, {record.law})).broken == record.law.replace("-", "_")


@needs_spin
def test_bound_that_is_used_up_is_named_and_no_law_is_broken() -> None:
    (model,) = promela_of(FAMILY, (), DEFAULT_RELEASE, {"versions": "4"}).values()
    found = spin.verify(model)
    assert "bound_versions_is_used_up" in found.wrong
    assert found.broken == ""


@needs_spin
def test_referee_whose_spin_differs_does_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    family = families()[FAMILY]
    ours = explore_compiled(family.bounds, PROPERTIES, WITNESSES)
    ours.transitions += 1
    monkeypatch.setattr(
        spin, "verify", lambda *_: spin.Found(family.states, family.states + family.transitions + 1, 1, 1)
    )
    assert referee.by_spin(family, ours).verdict is Verdict.INVALID


A, B = variable(0, 0, 3), variable(1, 1, 300)


def model(*trees: Tree, law: Expression | None = None, initial: tuple[tuple[int, ...], ...] = ((0, 1),)) -> Program:
    """Two numbers, a from 0 to 3 and b from 1 to 300 (its code is one less), and these actions."""
    names = tuple(Action(f"act_{number}", (), lambda: None) for number in range(len(trees)))
    checks = ((Check("of-steps", law),) if law is not None else (),) * len(trees)
    return Program((Place("a", 0, 4), Place("b", 1, 300)), initial, names, trees, Disabled(), (), checks, constant(0))


def verified(program: Program, depth: int = 100) -> spin.Found:
    return spin.verify(emit(program, "a test", {"of-steps", "of-states"}), depth)


SWAP = Branch(less(B, constant(4)), Update(((0, B), (1, add(A, constant(1))))), Disabled())
UP = Branch(less(A, constant(3)), Update(((0, add(A, constant(1))),)), Disabled())
DOWN = Update(((0, add(A, constant(-1))),))


@needs_spin
def test_slots_change_all_at_once() -> None:
    found = verified(model(SWAP))  # (0, 2) -> (2, 1) -> (1, 3) -> (3, 2) -> (2, 4), where b is too high
    assert (found.stored, found.wrong) == (5, "")
    assert counted(found.stored, found.transitions, 1) == (5, 4)


@needs_spin
def test_normalisation_is_repeated_and_leaves_no_state_between() -> None:
    program = replace(model(UP), normalisation=Branch(equal(A, constant(0)), Disabled(), DOWN))
    found = verified(program)
    assert counted(found.stored, found.transitions, 1) == (1, 1)


@needs_spin
def test_action_that_is_never_enabled_is_no_option() -> None:
    program = model(Disabled(), UP, Update(()))
    assert "/* act_0() is never enabled. */" in emit(program, "a test", ())
    found = verified(program)
    assert counted(found.stored, found.transitions, 1) == (4, 7)


@needs_spin
def test_step_that_is_too_long_for_a_d_step_is_still_one_step() -> None:
    slots = range(2_100)
    every = Update(tuple((slot, constant(1)) for slot in slots))
    once = Branch(equal(variable(0, 0, 1), constant(0)), every, Disabled())
    places = tuple(Place(f"x[{slot}]", 0, 2) for slot in slots)
    program = replace(model(once, once), places=places, initial=((0,) * len(slots),))
    assert emit(program, "a test", ()).count(":: atomic {") == 2
    found = verified(program, depth=10_000)
    assert (found.wrong, counted(found.stored, found.transitions, 1)) == ("", (2, 2))


@needs_spin
def test_normalisation_beyond_the_bounds_is_named() -> None:
    found = verified(replace(model(UP), normalisation=Branch(equal(A, constant(3)), Beyond("room"), Disabled())))
    assert "bound_room_is_used_up" in found.wrong


@needs_spin
def test_state_before_the_choice_of_an_initial_state_is_not_counted_and_slots_that_are_never_read_are() -> None:
    found = verified(model(UP, initial=((0, 0), (1, 0), (0, 299))))
    assert found.wrong == ""
    assert counted(found.stored, found.transitions, 3) == (8, 6)


@needs_spin
def test_step_law_sees_the_state_before_the_step_and_the_one_after() -> None:
    a_after, b_after = variable(2, 0, 3), variable(3, 1, 300)
    grows = choose(equal(a_after, add(A, constant(1))), constant(1), constant(2))
    assert verified(model(UP, law=grows)).wrong == ""
    assert verified(model(UP, law=choose(equal(a_after, A), constant(1), constant(2)))).broken == "of_steps"
    stays = choose(equal(b_after, B), constant(1), constant(2))
    assert verified(model(UP, law=stays)).wrong == ""


@needs_spin
def test_law_of_states_is_judged_in_every_state_also_the_first() -> None:
    for forbidden in range(4):
        check = Check("of-states", choose(equal(A, constant(forbidden)), constant(2), constant(1)))
        assert verified(replace(model(UP), state_laws=(check,))).broken == "of_states"
    check = Check("of-states", choose(negation(less(A, constant(4))), constant(2), constant(1)))
    assert verified(replace(model(UP), state_laws=(check,))).wrong == ""


@needs_spin
def test_value_outside_its_domain_and_a_search_cut_short_are_no_verdict() -> None:
    found = verified(model(Update(((0, add(A, constant(1))),))))
    assert "assertion violated" in found.wrong
    assert found.broken == ""
    assert "too small" in verified(model(UP), depth=2).wrong
    assert spin.verify("no Promela", 10).wrong.startswith("spin failed: ")


def test_verifier_that_says_nothing_did_not_finish() -> None:
    assert spin.read("").wrong == spin.read("Killed\n").wrong == "Spin did not finish"
