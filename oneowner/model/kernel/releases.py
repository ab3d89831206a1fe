"""
Releases are ordered by their numbers, and a change is in the releases since the first of each line that has it.

A span names where a change begins, and where it ends if it was reverted. It names no last release, so a release that
comes out tomorrow behaves as the one before it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Final, NamedTuple

_NAME: Final = re.compile(r"v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6})([.+_-].{1,60})?)?", re.ASCII)
_ANY: Final = 10**6
"""The patch of a text that names a line alone: no release of the line is younger."""

Line = tuple[int, int]
"""The two numbers that the releases of a line share."""


class Version(NamedTuple):
    """A release's numbers, in the order of age."""

    line: Line
    patch: int
    is_final: bool
    """A milestone, or another preview, comes before the release of its numbers."""
    suffix: tuple[int, ...]


def version(release: str) -> Version | None:
    """
    Return the numbers of *release*, or None for a text that names no release.

    A line, such as ``4.0``, counts as its youngest release.

    >>> version("4.0.6"), version("pip-192")
    (Version(line=(4, 0), patch=6, is_final=True, suffix=()), None)
    >>> version("v4.0.4.1") < version("4.0.5") < version("4.0") < version("4.1.0")
    True
    >>> version("5.0.0-M1") < version("5.0.0") < version("5.0.10")
    True
    """
    found = _NAME.fullmatch(release)
    if found is None:
        return None
    major, minor, patch, suffix = found.groups(default="")
    numbers = tuple(int(number) for number in re.findall(r"[0-9]+", suffix))
    return Version((int(major), int(minor)), int(patch or _ANY), not suffix.startswith("-"), numbers)


def is_line(release: str) -> bool:
    """Return whether *release* names a line alone, such as ``4.0``."""
    found = version(release)
    return found is not None and found.patch == _ANY


def _version(release: str) -> Version:
    found = version(release)
    if found is None:
        raise ValueError(f"{release!r} is no release")
    return found


@dataclass(frozen=True, slots=True)
class Span:
    """The releases from some on, until others."""

    first: tuple[str, ...]
    """The first release of each line that has a change; empty: all have it from the beginning."""
    until: tuple[str, ...] = ()
    """The first release of each line that has it no more; empty: none reverted it."""

    def __contains__(self, release: object) -> bool:
        """
        Report whether *release* is one of them.

        >>> "4.0.9" in since("4.0.8", "4.2.0"), "4.1.0" in since("4.0.8", "4.2.0"), "4.3.0" in since("4.0.8", "4.2.0")
        (True, False, True)
        >>> "3.1.3" in before("3.0.6", "3.2.1"), "3.2.1" in before("3.0.6", "3.2.1")
        (True, False)
        """
        at = _version(str(release))
        return (not self.first or _has_reached(at, self.first)) and not _has_reached(at, self.until)


Spans = tuple[Span, ...]
"""Releases in one of several spans."""


def _has_reached(at: Version, firsts: tuple[str, ...]) -> bool:
    """Return whether a release is one of *firsts* or later in its line, or is of a line younger than all of theirs."""
    of = {one.line: one for one in map(_version, firsts)}
    return at >= of[at.line] if at.line in of else bool(of) and at.line > max(of)


def since(*first: str, until: str | tuple[str, ...] = ()) -> Span:
    """Return the releases that have a change, given the first of each line that has it, *until* it was reverted."""
    return Span(first, (until,) if isinstance(until, str) else until)


def before(*first: str) -> Span:
    """Return the releases without a change, given the first of each line that has it."""
    return Span((), first)


def is_within(release: str, spans: Iterable[Span]) -> bool:
    """Return whether *release* lies in one of *spans*."""
    return any(release in span for span in spans)


def is_between(release: str, first: str, last: str) -> bool:
    """Return whether *release* is no older than *first* and no younger than *last*."""
    return _version(first) <= _version(release) <= _version(last)


def nearest(release: str, known: Iterable[str]) -> str | None:
    """
    Return the release of *known* by whose rules *release* is judged: itself, or the youngest that is not younger.

    A build that carries another name after its numbers is the release of its numbers. None: it is older than all of
    them, or no release.

    >>> nearest("4.2.9", ["4.0.6", "4.2.4", "4.2.5", "5.0.0"]), nearest("4.3.0", ["4.2.5", "5.0.0"])
    ('4.2.5', '4.2.5')
    >>> nearest("5.0.0-M1", ["4.2.5", "5.0.0"]), nearest("5.0.1", ["4.0.6", "5.0.0-M1"]), nearest("2.0.0", ["4.0.6"])
    ('5.0.0', '5.0.0-M1', None)
    """
    at, names = version(release), tuple(known)
    if release in names or at is None:
        return release if release in names else None
    if (plain := f"{at.line[0]}.{at.line[1]}.{at.patch}") in names:
        return plain
    older = [(one, name) for name in names if (one := version(name)) is not None and one <= at]
    return max(older)[1] if older else None


def oldest_of_major(release: str, known: Iterable[str]) -> str | None:
    """
    Return the oldest of *known* if *release* is older, and of the same major line; else None.

    >>> oldest_of_major("2.6.1", ["2.9.1", "2.10.5"]), oldest_of_major("2.6.1", ["3.0.0"])
    ('2.9.1', None)
    """
    at, numbered = version(release), [(one, name) for name in known if (one := version(name)) is not None]
    if at is None or not numbered:
        return None
    first, name = min(numbered)
    return name if at < first and at.line[0] == first.line[0] else None


@dataclass(frozen=True, eq=False)
class Switch:
    """
    One field of the rules of a system, described; the class of the rules has only its name and default.

    The constant that holds it is named as the field.
    """

    meaning: str
    """The behaviour while it is true, and after "else", "before" or "until" the behaviour otherwise."""
    turned: Spans = ()
    """The releases that have the other value than the default release."""
    source: str = ""
    """The change behind that, with its place in the code."""


def switches_in(modules: Iterable[ModuleType]) -> dict[str, Switch]:
    """Return the switches that modules declare, in their order, by the names of the fields."""
    return {
        name.lower(): value for module in modules for name, value in vars(module).items() if isinstance(value, Switch)
    }
