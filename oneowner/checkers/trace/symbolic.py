"""
Model code computes with symbolic records, sequences, cells and states while it is traced.

Records stay ``NamedTuple`` s with symbolic fields; cells and sequences have twins that can be indexed by symbolic
numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from oneowner.checkers.trace.expressions import (
    TRUE,
    Expression,
    both,
    choose,
    constant,
    equal,
    less,
    negation,
    variable,
)
from oneowner.checkers.trace.leaves import NotMergeable, Symbol, Untraceable, expression_of, kind_of, leaf
from oneowner.model.kernel.language import Array, Domain, Fields, Finite, Sequence, SequenceOf
from oneowner.model.kernel.relation import Relation


def same(one: Any, other: Any) -> Expression:
    """Return whether two values are equal, leaf by leaf."""
    if isinstance(one, SymbolicSequence) or isinstance(other, SymbolicSequence):
        return _same_sequences(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        result = TRUE
        for mine, theirs in zip(one, other, strict=True):
            result = both(result, same(mine, theirs))
        return result
    return equal(expression_of(one), expression_of(other))


_symbolic_classes: dict[type[Any], type[Any]] = {}


def record(kind: type[Any], fields: Iterator[Any] | list[Any]) -> Any:
    """Return a record of class *kind* that compares as one expression; plain if all its fields are."""
    values = tuple(fields)
    plain = kind.__mro__[1] if kind in _symbolic_classes.values() else kind
    if not any(map(is_symbolic, values)):
        return plain(*values)
    if plain not in _symbolic_classes:
        members = {
            "__slots__": (),
            "__eq__": lambda self, other: leaf(same(self, other), bool),
            "__ne__": lambda self, other: leaf(negation(same(self, other)), bool),
            "__hash__": Symbol.__hash__,
        }
        _symbolic_classes[plain] = type(f"Symbolic{plain.__name__}", (plain,), members)
    return tuple.__new__(_symbolic_classes[plain], values)


def is_symbolic(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(is_symbolic, value))
    return isinstance(value, Symbol | SymbolicSequence)


def merge(test: Expression, then: Any, otherwise: Any) -> Any:
    """Return the value that is *then* where *test* holds, else *otherwise*."""
    if then is otherwise:
        return then
    if isinstance(then, SymbolicSequence | Sequence) and isinstance(otherwise, SymbolicSequence | Sequence):
        return _merged_sequences(test, then, otherwise)
    if isinstance(then, tuple) and isinstance(otherwise, tuple) and hasattr(then, "_fields"):
        return record(type(then), [merge(test, a, b) for a, b in zip(then, otherwise, strict=True)])
    kind = kind_of(then)
    if kind is not kind_of(otherwise):
        raise NotMergeable
    return leaf(choose(test, expression_of(then), expression_of(otherwise)), kind)


# ---- sequences ----


class SymbolicSequence:
    """A sequence of unknown length: elements behind its end are the domain's first."""

    __slots__ = ("default", "items", "length")

    def __init__(self, length: Any, items: list[Any], default: Any) -> None:
        self.length = length
        self.items = items
        self.default = default

    def __getitem__(self, number: Any) -> Any:
        return selected(number, dict(enumerate(self.items, 1)))

    def plus(self, value: Any) -> SymbolicSequence:
        end = expression_of(self.length)
        items = self.items if end.high < len(self.items) else [*self.items, self.default]
        placed = [merge(equal(end, constant(at)), value, item) for at, item in enumerate(items)]
        return SymbolicSequence(self.length + 1, placed, self.default)

    def without(self, number: Any) -> SymbolicSequence:
        gone, following = expression_of(number), [*self.items[1:], self.default]
        kept = [
            merge(less(constant(at), gone), item, after)
            for at, (item, after) in enumerate(zip(self.items, following, strict=True), 1)
        ]
        return SymbolicSequence(self.length - 1, kept, self.default)

    def __eq__(self, other: object) -> Any:
        return leaf(same(self, other), bool)

    def __ne__(self, other: object) -> Any:
        return leaf(negation(same(self, other)), bool)

    __hash__ = Symbol.__hash__


def _parts(sequence: Any) -> tuple[Any, list[Any]]:
    return sequence.length, (sequence.items if isinstance(sequence, SymbolicSequence) else list(sequence))


def _aligned(one: Any, other: Any) -> tuple[list[Any], list[Any], Any]:
    """Return the elements of both, as many of one as of the other, and the default that fills them up."""
    default = one.default if isinstance(one, SymbolicSequence) else other.default
    (_, mine), (_, theirs) = _parts(one), _parts(other)
    count = max(len(mine), len(theirs))
    mine, theirs = (items + [default] * (count - len(items)) for items in (mine, theirs))
    return mine, theirs, default


def _same_sequences(one: Any, other: Any) -> Expression:
    mine, theirs, _ = _aligned(one, other)
    result = equal(expression_of(one.length), expression_of(other.length))
    for pair in zip(mine, theirs, strict=True):
        result = both(result, same(*pair))
    return result


