"""Bounds that mechanisms declare: each has a name in the class of the bounds and a meaning beside its mechanism."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from oneowner.model.kernel.bounds import Bounds, Budget, Kind, size

BOUNDS = (Budget("crashes", "How many brokers may crash"),)
"""The results of ``collected_in`` for the classes below."""


@dataclass(frozen=True, slots=True)
class Complete(Bounds):
    collected_in: ClassVar[str] = __name__

    brokers: int = size(2, "How many brokers there are", least=1)
    crashes: int = 0


@dataclass(frozen=True, slots=True)
class WithoutName(Bounds):
    collected_in: ClassVar[str] = __name__

    brokers: int = size(2, "How many brokers there are", least=1)


@dataclass(frozen=True, slots=True)
class WithoutMeaning(Bounds):
    collected_in: ClassVar[str] = __name__

    crashes: int = 0
    pauses: int = 0


def test_bounds_are_described_at_their_field_or_beside_their_mechanism() -> None:
    described = Complete().described()
    assert list(described) == ["brokers", "crashes"]
    assert (described["crashes"].kind, described["crashes"].meaning) == (Kind.BUDGET, "How many brokers may crash")


def test_negative_budget_of_a_mechanism_is_refused() -> None:
    with pytest.raises(ValueError, match="crashes refused: -1; 0 is the least"):
        Complete(crashes=-1)


def test_declared_bound_without_a_name_is_refused() -> None:
    with pytest.raises(TypeError, match="WithoutName refused: no field for crashes"):
        WithoutName()


def test_name_without_a_declared_bound_is_refused() -> None:
    with pytest.raises(TypeError, match=r"WithoutMeaning\.pauses refused: no mechanism declares it"):
        WithoutMeaning()
