"""The page of a finding, or of a bug that others explained, as Markdown at ``findings/NAME.md``."""

from collections.abc import Iterator
from functools import cache

from oneowner.checkers.bugs.known_bugs import KnownBug, known_bugs
from oneowner.checkers.catalogue.finding import Finding
from oneowner.checkers.catalogue.findings import findings
from oneowner.checkers.catalogue.releases import span_of
from oneowner.checkers.lab.drive.by_release import seen_on
from oneowner.checkers.lab.drive.ledger import read_kept
from oneowner.checkers.report.finding_texts import facts, prose


def finding_documents() -> dict[str, str]:
    """Return every finding of this project as Markdown, by name."""
    return {name: "\n".join(_finding(finding)) for name, finding in findings().items()}


def bug_documents() -> dict[str, str]:
    """Return every bug that others explained as Markdown, by name."""
    return {name: "\n".join(_bug(bug)) for name, bug in known_bugs().items() if name not in findings()}


@cache
def seen(name: str) -> tuple[str, ...]:
    return tuple(seen_on(findings()[name], read_kept()))


def _link(path: str) -> str:
    return f"[{path}](../{path})"


def _finding(finding: Finding) -> Iterator[str]:
    yield from (f"# {finding.title}", "", f"`{finding.name}`", "")
    for heading, text in prose(finding):
        yield from (f"**{heading}.** {text}", "")
    yield from ("| | |", "|---|---|")
    yield from (f"| {label} | {words} |" for label, words in facts(finding, seen(finding.name), _link))
    if (bug := known_bugs().get(finding.name)) is not None:
        yield from _trace(bug)


def _bug(bug: KnownBug) -> Iterator[str]:
    yield from (f"# {bug.title}", "", f"`{bug.name}`", "", bug.about, "", "| | |", "|---|---|")
    yield f"| upstream | {bug.upstream} |"
    yield f"| releases | {span_of(bug.releases)} |"
    yield from _trace(bug)


def _trace(bug: KnownBug) -> Iterator[str]:
    """Yield the traces that a bug leaves in a text, and what to do."""
    for signature in bug.signatures:
        yield from ("", f"**{signature.sure.capitalize()} if a text has**", "")
        for clue, never in [*((one, "") for one in signature.lines), *((one, "never ") for one in signature.never)]:
            times = f", {clue.times} times" if clue.times > 1 else ""
            yield f"- {never}{' or '.join(clue.classes) or clue.kind}{times}: ``{clue.templates[0].text}``"
    for heading, text in (("Do now", bug.advice), ("To decide", bug.collect)):
        if text:
            yield from ("", f"**{heading}.** {text}")
