"""``trace`` makes a ``Program`` of a model within its bounds: the only input of emitters."""

import gc
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from typing import Any, TypeVar

from oneowner.checkers.engines.compile.traceable import Complaint, check_modules
from oneowner.checkers.engines.compile.trees import Beyond, Disabled, Grove, Tree, Update, enabled
from oneowner.checkers.engines.compile.watched import At, unheard
from oneowner.checkers.engines.compile.watched_action import Watched
from oneowner.checkers.trace.drafts import Draft, is_untouched
from oneowner.checkers.trace.expressions import FALSE, Expression, choose, constant, either, negation
from oneowner.checkers.trace.facts import Facts
from oneowner.checkers.trace.leaves import Untraceable, expression_of
from oneowner.checkers.trace.paths import Fork, Outcome, all_paths
from oneowner.checkers.trace.summaries import FIRST_FORMAL
from oneowner.checkers.trace.symbolic import SymbolicState, expressions, merge, range_of
from oneowner.checkers.trace.tracing import Twins, located, traceable_modules
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel import guards
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.enabled import EnabledLaw
from oneowner.model.kernel.language import Array, Domain, Fields, Finite, SequenceOf, integers
from oneowner.model.kernel.law import Law, StateLaw, Witness
from oneowner.model.kernel.system import System, actions, domains, initial_states, perturbations


@dataclass(frozen=True, slots=True)
class Place:
    """One slot of the flat state: its values are ``low .. low + size - 1``, kept as codes from 0 on."""

    name: str
    low: int
    size: int
    kind: str = ""
    """The kind of thing that its values number, such as brokers; 0 stands for none."""
    path: tuple[Hashable, ...] = ()
    """Its location: names of cells and fields, numbers in sequences, and (kind, number) in arrays."""


@dataclass(frozen=True, slots=True)
class Check:
    """A law or witness at one place: 0 no occasion, 1 it holds (or is not reached), 2 it is broken (reached)."""

    name: str
    answer: Expression
    idle: int = 0
    """The neutral answer: 0 for a law, 1 for a witness."""


@dataclass(frozen=True, slots=True)
class Program:
    """
    A traced model.

    Expressions read the state by variables 0 .. n-1; those of a step read the state after it by n .. 2n-1.
    """

    places: tuple[Place, ...]
    initial: tuple[tuple[int, ...], ...]
    """The codes of every initial state."""
    actions: tuple[Action, ...]
    trees: tuple[Tree, ...]
    """The tree of each action."""
    normalisation: Tree
    """The step taken after every action, as often as it is enabled."""
    state_laws: tuple[Check, ...]
    step_checks: tuple[tuple[Check, ...], ...]
    """Step laws and witnesses of each action; those that cannot apply are left out."""
    perturbations: Expression
    sorts: Mapping[str, str] = field(default_factory=dict)
    """Of every parameter of an action that numbers things of a sort, the sort."""


MOST_SLOTS = FIRST_FORMAL // 2
"""Slots of a state that can be traced: variables stand for those before and after a step."""

T = TypeVar("T")
Traced = Callable[[], Program]
"""Provides a traced model: tracing takes seconds, and a kept program spares that."""


def trace(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness],
    like: Traced | None = None,
    at: At = unheard,
) -> Program:
    """
    Trace a model within *bounds*; raise Misuse with file and line for code that cannot be traced.

    If *like* gives a program of the same bounds, its actions are taken over, and the laws alone are traced. *at* hears
    how far it is.
    """
    at("tracing")
    for complaint in _complaints(bounds.system):  # what tracing would not notice
        raise Misuse(str(complaint))
    was_collecting = gc.isenabled()
    gc.disable()  # expressions are kept for good: to look for garbage among them takes a third of the time
    try:
        return _Tracing(bounds, at).program(laws, witnesses, like() if like else None)
    except Untraceable as error:
        raise Misuse(located(error)) from None
    finally:
        if was_collecting:
            gc.enable()


@cache
def _complaints(system: System) -> list[Complaint]:
    """Return what is wrong with the source that this process has loaded: it does not change."""
    return check_modules(system.modules)


