"""An audit and a timeline as text: a row per run, the laws, the findings, the verdict last."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console

from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.report.first_line import first_line
from oneowner.checkers.report.incident_text import SHOWN, grouped, print_incidents, why_unknown
from oneowner.checkers.report.text import SOME, findings_lines, laws_table, styled, table, verdict_line, with_verdict
from oneowner.checkers.results import LawRow, Result
from oneowner.checkers.times import iso
from oneowner.checkers.verdict import Verdict

INTERVALS_SHOWN = 200
REFUSALS_SHOWN = 3


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
    Print an audit: the incidents of each run, the findings, the laws in a line, the verdict.

    *resembled* has a line for each run, or an empty one: the known bug that its logs look like.
    Optionally all laws as a table, and the unmatched lines of logs.
    """
    incidents = grouped(result.more["incidents"])
    for number, one in enumerate(judgement.runs):
        own = [incident for incident in incidents if incident["run"] == number]
        line = first_line(one.run.name, one.verdict, own, one.reasons, one.lack)
        out.print(with_verdict(line, one.verdict))
        if resembled[number]:
            out.print(visible(resembled[number]))
        if note := one.run.manifest.judged_by.note:
            out.print(note)
        if own and one.verdict == Verdict.UNKNOWN and (why := why_unknown(one.run.name, one.reasons)):
            out.print(f"   unknown: {why}")
    if incidents:
        print_incidents(out, incidents, _named(incidents[:SHOWN], judgement))
        out.print()
    findings_lines(out, judgement.findings(), [row.law for row in result.laws])
    lost_races(out, judgement)
    out.print()
    _runs(out, judgement)
    out.print(engine, style="dim")
    if with_laws:
        out.print()
        _audited_laws(out, result.laws)
    else:
        out.print(laws_line(result.laws))
    _waived(out, judgement)
    _coverage(out, judgement, is_verbose)
    subject = judgement.runs[0].run.name if len(judgement.runs) == 1 else f"{len(judgement.runs)} runs"
    waived = sum(one.tally.waived.total() for one in judgement.runs)
    many = "s" if waived > 1 else ""
    remarks = [remark for one in judgement.runs for remark in one.remarks]
    verdict_line(out, f"{subject}, {waived:,} violation{many} waived" if waived else subject, result, remarks)


def _named(incidents: Sequence[Mapping[str, Any]], judgement: Judgement) -> dict[int, Mapping[str, Any]]:
    wanted = {number for one in incidents for number in (*one["consequences"], *one["still"])}
    some = islice(judgement.findings(), max(wanted, default=-1) + 1)
    return {number: one for number, one in enumerate(some) if number in wanted}


def laws_line(laws: Sequence[LawRow]) -> str:
    """
    Sum up the verdicts on all laws in one line, with the names of broken, unknown and unjudged ones.

    >>> from oneowner.checkers.verdict import Verdict
    >>> laws_line([LawRow("a", "holds", Verdict.VALID, Verdict.VALID, 3)])
    'laws: 1 holds; --laws lists them'
    """
    holding = sum(row.verdict == "valid" for row in laws)
    broken = [row.law for row in laws if row.verdict == "invalid"]
    unknown = [row.law for row in laws if row.verdict == "unknown" and row.exercised]
    idle = [row.law for row in laws if row.verdict == "unknown" and not row.exercised]
    parts = [f"{holding} {'holds' if holding == 1 else 'hold'}"]
    told = ("broken", broken), ("unknown", unknown), ("not judged", idle)
    parts += [f"{word}: {', '.join(names)}" for word, names in told if names]
    return f"laws: {'; '.join(parts)}; --laws lists them"


def _runs(out: Console, judgement: Judgement) -> None:
    runs = table("run", "verdict", "events>", "units>", "accepted>", "refused", "violations", "warnings>")
    for one in judgement.runs:
        tally = one.tally
        runs.add_row(
            one.run.name,
            styled(one.verdict),
            f"{tally.events:,}",
            f"{tally.units:,}",
            f"{tally.accepted:,}",
            numbered(tally.refused) or "0",
            (numbered(tally.violations) or "0") + (f" (+{tally.waived.total():,} waived)" if tally.waived else ""),
            f"{sum(tally.warnings.values()):,}",
        )
    out.print(runs)


