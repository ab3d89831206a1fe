"""Judging a decision: occasions, the first violation, where it stops, progress, facts that differ."""

from dataclasses import replace
from typing import Any

import pytest

from oneowner.checkers.engines.decide import judging
from oneowner.checkers.engines.decide.judging import differences, in_words, judge
from oneowner.model.pulsar.bundles import Range
from oneowner.spec.systems import decisions
from tests.engines.decide.toys import ALL, SUM


def test_occasions_are_counted_and_the_first_violation_is_kept() -> None:
    found = judge(SUM, ALL)
    assert (found.inputs, found.stopped) == (10, "")
    assert {name: (tally.exercised, tally.broken_by) for name, tally in found.laws.items()} == {
        "sum-of-one": (3, None),
        "sum-is-even": (9, ((1,), 1)),
        "never-asked": (0, None),
    }


def test_law_is_not_asked_again_after_its_first_violation() -> None:
    asked: list[Any] = []
    law = SUM.laws_by_name["sum-is-even"]

    def fails(given: Any, answer: Any) -> bool:
        asked.append(given)
        return False

    watched = replace(SUM, laws=(replace(law, holds=fails),))
    assert judge(watched, ALL).laws[law.name].exercised == 9
    assert asked == [(0,)]


def test_only_named_laws_are_judged_and_so_many_inputs() -> None:
    found = judge(SUM, ALL, ["sum-of-one"], most=4)
    assert list(found.laws) == ["sum-of-one"]
    assert (found.inputs, found.stopped) == (4, "4 inputs")
    assert judge(SUM, ALL, most=len(ALL)).stopped == ""


def test_progress_is_told_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "TOLD_EVERY", 4)
    lines: list[str] = []
    judge(SUM, ALL, on_progress=lines.append)
    assert lines == ["4 inputs", "8 inputs"]


def test_facts_that_differ_are_told_with_both_answers() -> None:
    facts = [
        {"input": {"numbers": [1, 2]}, "answer": 3},
        {"input": {"numbers": [1, 2]}, "answer": 4},
        {"input": {"numbers": []}, "answer": {"error": "IllegalArgumentException"}},
    ]
    assert list(differences(SUM, facts)) == ["sum(1, 2) is 3; the original answers 4"]


def test_input_in_words_leaves_out_what_is_as_by_default() -> None:
    decision = decisions()["balancer/range-equally-divide"]
    given = decision.read({"bundle": [0, 16], "topics": ["a"]})
    assert given.bundle == Range(0, 16)
    assert in_words(decision, given) == (
        "range-equally-divide(bundle=0x00000000_0x00000010, topics=((hash=3904355907),))"
    )
