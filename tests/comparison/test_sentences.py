"""R0 in three sentences: each is broken by its own steps, and by none that R0 allows."""

import pytest

from oneowner.model.handoff.requirement import Flight, Ownership, action_between
from oneowner.model.handoff.sentences import LET_GO, LOST, NAMED, broken_by

FREE = (0, None)
Unit = tuple[int, Flight | None]


def world(*units: Unit, lost: tuple[int, ...] = ()) -> Ownership:
    return Ownership(tuple(own for own, _ in units), tuple(flight for _, flight in units), frozenset(lost))


@pytest.mark.parametrize(
    ("why", "before", "after", "broken"),
    [
        ("nobody was named", world(FREE), world((1, None)), {NAMED}),
        ("another was named", world((0, Flight(1, 2))), world((3, None)), {NAMED}),
        ("the heir changes", world((0, Flight(1, 2))), world((0, Flight(1, 3))), {NAMED}),
        ("the owner has not let go", world((1, Flight(1, 2))), world((2, None)), {LET_GO}),
        ("neither", world((1, None)), world((2, None)), {NAMED, LET_GO}),
        ("an owner that lives loses a unit", world((1, None)), world(FREE), {LOST}),
        ("a hand-over is given up", world((0, Flight(1, 2))), world(FREE), {LOST}),
        ("another failed", world((1, None), lost=(2,)), world(FREE, lost=(2,)), {LOST}),
        ("two units at once", world(FREE, (1, None)), world((1, None), FREE), {NAMED, LOST}),
    ],
)
def test_step_breaks_the_sentence(why: str, before: Ownership, after: Ownership, broken: set[str]) -> None:
    assert broken_by(before, after) == broken, why
    assert action_between(before, after) is None, why


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (world(FREE), world((0, Flight(0, 2)))),
        (world((0, Flight(0, 2))), world((2, None))),
        (world((1, None)), world((0, Flight(1, 2)))),
        (world((1, None), (1, None)), world(FREE, FREE, lost=(1,))),
        (world((1, None), (1, None), lost=(1,)), world((2, None), (3, None), lost=(1,))),
    ],
)
def test_step_that_r0_allows_or_that_is_a_failure_breaks_none(before: Ownership, after: Ownership) -> None:
    assert broken_by(before, after) == frozenset()
