"""The verb ``releases``: which laws fail in which release of Pulsar, and which one ends it."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.affected import (
    affected_releases,
    bounds_of_fault,
    fixed_in,
    idle_releases,
    in_spans,
    known_of,
    known_to,
    releases_of,
)
from oneowner.checkers.catalogue.families import unreadable
from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM, Fault
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.catalogue.harm import by_harm, harm_of
from oneowner.checkers.catalogue.upstream import number_in, rows_named
from oneowner.checkers.judged_release import JudgedRelease, judged_release
from oneowner.checkers.ledger.kills.release_classes import as_json, print_classes
from oneowner.checkers.ledger.kills.release_verdict import NO_OCCASION, ReleaseVerdict, pinned_verdicts
from oneowner.checkers.report import text
from oneowner.checkers.report.fault_tables import print_affected, print_bugs_of, print_pinned
from oneowner.checkers.report.release_matrix import matrices
from oneowner.checkers.results import Page, Result
from oneowner.checkers.verdict import Verdict, worst
from oneowner.model.kernel.releases import Line, nearest, version
from oneowner.model.pulsar.releases import MILESTONES, RELEASES
from oneowner.spec.systems import systems


def run_releases(
    out: Console, on_progress: Callable[[str], None] | None, names: Sequence[str], recompute: bool = False
) -> Result:
    """
    Print the verdict on the law of every fault and prediction in every release, or of those that *names* mean.

    A name is that of a release, a fault or a finding, or an upstream number. Verdicts are those of the catalogue, or of
    searches to *recompute*. Which release ends a bug is found in all releases, searched or pinned.
    """
    asked, chosen = _meant(names)
    notes = [one.note for one in asked if one.note]
    releases = [one.name for one in asked]
    numbered = [name for name in releases if name in (*RELEASES, *MILESTONES)]
    known = {
        row.name: row
        for row in by_harm((chosen or defects()).values())
        if not releases or not set(releases).isdisjoint(releases_of(row))
    }
    if recompute:
        from oneowner.checkers.ledger.kills.release_matrix import all_verdicts  # engines take a while to load

        found = all_verdicts(known, on_progress, releases)
        differs = {name: difference(known[name], found[name], releases) for name in known}
    else:
        found = {name: pinned_verdicts(fault, releases) for name, fault in known.items()}
        differs = dict.fromkeys(known, "")
    doubts = {name: undecided(found[name]) for name in known}
    result = Result(
        verb="releases",
        verdict=worst(verdict_of(differs[name], doubts[name]) for name in known),
        reasons=[f"{name}: {words}" for name in known for words in (differs[name], doubts[name]) if words],
        more={
            "releases": [row for name in known for row in rows(known[name], found[name], releases)],
            "classes": [row for name in numbered for row in as_json(name)],
        },
    )
    result.page = Page(
        ", ".join(names) or "every release", figures={"matrices": matrices(result.more["releases"], known)}
    )
    result.reasons += notes
    result.doubted(unreadable().values())
    for note in notes:
        out.print(note)
    if not recompute:
        print_pinned(out, result)
    for name in releases:
        print_bugs_of(out, name, [row for row in result.more["releases"] if row["release"] == name], known)
        if name in numbered:
            print_classes(out, name)
    if not releases:
        print_affected(out, {name: in_spans(failing(found[name]), releases_of(known[name])) for name in known}, known)
    text.verdict_line(out, f"releases, {len(found)} faults and predictions", result)
    return result


def _meant(names: Sequence[str]) -> tuple[list[JudgedRelease], dict[str, Fault]]:
    """Return the releases that *names* mean, and the defects; raise Misuse for a name of neither."""
    there = {release for system in systems().values() for release in system.releases}
    of_pulsar = {*systems()[DEFAULT_SYSTEM].releases, *RELEASES, *MILESTONES}
    pulsar = [name for one in systems().values() if of_pulsar.issuperset(one.releases) for name in one.releases]
    asked: list[JudgedRelease] = []
    chosen: dict[str, Fault] = {}
    for name in names:
        if name in there:
            asked.append(JudgedRelease(name))
        elif name in defects() or (number_in(name) and version(name) is None):
            chosen |= {row.name: row for row in rows_named(name, defects(), "fault")}
        elif name[:1].isalpha() and version(name) is None:
            pick({**dict.fromkeys(pulsar), **dict.fromkeys(defects())}, name, "release or fault")  # which refuses it
        elif near := _of_other_projects(name, of_pulsar):
            asked += near
        else:
            asked.append(judged_release(name, pulsar))
    return asked, chosen


def _of_other_projects(name: str, of_pulsar: Collection[str]) -> list[JudgedRelease]:
    """
    Return the releases of other projects that judge *name*: of the project that has its line, else of its major line.

    None if Pulsar has releases of its major line.

    >>> [one.note for one in _of_other_projects("7.2.9", ["5.0.1"])]
    ['release 7.2.9 is not known; it is judged by the Redis Cluster rules of 7.2.4']
    """
    asked = version(name)
    lines = {one: at.line for one in of_pulsar if (at := version(one)) is not None}
    if asked is None or any(line[0] == asked.line[0] for line in lines.values()):
        return []
    others: dict[str, list[str]] = {}
    for system in systems().values():
        if system.project != systems()[DEFAULT_SYSTEM].project:
            there = others.setdefault(system.project, [])
            there += (one for one in system.releases if (at := version(one)) and at.line[0] == asked.line[0])
    lined = {project: there for project, there in others.items() if any(_line(one) == asked.line for one in there)}
    found = (lined or others).items()
    return [judged_release(name, there, project) for project, there in found if nearest(name, there)]


def _line(release: str) -> Line | None:
    at = version(release)
    return at.line if at is not None else None


def verdict_of(differs: str, doubts: str) -> Verdict:
    """Return the verdict of one fault: invalid if its releases are not the pinned ones, unknown if in doubt."""
    if differs:
        return Verdict.INVALID
    return Verdict.UNKNOWN if doubts else Verdict.VALID


def failing(found: Sequence[ReleaseVerdict]) -> list[str]:
    """Return the releases in which the law fails, in order."""
    return [one.release for one in found if one.verdict == Verdict.INVALID]


def idle(found: Sequence[ReleaseVerdict]) -> list[str]:
    """Return the releases that have the bug's switches and give its law no occasion, in order."""
    return [one.release for one in found if one.why == NO_OCCASION]


