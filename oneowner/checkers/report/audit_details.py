"""The details of an audit: findings, lost races, counts of each run, laws, the coverage of files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from rich.console import Console

from oneowner.checkers.recordings.judge.judgement import Judgement, RunResult
from oneowner.checkers.report.text import SOME, findings_lines, laws_table, styled, table
from oneowner.checkers.results import LawRow, Result
from oneowner.checkers.verdict import Verdict

REFUSALS_SHOWN: Final = 3


def print_details(out: Console, result: Result, judgement: Judgement) -> None:
    """Print the findings, the lost races, the runs as a table, the laws in a line, and the coverage of files."""
    findings_lines(out, judgement.findings(), [row.law for row in result.laws])
    _print_lost_races(out, judgement)
    out.print()
    _print_runs(out, judgement)
    out.print(laws_line(result.laws))
    for one in judgement.runs:
        _print_coverage(out, judgement, one)


def print_laws(out: Console, laws: Sequence[LawRow]) -> None:
    """Print the exercised laws as a table; the others in a line for each missing input."""
    out.print(laws_table(row for row in laws if row.exercised or row.verdict == Verdict.INVALID))
    idle = [row for row in laws if not row.exercised and row.verdict != Verdict.INVALID]
    lacking: dict[str, list[str]] = {}
    for row in idle:
        lacking.setdefault(row.reason or "had no occasion", []).append(row.law)
    for reason, names in lacking.items():
        some = ", ".join(names[:SOME]) + (f" and {len(names) - SOME} more" if len(names) > SOME else "")
        out.print(f"not judged ({reason}): {some}", style="dim")


def laws_line(laws: Sequence[LawRow]) -> str:
    """
    Sum up the verdicts on all laws in one line, with the names of broken, unknown and unjudged ones.

    >>> laws_line([LawRow("a", "holds", Verdict.VALID, Verdict.VALID, 3)])
    'laws: 1 holds; --laws lists them'
    """
    holding = sum(row.verdict == Verdict.VALID for row in laws)
    broken = [row.law for row in laws if row.verdict == Verdict.INVALID]
    unknown = [row.law for row in laws if row.verdict == Verdict.UNKNOWN and row.exercised]
    idle = [row.law for row in laws if row.verdict == Verdict.UNKNOWN and not row.exercised]
    parts = [f"{holding} {'holds' if holding == 1 else 'hold'}"]
    told = ("broken", broken), ("unknown", unknown), ("not judged", idle)
    parts += [f"{word}: {', '.join(names)}" for word, names in told if names]
    return f"laws: {'; '.join(parts)}; --laws lists them"


def counts_line(result: Result, judgement: Judgement) -> str:
    """Return the amount of evidence, and the numbers of laws and findings by their standing."""
    many = Counter(_standing(row) for row in result.laws)
    laws = numbered({name: many[name] for name in ("hold", "broken", "unknown", "not judged")}, in_order=True)
    found = Counter[str]()
    for one in judgement.runs:
        found["violations"] += one.tally.violations.total()
        found["warnings"] += one.tally.warnings.total()
    logs = sum(bool(log.lines) for one in judgement.runs for log in one.coverage)
    stats = result.stats
    read = f"{_many(stats.events, 'record')} of {_many(stats.units, 'bundle')}"
    read += f", {_many(logs, 'log')}" if logs else ""
    rows = numbered({name if many > 1 else name[:-1]: many for name, many in found.items()}, in_order=True)
    return f"{read}; laws: {laws or 'none'}" + (f"; {rows}" if rows else "")


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _standing(row: LawRow) -> str:
    if row.verdict == Verdict.UNKNOWN:
        return "unknown" if row.exercised else "not judged"
    return "hold" if row.verdict == Verdict.VALID else "broken"


def waived_laws(one: RunResult) -> str:
    """Return the laws that hold only because their violations are waived, with the number of these."""
    waived: Counter[str] = Counter()
    for (law, _), number in one.tally.waived.items():
        waived[law] += number
    return numbered(waived)


def numbered(counter: Mapping[str, int], in_order: bool = False) -> str:
    """
    Format counts, the largest first, or in their order.

    >>> numbered({"version": 29, "broker": 2})
    '29 version, 2 broker'
    """
    rows = list(counter.items()) if in_order else sorted(counter.items(), key=lambda row: (-row[1], row[0]))
    return ", ".join(f"{number:,} {name}" for name, number in rows if number)


def _print_runs(out: Console, judgement: Judgement) -> None:
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


def _print_coverage(out: Console, judgement: Judgement, one: RunResult) -> None:
    unread = {log.path for log in one.coverage if log.unread}
    if not one.run.is_alone:
        read = [f"{Path(path).name} ({words})" for path, words in one.run.recognised if path not in unread]
        if read:
            out.print(f"{one.run.name}: read {judgement.show(', '.join(read))}", style="dim")
    for log in one.coverage:
        if not log.lines and not log.broker:  # such as ZooKeeper's own log
            continue
        whose = log.broker or "unknown broker"
        if log.lines:
            share = 100 * log.understood / log.lines
            told = f"{log.lines:,} lines of load balancing, {share:.1f} % understood"
        else:
            told = f"no line of load balancing, {log.others:,} of a broker's other classes understood"
        out.print(f"{log.path} ({whose}): {told}", style="dim")
        for shape, number, place in log.unknown():
            out.print(judgement.show(f"  not understood, {number:,} lines from {place} on: {shape}"), style="dim")


def _print_lost_races(out: Console, judgement: Judgement) -> None:
    """Print the first refusals, as examples of the lost races in the table."""
    number = sum(sum(one.tally.refused.values()) for one in judgement.runs)
    for refused in islice(judgement.refusals(), REFUSALS_SHOWN):
        out.print(f"refused {refused['unit']} ({refused['messageId']}): {refused['why']}", style="dim")
    if number > REFUSALS_SHOWN:
        out.print(f"... and {number - REFUSALS_SHOWN:,} more lost races; --json lists them all", style="dim")
