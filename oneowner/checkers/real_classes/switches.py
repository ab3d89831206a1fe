"""``switches_of`` reads the switches of the model's rules from defects that were decided on some classes."""

from collections.abc import Iterable
from typing import NamedTuple

from oneowner.checkers.real_classes.defects import Decision, Has


class Switch(NamedTuple):
    """A switch that runs have decided on some classes."""

    name: str
    value: bool | None
    """None if two runs contradict each other."""
    defects: tuple[str, ...]
    """The defects whose runs have decided it."""


def switches_of(decisions: Iterable[Decision]) -> list[Switch]:
    """
    Return the decided switches, by name.

    A defect of several switches decides all of them where the classes have it; a class that lacks it may differ in one.
    """
    values: dict[str, set[bool]] = {}
    by: dict[str, list[str]] = {}
    for one in decisions:
        run = one.decided_by.run
        defect = one.decided_by.defect
        names = defect.repaired or defect.rules
        if run is None or one.has == Has.UNDECIDED or (one.has == Has.LACKS and len(names) > 1):
            continue
        for name in names:
            with_defect = bool(getattr(run.scenario.bounds.rules, name))
            values.setdefault(name, set()).add(with_defect if one.has == Has.HAS else not with_defect)
            by.setdefault(name, []).append(defect.name)
    return [
        Switch(name, next(iter(found)) if len(found) == 1 else None, tuple(by[name]))
        for name, found in sorted(values.items())
    ]
