"""
A law of a decision is broken or holds, whatever is answered: also by an answer that fits another input.

A wrong model answers so: it names a broker that is not there, loses a task, or throws.
"""

from typing import Any

import pytest

from oneowner.checkers.engines.decide.inputs import random_inputs
from oneowner.model.kernel.decision import Decision
from oneowner.spec.systems import decisions

APART = (1, 7, 31)
"""The distance between inputs of which one is given the other's answer."""


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", decisions())
def test_no_law_raises_of_an_answer_to_another_input(name: str) -> None:
    decision = decisions()[name]
    inputs = list(random_inputs(decision, decision.sizes(), 120, seed=1))
    answers = [decision.decide(given) for given in inputs]
    turned = [answers[distance:] + answers[:distance] for distance in APART]
    told = [
        law_accepts(decision, law, given, answer)
        for law in decision.laws_by_name
        for others in turned
        for given, answer in zip(inputs, others, strict=True)
    ]
    assert set(told) <= {True, False}


def law_accepts(decision: Decision, name: str, given: Any, answer: Any) -> bool:
    law = decision.laws_by_name[name]
    return not law.when(given, answer) or law.holds(given, answer)


def test_bundle_that_moves_from_a_broker_without_load_breaks_the_law_of_the_half() -> None:
    decision = decisions()["balancer/transfer-shedder"]
    inputs = list(random_inputs(decision, decision.sizes(), 200, seed=1))
    given, answer = next((one, found) for one in inputs if (found := decision.decide(one)).moves)
    idle = given._replace(brokers=tuple(broker._replace(load=0.0) for broker in given.brokers))
    one_way = answer._replace(moves=answer.moves[:1])
    assert not decision.laws_by_name["half-the-difference-moves"].holds(idle, one_way)
