"""Things that last, asked for those that meet a time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.recordings.scene.time_spans import Spans
from oneowner.checkers.recordings.scene.timeline import END

TIMES = st.integers(-5, 20)
ITEMS = st.lists(st.tuples(TIMES, st.one_of(st.just(END), TIMES)))


@given(ITEMS, TIMES, TIMES)
def test_spans_yield_what_a_look_at_each_item_yields(items: list[tuple[int, int]], since: int, until: int) -> None:
    spans = Spans(items, lambda item: item)
    met = [item for item in items if item[0] <= until and item[1] >= since]
    assert list(spans.meeting(since, until)) == met
