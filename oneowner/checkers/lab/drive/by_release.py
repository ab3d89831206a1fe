"""What real clusters showed of the model's predictions, by release, beside what the rules of releases lead to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from oneowner.checkers.catalogue.affected import affected_releases, releases_of
from oneowner.checkers.catalogue.families import defects
from oneowner.checkers.documents import Part, read_document
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.lab.drive.ledger import Kept
from oneowner.checkers.lab.drive.plan import plan_of
from oneowner.checkers.places import PACKAGE, TOP
from oneowner.checkers.scenarios.scenario import Scenario, read_scenario
from oneowner.checkers.verdict import Verdict

SEEN: Final = PACKAGE / "spec" / "channel" / "seen.yaml"
RELEASES: Final = ("4.0.4", "4.0.6", "4.0.8", "4.2.4", "5.0.0-M1")
"""Those that a lab can start."""
HELD: Final = "the brokers do as the rules of the release say, by which the law holds"
FOLDERS: Final = ("counterexamples", "driven")
"""Of traces, where a scenario that stands for a prediction lies."""


class Real(StrEnum):
    """What is known of one prediction on real brokers of one release."""

    DRIVEN = "driven"
    RECORDED = "seen"
    NOT_SEEN = "not seen"
    """Driven, and they did something else than breaks the law."""
    PARTED = "parted"
    """Driven by rules with which the law holds, and they did something else than those say."""
    NOT_REACHED = "not reached"
    """Driven, and a step could not be brought about."""
    NO_WAY = "cannot be driven"
    """None of the scenarios can be driven there, whatever the reason."""
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Seen:
    """One prediction or finding."""

    name: str
    by: str
    """The fault or prediction of the catalogue whose releases are computed."""
    driven: tuple[str, ...]
    recorded: Mapping[str, str]
    explained: Mapping[str, str]
    held: tuple[str, ...] = ()
    """Scenarios by the rules of releases in which the law holds: who does as they say has not shown it."""


def read_seen(path: Path = SEEN) -> list[Seen]:
    """Return all rows; raise Misuse, with file and line, for one that does not fit."""
    return [_seen(part) for part in Part(read_document(path), read_document(path).data).items()]


def _seen(part: Part) -> Seen:
    of = part.mapping(("seen", "by", "driven", "recorded"), ("explained", "held"))
    return Seen(
        str(of["seen"].data),
        of["by"].one_of({name: name for name in defects()}, "fault or prediction"),
        tuple(name.line() for name in of["driven"].items()),
        _by_release(of["recorded"]),
        _by_release(of["explained"]) if "explained" in of else {},
        tuple(name.line() for name in of["held"].items()) if "held" in of else (),
    )


def _by_release(part: Part) -> Mapping[str, str]:
    return {name: words.line() for name, words in part.mapping((), RELEASES).items()}


def scenario_named(name: str) -> Scenario:
    """Return a scenario of traces by the names of its folder and file."""
    paths = [TOP / "traces" / folder / f"{name}.yaml" for folder in FOLDERS]
    return read_scenario(next((path for path in paths if path.exists()), paths[0]))


def real(seen: Seen, release: str, kept: Sequence[Kept]) -> Real:
    """Return what is known of it on real brokers: what was driven counts before what was recorded."""
    came = {row.verdict for row in _rows(seen.driven, release, kept)}
    if Verdict.VALID in came:
        return Real.DRIVEN
    if release in seen.recorded:
        return Real.RECORDED
    if came:
        return Real.NOT_SEEN if Verdict.INVALID in came else Real.NOT_REACHED
    for row in _rows(seen.held, release, kept):
        return {Verdict.VALID: Real.NOT_SEEN, Verdict.INVALID: Real.PARTED}.get(Verdict(row.verdict), Real.NOT_REACHED)
    can = any(plan_of(scenario_named(name), release).drivable for name in (*seen.driven, *seen.held))
    return Real.NOT_TRIED if can else Real.NO_WAY


def _rows(scenarios: Sequence[str], release: str, kept: Sequence[Kept]) -> list[Kept]:
    return [row for row in kept if row.scenario in scenarios and row.release == release and not row.rules]


def because(seen: Seen, release: str, kept: Sequence[Kept]) -> str:
    """Return what a cell goes by that was not driven to its end: a recording, or why there is nothing."""
    found = real(seen, release, kept)
    if found is Real.RECORDED:
        words = seen.recorded[release]
        return words if " " in words else f"[{words}](../traces/real/{words})"
    if found in (Real.NOT_SEEN, Real.PARTED, Real.NOT_REACHED):
        rows = _rows((*seen.driven, *seen.held), release, kept)
        return "; ".join(f"`{row.scenario}`, step {min(row.done + 1, row.steps)}: {row.why or HELD}" for row in rows)
    if found is Real.NO_WAY:
        return "; ".join(f"`{name}`: {plan_of(scenario_named(name), release).words}" for name in seen.driven)
    return ""


def fails(seen: Seen, release: str) -> bool:
    """Return whether the law fails by the rules of a release, as exploring them has found (`oneowner releases`)."""
    defect = defects()[seen.by]
    return judged_release(release, releases_of(defect)).name in affected_releases(defect)


def contradicts(found: Real, by_rules: bool) -> bool:
    """Say whether what was seen is not what the rules of the release lead to."""
    if found is Real.PARTED:
        return True
    return by_rules if found is Real.NOT_SEEN else found in (Real.DRIVEN, Real.RECORDED) and not by_rules


def table(rows: Sequence[Seen], kept: Sequence[Kept]) -> Iterator[str]:
    """Yield the table in Markdown: for each release what real brokers did, and whether the law fails by its rules."""
    yield f"| prediction | by | {' | '.join(RELEASES)} |"
    yield f"|---|---|{'---|' * len(RELEASES)}"
    for row in rows:
        cells = []
        for release in RELEASES:
            found, by_rules = real(row, release, kept), fails(row, release)
            mark = " (*)" if contradicts(found, by_rules) else ""
            cells.append(f"{found}, {'fails' if by_rules else 'holds'}{mark}")
        yield f"| {row.name} | `{row.by}` | {' | '.join(cells)} |"


def reasons(rows: Sequence[Seen], kept: Sequence[Kept]) -> Iterator[str]:
    """Yield what the cells go by that were not driven to their end, as a table of Markdown."""
    yield "| prediction | releases | | by |"
    yield "|---|---|---|---|"
    for row in rows:
        of: dict[tuple[Real, str], list[str]] = {}
        for release in RELEASES:
            if why := because(row, release, kept):
                of.setdefault((real(row, release, kept), why), []).append(release)
        for (found, why), releases in of.items():
            yield f"| {row.name} | {', '.join(releases)} | {found} | {why} |"


def explanations(rows: Sequence[Seen], kept: Sequence[Kept]) -> Iterator[str]:
    """Yield why the two contradict each other, where they do, one line each; an unexplained one has no reason."""
    for row in rows:
        for release in RELEASES:
            if contradicts(real(row, release, kept), fails(row, release)):
                yield f"- {row.name}, {release}: {row.explained.get(release, '')}"
