"""Java's regular expressions: those equal in Python, those written otherwise, those refused."""

import pytest

from oneowner.model.java.regular_expressions import NoPattern, matches


@pytest.mark.parametrize(
    ("pattern", "text", "is_match"),
    [
        (r"\Qb1.x\E", "b1.x", True),
        (r"\Qb1.x\E", "b1ax", False),
        (r"\Qb1.", "b1.", True),
        (r"(?<host>b)1", "b1", True),
        (r"\p{Alpha}[\p{Digit}]", "b1", True),
        (r"\P{Alpha}1", "b1", False),
        (r"b1|(?i)B2", "b2", True),
        (r"b1|(?i)B2", "B1", False),
        (r"(b(?i)1|X)y", "xy", True),
        (r"(b(?i)1|X)y", "xY", False),
        (r"b1\z", "b1", True),
        (r"b", "b1", False),
        (r"\d", "\u0661", False),
    ],
)
def test_a_pattern_matches_what_it_matches_in_java(pattern: str, text: str, is_match: bool) -> None:
    assert matches(pattern, text) is is_match


@pytest.mark.parametrize("pattern", ["*", "b(", "b["])
def test_what_is_no_pattern_in_java_is_none(pattern: str) -> None:
    with pytest.raises(NoPattern):
        matches(pattern, "b1")


@pytest.mark.parametrize("pattern", ["[a-z&&[^b]]", "[a[b]]", r"\p{IsDigit}", r"\h"])
def test_a_pattern_that_is_not_followed_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="not followed"):
        matches(pattern, "b1")
