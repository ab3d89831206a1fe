"""
These functions make a formula of a predicate: any number of brokers, numbers without bounds, all inputs at once.

The predicate is traced like an action. Its numbers become integers of z3 within their interval, its brokers elements
of a set of which nothing is known but that one of them is nobody: a predicate that does more with a broker than
compare it is refused.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

import z3

from oneowner.checkers.engines.compile.z3 import Reading
from oneowner.checkers.trace.expressions import Expression, choose, variable
from oneowner.checkers.trace.leaves import Untraceable, expression_of, leaf
from oneowner.checkers.trace.paths import Fork, all_paths
from oneowner.checkers.trace.symbolic import record, symbolic
from oneowner.checkers.trace.tracing import Twins, located, traceable_modules
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.model.kernel.decision import Decision
from oneowner.model.kernel.language import Domain, Fields, Finite
from oneowner.model.kernel.lemma import Interval, Predicate
from oneowner.model.kernel.system import System

BROKER: Final = z3.DeclareSort("Broker")
NOBODY: Final = z3.Const("nobody", BROKER)
NEAR: Final = (3, 16, 256, 2**16)
"""Numbers of a witness are looked for this near to zero first: a small one is easier to read."""


@cache
def _twins(system: System | Decision) -> Twins:
    return Twins(traceable_modules(system))


class Inputs:
    """The inputs of a lemma as symbolic values, and as terms of z3."""

    def __init__(self, over: Mapping[str, Domain], system: System | Decision) -> None:
        self.over = over
        self._twins = _twins(system)
        self._values: dict[str, Any] = {}
        self._leaves: list[Interval | Finite] = []
        for name, domain in over.items():
            self._values[name] = self._symbolic(domain)
        self.terms = [
            z3.Const(f"x{number}", BROKER if _is_broker(domain) else z3.IntSort())
            for number, domain in enumerate(self._leaves)
        ]
        self._reading = _Unbounded(self.terms)

    def holds(self, predicate: Predicate, step: Callable[..., Any] | None = None) -> z3.BoolRef:
        """
        Return the formula of *predicate* on these inputs, or on the state after *step* from the only one.

        Raises Misuse, with file and line, for code that cannot be traced.
        """
        arguments = [self._values[name] for name in self.over]
        try:
            if step is not None:
                arguments = [self._twins.of(step)(*arguments)]
            else:
                arguments = [self._values[name] for name in inspect.signature(predicate).parameters]
            twin = self._twins.of(predicate)
            return self._reading.truth(_joined(all_paths(predicate.__name__, lambda: twin(*arguments))))
        except Untraceable as error:
            raise Misuse(located(error)) from None

    def in_domain(self) -> z3.BoolRef:
        """Return that every number lies in its interval."""
        bounds = [
            z3.And(low <= term, term <= high)
            for (low, high), term in zip(map(_ends, self._leaves), self.terms, strict=True)
            if term.sort() != BROKER
        ]
        return z3.And(bounds)

    def near_zero(self) -> Iterator[z3.BoolRef]:
        """Yield ever weaker demands on how small the numbers are; the last one is none."""
        numbers = [
            term
            for term, domain in zip(self.terms, self._leaves, strict=True)
            if isinstance(domain, Interval) and not domain.kind
        ]
        for most in NEAR if numbers else ():
            yield z3.And([z3.And(term >= 0, term <= most) for term in numbers])
        yield z3.BoolVal(True)

    def read(self, model: z3.ModelRef) -> dict[str, Any]:
        """Return the plain values of a model of z3; its brokers are numbered as they come."""
        numbers = {str(model.eval(NOBODY, model_completion=True)): 0}
        found = []
        for term in self.terms:
            value = model.eval(term, model_completion=True)
            number = value.as_long() if z3.is_int_value(value) else numbers.setdefault(str(value), len(numbers))
            found.append(number)
        codes = iter(found)
        return {name: _value(domain, codes) for name, domain in self.over.items()}

    def given(self, values: Mapping[str, Any]) -> z3.BoolRef:
        """Return that the inputs are these plain values, its brokers pairwise different (to compare formulas by)."""
        numbers = [code for name, domain in self.over.items() for code in _numbers(domain, values[name])]
        named = {0: NOBODY}
        same = []
        for term, number in zip(self.terms, numbers, strict=True):
            if term.sort() == BROKER:
                named.setdefault(number, z3.Const(f"broker{number}", BROKER))
                same.append(term == named[number])
            else:
                same.append(term == number)
        return z3.And(*same, z3.Distinct(*named.values()) if len(named) > 1 else z3.BoolVal(True))

    def _symbolic(self, domain: Domain) -> Any:
        if isinstance(domain, Fields):
            return record(domain.record, [self._symbolic(part) for part in domain.fields.values()])
        if not isinstance(domain, Interval | Finite):
            raise TypeError(f"domain refused: {domain}; a lemma is about numbers, names, truths and records of them")
        number = len(self._leaves)
        self._leaves.append(domain)
        if isinstance(domain, Interval):
            return leaf(variable(number, domain.low, domain.high), int)
        return symbolic(domain, number)[0]


class _Unbounded(Reading):
    """Expressions as terms over integers and brokers."""

    def __init__(self, variables: list[z3.ExprRef]) -> None:
        super().__init__(variables, z3.IntVal)

    def _made(self, node: Expression) -> z3.ExprRef:
        parts = node.arguments[1:] if node.operator == "choose" else node.arguments
        terms = [self._term(part) for part in parts]
        if not any(term.sort() == BROKER for term in terms):
            return super()._made(node)
        terms = [self._broker(part, term) for part, term in zip(parts, terms, strict=True)]
        if node.operator == "equal":
            return terms[0] == terms[1]
        if node.operator == "choose":
            return z3.If(self.truth(node.arguments[0]), *terms)
        raise EngineError(f"{node.operator}: brokers have no order and no numbers; they are only compared")

    @staticmethod
    def _broker(part: Expression, term: z3.ExprRef) -> z3.ExprRef:
        if part.is_constant and part.value == 0:
            return NOBODY
        if term.sort() != BROKER:
            raise EngineError(f"{part}: a broker is compared with what is none")
        return term


def _joined(paths: Any) -> Expression:
    if isinstance(paths, Fork):
        return choose(paths.test, _joined(paths.then), _joined(paths.otherwise))
    return expression_of(paths)


def _is_broker(domain: Interval | Finite) -> bool:
    return isinstance(domain, Interval) and bool(domain.kind)


def _ends(domain: Interval | Finite) -> tuple[int, int]:
    if isinstance(domain, Interval):
        return domain.low, domain.high
    first = domain.values[0]
    low = first if type(first) is int else 0
    return low, low + len(domain.values) - 1


def _value(domain: Domain, numbers: Iterator[int]) -> Any:
    if isinstance(domain, Fields):
        return domain.record(*[_value(part, numbers) for part in domain.fields.values()])
    if isinstance(domain, Finite):
        return domain.values[next(numbers) - _ends(domain)[0]]
    return next(numbers)


def _numbers(domain: Domain, value: Any) -> Iterator[int]:
    if isinstance(domain, Fields):
        for part, below in zip(value, domain.fields.values(), strict=True):
            yield from _numbers(below, part)
    elif isinstance(domain, Finite):
        yield domain.values.index(value) + _ends(domain)[0]
    else:
        yield value
