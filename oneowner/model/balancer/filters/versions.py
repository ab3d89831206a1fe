"""
Versions of brokers, as java-semver reads and orders them.

A pre-release comes before its release. What follows a ``+``, the build, decides which is the latest, and does not make
a version differ from the latest.
"""

import re
from typing import Final, NamedTuple

from oneowner.model.java.arithmetic import wrapped

NUMBER: Final = r"(0|[1-9]\d*)"
PATTERN: Final = re.compile(
    rf"{NUMBER}\.{NUMBER}\.{NUMBER}"
    r"(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?"
    r"(?:\+([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?",
    re.ASCII,
)


class Version(NamedTuple):
    """A version; the lists of identifiers are empty where it has no pre-release or build."""

    numbers: tuple[int, int, int]
    pre_release: tuple[str, ...]
    build: tuple[str, ...]


def version_of(text: str) -> Version | None:
    """
    Return the version that a text is; None: it is none, or has a number of more than 31 bits.

    >>> version_of("4.0.6-SNAPSHOT"), version_of("4.0")
    (Version(numbers=(4, 0, 6), pre_release=('SNAPSHOT',), build=()), None)
    """
    found = PATTERN.fullmatch(text)
    if found is None:
        return None
    *numbers, pre_release, build = found.groups()
    major, minor, patch = (int_of(number) for number in numbers)
    if major is None or minor is None or patch is None:
        return None
    return Version((major, minor, patch), identifiers(pre_release), identifiers(build))


def identifiers(text: str | None) -> tuple[str, ...]:
    """Return the parts of a pre-release or build."""
    return tuple(text.split(".")) if text else ()


def is_later(one: Version, other: Version) -> bool:
    """Return whether *one* comes after *other*, its build regarded (``BUILD_AWARE_ORDER``)."""
    return (compare(one, other) or compare_identifiers(one.build, other.build)) > 0


def compare(one: Version, other: Version) -> int:
    """Return whether *one* comes before *other* (below 0), with it or after it (above 0), builds not regarded."""
    if one.numbers != other.numbers:
        return 1 if one.numbers > other.numbers else -1
    if not one.pre_release or not other.pre_release:
        return len(other.pre_release) - len(one.pre_release)
    return compare_identifiers(one.pre_release, other.pre_release)


def compare_identifiers(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """
    Compare lists of identifiers: two ints by their difference, which wraps, all else as text; so a time to the second.

    It is no order: 9 comes after 1a, 1a after 10, and 10 after 9.

    >>> compare_identifiers(("20250730",), ("3",)), compare_identifiers(("20250730103700",), ("3",))
    (20250727, -1)
    """
    for left, right in zip(one, other, strict=False):
        numbers = int_of(left), int_of(right)
        if numbers[0] is not None and numbers[1] is not None:
            if difference := wrapped(numbers[0] - numbers[1]):
                return difference
        elif left != right:
            return 1 if left > right else -1
    return len(one) - len(other)


def int_of(text: str) -> int | None:
    """
    Return ``Integer.parseInt`` of an identifier; None: it is no int.

    >>> int_of("05"), int_of("-5"), int_of("-"), int_of("2147483648")
    (5, -5, None, None)
    """
    if not text.removeprefix("-").isdigit():
        return None
    number = int(text)
    return number if number == wrapped(number) else None