def _merged_sequences(test: Expression, then: Any, otherwise: Any) -> Any:
    if not isinstance(then, SymbolicSequence) and not isinstance(otherwise, SymbolicSequence):
        if then == otherwise:
            return then
        raise NotMergeable
    mine, theirs, default = _aligned(then, otherwise)
    items = [merge(test, *pair) for pair in zip(mine, theirs, strict=True)]
    return SymbolicSequence(merge(test, then.length, otherwise.length), items, default)


# ---- cells ----


def selected(index: Any, items: Mapping[int, Any]) -> Any:
    """Return the item at *index*, which may be symbolic: a choice among all that it can be."""
    if isinstance(index, int):
        if index not in items:
            raise Untraceable(f"there is no element {index}; there are {', '.join(map(str, items))}")
        return items[index]
    expression = expression_of(index)
    chosen: Any = None
    for at, item in items.items():
        if expression.low <= at <= expression.high:
            chosen = item if chosen is None else merge(equal(expression, constant(at)), item, chosen)
    if chosen is None:
        raise Untraceable("the index can be that of no element")
    return chosen


class SymbolicCells:
    """The cells of an array; indices may be symbolic."""

    __slots__ = ("items", "shape")

    def __init__(self, shape: tuple[int, ...], items: list[Any]) -> None:
        self.shape = shape
        self.items = items

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, tuple):
            row, column = at
            rows, columns = self.shape
            each = range(1, rows + 1)
            return selected(row, {r: selected(column, self._row(r, columns)) for r in each if _can_be(row, r)})
        return selected(at, dict(enumerate(self.items, 1)))

    def _row(self, row: int, columns: int) -> dict[int, Any]:
        start = (row - 1) * columns
        return dict(enumerate(self.items[start : start + columns], 1))

    def __setitem__(self, at: Any, value: Any) -> None:
        row, column = at if isinstance(at, tuple) else (at, 1)
        columns = self.shape[1] if len(self.shape) == 2 else 1
        written = 0
        for place, item in enumerate(self.items):
            here = both(_is(row, place // columns + 1), _is(column, place % columns + 1))
            if not here.is_constant or here.value:
                self.items[place] = merge(here, value, item) if not here.is_constant else value
                written += 1
        if not written:
            raise Untraceable(f"there is no cell {at}; the shape is {self.shape}")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)


def _is(index: Any, place: int) -> Expression:
    return equal(expression_of(index), constant(place))


def _can_be(index: Any, place: int) -> bool:
    answer = _is(index, place)
    return not answer.is_constant or bool(answer.value)


class SymbolicRelation:
    """A relation that can be asked for symbolic pairs: it branches on its rows."""

    def __init__(self, relation: Relation[Any]) -> None:
        self.rows = relation.rows

    def get(self, before: Any, after: Any) -> Any:
        for first, second, what in self.rows:
            if before == first and after == second:
                return what
        return None


class SymbolicState:
    """A state whose cells hold symbolic values; it never changes, for cells are set in a ``Draft`` of it."""

    def __init__(self, domains: Mapping[str, Domain], constants: Mapping[str, Any], first: int = 0) -> None:
        self.__dict__.update(constants)
        number = first
        for name, domain in domains.items():
            value, number = symbolic(domain, number)
            self.__dict__[name] = value

    def in_domain(self) -> bool:
        """Return True: engines check every write, so a value outside its domain never gets into a state."""
        return True


def range_of(domain: Finite) -> tuple[int, int]:
    """Return the least value of a leaf and how many there are: integers count as they are, others from 0."""
    first = domain.values[0]
    return (first if type(first) is int else 0), len(domain.values)


def symbolic(domain: Domain, number: int) -> tuple[Any, int]:
    """Return a fresh value of *domain* whose leaves are variables from *number* on, and the number after them."""
    if isinstance(domain, Finite):
        low, size = range_of(domain)
        return leaf(variable(number, low, low + size - 1), type(domain.values[0])), number + 1
    if isinstance(domain, Fields):
        fields = []
        for part in domain.fields.values():
            value, number = symbolic(part, number)
            fields.append(value)
        return record(domain.record, fields), number
    if isinstance(domain, SequenceOf):
        length, number = leaf(variable(number, 0, domain.capacity), int), number + 1
        items = []
        for _ in range(domain.capacity):
            value, number = symbolic(domain.element, number)
            items.append(value)
        return SymbolicSequence(length, items, domain.element.first()), number
    if isinstance(domain, Array):
        cells = []
        for _ in domain.labels:
            value, number = symbolic(domain.element, number)
            cells.append(value)
        return SymbolicCells(domain.shape, cells), number
    raise TypeError(f"domain refused: {domain}")


def expressions(domain: Domain, value: Any) -> Iterator[Expression]:
    """Yield the expression of every leaf of *value*, in the order of the domain's slots."""
    if isinstance(domain, Finite):
        yield expression_of(value)
    elif isinstance(domain, Fields):
        for part, below in zip(value, domain.fields.values(), strict=True):
            yield from expressions(below, part)
    elif isinstance(domain, SequenceOf):
        length, items = _parts(value)
        yield expression_of(length)
        for at in range(domain.capacity):
            yield from expressions(domain.element, items[at] if at < len(items) else domain.element.first())
    elif isinstance(domain, Array):
        for item in value:
            yield from expressions(domain.element, item)
