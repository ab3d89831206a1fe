"""The language: domains, sequences, cells, relations, and a state's canonical flat form."""

from enum import Enum
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.model.kernel.guards import Disabled, require
from oneowner.model.kernel.language import (
    BOOLEAN,
    NEVER,
    Array,
    Domain,
    Fields,
    OutOfDomain,
    Sequence,
    SequenceOf,
    Slot,
    integers,
    names,
)
from oneowner.model.kernel.relation import Relation
from tests.model.channel.strategies import steadily


class Colour(Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Car(NamedTuple):
    colour: Colour
    doors: int


CAR = Fields(Car, colour=names(Colour), doors=integers(2, 5))
GARAGE = SequenceOf(2, CAR)

VALUES: list[tuple[Domain, Any]] = [
    *[(names(Colour), colour) for colour in Colour],
    *[(integers(-1, 2), number) for number in (-1, 0, 1, 2)],
    (BOOLEAN, False),
    (BOOLEAN, True),
    (NEVER, False),
    (CAR, Car(Colour.BLUE, 4)),
    (GARAGE, Sequence()),
    (GARAGE, Sequence([Car(Colour.GREEN, 5)])),
    (GARAGE, Sequence([Car(Colour.GREEN, 5), Car(Colour.RED, 2)])),
]


def test_require_names_the_guard_that_does_not_hold() -> None:
    require(True, "never told")
    with pytest.raises(Disabled) as disabled:
        require(False, "the broker is up")
    assert disabled.value.guard == "the broker is up"


@pytest.mark.parametrize(("domain", "value"), VALUES)
def test_domain_gives_every_value_back_from_its_codes(domain: Domain, value: Any) -> None:
    codes = list(domain.codes(value))
    slots = list(domain.slots("x"))
    assert domain.holds(value)
    assert all(0 <= code < slot.size for code, slot in zip(codes, slots, strict=True))
    assert domain.value(iter(codes)) == value


@pytest.mark.parametrize("domain", [names(Colour), integers(3, 7), BOOLEAN, NEVER, CAR, GARAGE])
def test_domain_starts_with_the_value_whose_codes_are_all_zero(domain: Domain) -> None:
    assert domain.holds(domain.first())
    assert set(domain.codes(domain.first())) == {0}


@pytest.mark.parametrize(
    ("domain", "value"),
    [
        (integers(0, 3), 4),
        (integers(0, 3), -1),
        (names(Colour), "red"),
        (NEVER, True),
        (CAR, Car(Colour.RED, 6)),
        (GARAGE, Sequence([Car(Colour.RED, 2)] * 3)),
        (GARAGE, Sequence([Car(Colour.RED, 9)])),
        (GARAGE, Sequence([Car(Colour.RED, 2), Car(Colour.RED, 9)])),
    ],
)
def test_domain_refuses_codes_for_a_value_outside(domain: Domain, value: Any) -> None:
    assert not domain.holds(value)
    with pytest.raises(OutOfDomain):
        list(domain.codes(value))


def test_out_of_domain_names_the_value_and_the_domain() -> None:
    with pytest.raises(OutOfDomain, match=r"^value refused: 4; the domain is 0 \.\. 3$"):
        list(integers(0, 3).codes(4))


def test_fields_refuse_domains_that_are_not_the_records_own() -> None:
    with pytest.raises(TypeError, match="fields refused"):
        Fields(Car, doors=integers(2, 5))
    with pytest.raises(TypeError, match="fields refused"):
        Fields(Car, doors=integers(2, 5), colour=names(Colour))


def test_slots_name_every_leaf_with_the_number_of_its_values() -> None:
    assert list(Array((2,), CAR).slots("car")) == [
        Slot("car[1].colour", 3),
        Slot("car[1].doors", 4),
        Slot("car[2].colour", 3),
        Slot("car[2].doors", 4),
    ]
    assert list(GARAGE.slots("garage")) == [
        Slot("garage.length", 3),
        Slot("garage[1].colour", 3),
        Slot("garage[1].doors", 4),
        Slot("garage[2].colour", 3),
        Slot("garage[2].doors", 4),
    ]
    assert [slot.name for slot in Array((2, 2), BOOLEAN).slots("on")] == ["on[1,1]", "on[1,2]", "on[2,1]", "on[2,2]"]


def test_sequence_counts_from_one_and_refuses_what_lies_outside() -> None:
    letters = Sequence("abc")
    assert [letters[number] for number in (1, 2, 3)] == ["a", "b", "c"]
    for number in (0, -1, 4):
        with pytest.raises(IndexError):
            letters[number]


@steadily
@given(st.lists(st.integers()), st.integers(), st.data())
def test_sequence_is_a_value_that_grows_and_shrinks_by_copies(items: list[int], more: int, data: st.DataObject) -> None:
    sequence = Sequence(items)
    grown = sequence.plus(more)
    assert (list(sequence), sequence.length) == (items, len(items))
    assert list(grown) == [*items, more]
    number = data.draw(st.integers(1, grown.length))
    assert list(grown.without(number)) == [*items, more][: number - 1] + [*items, more][number:]
    assert grown.without(grown.length) == sequence
    assert hash(grown.without(grown.length)) == hash(sequence)


def test_cells_count_from_one_in_every_dimension() -> None:
    row = Array((3,), integers(0, 9)).first()
    row[3] = 7
    assert [row[number] for number in (1, 2, 3)] == [0, 0, 7]
    grid = Array((2, 3), integers(0, 9)).first()
    grid[1, 3] = 4
    grid[2, 1] = 5
    assert list(grid) == [0, 0, 4, 5, 0, 0]
    assert grid[1, 3] == 4


@pytest.mark.parametrize("at", [0, -1, 4])
def test_cells_refuse_an_index_outside_one_dimension(at: int) -> None:
    row = Array((3,), integers(0, 9)).first()
    with pytest.raises(IndexError):
        row[at]
    with pytest.raises(IndexError):
        row[at] = 1


@pytest.mark.parametrize("at", [(0, 1), (1, 0), (3, 1), (1, 4), (2, 4), (-1, 1), (1, -1)])
def test_cells_refuse_an_index_outside_two_dimensions(at: tuple[int, int]) -> None:
    grid = Array((2, 3), integers(0, 9)).first()
    with pytest.raises(IndexError):
        grid[at]
    with pytest.raises(IndexError):
        grid[at] = 1


def test_cells_of_a_copy_are_independent() -> None:
    row = Array((2,), integers(0, 9)).first()
    twin = row.copy()
    twin[1] = 5
    assert (list(row), list(twin)) == ([0, 0], [5, 0])
    assert (row.key(), twin.key()) == ((0, 0), (5, 0))


def test_array_holds_the_right_number_of_right_values() -> None:
    domain = Array((2,), integers(0, 9))
    assert domain.holds(domain.first())
    assert not domain.holds(Array((3,), integers(0, 9)).first())
    wrong = domain.first()
    wrong[2] = 10
    assert not domain.holds(wrong)
    with pytest.raises(OutOfDomain):
        list(domain.codes(wrong))


def test_relation_gives_what_stands_beside_a_pair() -> None:
    moves = Relation((("red", "green", 1), ("green", "red", 2)))
    assert (moves.get("red", "green"), moves.get("green", "red")) == (1, 2)
    assert moves.get("red", "red") is None
    assert moves.rows == (("red", "green", 1), ("green", "red", 2))


def test_relation_refuses_a_pair_that_occurs_twice() -> None:
    with pytest.raises(ValueError, match="every pair may occur once"):
        Relation((("red", "green", 1), ("red", "green", 2)))
