"""Every predicate of every lemma agrees with its formula on random values."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oneowner.checkers.engines.prove.formulas import Inputs
from oneowner.checkers.engines.prove.proof import holds
from oneowner.checkers.trace.leaves import expression_of
from oneowner.checkers.trace.tracing import Twins, traceable_modules
from oneowner.model.kernel.language import Domain, Fields, Finite
from oneowner.model.kernel.lemma import Interval, Lemma, Predicate
from oneowner.spec.channel.induction import BEFORE, points
from oneowner.spec.channel.registry import LEMMAS
from tests.channel import SYSTEM

EDGES = (-1, 0, 1, 2, 3)
"""The distance from an end of an interval, or from zero: equal numbers matter more than large ones."""


def values(domain: Domain) -> st.SearchStrategy[Any]:
    if isinstance(domain, Fields):
        return st.tuples(*map(values, domain.fields.values())).map(lambda parts: domain.record(*parts))
    if isinstance(domain, Finite):
        return st.sampled_from(domain.values)
    assert isinstance(domain, Interval)
    if domain.kind:
        return st.integers(domain.low, domain.low + 3)
    near = {place + edge for place in (domain.low, 0, domain.high) for edge in EDGES}
    return st.sampled_from(sorted(filter(domain.holds, near)))


def predicates(lemma: Lemma) -> Iterator[tuple[Predicate, Callable[..., Any] | None]]:
    """Every predicate of a lemma with the step after which it is asked."""
    yield from ((one, None) for one in lemma.given)
    yield from ((one, lemma.step) for one in lemma.claims)
    if lemma.occasion is not None:
        yield lemma.occasion, None


Asked = tuple[Predicate, Callable[..., Any] | None]


def new_ones() -> Iterator[tuple[Lemma, list[Asked]]]:
    """Yield each lemma with those of its predicates that no lemma before it asks of the same things."""
    seen: set[object] = set()
    for lemma in LEMMAS:
        over = tuple((name, repr(domain)) for name, domain in lemma.over.items())
        yield lemma, [asked for asked in predicates(lemma) if (*asked, over) not in seen]
        seen |= {(*asked, over) for asked in predicates(lemma)}


NEW = [pytest.param(lemma, asked, id=lemma.name) for lemma, asked in new_ones() if asked]


@pytest.mark.sample(10)
@pytest.mark.parametrize(("lemma", "asked"), NEW)
def test_formula_says_what_the_predicate_says(lemma: Lemma, asked: list[Asked]) -> None:
    inputs = Inputs(lemma.over, SYSTEM)
    formulas = [(one, step, inputs.holds(one, step)) for one, step in asked]

    @settings(max_examples=8, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(st.fixed_dictionaries({name: values(domain) for name, domain in lemma.over.items()}))
    def agrees(drawn: dict[str, Any]) -> None:
        says = [holds(one, drawn) if step is None else bool(one(step(*drawn.values()))) for one, step, _ in formulas]
        solver = z3.Solver()
        solver.add(
            inputs.given(drawn), z3.Or([formula != say for say, (*_, formula) in zip(says, formulas, strict=True)])
        )
        found = solver.check()
        assert found == z3.unsat, (found, solver.reason_unknown() if found == z3.unknown else "", drawn)

    agrees()


def test_summary_that_gives_a_plain_tuple_speaks_of_what_was_put_in() -> None:
    """Not of the variables that stood for it while the function was traced: nothing but their order would hide that."""
    (some,) = Inputs(BEFORE, SYSTEM)._values.values()
    found = Twins(traceable_modules(SYSTEM)).of(points)(some)
    assert [expression_of(point.place) for point in found] == [expression_of(point.place) for point in points(some)]
