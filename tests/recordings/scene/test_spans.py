"""Things that last, asked for those that meet a time."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.recordings.scene.time_spans import Spans
from oneowner.checkers.recordings.scene.timeline import END

TIMES = st.integers(-5, 20)


class Item(NamedTuple):
    since: int
    until: int


ITEMS = st.lists(st.builds(Item, TIMES, st.one_of(st.just(END), TIMES)))


@given(ITEMS, TIMES, TIMES)
def test_spans_yield_what_a_look_at_each_item_yields(items: list[Item], since: int, until: int) -> None:
    met = [item for item in items if item.since <= until and item.until >= since]
    assert list(Spans(items).meeting(since, until)) == met
