"""
Decorators declare laws of states, steps and whole runs, and witnesses, on the predicates that must be true.

The docstring of the predicate states the law. A law observes and never acts, and it reads no rule and no fault switch:
it states what must be true whatever the switches are. Its antecedent ``when`` says on which states or steps it could
fail; a law that was never exercised has shown nothing, and the verdict on it is unknown.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple, TypeVar

from oneowner.model.kernel.declaration import WrongDeclaration, check_declaration
from oneowner.model.kernel.fairness import OnStep

Predicate = Callable[..., bool]
P = TypeVar("P", bound=Predicate)
OnState = Callable[[Any], bool]
"""Says something of a state."""

Excuse = Callable[..., bool]
"""Says of a state and a case in it, such as a broker and a unit, that a law does not judge it."""


class Status(StrEnum):
    """The standing of a law: proved, guarded, or known to fail."""

    HOLDS = "holds"
    """It must hold in every configuration."""
    GUARDED = "guarded"
    """It holds under the guard in its statement and fails without it."""
    DOCUMENTED = "documented"
    """It looks like an invariant but is none: its violation must be reachable."""
    HOLE = "hole"
    """The design text does not announce the violation that the model finds."""

    @property
    def is_violated(self) -> bool:
        """Return whether a violation is known, and so must be reachable in some family."""
        return self == Status.DOCUMENTED or self == Status.HOLE


class LawKind(StrEnum):
    """The kind of promise that a law states; it decides what a violation means for a change of the protocol."""

    PURPOSE = "purpose"
    """A right of the user: one owner, nothing lost, a true answer, an end of all that begins."""
    PROTOCOL = "protocol"
    """A promise of the design on the way: epochs grow, a broker revokes before another is assigned."""
    MIRROR = "mirror"
    """A rule of today's code, written again by another hand: it catches a slip, and any change of behaviour."""


class Severity(StrEnum):
    """The severity of a broken law; only a violation makes what was judged invalid."""

    VIOLATION = "violation"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Declaration:
    """
    The declaration of a law, be it one of states, steps, runs, logs or recordings.

    Each kind of law adds when it has an occasion, and how it is judged. Whoever lists laws or tells a rule needs only
    what is here.
    """

    name: str
    statement: str
    """The claim, in one sentence."""
    source: str
    """Its source: a Pulsar class, a PIP or an issue; ids are those of ``docs/sources.md``."""
    severity: Severity = field(default=Severity.VIOLATION, kw_only=True)
    """The worst that is said where it is broken."""
    needs: tuple[str, ...] = field(default=(), kw_only=True)
    """The input that it is judged by, in words; a law of the model needs none."""


@dataclass(frozen=True, slots=True)
class StateLaw(Declaration):
    """A law of every reachable state."""

    when: OnState
    holds: OnState
    status: Status = Status.HOLDS
    kind: LawKind = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class StepLaw(Declaration):
    """A law of every step: the state before, the action, the state after."""

    when: OnStep
    holds: OnStep
    status: Status = Status.HOLDS
    kind: LawKind = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Witness(Declaration):
    """A step that must happen in a family that names it; otherwise its laws may hold vacuously."""

    reached: OnStep


@dataclass(frozen=True, slots=True)
class LivenessLaw(Declaration):
    """
    A law of every fair run (``spec/channel/fairness.py``), by the states along it.

    With ``stays`` false: after every state where *when* is true there comes one where *good* is (*when* leads to
    *good*). With ``stays`` true: in the end *good* comes and stays; *when* is where it does not hold yet.
    """

    when: OnState
    good: OnState
    status: Status = Status.HOLDS
    stays: bool = False
    kind: LawKind = field(kw_only=True)


Law = StateLaw | StepLaw
"""A law that a search judges state by state or step by step; liveness needs the whole graph."""


_ARGUMENTS = (((StateLaw, LivenessLaw), ("state",)), ((StepLaw, Witness), ("before", "action", "after")))
"""The arguments of the functions of a law by its form; those of logs have others."""

_DECLARED: dict[Predicate, tuple[Declaration, ...]] = {}


def declared_by(predicate: Any) -> tuple[Declaration, ...]:
    """Return the law or the witness that a predicate declares, and the twin of a guarded law."""
    return _DECLARED.get(predicate, ())


