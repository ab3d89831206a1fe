"""Inputs of a decision: all in order, each once; random ones by their seed; choices that are refused."""

from dataclasses import replace

import pytest

from oneowner.checkers.engines.decide.judging import every_input, random_inputs
from tests.engines.decide.toys import ALL, SUM, Most


def test_every_input_is_drawn_once_small_ones_first() -> None:
    assert list(every_input(SUM, Most())) == ALL


def test_input_without_a_choice_is_drawn_once() -> None:
    assert list(every_input(replace(SUM, draw=lambda choose, sizes: "only"), Most())) == ["only"]


def test_random_inputs_follow_their_seed_and_are_some_of_all() -> None:
    first, again, other = (list(random_inputs(SUM, Most(), 50, seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == 50
    assert set(first) <= set(ALL)


def test_choice_of_nothing_is_refused() -> None:
    empty = replace(SUM, draw=lambda choose, sizes: choose(1, 0))
    with pytest.raises(ValueError, match="choice refused: from 1 to 0, by toys/sum"):
        list(every_input(empty, Most()))
    with pytest.raises(ValueError, match="choice refused"):
        list(random_inputs(empty, Most(), 1, 1))
