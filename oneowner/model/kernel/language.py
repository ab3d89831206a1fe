"""
The language gives models finite domains, records and cells.

Everything here runs natively: names are enum members, numbers are ints, a record is a
``NamedTuple``. It is kept this small so that the same functions can also be run on symbolic
values: model code may branch on a comparison, loop over a ``range`` of concrete bounds, read
and assign cells, call helpers and ``require``. It may not look a state value up in a dict or
a set, nor ask for its identity, type or ``int()`` (``checkers/engines/compile/traceable.py`` refuses that).

A *tracer* runs them on symbolic values, to compile them. Therefore a loop runs to a bound and asks inside whether the
element is there: ``for number in range(1, state.bounds.window + 1)``, then ``if number <= state.log.length``. A value
that depends on a branch comes from a function with two returns.

Three kinds of thing exist:

- *values* never change: names, numbers, booleans, records (``NamedTuple``), ``Sequence``;
- *cells* hold values and can be assigned: the attributes of a ``Struct`` and the elements of
  its ``Array`` s. A state is a ``Struct``; two states never share a cell;
- *domains* say which values a cell may hold. They give a state its canonical flat form: named
  slots, each with the number of values that it can take.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from enum import Enum
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, SupportsIndex, TypeVar

from oneowner.model.kernel.cells import Cells, Number

T = TypeVar("T")


class OutOfDomain(ValueError):
    """A value that its cell may not hold: a mistake in the model or a bound set too small."""


class Slot(NamedTuple):
    """One leaf of the flat form: its path, such as ``view[2,1].version``, and its size."""

    name: str
    size: int


class Domain(Protocol):
    """The values that a cell may hold, in a fixed order; the first one is the default."""

    def first(self) -> Any:
        """Return the value of a fresh cell."""

    def slots(self, name: str) -> Iterator[Slot]:
        """Name the leaves of one cell."""

    def holds(self, value: Any) -> bool:
        """Return whether *value* lies in the domain."""

    def codes(self, value: Any) -> Iterator[int]:
        """Give *value* as one code below ``size`` per slot; raise OutOfDomain if it has none."""

    def value(self, codes: Iterator[int]) -> Any:
        """Take this domain's codes from *codes* and give the value back."""


class Finite:
    """
    A leaf domain: the listed values; those that number things of one *kind*, such as brokers, say so.

    A fresh cell holds *start*, or else the first of them.

    >>> list(integers(0, 3).codes(2)), list(BOOLEAN.slots("up"))
    ([2], [Slot(name='up', size=2)])
    """

    def __init__(self, values: Iterable[Hashable], kind: str = "", start: Hashable = None) -> None:
        self.values = tuple(values)
        self.kind = kind
        self.start = self.values[0] if start is None else start  # what a fresh cell holds
        self._codes = {value: code for code, value in enumerate(self.values)}

    def first(self) -> Any:
        return self.start

    def slots(self, name: str) -> Iterator[Slot]:
        yield Slot(name, len(self.values))

    def holds(self, value: Any) -> bool:
        return value in self._codes

    def codes(self, value: Any) -> Iterator[int]:
        code = self._codes.get(value)
        if code is None:
            span = f"{self.values[0]} .. {self.values[-1]}"
            raise OutOfDomain(f"value refused: {value}; the domain is {span}")
        yield code

    def value(self, codes: Iterator[int]) -> Any:
        return self.values[next(codes)]


def names(members: type[Enum]) -> Finite:
    """Return the domain of all members of an enum, in their order."""
    return Finite(members)


def integers(low: int, high: int, kind: str = "") -> Finite:
    """Return the domain ``low .. high``, both ends included."""
    return Finite(range(low, high + 1), kind)


BOOLEAN = Finite((False, True))
NEVER = Finite((False,))


