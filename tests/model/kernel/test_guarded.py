"""A guarded law or lemma and its twin without the guard are one declaration."""

import pytest

from oneowner.model.kernel.law import (
    Excuse,
    LawKind,
    LivenessLaw,
    StateLaw,
    Status,
    Unguarded,
    any_state,
    declared_by,
    guarded,
)
from oneowner.model.kernel.lemma import Interval, Lemma, Mutant, Proof
from oneowner.model.kernel.lemma import guarded as guarded_lemma

SMALL = {"one": Interval(0, 9)}


def is_even(one: int) -> bool:
    return one % 2 == 0


def is_small(one: int) -> bool:
    return one < 3


def is_less_than_three(one: int) -> bool:
    return one < 3


def test_twin_excuses_nothing() -> None:
    @guarded(
        "a-law",
        "source",
        any_state,
        Unguarded("B.", "other", Status.DOCUMENTED),
        LivenessLaw,
        lambda state: state == 2,
        kind=LawKind.PROTOCOL,
    )
    def is_one(state: int, unless: Excuse) -> bool:
        """A."""
        return unless(state) or state == 1

    law, twin = declared_by(is_one)
    assert isinstance(law, LivenessLaw)
    assert isinstance(twin, LivenessLaw)
    assert (law.statement, twin.statement) == ("A.", "B.")
    assert [law.good(state) for state in (1, 2, 3)] == [True, True, False]
    assert [twin.good(state) for state in (1, 2, 3)] == [True, False, False]
    assert (law.name, law.status, law.source) == ("a-law", Status.GUARDED, "source")
    assert (twin.name, twin.status, twin.source) == ("a-law-always", Status.DOCUMENTED, "other")


def test_twin_of_a_law_whose_guard_is_its_antecedent_has_another_one() -> None:
    guarded(
        "a-law",
        "source",
        is_even,
        Unguarded("B.", "other", Status.HOLE, any_state),
        StateLaw,
        statement="A.",
        kind=LawKind.PROTOCOL,
    )(is_small)
    law, twin = declared_by(is_small)
    assert isinstance(law, StateLaw)
    assert isinstance(twin, StateLaw)
    assert (law.when, law.holds) == (is_even, is_small)
    assert (twin.when, twin.holds) == (any_state, is_small)


def test_twin_of_a_lemma_goes_without_an_assumption() -> None:
    lemma = Lemma("a", "A.", "s", SMALL, is_less_than_three, (is_even, is_small), mutant=Mutant("odd", is_even))
    same, twin = guarded_lemma(lemma, "B.", "t", without=is_small)
    assert same is lemma
    assert (twin.name, twin.statement, twin.source) == ("a-always", "B.", "t")
    assert (twin.given, twin.expected, twin.mutant, twin.claims) == ((is_even,), Proof.REFUTED, None, lemma.claims)


def test_twin_of_a_lemma_that_assumes_no_such_thing_is_refused() -> None:
    lemma = Lemma("a", "A.", "s", SMALL, is_less_than_three, (is_small,), mutant=Mutant("odd", is_even))
    with pytest.raises(ValueError, match=r"lemma refused: a-always; a does not assume is_even"):
        guarded_lemma(lemma, "B.", "t", without=is_even)
