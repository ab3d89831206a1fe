"""``visible`` escapes control characters: names in dumps and logs are untrusted input for a terminal."""

import re

_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, and those that turn the direction of a line or end it."""


def visible(words: str) -> str:
    r"""
    Return *words* with every control character written as an escape.

    >>> visible("tenant/\x1b[2Jns\tand more")
    'tenant/\\x1b[2Jns\tand more'
    """
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), words)
