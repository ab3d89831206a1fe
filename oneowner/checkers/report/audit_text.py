"""
An audit as text: a line for each run, its incidents with what to do, what is missing, and a summary at the end.

Findings, lost races and laws are details, which ``--verbose`` adds.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from oneowner.checkers.recordings.judge.judgement import Judgement, RunResult
from oneowner.checkers.report.audit_details import counts_line, numbered, print_details, print_laws, waived_laws
from oneowner.checkers.report.broker_names import BrokerNames, brokers_of
from oneowner.checkers.report.commands import collect
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.report.first_line import first_line, state_of
from oneowner.checkers.report.incident_text import (
    ALL,
    FEWER,
    MOMENTS,
    SHOWN,
    followed,
    grouped,
    incident_lines,
    summary,
    why_unknown,
)
from oneowner.checkers.report.orders import Order, order_for, pressing_of, refused
from oneowner.checkers.report.text import with_verdict
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Verdict

Json = Mapping[str, Any]
SHOWN_OF_MANY: Final = 1
"""Incidents of each run that the text prints in full where there are several runs."""
DOUBTS: Final = 4
"""Doubts, and remarks, of a run that the text prints without ``--verbose``."""
MANY: Final = 1_000
"""Findings of an incident that are read for its text without ``--verbose``: there can be millions."""
NEEDS: Final = "needs "
"""The beginning of the reason for a law that lacks a file."""


def print_audit(
    out: Console,
    result: Result,
    judgement: Judgement,
    engine: str,
    resembled: Sequence[str],
    is_verbose: bool = False,
    with_laws: bool = False,
) -> None:
    """
    Print an audit: each run with its incidents, what is missing, and the summary.

    *resembled* has a line for each run, or an empty one: the known bug that its logs look like.
    Optionally all laws as a table; all incidents, the findings, the laws in a line, and the unmatched lines of logs.
    """
    incidents = grouped(result.more["incidents"])
    most = SHOWN if len(judgement.runs) == 1 else SHOWN_OF_MANY
    of_run = {number: [one for one in incidents if one["run"] == number] for number in range(len(judgement.runs))}
    printed = {number: _printed(own, len(own) if is_verbose else most) for number, own in of_run.items()}
    shown = [incident for own in printed.values() for incident in own.values()]
    findings = _named(shown, judgement, None if is_verbose else MANY)
    first: Order | None = None
    states = Counter[str]()
    for number, one in enumerate(judgement.runs):
        own = of_run[number]
        brokers = brokers_of(judgement, number, _named_in(own, findings))
        line = first_line(one.run.name, one.verdict, own, one.reasons, one.lack, brokers)
        said = [Text(line), *_below(one, own, resembled[number], brokers)]
        for place, incident in printed[number].items():
            order = order_for(incident, one.run.name, refused(_of(incident, findings)))
            first = order if first is None or incident is pressing_of(own) else first
            moments = ALL if is_verbose else MOMENTS if place == 1 else FEWER
            head = f"{place}. " if len(own) > 1 else ""
            said += [Text(), *incident_lines(incident, order, brokers, head, moments)]
            said += [Text(f"   {words}", "dim") for words in followed(incident, findings) if is_verbose]
        if more := len(own) - len(printed[number]):
            said.append(Text(f"\n... and {more} more incident{'s' if more > 1 else ''}; --verbose prints them", "dim"))
        missing = [Text(brokers.shortened(words)) for words in _missing(one, own, judgement, is_verbose)]
        said += [Text(), *missing] if missing else []
        legend = brokers.legend([text.plain for text in said])
        states[state_of(one.verdict, bool(own)).partition(" (")[0]] += 1
        if number:
            out.print()
        out.print(with_verdict(line, one.verdict))
        for text in [*said[1:], *([Text(legend, "dim")] if legend else [])]:
            out.print(text)
    for reason in result.reasons:
        if reason not in judgement.reasons:  # such as a waiver that can go
            out.print(f"note: {reason}")
    if is_verbose:
        out.print()
        print_details(out, result, judgement)
    if with_laws:
        out.print()
        print_laws(out, result.laws)
    out.print()
    step = numbered(states) if len(judgement.runs) > 1 else first.first_step if first is not None else ""
    _print_summary(out, result, judgement, incidents, step, engine)


def _printed(own: Sequence[Json], most: int) -> dict[int, Json]:
    """Return the first incidents of a run, and the one to act on, each with its place among all."""
    pressing = pressing_of(own) if own else None
    return {place: one for place, one in enumerate(own, 1) if place <= most or one is pressing}


def _named(incidents: Sequence[Json], judgement: Judgement, most: int | None) -> dict[int, Json]:
    """Return the findings of some incidents by number, the first ones of each."""
    wanted = {number for one in incidents for number in (*one["consequences"][:most], *one["still"][:most])}
    some = islice(judgement.findings(), max(wanted, default=-1) + 1)
    return {number: one for number, one in enumerate(some) if number in wanted}


def _named_in(incidents: Sequence[Json], findings: Mapping[int, Json]) -> Iterator[str]:
    """Yield the brokers that incidents and their findings name."""
    for incident in incidents:
        yield from incident["root"]["brokers"]
        yield from (broker for finding in _of(incident, findings) for broker in finding["brokers"])


def _of(incident: Json, findings: Mapping[int, Json]) -> list[Json]:
    return [findings[number] for number in incident["consequences"] if number in findings]


def _below(one: RunResult, own: Sequence[Json], resembled: str, brokers: BrokerNames) -> Iterator[Text]:
    """Yield the lines below the first one: a known bug, another release, why there is no verdict."""
    if resembled:
        yield Text(visible(resembled))
    if note := one.run.manifest.judged_by.note:
        yield Text(note)
    if why := _why_unknown(one, own):
        yield Text(brokers.shortened(f"   unknown: {why}"))


def _why_unknown(one: RunResult, own: Sequence[Json]) -> str:
    return why_unknown(one.run.name, one.reasons) if own and one.verdict == Verdict.UNKNOWN else ""


def _missing(one: RunResult, own: Sequence[Json], judgement: Judgement, is_verbose: bool) -> Iterator[str]:
    """Yield what keeps a run from a verdict, or from more of one: doubts, unread files, missing files, waivers."""
    doubts = [reason.removeprefix(f"{one.run.name}: ").rstrip(".") for reason in (*one.doubts, *one.unproven)]
    above = _why_unknown(one, own)
    most = None if is_verbose else DOUBTS
    open_ones = [doubt for doubt in doubts if doubt != above]
    shown = open_ones if is_verbose else _one_a_law(open_ones)
    yield from (f"not settled: {doubt}" for doubt in shown[:most])
    if more := 0 if is_verbose else len(shown[DOUBTS:]):
        yield f"... and {more} more doubt{'s' if more > 1 else ''}; --verbose prints them"
    remarks = [remark for remark in one.remarks if remark != one.run.manifest.judged_by.note]
    yield from (f"note: {remark.removeprefix(f'{one.run.name}: ')}" for remark in remarks[:most])
    for log in one.coverage:
        if log.unread:
            why = log.unread if is_verbose else log.unread.partition("; ")[0]
            yield f"not read: {judgement.show(Path(log.path).name)}: {judgement.show(why)}"
    lacking = [row.reason.removeprefix(NEEDS) for row in one.laws if not row.exercised and row.reason.startswith(NEEDS)]
    if lacking:
        files = [name for name, _ in Counter(name for names in lacking for name in names.split(", ")).most_common()]
        many = f"{len(lacking)} law{'s' if len(lacking) > 1 else ''}"
        yield f"missing: {', '.join(files)}: without them {many} could not be judged"
        yield from _collecting(files, one.run.name)
    elif one.run.is_alone and one.run.source is not None:
        yield "missing: brokers' logs, lookups, ZooKeeper's history: only the laws of the channel were judged"
        yield from _collecting(("brokers' logs", "lookups", "zookeeper"), one.run.name)
    if waived := waived_laws(one):
        yield f"waived, and so not counted as broken: {waived}"


def _collecting(files: Sequence[str], run: str) -> Iterator[str]:
    """Yield the commands that collect missing files, each once."""
    folder = run if Path(run).is_dir() else str(Path(run).parent)
    yield from dict.fromkeys(f"  {line.text}" for name in files for line in collect(name, folder))


def _one_a_law(doubts: Sequence[str]) -> list[str]:
    """
    Return the first doubt about each law, with the number of the others.

    >>> _one_a_law(["view-stops: b1", "view-stops: b2", "torn"])
    ['view-stops: b1 (and 1 more such)', 'torn']
    """
    many = Counter(doubt.partition(": ")[0] for doubt in doubts)
    firsts = {doubt.partition(": ")[0]: doubt for doubt in reversed(doubts)}
    return [f"{firsts[law]} (and {many[law] - 1} more such)" if many[law] > 1 else firsts[law] for law in many]


def _print_summary(
    out: Console, result: Result, judgement: Judgement, incidents: Sequence[Json], step: str, engine: str
) -> None:
    """Print the last three lines: what happened, how much was judged, and the verdict with the next *step*."""
    out.print(summary(incidents) if incidents or result.verdict == Verdict.VALID else "no incident was found")
    out.print(f"judged: {counts_line(result, judgement)}; {engine}", style="dim")
    subject = judgement.runs[0].run.name if len(judgement.runs) == 1 else f"{len(judgement.runs)} runs"
    waived = sum(one.tally.waived.total() for one in judgement.runs)
    if waived:
        subject += f", {waived:,} violation{'s' if waived > 1 else ''} waived"
    line = f"{subject}: {state_of(result.verdict, bool(incidents))}"
    out.print(with_verdict(f"{line}; {step}" if step else line, result.verdict))
