"""
``@action`` declares an action beside the function that takes the step.

``@action(broker=BROKER, unit=UNIT, when=..., fairness=weak("..."))`` says of a function which instances of it there
are in which bounds, and how it is owed. The function itself stays as it is, so that a tracer can follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from types import ModuleType
from typing import Any, TypeVar

from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import Fairness, Owed

Run = TypeVar("Run", bound=Callable[..., None])


@dataclass(frozen=True, slots=True)
class Action:
    """One action with its arguments: ``consume(broker=2)``."""

    name: str
    arguments: tuple[tuple[str, int], ...]
    run: Callable[..., None]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in self.arguments)})"

    def argument(self, name: str) -> int:
        return dict(self.arguments)[name]


@dataclass(frozen=True, slots=True)
class Sort:
    """
    A kind of things that are numbered from 1 on, such as brokers: ``Sort("broker", lambda bounds: bounds.brokers)``.

    Some of them may be interchangeable; 0 is none of them.
    """

    name: str
    """Empty for plain numbers, such as versions."""
    count: Callable[[Any], int]
    """How many there are in some bounds."""

    def range_of(self, bounds: Any) -> range:
        """Return the numbers of all there are."""
        return range(1, self.count(bounds) + 1)

    def numbers(self, state: Any) -> range:
        """Return the numbers of all there are in a state; ``concrete`` lets laws and actions loop over them."""
        return self.range_of(state.bounds)

    def among(self, range_of: Callable[[Any], range | None]) -> Parameter:
        """Return a parameter that numbers some of these things; None where the bounds leave the parameter out."""
        return Parameter(range_of, self.name)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an action, with the numbers that it may be in some bounds; None where they leave it out."""

    range_of: Callable[[Any], range | None]
    sort: str = ""
    """The name of the sort that it numbers; empty for plain numbers, such as places in a queue."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared action: its function, its parameters, in which bounds it is there, how it is owed."""

    run: Callable[..., None]
    parameters: Mapping[str, Parameter]
    when: Callable[[Any], object]
    """True if there are any instances in some bounds."""
    owed: Owed
    budget: str
    """The bound that allows it; empty if ``when`` was declared alone."""

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def fairness(self) -> Fairness:
        return self.owed.of(self.name)

    def instances(self, bounds: Any) -> Iterator[Action]:
        """Yield the action with each combination of arguments that the bounds leave room for, in a fixed order."""
        if not self.when(bounds):
            return
        ranges = {name: parameter.range_of(bounds) for name, parameter in self.parameters.items()}
        there = {name: values for name, values in ranges.items() if values is not None}
        for values in product(*there.values()):
            yield Action(self.name, tuple(zip(there, values, strict=True)), self.run)


_DECLARED: dict[Callable[..., None], Declared] = {}


def action(
    *,
    fairness: Owed,
    budget: Budget | str = "",
    when: Callable[[Any], object] | None = None,
    **parameters: Sort | Parameter,
) -> Callable[[Run], Run]:
    """
    Declare an action of a system; parameters are those of the function, in its order.

    A *budget* is the bound that allows the action; *when* says more precisely in which bounds there are instances.
    """

    def declare(run: Run) -> Run:
        allowed = budget if isinstance(budget, str) else budget.name
        is_there = when or (lambda bounds: not allowed or getattr(bounds, allowed))
        asked = {
            name: one if isinstance(one, Parameter) else Parameter(one.range_of, one.name)
            for name, one in parameters.items()
        }
        _DECLARED[run] = Declared(run, asked, is_there, fairness, allowed)
        return run

    return declare


def declared_in(order: Iterable[ModuleType | Callable[..., None]]) -> tuple[Declared, ...]:
    """
    Return the actions that modules declare: in their order, and of the lines of each.

    An action may be named before its module, where the order in which ties are broken asks for it.
    """
    found: dict[Callable[..., None], Declared] = {}
    for one in order:
        if isinstance(one, ModuleType):
            found |= {run: it for run, it in _DECLARED.items() if run.__module__ == one.__name__ and run not in found}
        else:
            found.setdefault(one, _DECLARED[one])
    return tuple(found.values())
