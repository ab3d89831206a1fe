"""Things that last, asked for those that meet a time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.recordings.scene.time_spans import Spans

TIMES = st.integers(-5, 20)
ITEMS = st.lists(st.tuples(TIMES, st.one_of(st.none(), TIMES)))


@given(ITEMS, TIMES, TIMES)
def test_spans_yield_what_a_look_at_each_item_yields(
    items: list[tuple[int, int | None]], since: int, until: int
) -> None:
    spans = Spans(items, lambda item: item[0], lambda item: item[1])
    met = [item for item in items if item[0] <= until and (item[1] is None or item[1] >= since)]
    assert list(spans.meeting(since, until)) == met
