"""
``Bounds`` say how big a model is and by which rules it goes; all of it is concrete while the model runs.

The bounds of a system are a frozen dataclass that derives from ``Bounds``. Each field states its meaning, which kind
of number it is and how small it may be, so that the command line, the ledger and the tables need not know it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, NamedTuple


class Kind(StrEnum):
    """The kind of a bound."""

    SIZE = "size"
    """How many there are of something, or how long a queue is."""
    BUDGET = "budget"
    """How often something may happen; a cell ``NAME_left`` of the state holds what is left."""
    LIMIT = "limit"
    """A number that lets more happen the larger it is, without a cell that counts it."""
    CHOICE = "choice"
    """0 or 1: not modelled, or modelled."""
    WORD = "word"
    """One of some words, an enum."""


class Bound(NamedTuple):
    """One field of some bounds, described."""

    name: str
    kind: Kind
    meaning: str
    least: int
    default: Any


_DESCRIBED = "bound"


def _bound(default: Any, kind: Kind, meaning: str, least: int) -> Any:
    return field(default=default, metadata={_DESCRIBED: (kind, meaning, least)})


def size(default: int, meaning: str, least: int = 0) -> Any:
    """Declare a bound on how many there are of something."""
    return _bound(default, Kind.SIZE, meaning, least)


def budget(meaning: str) -> Any:
    """Declare a bound on how often something may happen: nothing by default."""
    return _bound(0, Kind.BUDGET, meaning, 0)


def limit(default: int, meaning: str) -> Any:
    """Declare a bound that lets more happen the larger it is, and that no cell counts."""
    return _bound(default, Kind.LIMIT, meaning, 0)


def choice(meaning: str) -> Any:
    """Declare that something may be modelled, and is not by default."""
    return _bound(0, Kind.CHOICE, meaning, 0)


def word(default: StrEnum, meaning: str) -> Any:
    """Declare a bound that is one of the words of an enum."""
    return _bound(default, Kind.WORD, meaning, 0)


@dataclass(frozen=True, eq=False)
class MechanismBound:
    """
    A bound that is declared in the module of its mechanism; the class of the bounds has only its name and default.

    The mappings lead from names of other bounds, separated by spaces, to a reason: ``{"splits": "there is no child"}``.
    """

    kind: ClassVar[Kind]

    name: str
    meaning: str
    needs: Mapping[str, str] = field(default_factory=dict)
    """The bounds without which it has no effect; ``one|other`` needs either."""
    apart: Mapping[str, str] = field(default_factory=dict)
    """The bounds with which it is not modelled."""
    clashes: Mapping[str, str] = field(default_factory=dict)
    """The same, where neither of the two is to blame."""


class Budget(MechanismBound):
    """How often something may happen."""

    kind = Kind.BUDGET


class Limit(MechanismBound):
    """A number that lets more happen the larger it is, without a cell that counts it."""

    kind = Kind.LIMIT


class Choice(MechanismBound):
    """0 or 1: not modelled, or modelled."""

    kind = Kind.CHOICE


@dataclass(frozen=True, slots=True)
class Bounds:
    """The base of the bounds of every system: they lead to their system, and describe their fields."""

    declared_in: ClassVar[str] = ""
    """The module that holds the ``SYSTEM`` of these bounds."""
    collected_in: ClassVar[str] = ""
    """The module that holds the ``BOUNDS`` of the mechanisms, which import this class; empty if there are none."""

    def __post_init__(self) -> None:
        self.check_ranges()

    @property
    def system(self) -> Any:
        """The system that these bounds are of (``model.kernel.system.System``)."""
        return _system_of(self.declared_in)

    @classmethod
    def described(cls) -> dict[str, Bound]:
        """Return every bound by name, in order; the rules of a release are none."""
        if cls not in _DESCRIBED_OF:
            beside = {one.name: one for one in cls.of_mechanisms()}
            found: dict[str, Bound] = {}
            for one in fields(cls):
                if _DESCRIBED in one.metadata:
                    kind, meaning, least = one.metadata[_DESCRIBED]
                    found[one.name] = Bound(one.name, kind, meaning, least, one.default)
                elif one.name in beside:
                    bound = beside[one.name]
                    found[one.name] = Bound(one.name, bound.kind, bound.meaning, 0, one.default)
                elif one.type in (int, "int"):
                    raise TypeError(f"{cls.__name__}.{one.name} refused: no mechanism declares it")
            if missing := beside.keys() - found.keys():
                raise TypeError(f"{cls.__name__} refused: no field for {', '.join(sorted(missing))}")
            _DESCRIBED_OF[cls] = found
        return _DESCRIBED_OF[cls]

    @classmethod
    def of_mechanisms(cls) -> tuple[MechanismBound, ...]:
        return tuple(import_module(cls.collected_in).BOUNDS) if cls.collected_in else ()

    def check_ranges(self) -> None:
        """Raise ValueError for a number that no model has."""
        for bound in self.described().values():
            value = getattr(self, bound.name)
            if bound.kind == Kind.CHOICE and value not in (0, 1):
                raise ValueError(f"{bound.name} refused: {value}; 0 or 1 is allowed")
            if bound.kind != Kind.WORD and value < bound.least:
                least = f"at least {bound.least} is needed" if bound.least else "0 is the least"
                raise ValueError(f"{bound.name} refused: {value}; {least}")


@cache  # asked with each step of a search
def _system_of(module: str) -> Any:
    return import_module(module).SYSTEM


_DESCRIBED_OF: dict[object, dict[str, Bound]] = {}
"""The results of ``described``, by class."""