def undecided(found: Sequence[ReleaseVerdict]) -> str:
    """Return the reason that some release is unknown, or nothing; a law without an occasion is no such reason."""
    return "; ".join(f"{one.release}: {one.why}" for one in found if one.why not in ("", NO_OCCASION))


def difference(fault: Fault, found: Sequence[ReleaseVerdict], asked: Sequence[str] = ()) -> str:
    """Return the differences of the releases found from the pinned ones (of those *asked* for), or nothing."""
    of = releases_of(fault)
    there = tuple(in_spans(some, of) for some in (failing(found), idle(found)))
    expected = affected_releases(fault), idle_releases(fault)
    pinned = tuple(in_spans([one for one in some if not asked or one in asked], of) for some in expected)
    words = "fails in", "has no occasion in"
    differs = [
        f"{fault.law} {word} {now}, but {was} is pinned"
        for word, now, was in zip(words, there, pinned, strict=True)
        if now != was
    ]
    return "; ".join(differs)


def rows(fault: Fault, found: Sequence[ReleaseVerdict], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for every release asked for, all if none is, with the keys of ``result.schema.json``."""
    known = known_to(bounds_of_fault(fault))
    affected = [one.release for one in found if one.verdict != Verdict.VALID]
    if names:
        there = {one.release for one in found}
        affected += [one for one in (*affected_releases(fault), *idle_releases(fault)) if one not in there]
    return [
        {
            "release": one.release,
            "law": fault.law,
            "verdict": one.verdict.value,
            "family": fault.family,
            "fault": fault.name,
            "fixedIn": fixed_in(one.release, affected, known) if one.verdict == Verdict.INVALID else "",
            "steps": one.steps,
            "upstream": fault.upstream,
            "known": known_of(fault, one.release).value,
            "harm": harm_of(fault).name,
        }
        for one in found
        if not names or one.release in names
    ]
