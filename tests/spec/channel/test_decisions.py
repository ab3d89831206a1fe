"""Decisions about one entry: their laws leave one answer to each input, so that no mutant of a table survives."""

from functools import cache
from typing import Any

import pytest

from oneowner.checkers.engines.decide.judging import every_input, in_words
from oneowner.model.channel.compaction import compact, held_in
from oneowner.model.kernel.decision import Decision
from oneowner.model.kernel.language import Sequence
from oneowner.spec.channel.decisions import DECISIONS
from oneowner.spec.channel.log_decisions import KEPT


@cache
def answers(decision: Decision) -> dict[Any, Any]:
    """The answer to every small input."""
    return {asked: decision.decide(asked) for asked in every_input(decision, decision.sizes())}


def admits(decision: Decision, asked: Any, answer: Any) -> bool:
    """True if no law of the decision is broken by that answer."""
    return all(law.holds(asked, answer) for law in decision.laws if law.when(asked, answer))


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: decision.name)
def test_laws_admit_no_answer_but_the_right_one(decision: Decision) -> None:
    """For all answers of any input: whatever changes in the answering function, some law is broken."""
    every = set(answers(decision).values())
    assert len(every) > 1
    for asked, right in answers(decision).items():
        admitted = {answer for answer in every if admits(decision, asked, answer)}
        assert admitted == {right}, in_words(decision, asked)


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: decision.name)
def test_every_law_is_broken_by_some_other_answer(decision: Decision) -> None:
    every = sorted(set(answers(decision).values()), key=repr)
    for law in decision.laws:
        assert any(
            law.when(asked, answer) and not law.holds(asked, answer) for asked in answers(decision) for answer in every
        ), law.name


def test_step_keeps_what_a_compaction_of_a_whole_log_keeps() -> None:
    """``compaction.py`` speaks of whole logs, ``compactor.py`` of a state: they keep the same."""
    compared = 0
    for asked, kept in answers(KEPT).items():
        if asked.horizon == 0:
            compared += 1
            assert held_in(compact(Sequence(asked.log), len(asked.log)), 1) == kept
    assert compared > 100