def _audited_laws(out: Console, laws: list[LawRow]) -> None:
    """Print the exercised laws as a table; the others in a line for each missing input."""
    out.print(laws_table(row for row in laws if row.exercised or row.verdict == "invalid"))
    idle = [row for row in laws if not row.exercised and row.verdict != "invalid"]
    lacking: dict[str, list[str]] = {}
    for row in idle:
        lacking.setdefault(row.reason or "had no occasion", []).append(row.law)
    for reason, names in lacking.items():
        some = ", ".join(names[:SOME]) + (f" and {len(names) - SOME} more" if len(names) > SOME else "")
        out.print(f"not judged ({reason}): {some}", style="dim")


def _waived(out: Console, judgement: Judgement) -> None:
    """Print the laws that hold only because their violations are waived."""
    waived: Counter[str] = Counter()
    for one in judgement.runs:
        for (law, _), number in one.tally.waived.items():
            waived[law] += number
    if waived:
        out.print(f"waived, and so not counted as broken: {numbered(waived)}", style="yellow")


def _coverage(out: Console, judgement: Judgement, is_verbose: bool) -> None:
    for one in judgement.runs:
        unread = {log.path for log in one.coverage if log.unread}
        if not one.run.is_alone:
            read = [f"{Path(path).name} ({words})" for path, words in one.run.recognised if path not in unread]
            if read:
                out.print(f"{one.run.name}: read {judgement.show(', '.join(read))}", style="dim")
        for log in one.coverage:
            if log.unread and len(unread) < len(one.coverage):
                out.print(f"{judgement.show(log.path)}: not read: {judgement.show(log.unread)}", style="dim")
            if not log.lines and not log.broker:  # such as ZooKeeper's own log
                continue
            whose = log.broker or "unknown broker"
            if log.lines:
                share = 100 * log.understood / log.lines
                told = f"{log.lines:,} lines of load balancing, {share:.1f} % understood"
            else:
                told = f"no line of load balancing, {log.others:,} of a broker's other classes understood"
            out.print(f"{log.path} ({whose}): {told}", style="dim")
            for shape, number, place in log.unknown() if is_verbose else ():
                out.print(judgement.show(f"  not understood, {number:,} lines from {place} on: {shape}"), style="dim")


def numbered(counter: Mapping[str, int]) -> str:
    """
    Format counts.

    >>> numbered({"version": 29, "broker": 2})
    '29 version, 2 broker'
    """
    rows = sorted(counter.items(), key=lambda row: (-row[1], row[0]))
    return ", ".join(f"{number:,} {name}" for name, number in rows if number)


def lost_races(out: Console, judgement: Judgement) -> None:
    """Print the first refusals, as examples of the lost races in the table."""
    number = sum(sum(one.tally.refused.values()) for one in judgement.runs)
    for refused in islice(judgement.refusals(), REFUSALS_SHOWN):
        out.print(f"refused {refused['unit']} ({refused['messageId']}): {refused['why']}", style="dim")
    if number > REFUSALS_SHOWN:
        out.print(f"... and {number - REFUSALS_SHOWN:,} more lost races; --json lists them all", style="dim")


def print_timeline(out: Console, result: Result, judgement: Judgement, engine: str) -> None:
    """Print a timeline: the owners at the chosen moment, or else one row per interval."""
    if note := judgement.runs[0].run.manifest.judged_by.note:
        out.print(note)
    out.print(engine, style="dim")
    owners = result.more.get("owners")
    if isinstance(owners, dict):
        owned = table("unit", "owner then")
        for unit, owner in owners.items():
            owned.add_row(unit, owner or "nobody")
        out.print(owned)
    else:
        _print_intervals(out, judgement)
    verdict_line(out, f"{judgement.runs[0].run.name}, read in order (the laws are judged by: oneowner audit)", result)


def _print_intervals(out: Console, judgement: Judgement) -> None:
    shown = table("unit", "state", "broker", "from", "time", "until", "for>")
    rest = 0
    for number, interval in enumerate(judgement.intervals()):
        if number >= INTERVALS_SHOWN:
            rest += 1
            continue
        since, until = interval["from"], interval["to"]
        lasted = "" if until is None else f"{max(0, until['time'] - since['time']) / 1000:.3f} s"
        shown.add_row(
            interval["unit"],
            interval["state"],
            interval["broker"] or "-",
            since["messageId"],
            iso(since["time"]),
            until["messageId"] if until is not None else "(end)",
            lasted,
        )
    out.print(shown)
    if rest:
        out.print(f"... and {rest:,} more intervals; --unit narrows it down, --json lists them all")
