"""
``prove`` puts one lemma to z3: it is proved, refuted by concrete inputs, or unknown.

A proof counts only if the assumptions can be met at all and if z3 refutes the lemma's mutant: else it would hold
because it says nothing. A counterexample counts only if the predicates themselves, on plain values, say so.
"""

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import z3

from oneowner.checkers.engines.prove.formulas import Inputs
from oneowner.checkers.verdict import EngineError
from oneowner.model.kernel.decision import Decision
from oneowner.model.kernel.lemma import PROVED, REFUTED, UNKNOWN, Lemma, Mutant, Predicate, Proof, claims_of
from oneowner.model.kernel.system import System


@dataclass(frozen=True, slots=True)
class Proven:
    """The outcome of one lemma."""

    name: str
    verdict: Proof
    witness: Mapping[str, Any] | None = None
    """Inputs for which the claim is false, or, of a proved one, inputs that meet its assumptions."""
    mutant: Mapping[str, Any] | None = None
    """Of a proved one: inputs for which its mutant is false."""
    reason: str = ""
    """The reason that it is unknown."""
    seconds: float = 0.0


def prove(lemma: Lemma, subject: System | Decision) -> Proven:
    """Return z3's verdict on a *lemma* of a *subject*; raise EngineError if the predicates deny its counterexample."""
    started = time.monotonic()

    def proven(verdict: Proof, **more: Any) -> Proven:
        return Proven(lemma.name, verdict, seconds=round(time.monotonic() - started, 2), **more)

    inputs = Inputs(lemma.over, subject)
    question = Question(lemma.given, lemma.claims, lemma.step)
    verdict, witness, reason = refuted(inputs, question, lemma.seconds)
    if verdict != PROVED:
        return proven(verdict, witness=witness, reason=reason)
    if lemma.mutant is None:
        return proven(PROVED)
    occasion = () if lemma.occasion is None else (lemma.occasion,)
    met, example, reason = refuted(inputs, Question((*lemma.given, *occasion)), lemma.seconds)
    if met != REFUTED:
        return proven(UNKNOWN, reason=reason or "its assumptions cannot be met, so it says nothing")
    killed, counterexample, reason = refuted(inputs, mutated(lemma, lemma.mutant), lemma.seconds)
    if killed != REFUTED:
        return proven(UNKNOWN, reason=reason or f"its mutant holds as well: {lemma.mutant.says}")
    return proven(PROVED, witness=example, mutant=counterexample)


@dataclass(frozen=True, slots=True)
class Question:
    """Return inputs that meet the *given* predicates and for which (or for the state after *step*) a claim is false."""

    given: tuple[Predicate, ...]
    claims: tuple[Predicate, ...] = ()
    """None at all: inputs that meet what is given are asked for."""
    step: Callable[..., Any] | None = None


def mutated(lemma: Lemma, mutant: Mutant) -> Question:
    """Return the question whether the mutant is false."""
    claims = lemma.claims if mutant.claim is None else claims_of(mutant.claim)
    return Question(lemma.given if mutant.given is None else mutant.given, claims, mutant.step or lemma.step)


def refuted(inputs: Inputs, question: Question, seconds: float) -> tuple[Proof, Mapping[str, Any] | None, str]:
    """Return whether there are such inputs: verdict, inputs, why it is unknown."""
    solver = z3.Solver()
    solver.set(timeout=max(1, round(seconds * 1000)))
    solver.add(inputs.in_domain(), *map(inputs.holds, question.given))
    if question.claims:
        solver.add(z3.Not(z3.And([inputs.holds(claim, question.step) for claim in question.claims])))
    found = solver.check()
    if found == z3.unsat:
        return PROVED, None, ""
    if found == z3.unknown:
        return UNKNOWN, None, f"z3 cannot tell within {seconds} s ({solver.reason_unknown()})"
    model = solver.model()
    for near in inputs.near_zero():
        if solver.check(near) == z3.sat:
            model = solver.model()
            break
    values = inputs.read(model)
    if not is_refuted_by(values, question):
        raise EngineError(f"z3 gave {values}, for which the predicates themselves say otherwise")
    return REFUTED, values, ""


def is_refuted_by(values: Mapping[str, Any], question: Question) -> bool:
    """Return whether plain values meet what is given and not all claims, by the predicates themselves."""
    if not all(holds(one, values) for one in question.given):
        return False
    if question.step is not None:
        after = question.step(*values.values())
        return not all(claim(after) for claim in question.claims)
    return not question.claims or not all(holds(claim, values) for claim in question.claims)


def holds(predicate: Predicate, values: Mapping[str, Any]) -> bool:
    """Return the value of the predicate itself on plain values."""
    return bool(predicate(*[values[name] for name in inspect.signature(predicate).parameters]))
