"""
The releases that have a bug: stated in its file, or computed by the rules of the releases.

Only the releases of a bug that is printed are computed: the catalogue takes a while to load.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from oneowner.checkers.documents import Part
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.releases import Span, nearest, version

_CLAUSE: Final = re.compile(r"every|before (?P<before>.+)|since (?P<since>.+?)(?: until (?P<until>.+))?")
_LINE: Final = re.compile(r"v?(\d{1,2}\.\d{1,2})(?:\.x)?")
_LAST: Final = 999
"""A number above those of all releases of a line."""


class Releases(Protocol):
    """The releases that have a bug."""

    @property
    def fixed_in(self) -> tuple[str, ...]:
        """The first release of each line that has it no more, in order."""

    @property
    def since(self) -> tuple[str, ...]:
        """The first releases that have it; none if all did from the beginning."""

    def __contains__(self, release: object) -> bool: ...


@dataclass(frozen=True, slots=True)
class Stated:
    """Releases as a finding's file states them."""

    spans: tuple[Span, ...]

    def __contains__(self, release: object) -> bool:
        return any(release in one for one in self.spans)

    @property
    def fixed_in(self) -> tuple[str, ...]:
        """The ends of its spans that have the bug no more."""
        return _sorted({end for span in self.spans for end in span.until if end not in self})

    @property
    def since(self) -> tuple[str, ...]:
        """The beginnings of its spans, if all of them have one."""
        begins = [span.first for span in self.spans]
        return _sorted({one for first in begins for one in first}) if all(begins) else ()


@dataclass(frozen=True, slots=True)
class Computed:
    """Releases whose rules have a bug, among those that the model knows; a later one is as the one before it."""

    known: tuple[str, ...]
    """In order."""
    affected: frozenset[str]

    def __contains__(self, release: object) -> bool:
        return nearest(str(release), self.known) in self.affected

    @property
    def fixed_in(self) -> tuple[str, ...]:
        """
        The first release of each line from which it lacks the bug for good, or that of the lines after it.

        >>> Computed(("3.0.0", "3.0.1", "3.1.0", "4.0.0"), frozenset({"3.0.0", "3.1.0"})).fixed_in
        ('3.0.1', '4.0.0')
        """
        pairs = zip(self.known, self.known[1:], strict=False)
        ends = [after for before, after in pairs if before in self.affected and after not in self.affected]
        return tuple(one for one in ends if self.affected.isdisjoint(self._after(one)))

    def _after(self, release: str) -> list[str]:
        """Return the releases after one: of its line, or all later ones if it is the first of its line."""
        line = [one for one in self.known if _order(one).line == _order(release).line]
        later = self.known[self.known.index(release) :]
        return list(later) if line[0] == release else [one for one in later if one in line]

    @property
    def since(self) -> tuple[str, ...]:
        """The first release with the bug after each without it; a first line may have had it all the time."""
        pairs = zip((None, *self.known), self.known, strict=False)
        return tuple(after for before, after in pairs if after in self.affected and before not in self.affected)


def stated_in(part: Part) -> Stated:
    """Return the releases that a text means, such as ``before 2.8.5, 2.10.3; since 3.0.3``, or ``every``."""
    found = []
    for clause in part.text().split("; "):
        words = _CLAUSE.fullmatch(clause)
        named = [] if words is None else [tuple(one.split(", ")) if one else () for one in words.groups()]
        if words is None or any(version(one) is None for group in named for one in group):
            raise part.refuse("it reads: every; before 3.0.6, 3.2.1; since 3.3.2 until 3.3.5")
        before, since, until = named
        found.append(Span(since, before or until))
    return Stated(tuple(found))


def computed_of(name: str) -> Computed | None:
    """Return the releases whose rules have the fault or finding *name*; None if none of them is a matter of rules."""
    from oneowner.checkers.catalogue.affected import affected_releases, releases_of
    from oneowner.checkers.catalogue.findings import defects

    fault = defects().get(name)
    if fault is None:
        return None
    try:
        affected = frozenset(affected_releases(fault))
    except Misuse:  # a family that is being edited: its releases are not known
        return None
    known = _sorted({one for one in releases_of(fault) if version(one) is not None})
    return Computed(known, affected) if affected else None


def since_of(releases: Releases, release: str) -> str:
    """
    Return the release that brought a bug which *release* has; empty: it was there from the beginning.

    >>> since_of(Computed(("3.0.0", "3.0.1", "3.1.0", "3.1.1"), frozenset({"3.0.0", "3.1.0", "3.1.1"})), "3.1.1")
    '3.1.0'
    """
    return max((one for one in releases.since if _order(one) <= _order(release)), key=_order, default="")


def fixed_after(releases: Releases, release: str) -> str:
    """
    Return the release that ends a bug which *release* has: of its own line, else the first of a later one.

    >>> fixed_after(Stated((Span((), ("4.0.8", "4.1.2")),)), "4.0.6")
    '4.0.8'
    """
    later = [one for one in releases.fixed_in if _order(one) > _order(release)]
    own = [one for one in later if _order(one).line == _order(release).line]
    return next(iter(own or later), "")


def check_release(name: str | None) -> None:
    """Raise Misuse for a name that is no number of a release; None is none."""
    if name is not None and not is_release(name):
        raise Misuse(f"no such release: {name}; write it as 4.0.6 or 4.0")


def is_release(name: str) -> bool:
    """
    Return whether a text names a release, or a line of releases.

    >>> is_release("4.0.6"), is_release("v2.9.x"), is_release("4.0.4.1"), is_release("four")
    (True, True, True, False)
    """
    return version(name) is not None or _LINE.fullmatch(name) is not None


def members_of(name: str) -> Collection[str]:
    """Return a release, or the releases that a line may have."""
    line = _LINE.fullmatch(name)
    return [name] if line is None else [f"{line[1]}.{patch}" for patch in (*range(40), _LAST)]


def _sorted(releases: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(releases, key=_order))


def _order(release: str) -> Any:
    return version(release)


def span_of(releases: Releases | None) -> str:
    """Return the releases that have a bug in a few words."""
    if releases is None:
        return "not known"
    if isinstance(releases, Computed):
        return f"{_in_spans(releases)}; {fixed(releases)}"
    since = f"since {', '.join(releases.since)}" if releases.since else "from the beginning"
    return f"{since}, {fixed(releases)}"


def fixed(releases: Releases | None) -> str:
    """Return in which releases a bug is fixed."""
    ends: Sequence[str] = () if releases is None else releases.fixed_in
    return f"fixed in {', '.join(ends)}" if ends else "fixed in no known release"


def _in_spans(releases: Computed) -> str:
    from oneowner.checkers.catalogue.affected import ALL, in_spans

    words = in_spans(releases.affected, releases.known)
    return f"every release since {releases.known[0]}" if words == ALL else words
