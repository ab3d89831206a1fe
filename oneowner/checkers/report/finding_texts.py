"""Texts of a finding for the terminal: one line, or its facts and its prose."""

from collections.abc import Callable, Iterator, Sequence

from oneowner.checkers.catalogue.affected import affected_releases, idle_releases, in_spans, releases_of
from oneowner.checkers.catalogue.finding import FOLDERS, Finding, Status
from oneowner.checkers.places import TOP, shown

HEADINGS = {
    "happens": "What happens",
    "reproduce": "Reproduce",
    "symptoms": "Symptoms",
    "observed": "Observed",
    "scope": "Limits of the model",
    "not_modelled": "Not modelled",
}
"""The heading of each text of a finding, in order."""


def entry(finding: Finding) -> str:
    """Return a finding on one line."""
    law = f"{finding.law} after {finding.steps} steps" if finding.law else "not modelled"
    return f"{finding.title} [{law}; {finding.upstream}]"


def facts(
    finding: Finding, seen: Sequence[str], link: Callable[[str], str] = lambda path: path
) -> Iterator[tuple[str, str]]:
    """Yield each fact as (label, text); *seen* are releases whose brokers showed it, *link* renders a path."""
    if finding.aliases:
        yield "also called", ", ".join(finding.aliases)
    if finding.scenario is not None:
        yield "law", f"`{finding.law}`, in the family `{finding.family}`"
        yield "shortest run", f"{link(shown(finding.scenario))}, {finding.steps} steps"
    for name, what in finding.also.items():
        yield "see also", f"{link(_path(name))}: {what}"
    if finding.defect is not None:
        idle, of = idle_releases(finding.defect), releases_of(finding.defect)
        more = f"; no occasion in {in_spans(idle, of)}" if idle else ""
        yield "releases, as computed", f"{in_spans(affected_releases(finding.defect), of)}{more}"
    if seen or finding.status is not Status.WITHDRAWN:
        yield "seen on", ", ".join(seen) or "no real broker"
    if finding.recordings:
        yield "recordings", ", ".join(link(f"traces/real/{name}") for name in finding.recordings)
    for release, words in finding.trials.items():
        yield "trial", f"{release}: {words}"
    report = f"; report: {link(f'docs/upstream/{finding.report}')}" if finding.report else ""
    yield "upstream", f"{finding.upstream}{report}"
    if finding.repair is not None:
        yield "repair", f"{', '.join(f'`{rule}`' for rule in finding.repair.rules)}. {finding.repair.effect}"


def prose(finding: Finding) -> Iterator[tuple[str, str]]:
    for key, heading in HEADINGS.items():
        text = finding.not_modelled if key == "not_modelled" else finding.texts.get(key, "")
        if text:
            yield heading, text


def _path(scenario: str) -> str:
    """Return the path of a scenario that is named by its folder and file."""
    paths = [f"traces/{folder}/{scenario}.yaml" for folder in FOLDERS]
    return next(path for path in paths if (TOP / path).is_file())
