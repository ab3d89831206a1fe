"""Families that some classes walk, one after the other; those that take seconds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from oneowner.checkers.catalogue.families import bounds_under, family_named
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.real_classes.compared import Difference
from oneowner.checkers.real_classes.in_words import as_json, difference_lines, reasons_of, verdict_of
from oneowner.checkers.real_classes.jars import Jars
from oneowner.checkers.real_classes.steps import why_not
from oneowner.checkers.real_classes.walk import Walk, walk
from oneowner.checkers.verdict import EngineError, Misuse, Verdict
from oneowner.model.channel.bounds import Bounds

QUICK: Final[tuple[tuple[str, Mapping[str, str]], ...]] = (
    ("removal", {}), ("tombstone", {}), ("transfer", {"brokers": "2"}), ("multi-phase", {"brokers": "2"}),
    ("failure", {"brokers": "2"}), ("split", {"brokers": "2"}), ("transfer-metadata-store", {"brokers": "2"}),
)  # fmt: skip
"""The families that are walked unless others are named, with the bounds that keep each within seconds."""


class Walked(NamedTuple):
    """A family on some classes; without a walk, for a reason."""

    name: str
    classes: str
    release: str
    walk: Walk | None = None
    why: str = ""
    is_known: bool = False
    """The classes of the other side differ in the same way."""

    @property
    def verdict(self) -> Verdict:
        if self.walk is None or (self.is_known and self.walk.differing):
            return Verdict.UNKNOWN
        return verdict_of(self.walk)

    def lines(self) -> Iterator[str]:
        """Yield the family in a line, and the difference with the shortest path."""
        if self.walk is None:
            yield f"  no walk   {self.name}: {self.why}"
        elif self.walk.differing:
            yield f"  differs   {self.name}: {'; '.join(self.reasons())}"
            yield from (f"    {line}" for line in difference_lines(self.walk.differences[0]))
        else:
            left = "".join(f"; {reason}" for reason in self.reasons())
            yield f"  agrees    {self.name}: {self.walk.walked:,} edges{left}"

    def reasons(self) -> list[str]:
        """Return the reasons that it is not valid."""
        if self.walk is None:
            return [self.why]
        return reasons_of(self.walk) + ["the other classes differ in the same way"] * self.is_known

    def row(self) -> dict[str, Any]:
        """Return the walk as the JSON has it (``result.schema.json``, walked)."""
        found = as_json(self.name, self.classes, self.release, self.walk or Walk(0, False, ""))
        return found | {"verdict": str(self.verdict), "reasons": self.reasons()}


def walks(
    families: Sequence[tuple[str, Mapping[str, str]]],
    jars: Jars,
    release: str,
    turned: Mapping[str, str],
    entered: set[str] | None,
    on_progress: Callable[[str], None] | None,
) -> Iterator[tuple[Walked, Bounds]]:
    """Walk families by the rules of *release* with some switches *turned*, and add the methods that are entered."""
    for family, settings in families:
        shown = ", ".join([family, *(f"{name}={value}" for name, value in settings.items())])
        bounds = bounds_with(family_named(family).bounds, settings)
        try:
            bounds = bounds_under(bounds, release, (), (), turned)
            if why := why_not(bounds):
                yield Walked(shown, jars.name, release, why=why), bounds
                continue
            found = walk(bounds, jars, None, _telling(on_progress, shown), entered)
        except (EngineError, Misuse) as error:
            yield Walked(shown, jars.name, release, why=str(error)), bounds
            continue
        yield Walked(shown, jars.name, release, found), bounds


def beside(one: Walked, bounds: Bounds, other: Jars, on_progress: Callable[[str], None] | None) -> Walked:
    """Return a walk that differs, and whether the classes of the other side differ in the same way."""
    assert one.walk is not None
    try:
        there = walk(bounds, other, None, _telling(on_progress, f"{one.name} on {other.name}"))
    except EngineError:
        return one
    known = {_kind(difference) for difference in there.differences}
    return one._replace(is_known=all(_kind(difference) in known for difference in one.walk.differences))


def _kind(one: Difference) -> object:
    return one.path, one.sides


def _telling(on_progress: Callable[[str], None] | None, name: str) -> Callable[[str], None] | None:
    return None if on_progress is None else lambda words: on_progress(f"{name}: {words}")
