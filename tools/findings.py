"""
The pages about findings, written from ``oneowner/spec/findings``: ``python -m tools.findings``.

One page is generated as a whole. In the others a table stands between two comments.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Final

from oneowner.checkers.catalogue.finding import Finding, Status
from oneowner.checkers.catalogue.findings import findings
from oneowner.checkers.lab.drive.by_release import RELEASES
from oneowner.checkers.lab.drive.by_release import seen_on as seen_in
from oneowner.checkers.lab.drive.ledger import read_kept
from oneowner.checkers.places import shown
from oneowner.checkers.report.finding_texts import facts, prose

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = "docs/reference/findings.md"
HERE: Final = re.compile(r"(?<=<!-- generated: python -m tools.findings -->\n).*?(?=<!-- end -->)", re.DOTALL)
WIDTH: Final = 120
HEAD: Final = """\
# Findings

<!-- Generated from oneowner/spec/findings: python -m tools.findings. -->

Each of these is a defect of Apache Pulsar's extensible load balancer that the model predicts, or that a cluster showed
and the model explains. `oneowner list findings NAME` prints one of them, `oneowner replay FILE` its shortest run,
and `oneowner releases R` lists those that a release has. *Seen on* lists the releases whose brokers showed it: in
a [recording](../../traces/real/README.md), in a trial, or [driven](../lab.md) step by step. *No report found* means
that a search of the threads of apache/pulsar found none, which proves nothing.

