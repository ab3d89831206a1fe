"""z3: terms agree with the native interpreter on every reachable state, and z3's proofs and refutations are right."""

import random
from dataclasses import replace
from functools import cache

import pytest
import z3

from oneowner.checkers.engines.compile.program import Place, Program, trace
from oneowner.checkers.engines.compile.trees import Beyond, Branch, Disabled, Tree, Update
from oneowner.checkers.engines.compile.z3 import State as Terms
from oneowner.checkers.engines.compile.z3 import Symbolic
from oneowner.checkers.trace.expressions import TRUE, add, constant, equal, variable
from oneowner.checkers.verdict import EngineError
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached
from oneowner.model.kernel.guards import Disabled as NotEnabled
from oneowner.model.kernel.law import StateLaw, StepLaw
from oneowner.model.kernel.system import domains, initial_states, step
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES

pytestmark = pytest.mark.slow

SMALL = {
    "metadata store": Bounds(brokers=2, owner=1, storage=Storage.METADATA_STORE, unloads=1, transfers=1, versions=3),
    "a crash": Bounds(brokers=2, owner=2, crashes=1, unloads=1, window=2),
}


@cache
def symbolic(name: str) -> Symbolic:
    return Symbolic(trace(SMALL[name], PROPERTIES, WITNESSES))


def walk(bounds: Bounds, actions: tuple[Action, ...], steps: int, seed: int) -> list[tuple[State, Action, State]]:
    """A random run of the native interpreter, back at the start whenever it ends."""
    chance = random.Random(seed)
    taken: list[tuple[State, Action, State]] = []
    state = initial_states(bounds)[0]
    while len(taken) < steps:
        for action in chance.sample(actions, len(actions)):
            after = native(state, action)
            if isinstance(after, State):
                taken.append((state, action, after))
                state = after
                break
        else:
            state = initial_states(bounds)[0]
    return taken


def native(state: State, action: Action) -> State | str:
    try:
        return step(state, action)
    except NotEnabled:
        return "disabled"
    except BoundReached:
        return "beyond"


def test_every_action_does_in_terms_what_it_does_natively() -> None:
    met = set()
    for name, bounds in SMALL.items():
        model = symbolic(name)
        for state, _, _ in walk(bounds, model.program.actions, 40, seed=4)[::8]:
            terms = model.state(state.codes())
            for number, action in enumerate(model.program.actions):
                effect, after = model.step(number, terms), native(state, action)
                assert z3.is_true(z3.simplify(effect.enabled)) == isinstance(after, State), (str(action), state)
                assert z3.is_true(z3.simplify(effect.beyond)) == (after == "beyond"), (str(action), state)
                assert z3.is_false(z3.simplify(effect.outside))
                expected = after if isinstance(after, State) else state
                assert model.codes(effect.after) == expected.codes(), (str(action), state)
                if isinstance(after, State):
                    met.add(
                        "normalised" if model.codes(model.effect(number, terms).after) != after.codes() else "taken"
                    )
                else:
                    met.add(after)
    assert met == {"taken", "normalised", "disabled", "beyond"}


def test_term_over_variables_is_the_term_over_the_numbers_put_in_for_them() -> None:
    model = symbolic("metadata store")
    variables = model.variables("s")
    for state, action, after in walk(SMALL["metadata store"], model.program.actions, 10, seed=1):
        effect = model.step(model.program.actions.index(action), variables)
        numbers = list(zip(variables, model.state(state.codes()), strict=True))
        assert z3.is_true(z3.simplify(z3.substitute(effect.enabled, numbers)))
        found = tuple(z3.substitute(term, numbers) for term in effect.after)
        assert model.codes(found) == after.codes()
        assert z3.is_true(z3.simplify(model.same(found, model.state(after.codes()))))
        assert z3.is_true(z3.simplify(model.same(found, model.state(state.codes())))) == (after == state)