def declares(laws: Callable[[str, Predicate], Declaration | tuple[Declaration, ...]]) -> Callable[[P], P]:
    """
    Return a decorator that makes laws of the docstring and the predicate below it, or raises WrongDeclaration.

    The predicate itself stays as it is, so that other predicates can call it and a tracer can follow it.
    """

    def declare(predicate: P) -> P:
        made = laws(" ".join((predicate.__doc__ or "").split()), predicate)
        several = made if isinstance(made, tuple) else (made,)
        for one in several:
            _check(predicate, one)
        if predicate in _DECLARED:
            raise WrongDeclaration(
                predicate,
                f"{several[0].name} refused: the function declares {_DECLARED[predicate][0].name}; one law each",
            )
        _DECLARED[predicate] = several
        return predicate

    return declare


def _check(predicate: Predicate, one: Declaration) -> None:
    """Raise WrongDeclaration if a declaration is none of a law that an engine could judge."""
    asked = {key: getattr(one, key) for key in ("when", "holds", "good", "reached") if hasattr(one, key)}
    form = next((of for kinds, of in _ARGUMENTS if isinstance(one, kinds)), None)
    check_declaration(predicate, one.name, one.statement, asked, form)


def always(name: str, source: str, when: OnState, status: Status = Status.HOLDS, *, kind: LawKind) -> Callable[[P], P]:
    """Declare a law of every state: where *when* is true, the predicate must be."""
    return declares(lambda statement, holds: StateLaw(name, statement, source, when, holds, status, kind=kind))


class Unguarded(NamedTuple):
    """A law without its guard: its statement is a sentence with the words in brackets for why it fails."""

    statement: str
    source: str
    status: Status
    when: Callable[..., bool] | None = None
    """Its occasions, if they are others than those of the guarded law."""


def guarded(
    name: str,
    source: str,
    when: Callable[..., bool],
    always: Unguarded,
    form: Callable[..., Declaration],
    unless: Excuse | None = None,
    statement: str = "",
    *,
    kind: LawKind,
) -> Callable[[P], P]:
    """
    Declare a law that excuses some cases, and ``NAME-always``, which excuses none and is violated.

    The predicate asks its parameter ``unless`` of each case that it looks at, such as a broker and a unit. Without
    *unless* the guard is the antecedent, and *always* has another one. *form* is the class of the law. A *statement*
    that shares words with those of other laws is given instead of the docstring.
    """

    def both(documented: str, holds: Predicate) -> tuple[Declaration, Declaration]:
        given, bare = (partial(holds, unless=one) if unless else holds for one in (unless, never))
        return (
            form(name, statement or documented, source, when, given, Status.GUARDED, kind=kind),
            form(
                f"{name}-always", always.statement, always.source, always.when or when, bare, always.status, kind=kind
            ),
        )

    return declares(both)


def step_law(name: str, source: str, when: OnStep, status: Status = Status.HOLDS, *, kind: LawKind) -> Callable[[P], P]:
    """Declare a law of every step: where *when* is true, the predicate must be."""
    return declares(lambda statement, holds: StepLaw(name, statement, source, when, holds, status, kind=kind))


def sometimes(name: str, source: str) -> Callable[[P], P]:
    """Declare a witness: some step must make the predicate true."""
    return declares(lambda statement, reached: Witness(name, statement, source, reached))


def leads_to(
    name: str, source: str, when: OnState, status: Status = Status.HOLDS, *, kind: LawKind
) -> Callable[[P], P]:
    """Declare that in every fair run a state where *when* is true is, or leads to, one where the predicate is true."""
    return declares(lambda statement, good: LivenessLaw(name, statement, source, when, good, status, kind=kind))


def eventually_always(name: str, source: str, status: Status = Status.HOLDS, *, kind: LawKind) -> Callable[[P], P]:
    """Declare that every fair run comes to a state from which on the predicate is true for ever (``<>[]`` in TLA+)."""
    form = partial(LivenessLaw, stays=True, kind=kind)
    return declares(lambda statement, good: form(name, statement, source, any_state, good, status))


def never(*case: Any) -> bool:
    """Return False: nothing is excused."""
    return False


def any_state(state: Any) -> bool:
    """Return True: an occasion in every state."""
    return True
