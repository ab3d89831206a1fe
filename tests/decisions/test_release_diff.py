"""A different decision of another release is reported with the change that causes it, and no other."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from oneowner.checkers.decisions.release_diff import Row, changes, difference, is_rules, words_of
from oneowner.model.balancer.batch.algorithms import ALGORITHMS


class Rules(NamedTuple):
    """Rules of a decision of which everything is known."""

    strict: bool = False
    """Equal to the limit is enough (#1)."""
    loud: bool = False
    """Nothing that is decided."""


def over(row: Row, rules: Rules) -> list[str]:
    return [name for name, load in row.items() if load > 1 or (rules.strict and load == 1)]


def test_what_is_new_is_told_with_its_cause() -> None:
    assert difference({"a": 1, "b": 2}, over, Rules(), Rules(strict=True, loud=True)) == (
        (),
        ("a",),
        ("Equal to the limit is enough (#1).",),
    )


def test_what_is_gone_is_told_with_its_cause() -> None:
    assert difference({"a": 1}, over, Rules(strict=True), Rules()).gone == ("a",)


def test_equal_decisions_have_no_cause() -> None:
    assert difference({"a": 2}, over, Rules(), Rules(strict=True)) == ((), (), ())


@pytest.mark.parametrize(
    "name", [name for name, one in ALGORITHMS.items() if hasattr(next(iter(one.rules.values())), "_fields")]
)
def test_every_rule_of_an_algorithm_is_explained(name: str) -> None:
    """The reported cause of a difference is the docstring of the rule."""
    rules = next(iter(ALGORITHMS[name].rules.values()))
    assert {name for name in fields(rules) if name not in words_of(rules)} == set()


def fields(rules: Any) -> Iterator[str]:
    for name in rules._fields:
        inner = getattr(rules, name)
        yield from fields(inner) if is_rules(inner) else [name]


def test_change_within_rules_of_loads_is_told_too() -> None:
    """ThresholdShedder counts the heap until #17598."""
    rules = ALGORITHMS["threshold"].rules
    names = {name for name, _ in changes(rules["2.9.1"], rules["4.0.6"])}
    assert {"heap_counts", "has_lower_boundary"} <= names
