"""The evidence of each finding on real clusters, by release, beside the verdict by the rules of the release."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from oneowner.checkers.catalogue.affected import affected_releases, releases_of
from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM
from oneowner.checkers.catalogue.finding import FOLDERS, Finding
from oneowner.checkers.catalogue.findings import findings
from oneowner.checkers.documents import read_document
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.lab.drive.ledger import Kept
from oneowner.checkers.lab.drive.plan import plan_of
from oneowner.checkers.places import TOP
from oneowner.checkers.scenarios.scenario import Scenario, read_scenario
from oneowner.checkers.verdict import Verdict

RELEASES: Final = ("4.0.4", "4.0.6", "4.0.8", "4.2.4", "5.0.0-M1")
"""The releases that a lab can start."""
HELD: Final = "the brokers do as the rules of the release say, by which the law holds"


class Real(StrEnum):
    """The evidence of a finding on real brokers of one release."""

    DRIVEN = "driven"
    RECORDED = "seen"
    NOT_SEEN = "not seen"
    """Driven, and the brokers departed from the scenario that breaks the law."""
    PARTED = "parted"
    """Driven by rules with which the law holds, and the brokers departed from those rules."""
    NOT_REACHED = "not reached"
    """Driven, and a step was impossible."""
    NO_WAY = "cannot be driven"
    """None of the scenarios can be driven there, whatever the reason."""
    NOT_TRIED = "not tried"


def tried() -> list[Finding]:
    """Return the findings that real brokers may show: those of the channel whose releases are computed."""
    return [one for one in findings().values() if one.defect is not None and one.system == DEFAULT_SYSTEM]


def recorded(finding: Finding) -> dict[str, str]:
    """
    Return the undriven observations of a finding, by release: in recordings, or in trials.

    A wheel has no recordings, so they count in a checkout alone.
    """
    found: dict[str, str] = {}
    folder = TOP / "traces" / "real"
    for name in finding.recordings if folder.is_dir() else ():
        release = read_document(folder / name / "manifest.yaml").data["versions"]["pulsar"]
        link = f"[{name}](../traces/real/{name})"
        found[release] = f"{found[release]}, {link}" if release in found else link
    return {**finding.trials, **found}


def seen_on(finding: Finding, kept: Sequence[Kept]) -> list[str]:
    """Return the releases of the lab on which real brokers showed a finding."""
    driven = {row.release for row in kept if row.scenario in finding.driven and row.verdict == Verdict.VALID}
    return [release for release in RELEASES if release in {*driven, *recorded(finding)}]


def scenario_named(name: str) -> Scenario:
    paths = [TOP / "traces" / folder / f"{name}.yaml" for folder in FOLDERS]
    return read_scenario(next((path for path in paths if path.exists()), paths[0]))


def real(finding: Finding, release: str, kept: Sequence[Kept]) -> Real:
    """Return the evidence of brokers of a release: driven scenarios take precedence over recordings."""
    came = {row.verdict for row in _rows(finding.driven, release, kept)}
    if Verdict.VALID in came:
        return Real.DRIVEN
    if release in recorded(finding):
        return Real.RECORDED
    if came:
        return Real.NOT_SEEN if Verdict.INVALID in came else Real.NOT_REACHED
    for row in _rows(finding.held, release, kept):
        return {Verdict.VALID: Real.NOT_SEEN, Verdict.INVALID: Real.PARTED}.get(Verdict(row.verdict), Real.NOT_REACHED)
    can = any(plan_of(scenario_named(name), release).drivable for name in (*finding.driven, *finding.held))
    return Real.NOT_TRIED if can else Real.NO_WAY


def _rows(scenarios: Sequence[str], release: str, kept: Sequence[Kept]) -> list[Kept]:
    return [row for row in kept if row.scenario in scenarios and row.release == release and not row.rules]


def because(finding: Finding, release: str, kept: Sequence[Kept]) -> str:
    """Return the basis of a cell that was not driven to its end: a recording, or the reason that there is none."""
    found = real(finding, release, kept)
    if found is Real.RECORDED:
        return recorded(finding)[release]
    if found in (Real.NOT_SEEN, Real.PARTED, Real.NOT_REACHED):
        rows = _rows((*finding.driven, *finding.held), release, kept)
        return "; ".join(f"`{row.scenario}`, step {min(row.done + 1, row.steps)}: {row.why or HELD}" for row in rows)
    if found is Real.NO_WAY:
        return "; ".join(f"`{name}`: {plan_of(scenario_named(name), release).words}" for name in finding.driven)
    return ""


def fails(finding: Finding, release: str) -> bool:
    """Return whether the law fails by the rules of a release, by their exploration (`oneowner releases`)."""
    defect = finding.defect
    return defect is not None and judged_release(release, releases_of(defect)).name in affected_releases(defect)


def contradicts(found: Real, by_rules: bool) -> bool:
    """Return whether the observation contradicts the rules of the release."""
    if found is Real.PARTED:
        return True
    return by_rules if found is Real.NOT_SEEN else found in (Real.DRIVEN, Real.RECORDED) and not by_rules


def link_to(finding: Finding) -> str:
    """Return a link to a finding, from a page of ``docs``."""
    return f"[{finding.name}](reference/findings.md#{finding.name})"


def table(rows: Sequence[Finding], kept: Sequence[Kept]) -> Iterator[str]:
    """
    Yield the table in Markdown: for each release the behaviour of real brokers, and the law's verdict by its rules.
    """
    yield f"| finding | {' | '.join(RELEASES)} |"
    yield f"|---|{'---|' * len(RELEASES)}"
    for row in rows:
        cells = []
        for release in RELEASES:
            found, by_rules = real(row, release, kept), fails(row, release)
            mark = " (*)" if contradicts(found, by_rules) else ""
            cells.append(f"{found}, {'fails' if by_rules else 'holds'}{mark}")
        yield f"| {link_to(row)} | {' | '.join(cells)} |"


def reasons(rows: Sequence[Finding], kept: Sequence[Kept]) -> Iterator[str]:
    """Yield the basis of the cells that were not driven to their end, as a table of Markdown."""
    yield "| finding | releases | | by |"
    yield "|---|---|---|---|"
    for row in rows:
        of: dict[tuple[Real, str], list[str]] = {}
        for release in RELEASES:
            if why := because(row, release, kept):
                of.setdefault((real(row, release, kept), why), []).append(release)
        for (found, why), releases in of.items():
            yield f"| `{row.name}` | {', '.join(releases)} | {found} | {why} |"


def explanations(rows: Sequence[Finding], kept: Sequence[Kept]) -> Iterator[str]:
    """Yield each contradiction between the two with its reason, one line each; an unexplained one has no reason."""
    for row in rows:
        for release in RELEASES:
            if contradicts(real(row, release, kept), fails(row, release)):
                yield f"- `{row.name}`, {release}: {row.explained.get(release, '')}"