class _Tracing:
    def __init__(self, bounds: Bounds, at: At) -> None:
        self.bounds = bounds
        self.at = at
        self.domains = domains(bounds)
        self.system = bounds.system
        self.twins = Twins(traceable_modules(bounds.system))
        self.grove = Grove()
        self.places = tuple(place for name, domain in self.domains.items() for place in _places(name, domain))
        if len(self.places) > MOST_SLOTS or max(place.size for place in self.places) > 256:
            raise Untraceable(
                f"a state of {len(self.places):,} slots is too big to be compiled, but not for --engine native"
            )
        self._answers: dict[tuple[Any, ...], Expression] = {}
        self._enabled: dict[Action, Expression] = {}
        self._before = SymbolicState(self.domains, {"bounds": bounds})
        self._after = SymbolicState(self.domains, {"bounds": bounds}, len(self.places))
        self._slots = {
            name: [*expressions(domain, getattr(self._before, name))] for name, domain in self.domains.items()
        }

    def program(self, laws: Sequence[Law], witnesses: Sequence[Witness], like: Program | None) -> Program:
        instances = tuple(actions(self.bounds))
        if like is not None and (like.places, like.actions) != (self.places, instances):
            raise ValueError("programs of different bounds have no actions in common")
        effects = self._told("tracing what happens:", instances)
        states = self._told("tracing laws of states:", [law for law in laws if isinstance(law, StateLaw)])
        steps = self._told("tracing laws of steps:", instances)
        trees = like.trees if like else tuple(self._effect(one.run, dict(one.arguments)) for one in effects)
        self._enabled = {one: enabled(tree) for one, tree in zip(instances, trees, strict=True)}
        return Program(
            places=self.places,
            initial=tuple(tuple(state.codes()) for state in initial_states(self.bounds)),
            actions=instances,
            trees=trees,
            normalisation=like.normalisation if like else self._normalisation(),
            state_laws=tuple(self._state_law(law) for law in states),
            step_checks=tuple(tuple(self._step_checks(action, laws, witnesses)) for action in steps),
            perturbations=expression_of(self.twins.of(perturbations)(self._before)),
            sorts=self.system.sorts,
        )

    def _told(self, words: str, parts: Sequence[T]) -> Iterator[T]:
        """Yield parts, and report progress."""
        for number, part in enumerate(parts):
            self.at(words, number, len(parts))
            yield part

    def _effect(self, run: Callable[..., None], arguments: dict[str, int]) -> Tree:
        twin = self.twins.of(run)

        def once() -> Outcome:
            state = Draft(self._before)
            try:
                twin(state, **arguments)
            except guards.Disabled:
                return Disabled()
            except guards.BoundReached as reached:
                return Beyond(reached.bound)
            return state

        def finish(outcome: Outcome, facts: Facts) -> Outcome:
            return Update(tuple(self._changes(outcome, facts))) if isinstance(outcome, SymbolicState) else outcome

        return self._tree(all_paths(run.__name__, once, finish))

    def _normalisation(self) -> Tree:
        needed = expression_of(self.twins.of(self.system.needs_normalising)(self._before))
        never = self.grove.leaf(Disabled())
        if needed.is_constant:
            return self._effect(self.system.normalise, {}) if needed.value else never
        return self.grove.branch(needed, self._effect(self.system.normalise, {}), never)

    def _changes(self, state: SymbolicState, facts: Facts) -> Iterator[tuple[int, Expression]]:
        number = 0
        for name, slots in self._slots.items():
            before, after = getattr(self._before, name), getattr(state, name)
            if not is_untouched(before, after):
                both = zip(slots, expressions(self.domains[name], after), strict=True)
                for at, (old, new) in enumerate(both, number):
                    simple = new if new is old else facts.simplified(new)
                    if simple is not old and simple is not facts.simplified(old):
                        yield at, simple
            number += len(slots)

    def _tree(self, paths: Fork | Outcome) -> Tree:
        if isinstance(paths, Fork):
            return self.grove.branch(paths.test, self._tree(paths.then), self._tree(paths.otherwise))
        return self.grove.leaf(paths)

    def _state_law(self, law: StateLaw) -> Check:
        if isinstance(law, EnabledLaw):
            return Check(law.name, self._as_ruled(law))
        when, holds = self.twins.of(law.when), self.twins.of(law.holds)
        return Check(law.name, _answer(law.name, partial(_judged, when, holds, (self._before,))))

    def _as_ruled(self, law: EnabledLaw) -> Expression:
        """Return the answer of a law about enabled actions: the trees of the actions beside its rules."""
        occasion, broken = FALSE, FALSE
        rules = {rule.action: rule for rule in law.rules}
        for action in (one for one in self._enabled if one.name in rules and law.where(self.bounds)):
            rule, is_enabled = rules[action.name], self._enabled[action]
            enough, needed = (
                _answer(law.name, partial(self.twins.of(part), self._before, **dict(action.arguments)))
                for part in (rule.enough, rule.needed)
            )
            occasion = either(occasion, either(is_enabled, enough))
            broken = either(broken, choose(is_enabled, negation(needed), enough))
        return choose(broken, constant(2), choose(occasion, constant(1), constant(0)))

    def _step_checks(self, action: Action, laws: Sequence[Law], witnesses: Sequence[Witness]) -> Iterator[Check]:
        for law in laws:
            if not isinstance(law, StateLaw):
                when, holds = self.twins.of(law.when), self.twins.of(law.holds)
                answer = self._of_step(law.name, partial(_judged, when, holds), action)
                if not answer.is_constant or answer.value:
                    yield Check(law.name, answer)
        for witness in witnesses:
            answer = self._of_step(witness.name, partial(_reached, self.twins.of(witness.reached)), action)
            if not answer.is_constant or answer.value == 2:
                yield Check(witness.name, answer, idle=1)

    def _of_step(self, what: str, judge: Callable[[tuple[Any, ...]], int], action: Action) -> Expression:
        """Return the answer for steps by *action*: traced once for all actions in which it sees no difference."""
        keys = ((what,), (what, action.name), (what, action))
        for key in keys:
            if key in self._answers:
                return self._answers[key]
        watched = Watched(action)
        answer = _answer(what, lambda: judge((self._before, watched, self._after)))
        self._answers[keys[watched.seen]] = answer
        return answer


