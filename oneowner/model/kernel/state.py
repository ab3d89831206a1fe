"""
``State`` is the base of a system's state; ``cell`` declares each of its cells once.

``view: Cells[Record] = cell(record_domain, per=(BROKER, UNIT), ends=True)`` says what the cell is called, what it may
hold, of what there is one each, and that it ends with the process of the broker: it holds its first value again.
"""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from typing import Any, ClassVar, NamedTuple

from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.language import Array, Domain, Fields, Finite, Struct, integers

DomainOf = Callable[[Any], Domain]
"""The domain of a cell in some bounds."""


class Cell(NamedTuple):
    """A declared cell."""

    domain: DomainOf
    """The domain of each element of an array."""
    per: tuple[Sort, ...]
    """Of what there is one each, at most two sorts; none: it is a single value."""
    there: Callable[[Any], object]
    """True if the bounds have the cell; an array that they do not have has no elements."""
    when: Callable[[Any], object]
    """True if the bounds need the cell; one that they do not need holds the first value of its domain, and no other."""
    first: Any
    """Its value at the start, or a function of the bounds and of an element's numbers; None: as its domain says."""
    ends: bool
    """True if it ends with the process of the first of its sorts."""
    ends_as: Any
    """Its value then, if that is not the one at the start."""

    def whole(self, bounds: Any) -> Domain:
        """Return what the cell may hold, of an array all its elements."""
        domain = self.domain(bounds)
        if not self.when(bounds):
            domain = alone(domain)
        if not self.per:
            return domain
        shape = [sort.count(bounds) for sort in self.per]
        if not self.there(bounds):
            shape[0] = 0
        return Array(tuple(shape), domain, tuple(sort.name for sort in self.per))

    def is_free(self, bounds: Any) -> bool:
        """Return whether the cell is there and may change."""
        return bool(self.there(bounds) and self.when(bounds))

    def at_start(self, bounds: Any, numbers: tuple[int, ...]) -> Any:
        """Return what the cell, or the element of these numbers, holds at the start."""
        if self.first is None:
            return self.domain(bounds).first()
        return self.first(bounds, *numbers) if callable(self.first) else self.first

    def at_end(self, bounds: Any, numbers: tuple[int, ...]) -> Any:
        """Return what it holds when the process that it belongs to has ended."""
        return self.at_start(bounds, numbers) if self.ends_as is None else self.ends_as


def everywhere(bounds: Any) -> bool:
    return True


def cell(
    domain: Domain | DomainOf,
    per: tuple[Sort, ...] = (),
    *,
    there: Callable[[Any], object] = everywhere,
    when: Callable[[Any], object] = everywhere,
    first: Any = None,
    ends: bool = False,
    ends_as: Any = None,
) -> Any:
    """
    Declare a cell of a state: one value, or an array of them.

    >>> from oneowner.model.kernel.language import BOOLEAN
    >>> known = cell(BOOLEAN, per=(Sort("broker", lambda bounds: 2),), first=True, ends_as=False)
    >>> known.at_start(None, (1,)), known.at_end(None, (1,))
    (True, False)
    """
    domain_of = domain if callable(domain) else lambda bounds: domain
    return Cell(domain_of, per, there, when, first, ends or ends_as is not None, ends_as)


def left(budget: str) -> Any:
    """Declare the cell that holds what is left of a budget; its name is ``BUDGET_left``."""
    return cell(
        lambda bounds: integers(0, getattr(bounds, budget)),
        first=lambda bounds: getattr(bounds, budget),
    )


class _Declaring(type):
    """Collects the cells that a class declares, in their order."""

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        declared = {key: value for key, value in space.items() if isinstance(value, Cell)}
        others = {key: value for key, value in space.items() if key not in declared}
        return super().__new__(mcs, name, bases, {"__slots__": (), "declared": declared, **others})


class State(Struct, metaclass=_Declaring):
    """One instant of a system within some bounds; a subclass declares its cells, all in one class."""

    __slots__ = ("bounds",)
    constants = ("bounds",)
    declared: ClassVar[Mapping[str, Cell]]
    bounds: Any

    def __init__(self, bounds: Any) -> None:
        super().__init__(self.domains_of(bounds))
        self.bounds = bounds
        for name, one in self.declared.items():
            if one.first is not None and one.is_free(bounds):
                for numbers in product(*(sort.range_of(bounds) for sort in one.per)):
                    put(self, name, numbers, one.at_start(bounds, numbers))

    @classmethod
    def domains_of(cls, bounds: Any) -> dict[str, Domain]:
        """Return what every cell may hold; one that the bounds do not need has one value, or no elements."""
        return _domains_of(cls, bounds)


@cache  # every state that begins asks
def _domains_of(kind: type[State], bounds: Any) -> dict[str, Domain]:
    return {name: one.whole(bounds) for name, one in kind.declared.items()}


def alone(domain: Domain) -> Domain:
    """Return the domain of the first value of another one, and of no other value."""
    if isinstance(domain, Fields):
        return Fields(domain.record, **{name: alone(part) for name, part in domain.fields.items()})
    return Finite((domain.first(),), getattr(domain, "kind", ""))


def put(state: State, name: str, numbers: tuple[int, ...], value: Any) -> None:
    """Set a cell, of an array the element that has these numbers."""
    if not numbers:
        setattr(state, name, value)
    else:
        getattr(state, name)[numbers if len(numbers) == 2 else numbers[0]] = value


def end_cells(state: State, number: int) -> None:
    """End the process *number*: every cell that ends with it holds what it is declared to hold then."""
    for name, numbers, value in _ends(state.bounds, number):
        put(state, name, numbers, value)


@cache
def _ends(bounds: Any, number: int) -> tuple[tuple[str, tuple[int, ...], Any], ...]:
    """Return the name, the numbers and the value of every cell that ends with the process *number*."""
    return tuple(
        (name, numbers, one.at_end(bounds, numbers))
        for name, one in bounds.system.state.declared.items()
        if one.ends and one.is_free(bounds)
        for numbers in product((number,), *(sort.range_of(bounds) for sort in one.per[1:]))
    )
