"""
Versions of brokers, as java-semver reads and orders them.

A pre-release comes before its release. What follows a ``+``, the build, decides which is the latest, and does not make
a version differ from the latest.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__traced__ = False  # arithmetic of decisions, concrete

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
    Return the version that a text is; None: it is none.

    >>> version_of("4.0.6-SNAPSHOT"), version_of("4.0")
    (Version(numbers=(4, 0, 6), pre_release=('SNAPSHOT',), build=()), None)
    """
    found = PATTERN.fullmatch(text)
    if found is None:
        return None
    major, minor, patch, pre_release, build = found.groups()
    return Version((int(major), int(minor), int(patch)), identifiers(pre_release), identifiers(build))


def identifiers(text: str | None) -> tuple[str, ...]:
    """Return the parts of a pre-release or build."""
    return tuple(text.split(".")) if text else ()


def is_later(one: Version, other: Version) -> bool:
    """Say whether *one* comes after *other*, its build regarded (``BUILD_AWARE_ORDER``)."""
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
    Compare lists of identifiers: two numbers by value, all else as text.

    It is no order: 9 comes after 1a, 1a after 10, and 10 after 9.
    """
    for left, right in zip(one, other, strict=False):
        if left.isdigit() and right.isdigit():
            if int(left) != int(right):
                return int(left) - int(right)
        elif left != right:
            return 1 if left > right else -1
    return len(one) - len(other)
