"""
``Lemma`` declares a claim about all inputs, without bounds, that z3 proves or refutes (``oneowner prove``).

Claim, assumptions and mutant are plain predicates over the model's own functions: z3 gets the formula that tracing
them gives, a counterexample of z3 is put to the predicates as they are, and so is what Hypothesis thinks of. A lemma
that is expected to be refuted documents what looks true and is not.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from oneowner.model.kernel.language import Domain, Slot

Predicate = Callable[..., bool]
"""Its parameters are among those of its lemma, by name; it is a function of a module in ``model`` or ``spec``."""


class Proof(StrEnum):
    """The outcome of a lemma, or the one that is expected."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


PROVED, REFUTED, UNKNOWN = Proof.PROVED, Proof.REFUTED, Proof.UNKNOWN


class Interval:
    """
    The domain of all integers from *low* to *high*, too many to be listed.

    Those that number things of a *kind*, such as brokers, are only ever compared: z3 takes them for elements of a set
    of any size, with 0 for none of them.

    >>> Interval(0, 2**63 - 1).holds(-1)
    False
    """

    def __init__(self, low: int, high: int, kind: str = "") -> None:
        self.low = low
        self.high = high
        self.kind = kind

    def first(self) -> Any:
        return self.low

    def slots(self, name: str) -> Iterator[Slot]:
        yield Slot(name, self.high - self.low + 1)

    def holds(self, value: Any) -> bool:
        return isinstance(value, int) and self.low <= value <= self.high

    def codes(self, value: Any) -> Iterator[int]:
        yield value - self.low

    def value(self, codes: Iterator[int]) -> Any:
        return next(codes) + self.low


@dataclass(frozen=True, slots=True)
class Mutant:
    """A claim that differs from a proved one in one thing, and that z3 must refute: the lemma is not empty."""

    says: str
    claim: Predicate | tuple[Predicate, ...] | None = None
    """None: that of the lemma itself."""
    given: tuple[Predicate, ...] | None = None
    """Its assumptions, if it is one of these that is changed."""
    step: Callable[..., Any] | None = None
    """Its step, if it is that which is changed."""


@dataclass(frozen=True, slots=True)
class Lemma:
    """A claim over all values of some domains."""

    name: str
    statement: str
    """One sentence, with the words in brackets for why it fails, if it does."""
    source: str
    over: Mapping[str, Domain]
    """The domains of its variables, by the names of the parameters of its predicates."""
    claim: Predicate | tuple[Predicate, ...]
    """The claim: all of these are true of all inputs."""
    given: tuple[Predicate, ...] = ()
    """The assumptions; the name of each function states it."""
    step: Callable[..., Any] | None = None
    """The successor of the input, in an induction's step: the claim is about it, the assumptions about the input."""
    occasion: Predicate | None = None
    """A case that must be possible under the assumptions, so that they leave room for those that matter."""
    expected: Proof = PROVED
    mutant: Mutant | None = None
    """Of a lemma that is expected to be proved; it always has one."""
    seconds: float = 60
    """The time limit of z3; after it the lemma is unknown, which is never proved."""

    def __post_init__(self) -> None:
        if self.step is not None and len(self.over) != 1:
            raise ValueError(f"lemma refused: {self.name}; a step is one of a single input")
        if (self.expected == PROVED) != (self.mutant is not None):
            raise ValueError(f"lemma refused: {self.name}; a proved one has a mutant, a refuted one is none")

    @property
    def claims(self) -> tuple[Predicate, ...]:
        """Return all that it claims."""
        return claims_of(self.claim)


def guarded(lemma: Lemma, always: str, source: str, without: Predicate) -> tuple[Lemma, Lemma]:
    """
    Return a proved lemma, and ``NAME-always``, which is refuted *without* one of its assumptions.

    *always* is its statement, with the words in brackets for why it fails.
    """
    if without not in lemma.given:
        raise ValueError(f"lemma refused: {lemma.name}-always; {lemma.name} does not assume {without.__name__}")
    given = tuple(one for one in lemma.given if one is not without)
    name = f"{lemma.name}-always"
    return lemma, replace(
        lemma, name=name, statement=always, source=source, given=given, mutant=None, expected=Proof.REFUTED
    )


def claims_of(claim: Predicate | tuple[Predicate, ...]) -> tuple[Predicate, ...]:
    """Return one claim, or several, as a tuple."""
    return claim if isinstance(claim, tuple) else (claim,)
