"""Expressions: every constructor and every simplification keeps the value, whatever the variables are."""

from collections.abc import Callable
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.trace import expressions
from oneowner.checkers.trace.expressions import Expression, constant, variable
from oneowner.checkers.trace.facts import Facts

RANGES = ((0, 1), (0, 1), (0, 2), (1, 3))
VARIABLES = tuple(variable(number, low, high) for number, (low, high) in enumerate(RANGES))


def value(node: Expression, given: tuple[int, ...]) -> int:
    """The value of a node, computed without any simplification."""
    if node.operator == "constant":
        return node.value
    if node.operator == "variable":
        return given[node.value]
    parts = [value(argument, given) for argument in node.arguments]
    meaning: dict[str, Callable[..., int]] = {
        "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
        "equal": lambda a, b: int(a == b), "less": lambda a, b: int(a < b), "not": lambda a: 1 - a,
        "and": lambda a, b: a & b, "choose": lambda test, then, otherwise: then if test else otherwise,
    }  # fmt: skip
    return meaning[node.operator](*parts)


class Built:
    """An expression beside a function that computes what it should be."""

    def __init__(self, node: Expression, meaning: tuple[int, ...]) -> None:
        self.node = node
        self.meaning = meaning
        """Its value for every assignment, in order."""


ASSIGNMENTS = list(product(*(range(low, high + 1) for low, high in RANGES)))


def leaf(node: Expression) -> Built:
    return Built(node, tuple(value(node, given) for given in ASSIGNMENTS))


numbers = st.sampled_from([*VARIABLES, *map(constant, range(-1, 4))]).map(leaf)


def combined(below: st.SearchStrategy[Built]) -> st.SearchStrategy[Built]:
    def truth(one: Built) -> Built:
        return Built(
            expressions.negation(expressions.equal(one.node, constant(0))), tuple(int(v != 0) for v in one.meaning)
        )

    def pair(make: str, of: tuple[Built, Built]) -> Built:
        one, other = of
        if make in ("both", "either"):
            one, other = truth(one), truth(other)
        meant: Callable[[int, int], int] = {
            "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
            "equal": lambda a, b: int(a == b), "less": lambda a, b: int(a < b),
            "both": lambda a, b: a & b, "either": lambda a, b: a | b,
        }[make]  # fmt: skip
        node = getattr(expressions, make)(one.node, other.node)
        return Built(node, tuple(meant(a, b) for a, b in zip(one.meaning, other.meaning, strict=True)))

    def choice(of: tuple[Built, Built, Built]) -> Built:
        test, then, otherwise = truth(of[0]), of[1], of[2]
        rows = zip(test.meaning, then.meaning, otherwise.meaning, strict=True)
        node = expressions.choose(test.node, then.node, otherwise.node)
        return Built(node, tuple(b if a else c for a, b, c in rows))

    makers = st.sampled_from(["add", "subtract", "multiply", "equal", "less", "both", "either"])
    pairs = st.tuples(makers, st.tuples(below, below)).map(lambda drawn: pair(*drawn))
    return st.one_of(pairs, st.tuples(below, below, below).map(choice), below.map(truth))


built = st.recursive(numbers, combined, max_leaves=12)


@given(built)
@settings(max_examples=120, deadline=None)
def test_expression_has_the_value_that_its_constructors_say(one: Built) -> None:
    assert tuple(value(one.node, given) for given in ASSIGNMENTS) == one.meaning
    assert all(one.node.low <= meant <= one.node.high for meant in one.meaning)


@given(built, built, built, st.booleans(), st.booleans())
@settings(max_examples=120, deadline=None)
def test_simplified_expression_is_equal_wherever_the_facts_hold(
    one: Built, first: Built, second: Built, outcome: bool, other: bool
) -> None:
    tests = [expressions.equal(fact.node, constant(1)) for fact in (first, second)]
    facts = Facts()
    for test, answer in zip(tests, (outcome, other), strict=True):
        known = facts.simplified(test)
        if known.is_constant:
            continue
        facts = facts.and_that(known, answer)
    simple = facts.simplified(one.node)
    known_to_hold = [
        given
        for given in ASSIGNMENTS
        if all(
            facts.simplified(test).is_constant and value(facts.simplified(test), given) == value(test, given)
            for test in tests
        )
    ]
    for given_values in known_to_hold:
        assert value(simple, given_values) == value(one.node, given_values)


def test_equal_expressions_are_one_object() -> None:
    x, y = VARIABLES[2], VARIABLES[3]
    assert expressions.equal(x, y) is expressions.equal(y, x)
    assert expressions.add(expressions.add(x, constant(1)), constant(2)) is expressions.add(x, constant(3))
    assert expressions.multiply(x, y) is expressions.multiply(y, x)
    assert expressions.multiply(expressions.multiply(x, constant(2)), constant(3)) is expressions.multiply(
        x, constant(6)
    )


def test_product_with_a_constant_is_folded_and_its_interval_has_the_ends_of_all_products() -> None:
    x, sign = VARIABLES[3], variable(4, -2, 3)
    assert expressions.multiply(constant(2), constant(-3)) is constant(-6)
    assert expressions.multiply(x, constant(0)) is constant(0)
    assert expressions.multiply(constant(1), x) is x
    assert (expressions.multiply(x, sign).low, expressions.multiply(x, sign).high) == (-6, 9)


def test_expression_is_spelt_down_to_some_depth() -> None:
    """Not to its end: of sixty sums of a sum with itself the last would be a text of 2**60 variables."""
    node = expressions.add(VARIABLES[2], VARIABLES[3])
    assert repr(node) == "add(x2, x3)"
    for _ in range(60):
        node = expressions.add(node, node)
    assert repr(node).count("...") == 64
