"""
Results as text: a table that fits a terminal, the verdict last.

Long lists are cut here (never in the JSON), and the text says so.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from checkers.auditing.judgement import Judgement
from checkers.explore.exploration import Exploration
from checkers.results import LawRow, Result
from checkers.times import iso

SHOWN = 20
"""Findings and rows that the text shows before it refers to the JSON."""
INTERVALS_SHOWN = 200
REFUSALS_SHOWN = 3
SOME = 6
"""Names of a list in a line of text."""
MANY = 1_000_000
"""States from which on memory per state says more than what any search takes."""

STYLES = {
    "valid": "green", "invalid": "bold red", "unknown": "yellow", "violation": "bold red", "warning": "yellow",
    "note": "dim", "yes": "green", "no": "bold red",
}  # fmt: skip


def console(to_stderr: bool = False, before_print: Callable[[], None] = lambda: None) -> Console:
    """Return a console that keeps lines whole when its output is no terminal."""
    made = _console(to_stderr)
    if not made.is_terminal:
        made = _console(to_stderr, width=200, color_system=None)
    made.before_print = before_print
    return made


class _Console(Console):
    before_print: Callable[[], None]

    def print(self, *objects: Any, **more: Any) -> None:
        self.before_print()
        super().print(*objects, **more)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # rich would exit with 1, which means invalid


def _console(to_stderr: bool, **more: Any) -> _Console:
    # No markup: a file name or a law's words may hold brackets and colons.
    return _Console(stderr=to_stderr, highlight=False, soft_wrap=True, markup=False, emoji=False, **more)


def table(*headings: str) -> Table:
    """Return an empty table in our style; a heading that ends in ``>`` is a column of numbers."""
    made = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for heading in headings:
        made.add_column(heading.rstrip(">"), justify="right" if heading.endswith(">") else "left", overflow="fold")
    return made


def styled(word: str) -> Text:
    """Return a verdict or severity in its colour."""
    return Text(word, style=STYLES.get(word, ""))


def laws_table(laws: Iterable[LawRow]) -> Table:
    """Return one row per law."""
    made = table("law", "verdict", "expected", "exercised>")
    for row in laws:
        expected = styled(row.expected)
        if row.status == "documented" and row.expected == "unknown":
            expected = Text("may fail")  # known of Pulsar, and pinned only in the family's own bounds
        made.add_row(row.law, styled(row.verdict), expected, f"{row.exercised:,}")
    return made


RANK = {"violation": 0, "warning": 1, "note": 2}


def findings_lines(out: Console, findings: Iterable[Mapping[str, Any]], laws: Sequence[str] = ()) -> None:
    """Print the most severe findings, a line or two each: by severity, in the order of *laws*, then as they come."""
    counted = Counter[str]()
    place = {law: number for number, law in enumerate(laws)}

    def ranked() -> Iterator[tuple[int, int, int, Mapping[str, Any]]]:
        for number, finding in enumerate(findings):
            counted[finding["severity"]] += 1
            yield RANK[finding["severity"]], place.get(finding["law"], len(place)), number, finding

    most_severe = heapq.nsmallest(SHOWN, ranked())
    for *_, finding in most_severe:
        at = finding["at"]
        where = f"{at['file']}:{at['line']}" + (f" ({at['messageId']})" if at["messageId"] else "")
        unit = f" {finding['unit']}:" if finding["unit"] else ""
        waived = f" (waived until {finding['waived']['expires']})" if "waived" in finding else ""
        words = f" {finding['law']}{waived} {where}:{unit} {finding['why']}"
        out.print(Text.assemble(styled(finding["severity"]), words))
        if finding["repair"] and finding["severity"] != "note":
            out.print(f"    would be right: {finding['repair']}", style="dim")
        if finding.get("upstream"):
            out.print(f"    {finding['upstream']}", style="dim")
    if counted.total() > SHOWN:
        shown = Counter(finding["severity"] for *_, finding in most_severe)
        rest = ", ".join(
            f"{number - shown[name]:,} {name}s" for name, number in counted.items() if number > shown[name]
        )
        out.print(f"... and {rest}; --json lists them all")


def verdict_line(out: Console, subject: str, result: Result) -> None:
    """Print the reasons, then the verdict."""
    for reason in result.reasons[:SHOWN]:
        out.print(f"  {reason}")
    if len(result.reasons) > SHOWN:
        out.print(f"  ... and {len(result.reasons) - SHOWN} more reasons; --json lists them all")
    out.print(Text.assemble(f"{subject}: ", styled(result.verdict)))


def counts(result: Result, as_pinned: bool | None) -> str:
    """Return the size of an exploration in words, and whether the ledger says the same."""
    stats = result.stats
    rate = stats.states / stats.seconds if stats.seconds else 0
    ledger = {True: ", as pinned,", False: ", not as pinned,", None: ""}[as_pinned]
    return (
        f"{stats.states:,} states, {stats.transitions:,} transitions, depth {stats.depth}{ledger}"
        f" in {stats.seconds:.1f} s ({rate:,.0f} states/s)"
    )


def orbits(exploration: Exploration) -> str:
    """Return how many states the visited ones stand for."""
    represented = exploration.represented or 0
    factor = represented / exploration.distinct
    in_all = f"{represented:,} states in all, {factor:.2f} times as many"
    return f"each state stands for its orbit: {in_all}; liveness is not judged so"


def memory(exploration: Exploration) -> str:
    """Return what a compiled search took, and how far it can be trusted."""
    a_state = exploration.memory / exploration.distinct
    each = f", {a_state:,.0f} bytes a state" if exploration.distinct > MANY else ""
    told_apart = f"told apart by 64 bits: the chance that one was missed is {exploration.missed:.0e}"
    how = told_apart if exploration.missed else "compared whole: none was missed"
    return f"{exploration.memory / 2**20:,.0f} MiB{each}; states are {how}"


def print_audit(out: Console, result: Result, judgement: Judgement, engine: str) -> None:
    """Print an audit: one row per run, the laws, the findings, the verdict."""
    out.print(engine, style="dim")
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
    out.print()
    _audited_laws(out, result.laws)
    _waived(out, judgement)
    out.print()
    _coverage(out, judgement)
    lost_races(out, judgement)
    findings_lines(out, judgement.findings(), [row.law for row in result.laws])
    subject = judgement.runs[0].run.name if len(judgement.runs) == 1 else f"{len(judgement.runs)} runs"
    waived = sum(one.tally.waived.total() for one in judgement.runs)
    many = "s" if waived > 1 else ""
    verdict_line(out, f"{subject}, {waived:,} violation{many} waived" if waived else subject, result)


def _audited_laws(out: Console, laws: list[LawRow]) -> None:
    """Print the laws that had something to judge; the others in a line each of what they lack."""
    out.print(laws_table(row for row in laws if row.exercised or row.verdict == "invalid"))
    idle = [row for row in laws if not row.exercised and row.verdict != "invalid"]
    lacking: dict[str, list[str]] = {}
    for row in idle:
        lacking.setdefault(row.reason or "had no occasion", []).append(row.law)
    for reason, names in lacking.items():
        some = ", ".join(names[:SOME]) + (f" and {len(names) - SOME} more" if len(names) > SOME else "")
        out.print(f"not judged ({reason}): {some}", style="dim")


def _waived(out: Console, judgement: Judgement) -> None:
    """Say which laws hold only because somebody waived what breaks them."""
    waived: Counter[str] = Counter()
    for one in judgement.runs:
        for (law, _), number in one.tally.waived.items():
            waived[law] += number
    if waived:
        out.print(f"waived, and so not counted as broken: {numbered(waived)}", style="yellow")


def _coverage(out: Console, judgement: Judgement) -> None:
    for one in judgement.runs:
        if not one.run.is_alone:
            named = ", ".join(f"{Path(path).name} ({words})" for path, words in one.run.recognised)
            out.print(f"{one.run.name}: read {judgement.show(named)}", style="dim")
        for log in one.coverage:
            if not log.lines and not log.broker:  # such as ZooKeeper's own log
                continue
            share = 100 * log.understood / log.lines if log.lines else 0.0
            whose = log.broker or "nobody is known to have written it"
            out.print(
                f"{log.path} ({whose}): {log.lines:,} lines of load balancing, {share:.1f} % understood", style="dim"
            )


def numbered(counter: Mapping[str, int]) -> str:
    """
    Return counts in words.

    >>> numbered({"version": 29, "broker": 2})
    '29 version, 2 broker'
    """
    rows = sorted(counter.items(), key=lambda row: (-row[1], row[0]))
    return ", ".join(f"{number:,} {name}" for name, number in rows if number)


def lost_races(out: Console, judgement: Judgement) -> None:
    """Print the first refusals: how a lost race looks, for a reader who wonders what the column counts."""
    number = sum(sum(one.tally.refused.values()) for one in judgement.runs)
    for refused in islice(judgement.refusals(), REFUSALS_SHOWN):
        out.print(f"refused {refused['unit']} ({refused['messageId']}): {refused['why']}", style="dim")
    if number > REFUSALS_SHOWN:
        out.print(f"... and {number - REFUSALS_SHOWN:,} more lost races; --json lists them all", style="dim")


def print_timeline(out: Console, result: Result, judgement: Judgement, engine: str) -> None:
    """Print a timeline: who owned what at the moment asked for, or else one row per interval."""
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


def rows_table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Return the gate's table."""
    made = table("kind", "name", "expected", "verdict", "ok", "seconds>")
    for row in rows:
        verdict = Text(row["verdict"], style=STYLES.get(row["verdict"].split()[0], ""))
        made.add_row(
            row["kind"],
            row["name"],
            row["expected"],
            verdict,
            styled("yes" if row["ok"] else "no"),
            f"{row['seconds']:.1f}",
        )
    return made