To reproduce one, start three brokers B1 (the leader), B2 and B3. These settings widen the windows:
`loadBalancerInFlightServiceUnitStateWaitingTimeInMillis=10000`, `zooKeeperSessionTimeoutMillis=10000`, and the debug
mode of the load balancer. *Stop* a broker is `kill -STOP`, and it *goes on* with `kill -CONT`; +45 is 45 s after the
start of a recording. With [gates](../lab.md#gates), calls of brokers are held at chosen methods.
"""


def _link(path: str, upwards: str) -> str:
    """Return a link to a file of the project, by its last name, from a page that is *upwards* below the top."""
    return f"[{Path(path).stem if path.endswith('.yaml') else Path(path).name}]({upwards}{path})"


@cache
def _seen_on(name: str) -> tuple[str, ...]:
    return tuple(seen_in(findings()[name], read_kept()))


def span(releases: Sequence[str]) -> str:
    """
    Return the releases of the lab in a few words.

    >>> span(["4.0.6", "4.2.4"]), span(RELEASES), span([])
    ('4.0.6, 4.2.4', '4.0.4 to 5.0.0-M1', 'not seen')
    """
    whole = tuple(releases) == RELEASES
    return f"{RELEASES[0]} to {RELEASES[-1]}" if whole else ", ".join(releases) or "not seen"


def _upstream(finding: Finding) -> str:
    """Return what is reported, with links to the issues."""
    if not finding.issues:
        return finding.upstream
    numbers = ", ".join(f"[#{one}](https://github.com/apache/pulsar/issues/{one})" for one in finding.issues)
    return f"near {numbers}" if finding.status is Status.NEAR else numbers


def _steps(finding: Finding, upwards: str) -> str:
    return f"[{finding.steps}]({upwards}{shown(finding.scenario)})" if finding.scenario is not None else ""


def front_page() -> Iterator[str]:
    """Yield the table of the front page, in its order."""
    yield "| what goes wrong | upstream | steps | seen on |"
    yield "|---|---|---|---|"
    chosen = sorted((one for one in findings().values() if one.front_page), key=lambda one: one.front_page)
    for one in chosen:
        yield f"| {one.title} | {_upstream(one)} | {_steps(one, '')} | {span(_seen_on(one.name))} |"


def reports() -> Iterator[str]:
    """Yield the index of the reports: a row for each, with the findings that it is about."""
    yield "| report | finding | seen on | recordings | repair in the model |"
    yield "|---|---|---|---|---|"
    by_report: dict[str, list[Finding]] = {}
    for one in findings().values():
        if one.report:
            by_report.setdefault(one.report, []).append(one)
    for report, told in sorted(by_report.items()):
        links = ", ".join(f"[{one.name}](../reference/findings.md#{one.name})" for one in told)
        seen = [release for release in RELEASES if any(release in _seen_on(one.name) for one in told)]
        runs = ", ".join(_link(f"traces/real/{run}", "../../") for one in told for run in one.recordings)
        repairs = {f"`{rule}`": None for one in told if one.repair is not None for rule in one.repair.rules}
        title = (ROOT / "docs/upstream" / report).read_text(encoding="utf-8").partition("\n")[0]
        cells = f"[{title.removeprefix('# [Bug] ')}]({report})", links, span(seen), runs or "none kept"
        yield f"| {' | '.join(cells)} | {', '.join(repairs) or 'none'} |"


def recordings() -> Iterator[str]:
    """Yield what the recordings show: a row for each finding that one has."""
    yield "| finding | what goes wrong | recordings |"
    yield "|---|---|---|"
    for one in sorted(findings().values(), key=lambda one: _number(_label(one))):
        if one.recordings or _label(one):
            link = f"[{_label(one) or one.name}](../../{PAGE}#{one.name})"
            runs = ", ".join(f"[{run}]({run})" for run in one.recordings)
            yield f"| {link} | {one.title} | {runs or 'the cause alone'} |"


def _label(finding: Finding) -> str:
    """Return the label that a finding has in the recordings, such as ``run.G4``."""
    return next((label for label in finding.aliases if label.startswith("run.")), "")


def _number(label: str) -> int:
    return int(label.removeprefix("run.G")) if label else len(findings())


def page() -> Iterator[str]:
    """Yield the lines of the page of all findings."""
    yield from HEAD.splitlines()
    withdrawn = [one for one in findings().values() if one.status is Status.WITHDRAWN]
    there = [one for one in findings().values() if one.status is not Status.WITHDRAWN]
    seen = [one for one in there if _seen_on(one.name)]
    parts = {
        "Seen on real brokers": seen,
        "Predicted, and not seen": [one for one in there if one not in seen],
        "Withdrawn": withdrawn,
    }
    for heading, chosen in parts.items():
        yield from ("", f"## {heading}", "")
        yield "| what goes wrong | law | steps | seen on | upstream |"
        yield "|---|---|---|---|---|"
        for one in chosen:
            law = f"`{one.law}`" if one.law else "not modelled"
            cells = f"[{one.title}](#{one.name})", law, _steps(one, "../../"), span(_seen_on(one.name)), _upstream(one)
            yield f"| {' | '.join(cells)} |"
        for one in chosen:
            yield from _section(one)


def _section(finding: Finding) -> Iterator[str]:
    yield from ("", f'<a id="{finding.name}"></a>', "", f"### {finding.title}", "", f"`{finding.name}`")
    for heading, text in prose(finding):
        yield ""
        yield from wrap(f"**{heading}.** {text}", WIDTH, break_long_words=False, break_on_hyphens=False)
    yield ""
    yield from ("| | |", "|---|---|")
    for label, words in facts(finding, _seen_on(finding.name), lambda path: _link(path, "../../")):
        yield f"| {label} | {words} |"


TABLES: Final = {
    "README.md": front_page,
    "docs/upstream/README.md": reports,
    "traces/real/README.md": recordings,
}
"""The function that writes the table of a page whose other text is written by hand."""


def written(name: str) -> str:
    """Return a page as it should be; raise ValueError if it has no place for its table."""
    if name == PAGE:
        return "\n".join(page()) + "\n"
    text, lines = (ROOT / name).read_text(encoding="utf-8"), "\n".join(TABLES[name]())
    if len(HERE.findall(text)) != 1:
        raise ValueError(f"{name} refused: one place for a table is needed, between two comments")
    return HERE.sub(lambda _: f"\n{lines}\n\n", text)


if __name__ == "__main__":
    for name in (PAGE, *TABLES):
        (ROOT / name).write_text(written(name), encoding="utf-8")
