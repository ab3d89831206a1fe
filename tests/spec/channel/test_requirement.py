"""R0 by itself: the steps that its actions allow, and those that none of them takes."""

import pytest

from oneowner.model.handoff.requirement import ACTIONS, FAIL, NAMES, Flight, Ownership, action_between

FREE: tuple[int, Flight | None] = (0, None)
OWNED_1, OWNED_2 = (1, None), (2, None)
SPLITTING_1 = (1, Flight(1, 0))
Unit = tuple[int, Flight | None]


def world(*units: Unit, lost: tuple[int, ...] = ()) -> Ownership:
    return Ownership(tuple(own for own, _ in units), tuple(flight for _, flight in units), frozenset(lost))


ALLOWED = [
    ("Assign", world(FREE), world((0, Flight(0, 2)))),
    ("Own", world((0, Flight(0, 2))), world(OWNED_2)),
    ("Own", world((0, Flight(1, 2))), world(OWNED_2)),
    ("Release", world(OWNED_1), world((0, Flight(1, 0)))),
    ("Transfer", world(OWNED_1), world((0, Flight(1, 2)))),
    ("Free", world((0, Flight(1, 0))), world(FREE)),
    ("SplitAt", world(OWNED_1), world(SPLITTING_1)),
    ("Inherit", world(SPLITTING_1, FREE), world(SPLITTING_1, OWNED_1)),
    ("Retire", world(SPLITTING_1), world(FREE)),
    ("Lose", world(OWNED_1, lost=(1,)), world(OWNED_2, lost=(1,))),
    ("Lose", world((0, Flight(1, 2)), lost=(1,)), world((3, None), lost=(1,))),
    ("Lose", world((0, Flight(0, 2)), lost=(2,)), world(FREE, lost=(2,))),
    (FAIL, world(OWNED_1), world(OWNED_1, lost=(1,))),
]


@pytest.mark.parametrize(("name", "before", "after"), ALLOWED)
def test_every_action_leads_where_its_statement_says(name: str, before: Ownership, after: Ownership) -> None:
    assert action_between(before, after) == (name,)
    assert action_between(before, before) == ()


def test_every_action_is_shown_here() -> None:
    assert {name for name, _, _ in ALLOWED} == set(NAMES)
    assert all(action.statement and action.source for action in ACTIONS)


@pytest.mark.parametrize(
    ("why", "before", "after"),
    [
        ("nobody was named as heir", world(FREE), world(OWNED_1)),
        ("the former owner did not let go", world(OWNED_1), world(OWNED_2)),
        ("a tombstone of an owned unit", world(OWNED_1), world(FREE)),
        ("a tombstone of a unit in flight to an heir", world((0, Flight(1, 2))), world(FREE)),
        ("the heir was another", world((0, Flight(1, 2))), world((3, None))),
        ("the heir changes under way", world((0, Flight(1, 2))), world((0, Flight(1, 3)))),
        ("a free unit is let go of", world(FREE), world((0, Flight(1, 0)))),
        ("somebody else lets go", world(OWNED_1), world((0, Flight(2, 0)))),
        ("another broker failed", world(OWNED_1, lost=(2,)), world(OWNED_2, lost=(2,))),
        ("two units at once", world(OWNED_1, OWNED_1), world((0, Flight(1, 0)), (0, Flight(1, 0)))),
        ("a failure moves a unit", world(OWNED_1), world(OWNED_2, lost=(1,))),
        ("a failure is taken back", world(OWNED_1, lost=(1,)), world(OWNED_1)),
        ("no unit is being split", world(OWNED_1, FREE), world(OWNED_1, OWNED_1)),
        ("another broker's child", world(SPLITTING_1, FREE), world(SPLITTING_1, OWNED_2)),
        ("a split gives the unit away", world(SPLITTING_1), world(OWNED_2)),
    ],
)
def test_no_action_leads_elsewhere(why: str, before: Ownership, after: Ownership) -> None:
    assert action_between(before, after) is None, why


def test_states_are_told_in_words() -> None:
    assert str(world(SPLITTING_1, (0, Flight(1, 2)), FREE, lost=(2, 3))) == (
        "unit 1 owned by 1, in flight from 1 to nobody; unit 2 owned by nobody, in flight from 1 to 2;"
        " unit 3 owned by nobody; failed so far: 2, 3"
    )
