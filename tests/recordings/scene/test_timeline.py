"""A timeline is a set of moments: each operation does what it does to sets of integers."""

from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.recordings.scene.timeline import ALWAYS, END, Timeline

MOMENTS = range(-1, 12)
"""The moments at which sets and timelines are compared: the last stands for all later ones."""
TIMES = st.integers(0, 10)
INTERVALS = st.lists(st.tuples(TIMES, st.one_of(TIMES, st.just(END))), max_size=5)


def moments(timeline: Timeline) -> set[int]:
    return {time for time in MOMENTS if time in timeline}


def of(intervals: list[tuple[int, int]]) -> set[int]:
    return {time for since, until in intervals for time in MOMENTS if since <= time < until}


@given(INTERVALS, INTERVALS)
def test_operations_are_those_of_sets(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    mine, theirs = Timeline(one), Timeline(other)
    assert moments(mine) == of(one)
    assert moments(mine | theirs) == of(one) | of(other)
    assert moments(mine & theirs) == of(one) & of(other)
    assert moments(mine - theirs) == of(one) - of(other)
    assert moments(ALWAYS - mine) == set(MOMENTS) - of(one)
    assert (mine == theirs) == (of(one) == of(other))


@given(INTERVALS, INTERVALS)
def test_intervals_are_sorted_and_apart(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    for timeline in (Timeline(one), Timeline(one) | Timeline(other), Timeline(one) - Timeline(other)):
        edges = [edge for interval in timeline for edge in interval]
        assert edges == sorted(set(edges))
        assert Timeline(timeline) == timeline
        assert bool(timeline) == bool(edges)


@given(INTERVALS, TIMES, TIMES)
def test_questions_on_a_range_are_those_of_sets(one: list[tuple[int, int]], since: int, until: int) -> None:
    timeline, asked = Timeline(one), set(range(since, until))
    assert timeline.overlaps(since, until) == bool(of(one) & asked)
    assert timeline.within(since, until).total == len(of(one) & asked)


@given(st.lists(st.booleans(), max_size=10))
def test_alternating_holds_from_the_last_switch_on(switches: list[bool]) -> None:
    timeline = Timeline.alternating(enumerate(switches))
    assert [time in timeline for time in range(len(switches))] == switches
    assert (END - 1 in timeline) == (switches[-1:] == [True])
