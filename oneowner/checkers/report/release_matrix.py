"""``matrices`` arranges the verdicts of ``releases`` for its page: the bugs of a system against its releases."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from oneowner.checkers.catalogue.affected import in_spans, releases_of
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.catalogue.harm import harm_of
from oneowner.checkers.catalogue.upstream import references
from oneowner.checkers.places import shown

THREADS: Final = "https://github.com/{}/issues/{}"
TICKETS: Final = "https://issues.apache.org/jira/browse/{}"

Rows = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""By bug and release."""


def matrices(rows: Iterable[Mapping[str, Any]], known: Mapping[str, Fault]) -> list[dict[str, Any]]:
    """
    Return a matrix for each system: ``columns`` of releases, and by harm its ``bugs``, each with a cell a column.

    Adjacent releases of a line, such as 4.0, that agree on every bug share a column.
    """
    there: dict[str, dict[str, dict[str, Mapping[str, Any]]]] = {}
    for row in rows:
        there.setdefault(known[row["fault"]].system, {}).setdefault(row["fault"], {})[row["release"]] = row
    return [_matrix(system, bugs, known) for system, bugs in there.items()]


def _matrix(system: str, bugs: Rows, known: Mapping[str, Fault]) -> dict[str, Any]:
    every = releases_of(known[next(iter(bugs))])
    columns = _columns([one for one in every if any(one in found for found in bugs.values())], bugs)
    by_harm = groupby(bugs, key=lambda name: harm_of(known[name]))
    return {
        "system": system,
        "columns": columns,
        "lines": [(line, len(list(some))) for line, some in groupby(columns, key=lambda one: one["line"])],
        "harms": [
            {
                "name": harm.name,
                "meaning": harm.meaning,
                "bugs": [_bug(known[name], bugs[name], columns) for name in names],
            }
            for harm, names in by_harm
        ],
    }


def _columns(releases: Sequence[str], bugs: Rows) -> list[dict[str, Any]]:
    """Return the columns: their line, and their first and last release."""

    def alike(release: str) -> tuple[Any, ...]:
        found = (one.get(release) for one in bugs.values())
        return line_of(release), *((one["verdict"], one["fixedIn"]) if one is not None else None for one in found)

    columns = []
    for key, some in groupby(releases, key=alike):
        first, *more = some
        columns.append({"line": key[0], "first": first, "last": more[-1] if more else first})
    return columns


def line_of(release: str) -> str:
    """
    Return the line of a release.

    >>> line_of("4.0.10"), line_of("5.0.0-M1"), line_of("pip-192")
    ('4.0', '5.0', 'pip-192')
    """
    return ".".join(release.split(".")[:2])


def _bug(fault: Fault, found: Mapping[str, Mapping[str, Any]], columns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "name": fault.name,
        "title": fault.title,
        "law": fault.law,
        "family": fault.family,
        "steps": fault.steps,
        "upstream": [(one.removeprefix("apache/pulsar"), address(one)) for one in references(fault.upstream)],
        "affected": in_spans([one for one, row in found.items() if row["verdict"] == "invalid"], releases_of(fault)),
        "scenario": shown(fault.scenario),
        "cells": [found.get(one["first"]) for one in columns],
    }


def address(reference: str) -> str:
    """
    Return the address of an upstream thread or ticket.

    >>> address("apache/pulsar#26520"), address("KAFKA-14382")
    ('https://github.com/apache/pulsar/issues/26520', 'https://issues.apache.org/jira/browse/KAFKA-14382')
    """
    repository, sign, number = reference.partition("#")
    return THREADS.format(repository, number) if sign else TICKETS.format(reference)
