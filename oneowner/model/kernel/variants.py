"""``Variants``: which releases have equal classes, so that what was read of one release is known of the others."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from oneowner.model.kernel.releases import version

T = TypeVar("T")

ABSENT, NOT_MEASURED = "-", "?"


class Variants(NamedTuple):
    """A measured table of classes by release."""

    releases: tuple[str, ...]
    """In the order of age."""
    rows: Mapping[str, str]
    """By the name of a class, or of some settings: a letter for each release; equal letters, equal code."""

    def code(self, release: str, *rows: str) -> str:
        """
        Return the letters of *release* in *rows*; empty if it was not measured, or not in all of them.

        >>> Variants(("1.0.0", "1.1.0"), {"A": "ab", "B": "a?"}).code("1.0.0", "A", "B")
        'aa'
        """
        if release not in self.releases:
            return ""
        place = self.releases.index(release)
        letters = "".join(self.rows[row][place] for row in rows)
        return "" if NOT_MEASURED in letters else letters

    def extended(self, rules: Mapping[str, T], *rows: str) -> dict[str, T]:
        """
        Return *rules* by release, with those of each release that has equal classes in all *rows*, by age.

        >>> Variants(("1.0.0", "1.1.0", "1.2.0"), {"A": "aab"}).extended({"1.1.0": "rules"}, "A")
        {'1.0.0': 'rules', '1.1.0': 'rules'}
        """
        known = {code: of for release, of in rules.items() if (code := self.code(release, *rows))}
        found = {one: known[code] for one in self.releases if (code := self.code(one, *rows)) in known}
        return dict(sorted({**found, **rules}.items(), key=lambda one: version(one[0]) or ()))

    def equal_to(self, release: str, known: Iterable[str], *rows: str) -> str | None:
        """
        Return the one of *known* releases that has the classes of *rows* of *release*: itself if it is known.

        >>> Variants(("1.0.0", "1.1.0", "1.2.0"), {"A": "aab"}).equal_to("1.0.0", ["1.1.0", "1.2.0"], "A")
        '1.1.0'
        """
        names = tuple(known)
        code = self.code(release, *rows)
        if release in names or not code:
            return release if release in names else None
        return next((one for one in names if self.code(one, *rows) == code), None)

    def lacks(self, release: str, row: str) -> bool:
        """
        Return whether *release* has no classes of *row*: nor has the release before it, nor the next one of its line.

        >>> table = Variants(("1.0.0", "1.1.0", "1.1.5", "1.2.0"), {"A": "--a-"})
        >>> [table.lacks(one, "A") for one in ("0.9.0", "1.0.1", "1.1.3", "1.1.9", "1.3.0")]
        [True, True, False, False, True]
        """
        at = version(release)
        if at is None:
            return False
        measured = [(one, name) for name in self.releases if (one := version(name)) is not None]
        older = [name for one, name in measured if one <= at]
        later = [name for one, name in measured if one > at and one.line == at.line]
        return not older or all(self.code(one, row) == ABSENT for one in (older[-1], *later[:1]))

    def disagreements(self, rules: Mapping[str, T], *rows: str) -> Iterator[tuple[str, str]]:
        """Yield releases with equal classes and different rules: a row is missing, or a rule is wrong."""
        names = [name for name in rules if self.code(name, *rows)]
        for place, one in enumerate(names):
            for other in names[:place]:
                if self.code(one, *rows) == self.code(other, *rows) and rules[one] != rules[other]:
                    yield other, one
