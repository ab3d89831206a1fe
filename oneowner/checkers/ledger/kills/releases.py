"""The verb ``releases``: which laws fail in which release of Pulsar, and which one ends it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.affected import (
    affected_releases,
    bounds_of_fault,
    idle_releases,
    in_spans,
    known_to,
    releases_of,
)
from oneowner.checkers.catalogue.families import family_named, unreadable
from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM, Fault
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.judged_release import JudgedRelease, judged_release
from oneowner.checkers.ledger.kills.release_matrix import (
    NO_OCCASION,
    ReleaseVerdict,
    fixed_in,
    known_of,
    verdicts_by_release,
)
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.report import text
from oneowner.checkers.report.fault_tables import print_affected, print_bugs_of
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Verdict, worst
from oneowner.model.pulsar.releases import MILESTONES, RELEASES
from oneowner.spec.systems import systems


def run_releases(out: Console, on_progress: Callable[[str], None] | None, names: Sequence[str]) -> Result:
    """
    Judge the law of every fault and prediction in every release, or in those asked for; print and return it.

    Which release ends a bug is found in all releases; where some are asked for, it is what is pinned of all.
    """
    there = {release for system in systems().values() for release in system.releases}
    of_pulsar = {*systems()[DEFAULT_SYSTEM].releases, *RELEASES, *MILESTONES}
    pulsar = [name for one in systems().values() if of_pulsar.issuperset(one.releases) for name in one.releases]
    asked = [JudgedRelease(name) if name in there else judged_release(name, pulsar) for name in names]
    notes = [one.note for one in asked if one.note]
    for note in notes:
        out.print(note)
    names = [one.name for one in asked]
    known = {
        name: fault for name, fault in defects().items() if not names or not set(names).isdisjoint(releases_of(fault))
    }
    found = all_verdicts(known, on_progress, names)
    differs = {name: difference(known[name], found[name], names) for name in known}
    doubts = {name: undecided(found[name]) for name in known}
    result = Result(
        verb="releases",
        verdict=worst(verdict_of(differs[name], doubts[name]) for name in known),
        reasons=[f"{name}: {words}" for name in known for words in (differs[name], doubts[name]) if words],
        more={"releases": [row for name in known for row in rows(known[name], found[name], names)]},
    )
    result.reasons += notes
    result.doubted(unreadable().values())
    if names:
        for name in names:
            print_bugs_of(out, name, [row for row in result.more["releases"] if row["release"] == name], known)
    else:
        print_affected(out, {name: in_spans(failing(found[name]), releases_of(known[name])) for name in known}, known)
    text.verdict_line(out, f"releases, {len(found)} faults and predictions", result)
    return result


def all_verdicts(
    known: Mapping[str, Fault], on_progress: Callable[[str], None] | None, asked: Sequence[str] = ()
) -> dict[str, list[ReleaseVerdict]]:
    """Return the result of every fault in every release, or in those *asked* for, by the fault's name."""
    size = {name: family_named(fault.family).states for name, fault in known.items()}
    judge = partial(verdicts_by_release, asked=tuple(asked))
    found = in_parallel(judge, sorted(size, key=lambda name: -size[name]), on_progress)
    return {name: found[name] for name in known}


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
        }
        for one in found
        if not names or one.release in names
    ]
