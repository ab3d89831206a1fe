"""
A table is rows of numbers, and lists of the names for which some columns hold codes.

A kind of table declares the type of its rows and its lists; all kinds are joined, cut, packed and pickled alike.
"""

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from operator import getitem
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Codes(dict[Any, int]):
    """Numbers for names: a new one gets the next; brokers and producers begin with nobody as 0."""

    def __init__(self, *first: Any) -> None:
        super().__init__({name: code for code, name in enumerate(first)})
        self.names: list[Any] = list(first)

    def __missing__(self, name: Any) -> int:
        self[name] = code = len(self.names)
        self.names.append(name)
        return code

    def code(self, name: Any) -> int:
        """Return the code of a valid name."""
        code = self.get(name)
        return Codes.__missing__(self, name) if code is None else code

    def of(self, names: Sequence[Any]) -> Array:
        """Return the codes of *names*."""
        return np.fromiter(map(self.__getitem__, names), np.int32, len(names))


class _NameList(NamedTuple):
    """A kind of table's declaration of one of its lists."""

    columns: tuple[str, ...]
    first: tuple[Any, ...]
    below: int

    def columns_of(self, rows: Array) -> list[Array]:
        return [reduce(getitem, path.split("."), rows) for path in self.columns]  # type: ignore[arg-type]  # by name

    def recode(self, rows: Array, code: Array) -> None:
        """Replace each code by its entry in *code*; those below 0 stay."""
        if not np.array_equal(code, np.arange(len(code))):
            code = np.append(code, np.arange(-self.below, 0, dtype=code.dtype))
            for column in self.columns_of(rows):
                column[:] = code[column]

    def only(self, rows: Array, names: list[Any]) -> list[Any]:
        """Return the names that occur in *rows*, and always the first; set their codes in the rows."""
        columns, kept = self.columns_of(rows), len(self.first)
        count = max(int(column.max(initial=-1)) for column in columns) + 1
        if count <= kept:
            return names[:kept]
        occurs = np.zeros(count + self.below, bool)  # the last are those below 0
        for column in columns:
            occurs[column] = True
        occurs[:kept] = True
        numbers = np.flatnonzero(occurs[:count])
        if len(numbers) == len(names):
            return names
        code = np.zeros(count, np.int32)
        code[numbers] = np.arange(len(numbers))
        self.recode(rows, code)
        return [names[number] for number in numbers.tolist()]


def names_of(*columns: str, first: tuple[Any, ...] = (), below: int = 0) -> Any:
    """
    Declare a list of names whose codes are in *columns*; a dot leads into a column of rows.

    The *first* names are in every list; *below* is the number of codes below 0 that stand for no name.
    """
    return field(metadata={"names": _NameList(columns, first, below)})


@dataclass(slots=True, eq=False)
class CodedTable:
    """Some rows; a subclass adds its lists, by ``names_of``."""

    ROW: ClassVar[np.dtype[Any]]

    table: Array

    def __len__(self) -> int:
        return len(self.table)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), self.table.tobytes(), *self.names())

    def names(self) -> list[list[Any]]:
        """Return the lists, in the order in which they are declared."""
        return [getattr(self, one.name) for one in fields(self) if one.metadata]

    @classmethod
    def _lists(cls) -> list[_NameList]:
        return [one.metadata["names"] for one in fields(cls) if one.metadata]

    @classmethod
    def codes(cls) -> list[Codes]:
        """Return codes for the names of a new table."""
        return [Codes(*one.first) for one in cls._lists()]

    def with_rows(self, table: Array) -> Self:
        """Return other rows with the same names."""
        return replace(self, table=table)

    def part(self, at: Array | slice) -> Self:
        """Return a copy of the rows at some places, with no name that they do not have."""
        table = taken(self.table, at)
        both = zip(self._lists(), self.names(), strict=True)
        return type(self)(table, *(one.only(table, own) for one, own in both))

    @classmethod
    def joined(cls, parts: Iterable[Self], count: int | None = None) -> Self:
        """Return the rows of several parts, one part after the other; *count* is their total number."""
        if count is None:
            parts = [*parts]
            if len(parts) == 1:
                return parts[0]
            count = sum(map(len, parts))
        whole, end = np.empty(count, cls.ROW), 0
        lists = [_Joined(one) for one in cls._lists()]
        for part in parts:
            begin, end = end, end + len(part)
            rows = whole[begin:end]
            _raw(rows)[:] = _raw(part.table)
            for joined, own in zip(lists, part.names(), strict=True):
                joined.add(rows, own)
        return cls(whole, *(joined.names for joined in lists))

    def pack(self) -> bytes:
        """
        Return the table in as few bytes as its numbers need: usually 13 of the 104 of an event, and 20 with all
        columns.

        Within a block ids, lines and times differ little, and half of the columns are constant.
        """
        columns = [_narrowed(self.table[name]) for name in self.ROW.names or ()]
        return pickle.dumps((len(self), columns, self.names()), 5)

    @classmethod
    def unpacked(cls, packed: bytes) -> Self:
        """Return the table that ``pack`` has packed."""
        count, columns, names = pickle.loads(packed)
        table = np.zeros(count, cls.ROW)
        for name, (low, kind, data) in zip(cls.ROW.names or (), columns, strict=True):
            if not data or kind == "i8":
                table[name] = np.frombuffer(data, kind) if data else low
            else:
                np.add(np.frombuffer(data, kind), low, out=table[name], dtype=np.int64, casting="unsafe")
        return cls(table, *names)


class _Joined:
    """The names of one list of several parts; parts that share a list keep their codes."""

    def __init__(self, declared: _NameList) -> None:
        self.names = [*declared.first]
        self._declared, self._is_first, self._codes = declared, True, Codes()

    def add(self, rows: Array, names: list[Any]) -> None:
        """Add the names of the next part, and set their codes in its *rows*."""
        if self._is_first:
            self.names, self._is_first = names, False
        elif names is not self.names:
            if self.names is not self._codes.names:
                self._codes = Codes(*self.names)
                self.names = self._codes.names
            self._declared.recode(rows, self._codes.of(names))


def _unpickled(kind: type[CodedTable], rows: bytes, *names: list[Any]) -> CodedTable:
    return kind(np.frombuffer(rows, kind.ROW), *names)


def taken(table: Array, at: Array | slice) -> Array:
    """Return a copy of the rows at some places."""
    rows = _raw(table)[at].copy() if isinstance(at, slice) else _raw(table).take(at)
    return rows.view(table.dtype)


def _raw(table: Array) -> Array:
    """Return the rows as bytes, to be copied: otherwise NumPy copies them field by field, eight times as slowly."""
    return table.view(f"V{table.itemsize}")


def _narrowed(column: Array) -> tuple[int, str, bytes]:
    """Return the least of some numbers, and the type and bytes of the difference of each from it."""
    column = np.ascontiguousarray(column)  # else each look at it loads the rows once more
    low, high = int(column.min()), int(column.max())
    if low == high:
        return low, "u1", b""
    kind = next((kind for kind in ("u1", "u2", "u4") if high - low < 1 << 8 * np.dtype(kind).itemsize), "i8")
    above = column.astype(np.int64) if kind == "i8" else np.subtract(column, low, dtype=np.int64).astype(kind)
    return low, kind, above.tobytes()
