"""First times of records are what a dictionary of the least time by place would be."""

import pickle

import numpy as np
import pytest

from oneowner.checkers.recordings.laws.views.first_times import FirstTimes


def note(found: FirstTimes, place: int, time: int) -> None:
    found.note_all(np.array([place]), np.array([time]))


def times(number: int, **noted: int) -> FirstTimes:
    """First times of so many places; a name such as p3 is place 3."""
    found = FirstTimes(number)
    for name, time in noted.items():
        note(found, int(name[1:]), time)
    return found


def test_first_time_of_a_place_is_the_least_that_was_noted_of_it() -> None:
    found = times(4, p1=7, p3=9)
    note(found, 1, 5)
    note(found, 3, 11)
    assert dict(found) == {1: 5, 3: 9}
    assert len(found) == 2
    assert dict(pickle.loads(pickle.dumps(found))) == dict(found)


@pytest.mark.parametrize("place", [-1, 0, 4])
def test_place_without_a_time_or_outside_of_the_topic_has_none(place: int) -> None:
    found = times(4, p1=7, p3=9)
    assert place not in found
    with pytest.raises(KeyError):
        found[place]


def test_first_time_of_several_is_the_least_of_each_place() -> None:
    assert dict(times(3, p0=4, p1=8).note(times(3, p1=6)).note(times(3))) == {0: 4, 1: 6}


def test_no_place_is_later_than_what_follows_and_none_gets_a_time() -> None:
    found = times(5, p0=9, p1=3, p3=7)
    found.no_later_than_what_follows()
    assert dict(found) == {0: 3, 1: 3, 3: 7}
    found.forget(np.array([True, False, True, False, False]))
    assert dict(found) == {1: 3, 3: 7}
