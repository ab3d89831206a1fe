"""
``System`` holds all that an engine, the ledger or a report may ask of a model and its laws, as one object.

Bounds lead to their system (``bounds.system``), so whoever has bounds or a state needs nothing else. The functions at
the end ask it: they are what engines import.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from oneowner.model.kernel.action import Action, Declared
from oneowner.model.kernel.bounds import Bounds, Kind
from oneowner.model.kernel.declaration import WrongDeclaration
from oneowner.model.kernel.fairness import Fairness
from oneowner.model.kernel.language import Domain
from oneowner.model.kernel.law import Law, LawKind, LivenessLaw, Status, Witness, declared_by
from oneowner.model.kernel.lemma import Lemma
from oneowner.model.kernel.refinement import Refinement
from oneowner.model.kernel.schedule import Reader
from oneowner.model.kernel.state import State
from oneowner.model.kernel.story import Narrator


class Known(StrEnum):
    """The kinds of evidence for a switch's value in a release; the weakest last."""

    SOURCE = "source read"
    BYTECODE = "bytecode read"
    EQUAL = "equal classes"
    """Its classes are equal to those of a release that was read."""
    NOTES = "release notes only"


T = TypeVar("T")
S = TypeVar("S", bound=State)


def nothing_needed(state: Any) -> bool:
    return False


def nothing_done(state: Any) -> None:
    return None


@dataclass(frozen=True, eq=False, repr=False)
class System:
    """A step system: its actions (``model``), and its laws (``spec``)."""

    name: str
    title: str
    """The subject of the model, in one line."""
    bounds: type[Bounds]
    state: type[State]
    initial_states: Callable[[Any], list[Any]]
    declared: tuple[Declared, ...]
    """Its actions, in the order in which ties are broken."""
    modules: tuple[ModuleType, ...]
    """All that may be traced: every module of its model and of its laws."""
    story: Narrator
    laws: tuple[Law, ...]
    """Laws of states and steps, in the order of reports."""
    liveness: tuple[LivenessLaw, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    lemmas: tuple[Lemma, ...] = ()
    refinements: tuple[Refinement, ...] = ()
    rules: type[Any] = object
    """The switches by which releases differ: a frozen dataclass of truths."""
    releases: Mapping[str, Any] = field(default_factory=dict)
    """The rules of every release, by its name, line by line."""
    known: Callable[[str, str], Known] = lambda release, switch: Known.SOURCE
    """The evidence for a switch's value in a release."""
    default_release: str = ""
    refuse_release: Callable[[Any, str], str] = lambda bounds, release: ""
    """The reason that a release cannot have some bounds; an empty string if it can."""
    needs_normalising: Callable[[Any], bool] = nothing_needed
    normalise: Callable[[Any], None] = nothing_done
    """After every action, while it is needed: states that differ only in parts that nobody can see become one."""
    state_class: tuple[str, ...] = ()
    """The slots by which states are sorted where they are too many to be counted, such as ``serving[*,*]``."""
    observe: Callable[[Any], Any] | None = None
    """The owner of each unit in a state, for the requirement of a hand-over (``model.handoff``)."""
    schedules: Reader | None = None
    """Puts a schedule of the real class to the model under the rules of a release."""
    project: str = "Pulsar"
    """The project whose protocol it models: a documented violation happens there."""
    aliases: tuple[str, ...] = ()
    """Other names that the command line takes for it."""

    @property
    def home(self) -> str:
        """The package of its laws, where its families, faults and other pins lie."""
        return self.bounds.declared_in.rpartition(".")[0]

    @cached_property
    def sorts(self) -> dict[str, str]:
        """Of every parameter of an action that numbers things of a sort, the sort."""
        return {
            name: parameter.sort
            for one in self.declared
            for name, parameter in one.parameters.items()
            if parameter.sort
        }

    @cached_property
    def fairness(self) -> dict[str, Fairness]:
        return {one.name: one.fairness for one in self.declared}

    @cached_property
    def budgets(self) -> tuple[str, ...]:
        """The bounds that say how often something may happen."""
        return tuple(name for name, bound in self.bounds.described().items() if bound.kind == Kind.BUDGET)

    @cached_property
    def laws_by_name(self) -> dict[str, Law]:
        """The laws of states and steps."""
        return {law.name: law for law in self.laws}

    @cached_property
    def liveness_by_name(self) -> dict[str, LivenessLaw]:
        """The laws of whole runs."""
        return {law.name: law for law in self.liveness}

    @cached_property
    def statuses(self) -> dict[str, Status]:
        """The standing of every law there is."""
        return {law.name: law.status for law in (*self.laws, *self.liveness)}

    @cached_property
    def kinds(self) -> dict[str, LawKind]:
        """The kind of every law there is."""
        return {law.name: law.kind for law in (*self.laws, *self.liveness)}


def found_in(modules: Iterable[ModuleType], kind: type[T] | tuple[type[T], ...]) -> tuple[T, ...]:
    """
    Return everything of one kind that modules declare, in their order: a registry fills itself.

    A law is declared by its predicate, in whose module it is; all else has a public name. Two laws of one name raise
    WrongDeclaration.
    """
    seen: dict[int, T] = {}
    named: dict[str, FunctionType] = {}
    for module in modules:
        for value in (value for name, value in vars(module).items() if not name.startswith("_")):
            several: Any = value if isinstance(value, tuple) and not isinstance(value, kind) else (value,)
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                several = declared_by(value)
                for name in (one.name for one in several):
                    if (other := named.setdefault(name, value)) is not value:
                        raise WrongDeclaration(value, f"name refused: {name}; {other.__name__} declares it already")
            for one in several:
                if isinstance(one, kind):
                    seen.setdefault(id(one), one)
    return tuple(seen.values())


# ---- what engines ask ----


def actions(bounds: Bounds) -> list[Action]:
    """Return every action instance that these bounds leave room for, in a fixed order."""
    return list(_instances(bounds))


@lru_cache(maxsize=64)  # a replay asks for every step
def _instances(bounds: Bounds) -> tuple[Action, ...]:
    return tuple(action for one in bounds.system.declared for action in one.instances(bounds))


def initial_states(bounds: Bounds) -> list[Any]:
    """Return the states that a run may start in."""
    system: System = bounds.system
    return system.initial_states(bounds)


def domains(bounds: Bounds) -> dict[str, Domain]:
    """Return what every cell of a state may hold."""
    system: System = bounds.system
    return system.state.domains_of(bounds)


def step(state: S, action: Action) -> S:
    """Return the state after *action*; raise ``Disabled`` with the guard that refused it."""
    system: System = state.bounds.system
    after = state.draft()
    action.run(after, **dict(action.arguments))
    while system.needs_normalising(after):
        system.normalise(after)
    return after.completed()


def budget(bounds: Bounds) -> int:
    """Return how many perturbations a run may hold."""
    return sum(getattr(bounds, name) for name in bounds.system.budgets)


def perturbations(state: Any) -> Any:
    """Return how many perturbations led to *state*: the budgets that are spent."""
    left = 0
    for name in state.bounds.system.budgets:
        left = left + getattr(state, f"{name}_left")
    return budget(state.bounds) - left
