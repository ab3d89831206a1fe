"""The sort of the JDK, also by a comparator that is no order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.model.java.tim_sort import Compare, NoOrder, java_sorted
from tests.model.channel.strategies import steadily
from tests.packed_vectors import rows_of


def unless_near(near: int) -> Compare:
    return lambda one, other: (one > other) - (one < other) if abs(one - other) > near else 0


def test_lists_come_out_as_the_jdk_sorts_them_by_a_comparator_that_is_no_order() -> None:
    rows = rows_of("java-sort")
    assert sum(row["sorted"] is None for row in rows) == 8
    assert sum(row["sorted"] not in (None, sorted(row["list"])) for row in rows) > 30
    for row in rows:
        if row["sorted"] is None:
            with pytest.raises(NoOrder):
                java_sorted(row["list"], unless_near(row["near"]))
        else:
            assert java_sorted(row["list"], unless_near(row["near"])) == row["sorted"]


@steadily
@given(st.lists(st.tuples(st.integers(0, 9), st.integers()), max_size=300))
def test_an_order_is_sorted_as_python_sorts_it(items: list[tuple[int, int]]) -> None:
    assert java_sorted(items, lambda one, other: one[0] - other[0]) == sorted(items, key=lambda item: item[0])