def test_laws_and_witnesses_answer_in_terms_as_they_do_natively() -> None:
    answers = set()
    for name, bounds in SMALL.items():
        model = symbolic(name)
        laws = {law.name: law for law in (*PROPERTIES, *WITNESSES)}
        for before, action, after in walk(bounds, model.program.actions, 40, seed=2):
            one, other = model.state(before.codes()), model.state(after.codes())
            for check in model.program.state_laws:
                law = laws[check.name]
                assert isinstance(law, StateLaw)
                expected = (1 if law.holds(after) else 2) if law.when(after) else 0
                assert z3.simplify(model.answer(check, other)).as_long() == expected, check.name
                answers.add(expected)
            for check in model.program.step_checks[model.program.actions.index(action)]:
                step_law = laws[check.name]
                if isinstance(step_law, StepLaw):
                    holds = step_law.holds(before, action, after)
                    expected = (1 if holds else 2) if step_law.when(before, action, after) else 0
                else:
                    assert not isinstance(step_law, StateLaw)
                    expected = 2 if step_law.reached(before, action, after) else 1
                assert z3.simplify(model.answer(check, one, other)).as_long() == expected, check.name
                answers.add(expected)
    assert answers == {0, 1, 2}


def solved(model: Symbolic, state: Terms, *claims: z3.BoolRef) -> State | None:
    """A state of the domain for which all claims hold, or None if there is none."""
    solver = z3.SolverFor("QF_BV")
    solver.add(model.in_domain(state), *claims)
    if solver.check() == z3.unsat:
        return None
    found = solver.model()
    codes = model.codes(tuple(found.eval(term, model_completion=True) for term in state))
    bounds = SMALL["metadata store"]
    witness = State(bounds)
    numbers = iter(codes)
    for name, domain in domains(bounds).items():
        setattr(witness, name, domain.value(numbers))
    return witness


def test_solver_proves_what_is_true_of_every_state_and_refutes_what_is_not() -> None:
    model = symbolic("metadata store")
    state = model.variables("s")
    left = [place.name for place in model.program.places].index("transfers_left")
    refuted = 0
    for number, action in enumerate(model.program.actions):
        effect = model.step(number, state)
        grows = z3.And(effect.enabled, effect.after[left] > state[left])
        assert solved(model, state, grows) is None, f"{action} gives a budget back"
        spends = z3.And(effect.enabled, effect.after[left] != state[left])
        witness = solved(model, state, spends)
        assert (witness is not None) == (action.name == "transfer")
        if witness is not None:
            after = native(witness, action)
            assert isinstance(after, State)
            assert after.transfers_left == witness.transfers_left - 1
            refuted += 1
    assert refuted


def counting(normalisation: Tree, top: int = 9) -> Program:
    """A model of one number that nothing changes but its normalisation."""
    return Program((Place("n", 2, top - 1),), ((0,),), (), (), normalisation, (), (), constant(0))


N = variable(0, 2, 9)
UP = Update(((0, add(N, constant(1))),))


def test_normalisation_is_repeated_as_often_as_it_can_be_needed() -> None:
    model = Symbolic(counting(Branch(equal(N, constant(9)), Disabled(), UP)))
    assert model.repetitions == 7
    assert [model.codes(model.normalised(model.state([code]))) for code in (0, 3, 7)] == [[7], [7], [7]]


@pytest.mark.parametrize("forever", [Update(()), Branch(equal(N, constant(9)), Beyond("n"), UP)])
def test_normalisation_that_is_not_known_to_end_is_an_error(forever: Tree) -> None:
    with pytest.raises(EngineError, match="not known to end within 32 repetitions"):
        _ = Symbolic(counting(forever)).repetitions


def test_step_that_leaves_the_domain_is_outside_and_no_number_overflows() -> None:
    program = replace(counting(Disabled()), actions=(Action("up", (), lambda: None),), trees=(UP,), step_checks=((),))
    model = Symbolic(program)
    (n,) = state = model.variables("s")
    effect = model.step(0, state)
    solver = z3.Solver()
    solver.add(model.in_domain(state), effect.outside != (n == 9))
    assert solver.check() == z3.unsat
    assert z3.simplify(model.effect(0, model.state([7])).after[0]).as_signed_long() == 10


def test_state_with_variables_has_no_codes() -> None:
    model = Symbolic(counting(Branch(TRUE, Disabled(), UP)))
    with pytest.raises(EngineError, match="has no codes"):
        model.codes(model.variables("s"))
