"""Texts as Java compares them: letter by letter whatever their case, and blank texts."""

NO_WHITESPACE = "\x85\xa0\u2007\u202f"
"""Spaces that ``Character.isWhitespace`` does not count."""


def equals_ignoring_case(one: str, other: str) -> bool:
    """
    Return ``one.equalsIgnoreCase(other)``: letters are equal that have one capital, or whose capitals have one small.

    >>> equals_ignoring_case("Rack", "rACK"), equals_ignoring_case("\u03c3", "\u03c2")
    (True, True)
    """
    return len(one) == len(other) and all(map(are_equal_letters, one, other))


def are_equal_letters(one: str, other: str) -> bool:
    """Return whether two characters are equal but for their case."""
    one, other = capital(one), capital(other)
    return one == other or one.lower()[0] == other.lower()[0]


def capital(letter: str) -> str:
    """Return the capital of a letter, itself if that is no single one."""
    found = letter.upper()
    return found if len(found) == 1 else letter


def is_blank(text: str) -> bool:
    """
    Return ``StringUtils.isBlank``.

    >>> is_blank(" \t"), is_blank("\xa0")
    (True, False)
    """
    return all(letter.isspace() and letter not in NO_WHITESPACE for letter in text)
