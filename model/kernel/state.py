"""
A state of some system, and its cells: each is declared once.

``view: Cells[Record] = cell(record_domain, per=(BROKER, UNIT), ends=True)`` says what the cell is called, what it may
hold, of what there is one each, and that it ends with the process of the broker: it holds its first value again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.language import Array, Domain, Struct, integers

DomainOf = Callable[[Any], Domain]
"""What a cell may hold in some bounds."""


class Cell(NamedTuple):
    """What is declared of a cell."""

    domain: DomainOf
    """Of an array, what each of its elements may hold."""
    per: tuple[Sort, ...]
    """Of what there is one each, at most two sorts; none: it is a single value."""
    there: Callable[[Any], object]
    """Whether the bounds need the cell; an array that they do not need has no elements."""
    ends: bool
    """Whether it ends with the process of the first of its sorts."""

    def whole(self, bounds: Any) -> Domain:
        """Return what the cell may hold, of an array all its elements."""
        if not self.per:
            return self.domain(bounds)
        shape = [sort.count(bounds) for sort in self.per]
        if not self.there(bounds):
            shape[0] = 0
        return Array(tuple(shape), self.domain(bounds), tuple(sort.name for sort in self.per))


def everywhere(bounds: Any) -> bool:
    return True


def cell(
    domain: Domain | DomainOf,
    per: tuple[Sort, ...] = (),
    there: Callable[[Any], object] = everywhere,
    ends: bool = False,
) -> Any:
    """Declare a cell of a state: one value, or an array of them."""
    return Cell(domain if callable(domain) else lambda bounds: domain, per, there, ends)


def left(budget: str) -> Any:
    """Declare the cell that holds what is left of a budget; its name is ``BUDGET_left``."""
    return cell(lambda bounds: integers(0, getattr(bounds, budget)))


class _Declaring(type):
    """Makes slots of the cells that a class declares, in their order."""

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        declared = {key: value for key, value in space.items() if isinstance(value, Cell)}
        others = {key: value for key, value in space.items() if key not in declared}
        return super().__new__(mcs, name, bases, {"__slots__": tuple(declared), "declared": declared, **others})


class State(Struct, metaclass=_Declaring):
    """One instant of a system within some bounds; a subclass declares its cells, all in one class."""

    __slots__ = ("bounds",)
    constants = ("bounds",)
    declared: ClassVar[Mapping[str, Cell]]
    bounds: Any

    def __init__(self, bounds: Any) -> None:
        super().__init__(self.domains_of(bounds))
        self.bounds = bounds

    @classmethod
    def domains_of(cls, bounds: Any) -> dict[str, Domain]:
        """Return what every cell may hold; one that the bounds do not need has one value, or no elements."""
        return {name: one.whole(bounds) for name, one in cls.declared.items()}


def end_cells(state: State, number: int) -> None:
    """End the process *number*: every cell that ends with it holds its first value again."""
    bounds = state.bounds
    for name, one in bounds.system.state.declared.items():
        if one.ends and one.there(bounds):
            cells, first = getattr(state, name), one.domain(bounds).first()
            if len(one.per) == 1:
                cells[number] = first
            else:
                for other in one.per[1].range_of(bounds):
                    cells[number, other] = first
