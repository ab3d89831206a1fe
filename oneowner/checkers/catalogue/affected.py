"""
The releases that a bug affects: those with its switches, unless its law holds all the same or has no occasion.

A release that comes out tomorrow is affected as the one before it, so that no row of the catalogue needs an edit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import groupby
from typing import Any, Final

from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.catalogue.faults import Fault
from oneowner.model.kernel.releases import Span, version
from oneowner.model.kernel.system import Known, System
from oneowner.spec.systems import systems

NONE: Final = "none"
ALL: Final = "all"


def releases_of(fault: Fault) -> list[str]:
    """Return the releases of the system whose bug it is, in order."""
    return list(systems()[fault.system].releases)


def known_to(bounds: Any) -> list[str]:
    system = bounds.system
    return [release for release in system.releases if not system.refuse_release(bounds, release)]


def has(rules: Any, fault: Fault) -> bool:
    """Return whether *rules* have the switches of *fault*, and not those of its repair."""
    turned = all(getattr(rules, switch) == value for switch, value in fault.rules.items())
    mended = [getattr(rules, switch) == value for switch, value in fault.repaired.items()]
    return turned and not (mended and all(mended))


def with_switches(fault: Fault) -> list[str]:
    """Return the releases that have the bug's switches and can have the bounds in which it is judged, in order."""
    bounds = bounds_of_fault(fault)
    return [release for release in known_to(bounds) if has(bounds.system.releases[release], fault)]


def bounds_of_fault(fault: Fault) -> Any:
    return bounds_with(family_named(fault.family).bounds, fault.settings)


def affected_releases(fault: Fault) -> list[str]:
    """Return the releases under whose rules the law of a fault fails, as the catalogue has them, in order."""
    return [one for one in with_switches(fault) if not is_meant(one, (*fault.holds, *fault.idle))]


def idle_releases(fault: Fault) -> list[str]:
    """Return the releases with the bug's switches that give its law no occasion, as the catalogue has them."""
    return [one for one in with_switches(fault) if is_meant(one, fault.idle)]


def is_meant(release: str, clauses: Iterable[Span | str]) -> bool:
    """Return whether clauses of the catalogue, spans or names, mean *release*."""
    is_numbered = version(release) is not None
    return any(one == release if isinstance(one, str) else is_numbered and release in one for one in clauses)


def line_of(release: str) -> str:
    """Return the line that a release belongs to: ``3.0`` of 3.0.4."""
    return release.rpartition(".")[0]


def in_spans(releases: Iterable[str], of: Sequence[str]) -> str:
    """
    Return releases in few words, spans within a line: all or none *of* those that could be meant.

    >>> known = ["3.0.0", "3.0.1", "3.0.2", "3.1.0", "5.0.1"]
    >>> in_spans(["3.0.0", "3.0.1", "3.1.0", "5.0.1"], known)
    '3.0.0-3.0.1, 3.1.0, 5.0.1'
    >>> in_spans([], known), in_spans(known, known)
    ('none', 'all')
    """
    chosen = set(releases)
    if not chosen or chosen.issuperset(of):
        return ALL if chosen else NONE
    words = []
    for _, line in groupby(of, line_of):
        for is_in, run in groupby(line, chosen.__contains__):
            if is_in:
                first, *more = run
                words.append(f"{first}-{more[-1]}" if more else first)
    return ", ".join(words)


def known_of(fault: Fault, release: str) -> Known:
    """
    Return the confidence that *release* has the switches of *fault*, and not its repair: that of the weakest of them.

    Of a prediction, which turns none, it is the weakest of all switches that differ between releases.
    """
    system = systems()[fault.system]
    ways = [system.known(release, switch) for switch in (*fault.rules, *fault.repaired) or differing(system)]
    return max(ways, key=list(Known).index)


def differing(system: System) -> list[str]:
    """Return the switches that not all releases of *system* have at one value."""
    switches = [one.name for one in fields(system.rules)]
    return [name for name in switches if len({getattr(rules, name) for rules in system.releases.values()}) > 1]


def fixed_in(release: str, affected: Sequence[str], known: Sequence[str]) -> str:
    """
    Return the first release after *release* that ends the bug: in its own line, else the first of any later line.

    A release ends it if neither it nor any later one of its line is *affected*: a bug that comes back was
    hidden by another. A release that has the bug's switches, and of which nothing is known, is affected.

    >>> known = ["3.0.4", "3.0.5", "3.0.6", "3.1.3", "3.2.0", "3.2.1", "5.0.1"]
    >>> fixed_in("3.0.5", ["3.0.4", "3.0.5"], known), fixed_in("3.1.3", ["3.1.3", "3.2.0"], known)
    ('3.0.6', '3.2.1')
    >>> fixed_in("5.0.1", ["5.0.1"], known)
    ''
    """
    place = {name: number for number, name in enumerate(known)}
    last = {line_of(name): place[name] for name in sorted(affected, key=place.__getitem__)}
    later = [name for name in known if place[name] > max(place[release], last.get(line_of(name), -1))]
    own = [name for name in later if line_of(name) == line_of(release)]
    return next(iter(own or later), "")