def _judged(when: Callable[..., Any], holds: Callable[..., Any], of: tuple[Any, ...]) -> int:
    if not when(*of):
        return 0
    return 1 if holds(*of) else 2


def _reached(reached: Callable[..., Any], of: tuple[Any, ...]) -> int:
    return 2 if reached(*of) else 1


def _answer(what: str, run: Callable[[], int]) -> Expression:
    return expression_of(_one(all_paths(what, run)))


def _one(paths: Fork | Outcome) -> Any:
    if isinstance(paths, Fork):
        return merge(paths.test, _one(paths.then), _one(paths.otherwise))
    return paths


def _places(name: str, domain: Domain) -> list[Place]:
    names = [slot.name for slot in domain.slots(name)]
    leaves = list(_leaves((name,), domain))
    return [Place(slot, *range_of(leaf), leaf.kind, path) for slot, (path, leaf) in zip(names, leaves, strict=True)]


def _leaves(path: tuple[Hashable, ...], domain: Domain) -> Iterator[tuple[tuple[Hashable, ...], Finite]]:
    """Yield where each slot of a cell is, and its values; in the order of ``Domain.slots``."""
    if isinstance(domain, Finite):
        yield path, domain
    elif isinstance(domain, Fields):
        for name, part in domain.fields.items():
            yield from _leaves((*path, name), part)
    elif isinstance(domain, SequenceOf):
        yield path, integers(0, domain.capacity)
        for number in range(1, domain.capacity + 1):
            yield from _leaves((*path, number), domain.element)
    elif isinstance(domain, Array):
        for at in product(*(range(1, length + 1) for length in domain.shape)):
            yield from _leaves((*path, *zip(domain.kinds, at, strict=True)), domain.element)