class Fields:
    """The domain of a record: a ``NamedTuple`` class and a domain for each of its fields."""

    def __init__(self, record: Any, /, **fields: Domain) -> None:
        if tuple(fields) != record._fields:
            raise TypeError(f"fields refused: {tuple(fields)}; {record} has {record._fields}")
        self.record = record
        self.fields = fields
        self._seen: set[Any] = set()  # states repeat the same few records over and over

    def first(self) -> Any:
        return self.record(*(domain.first() for domain in self.fields.values()))

    def slots(self, name: str) -> Iterator[Slot]:
        for field, domain in self.fields.items():
            yield from domain.slots(f"{name}.{field}")

    def holds(self, value: Any) -> bool:
        if value in self._seen:
            return True
        domains = self.fields.values()
        if not all(domain.holds(part) for part, domain in zip(value, domains, strict=True)):
            return False
        self._seen.add(value)
        return True

    def codes(self, value: Any) -> Iterator[int]:
        for part, domain in zip(value, self.fields.values(), strict=True):
            yield from domain.codes(part)

    def value(self, codes: Iterator[int]) -> Any:
        return self.record(*[domain.value(codes) for domain in self.fields.values()])


class Sequence(tuple[T, ...]):
    """
    A bounded sequence of values, itself a value; elements count from 1, as brokers do.

    >>> waiting = Sequence(("a", "b"))
    >>> waiting[1], waiting.length, waiting.plus("c").without(2)
    ('a', 2, Sequence('a', 'c'))
    """

    __slots__ = ()

    @property
    def length(self) -> int:
        return len(self)

    def __getitem__(self, number: SupportsIndex) -> T:  # type: ignore[override]
        index = number.__index__()
        if index < 1:
            raise IndexError(f"element refused: {index}; elements count from 1")
        return super().__getitem__(index - 1)

    def plus(self, value: T) -> Sequence[T]:
        """Return this sequence with *value* at its end."""
        return Sequence((*self, value))

    def without(self, number: int) -> Sequence[T]:
        """Return this sequence without element *number*."""
        return Sequence(value for index, value in enumerate(self, 1) if index != number)

    def __repr__(self) -> str:
        return f"Sequence({', '.join(map(repr, self))})"


class SequenceOf:
    """The domain of sequences of at most *capacity* elements; unused slots are at their first."""

    def __init__(self, capacity: int, element: Domain) -> None:
        self.capacity = capacity
        self.element = element
        self._length = integers(0, capacity)

    def first(self) -> Any:
        return Sequence()

    def slots(self, name: str) -> Iterator[Slot]:
        yield from self._length.slots(f"{name}.length")
        for number in range(1, self.capacity + 1):
            yield from self.element.slots(f"{name}[{number}]")

    def holds(self, value: Any) -> bool:
        return len(value) <= self.capacity and all(map(self.element.holds, value))

    def codes(self, value: Any) -> Iterator[int]:
        yield from self._length.codes(len(value))
        for part in value:
            yield from self.element.codes(part)
        for _ in range(self.capacity - len(value)):
            yield from self.element.codes(self.element.first())

    def value(self, codes: Iterator[int]) -> Any:
        length = self._length.value(codes)
        parts = [self.element.value(codes) for _ in range(self.capacity)]
        return Sequence(parts[:length])


class Array:
    """The domain of a fixed number of cells, in one or two dimensions; *kinds* names what each numbers."""

    def __init__(self, shape: tuple[int, ...], element: Domain, kinds: tuple[str, ...] = ()) -> None:
        self.shape = shape
        self.element = element
        self.kinds = kinds or ("",) * len(shape)
        rows, *columns = (range(1, length + 1) for length in shape)
        numbers: list[Number] = [*product(rows, columns[0])] if columns else [*rows]
        self.labels = [str(at) if isinstance(at, int) else ",".join(map(str, at)) for at in numbers]
        self._places = {at: place for place, at in enumerate(numbers)}

    def first(self) -> Any:
        return Cells(self._places, [self.element.first() for _ in self.labels])

    def slots(self, name: str) -> Iterator[Slot]:
        for label in self.labels:
            yield from self.element.slots(f"{name}[{label}]")

    def holds(self, value: Any) -> bool:
        cells = value.key()
        return len(cells) == len(self.labels) and all(map(self.element.holds, cells))

    def codes(self, value: Any) -> Iterator[int]:
        for part in value:
            yield from self.element.codes(part)

    def value(self, codes: Iterator[int]) -> Any:
        return Cells(self._places, [self.element.value(codes) for _ in self.labels])


