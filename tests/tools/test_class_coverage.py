"""Branches that no walk reaches: each has a reason, and the page has both."""

import pytest

from oneowner.checkers.verdict import Misuse
from tools.class_coverage.branches import PAGE, Line, Reason, explained, page, read_measured, read_reasons

MISSED = Line("C", "m", 7, 1, 1)
REACHED = Line("C", "m", 8, 0, 2)


def test_page_has_what_was_measured_and_the_reasons() -> None:
    assert PAGE.read_text(encoding="utf-8").splitlines() == list(page(read_measured(), read_reasons()))


def test_line_goes_to_the_row_that_names_it_before_that_of_its_method() -> None:
    rows = [Reason("C", "m", (), "all"), Reason("C", "m", (7,), "one")]
    found = explained([MISSED, MISSED._replace(number=9), REACHED], rows)
    assert [[line.number for line in lines] for lines in found.values()] == [[9], [7]]


def test_missed_branch_without_a_reason_is_refused() -> None:
    with pytest.raises(Misuse, match=r"C\.m, line 7: no walk reaches 1 branches"):
        explained([MISSED], [])


def test_reason_that_explains_nothing_is_refused() -> None:
    with pytest.raises(Misuse, match="walks reach all that this row explains"):
        explained([REACHED], [Reason("C", "m", (), "none")])