class Struct:
    """
    A tree of cells with a canonical flat form, such as a state.

    *domains* names its cells and gives each its domain, *constants* are what else a subclass has. Equality, ``key`` and
    the flat form see the cells only.
    """

    __slots__ = ("__dict__", "_original", "domains", "is_fixed")
    _original: Self
    is_fixed: bool
    """True if its arrays do not change."""
    constants: ClassVar[tuple[str, ...]] = ()

    def __init__(self, domains: dict[str, Domain]) -> None:
        self.domains, self.is_fixed = domains, False
        vars(self).update({name: domain.first() for name, domain in domains.items()})

    def copy(self) -> Self:
        """Return a state of equal values that shares no cell with this one, and may change."""
        twin = self.draft()
        for name in self.domains:
            getattr(twin, name)
        del twin._original
        return twin

    def draft(self) -> Self:
        """Return a copy that takes a cell over when it is first asked for: this state must not change meanwhile."""
        twin = object.__new__(type(self))
        twin.domains, twin._original, twin.is_fixed = self.domains, self, False
        for name in self.constants:
            setattr(twin, name, getattr(self, name))
        return twin

    def completed(self) -> Self:
        """Return this draft as a state whose arrays do not change: it shares those that are equal to its original's."""
        given = vars(self._original)
        if len(given) < len(self.domains):
            given = {name: getattr(self._original, name) for name in self.domains}  # which is a draft too
        if not self._original.is_fixed:
            given = {name: value.fixed() if isinstance(value, Cells) else value for name, value in given.items()}
        asked = vars(self).items()
        own = {name: value.settled(given[name]) if isinstance(value, Cells) else value for name, value in asked}
        self.__dict__ = {**given, **own}  # searches come here with each step: one loop over the cells that it asked for
        self.is_fixed = True
        del self._original
        return self

    if not TYPE_CHECKING:  # which would take any name for a cell

        def __getattr__(self, name: str) -> Any:
            """Take a cell of a draft over from its original."""
            if name in Struct.__slots__ or name not in self.domains:
                raise AttributeError(f"{type(self).__name__} has no {name}")
            value = getattr(self._original, name)
            if isinstance(value, Cells):
                value = value.copy()
            vars(self)[name] = value
            return value

        def __setattr__(self, name: str, value: Any) -> None:
            """Set a cell or a constant, and nothing else."""
            if name not in Struct.__slots__ and name not in self.constants and name not in self.domains:
                raise AttributeError(f"{type(self).__name__} has no {name}")
            object.__setattr__(self, name, value)

    def key(self) -> tuple[Hashable, ...]:
        """Return all values as one hashable tuple: equal keys, equal states."""
        parts = [getattr(self, name) for name in self.domains]
        return tuple([part.key() if isinstance(part, Cells) else part for part in parts])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.key() == other.key()

    __hash__ = None  # type: ignore[assignment]  # cells change: hash the key instead

    def cells(self) -> Iterator[tuple[str, Any]]:
        """Yield every cell as (path, value), in the order of the declaration."""
        for name, domain in self.domains.items():
            value = getattr(self, name)
            if isinstance(domain, Array):
                yield from ((f"{name}[{at}]", v) for at, v in zip(domain.labels, value, strict=True))
            else:
                yield name, value

    def in_domain(self) -> bool:
        """Return whether every cell holds a value that it may hold."""
        return all(domain.holds(getattr(self, name)) for name, domain in self.domains.items())

    def slots(self) -> list[Slot]:
        """Return the named leaves of the flat form with the number of values of each."""
        return [slot for name, domain in self.domains.items() for slot in domain.slots(name)]

    def codes(self) -> list[int]:
        """Return the flat form: one code per slot; raise OutOfDomain if some value has none."""
        return [code for n, domain in self.domains.items() for code in domain.codes(getattr(self, n))]

    def with_codes(self, codes: Iterable[int]) -> Self:
        """Return the state that has these codes (and this one's constants)."""
        twin, rest = self.copy(), iter(codes)
        for name, domain in self.domains.items():
            vars(twin)[name] = domain.value(rest)
        return twin

    def differences(self, other: Struct) -> list[tuple[str, Any, Any]]:
        """Return (path, value here, value there) for every cell that differs."""
        found = []
        for name, domain in self.domains.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            if not isinstance(domain, Array):
                pairs = [(name, mine, theirs)]
            elif mine.key() == theirs.key():  # most arrays are: their paths are not spelt
                continue
            else:
                pairs = [(f"{name}[{at}]", a, b) for at, a, b in zip(domain.labels, mine, theirs, strict=True)]
            found += [(path, one, another) for path, one, another in pairs if one != another]
        return found
