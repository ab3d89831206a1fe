"""
Results as text: a table that fits a terminal, the verdict last.

Long lists are shortened here, with a note, and never in the JSON.
"""

from __future__ import annotations

import heapq
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.report.orders import order_for_finding
from oneowner.checkers.results import LawRow, Result

if TYPE_CHECKING:
    from oneowner.checkers.engines.explore.exploration import Exploration

SHOWN = 20
"""The number of findings and rows in the text; the JSON has all."""
SOME = 6
"""Names of a list in a line of text."""
MANY = 1_000_000
"""The number of states from which on the memory per state is meaningful."""

STYLES = {
    "valid": "green", "invalid": "bold red", "unknown": "yellow", "violation": "bold red", "warning": "yellow",
    "note": "dim", "yes": "green", "no": "bold red",
}  # fmt: skip


def console(to_stderr: bool = False, before_print: Callable[[], None] = lambda: None) -> Console:
    """Return a console that keeps lines whole when its output is no terminal, and has no colours with ``NO_COLOR``."""
    plain: dict[str, Any] = {"color_system": None} if os.environ.get("NO_COLOR") else {}
    made = _console(to_stderr, **plain)
    if not made.is_terminal:
        made = _console(to_stderr, width=200, color_system=None)
    made.before_print = before_print
    return made


class _Console(Console):
    before_print: Callable[[], None]

    def print(self, *objects: Any, **more: Any) -> None:
        self.before_print()
        super().print(*objects, **more)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)

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


def with_verdict(line: str, verdict: str) -> Text:
    """Return a line with its verdict, which stands in brackets behind the state after a colon, in its colour."""
    made = Text(line)
    end = line.find(f" ({verdict})") + len(f" ({verdict})")
    begin = line.rfind(": ", 0, end) + len(": ")
    if line.find(f" ({verdict})") >= 0:
        made.stylize(STYLES.get(verdict, ""), begin, end)
    return made


def laws_table(laws: Iterable[LawRow]) -> Table:
    """Return one row per law."""
    made = table("law", "verdict", "expected", "exercised>")
    for row in laws:
        made.add_row(row.law, styled(row.verdict), styled(expectation(row)), f"{row.exercised:,}")
    return made


WORDS = {
    "expected may fail": "known to fail in {project}, and no verdict is pinned in these bounds",
    "expected unknown": "no verdict is pinned in these bounds",
    "expected invalid": "known to fail in {project}, as expected",
    "expected old behaviour": "it describes what the code does without the change; the verdict is that of the others",
    "verdict unknown": "no occasion to fail, or an unfinished search",
}
"""The meanings of the words in the table of laws."""


def legend(laws: Sequence[LawRow], project: str) -> list[str]:
    """
    Return the meanings of the words in the table of these laws of a project, a line each.

    >>> from oneowner.checkers.verdict import Verdict
    >>> legend([LawRow("a", "documented", Verdict.UNKNOWN, Verdict.VALID, 3)], "Pulsar")
    ['expected may fail: known to fail in Pulsar, and no verdict is pinned in these bounds']
    """
    shown = {f"expected {expectation(row)}" for row in laws} | {f"verdict {row.verdict}" for row in laws}
    return [f"{word}: {meaning.format(project=project)}" for word, meaning in WORDS.items() if word in shown]


def expectation(row: LawRow) -> str:
    """Return the expectation of a law, as printed in the table."""
    if row.is_apart:
        return "old behaviour"
    return "may fail" if row.status == "documented" and row.expected == "unknown" else row.expected.value


RANK = {"violation": 0, "warning": 1, "note": 2}


_UNIT = re.compile(r"\S+/0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}")
ALIKE = 1_000
"""Milliseconds within which findings of one law are of one moment."""


@dataclass(slots=True)
class Alike:
    """Findings of one law and severity at one moment: the first of them, and the units of all."""

    rank: tuple[int, int, int]
    finding: Mapping[str, Any]
    number: int = 1
    units: dict[str, None] = field(default_factory=dict)

    def takes(self, finding: Mapping[str, Any]) -> bool:
        """Return whether a finding is of the same moment, and of another unit."""
        own, time = self.finding["at"]["time"], finding["at"]["time"]
        is_near = own is not None and time is not None and abs(time - own) <= ALIKE
        is_same = _UNIT.sub("", finding["repair"]) == _UNIT.sub("", self.finding["repair"])
        return is_near and is_same and bool(finding["unit"]) and finding["unit"] not in self.units


def most_severe(findings: Iterable[Mapping[str, Any]], laws: Sequence[str], counted: Counter[str]) -> list[Alike]:
    """Return the most severe findings, those of many units at one moment as one; count all of them by severity."""
    place = {law: number for number, law in enumerate(laws)}
    kept: list[Alike] = []
    for number, finding in enumerate(findings):
        counted[finding["severity"]] += 1
        rank = RANK[finding["severity"]], place.get(finding["law"], len(place)), number
        one = next(
            (
                one
                for one in kept
                if one.finding["law"] == finding["law"] and one.rank[0] == rank[0] and one.takes(finding)
            ),
            None,
        )
        if one is None:
            kept.append(one := Alike(rank, finding, 0))
        one.number += 1
        one.units |= {finding["unit"]: None} if finding["unit"] else {}
        if len(kept) > 2 * SHOWN:
            kept = heapq.nsmallest(SHOWN, kept, key=lambda one: one.rank)
    return heapq.nsmallest(SHOWN, kept, key=lambda one: one.rank)


def findings_lines(out: Console, findings: Iterable[Mapping[str, Any]], laws: Sequence[str] = ()) -> None:
    """Print the most severe findings, a line or two each: by severity, in the order of *laws*, then as they come."""
    counted = Counter[str]()
    shown = most_severe(findings, laws, counted)
    for one in shown:
        print_finding(
            out, one.finding, f" {one.number} bundles alike, {', '.join(one.units)}; the first:" * (one.number > 1)
        )
    printed = Counter[str]()
    for one in shown:
        printed[one.finding["severity"]] += one.number
    rest = [f"{number - printed[name]:,} {name}s" for name, number in counted.items() if number > printed[name]]
    if rest:
        out.print(f"... and {', '.join(rest)}; --json lists them all")


def print_finding(out: Console, finding: Mapping[str, Any], alike: str = "", with_commands: bool = False) -> None:
    """Print one finding, a line or two; *alike* names the other bundles of the finding."""
    at = finding["at"]
    where = f"{at['file']}:{at['line']}" + (f" ({at['messageId']})" if at["messageId"] else "")
    unit = f" {finding['unit']}:" if finding["unit"] else ""
    waived = f" (waived until {finding['waived']['expires']})" if "waived" in finding else ""
    words = f" {finding['law']}{waived} {where}:{alike}{unit} {finding['why']}"
    out.print(Text.assemble(styled(finding["severity"]), words))
    if finding["severity"] != "note":
        order = order_for_finding(finding)
        if finding["repair"] and not order.is_known:
            out.print(f"    expected: {finding['repair']}", style="dim")
        if order.is_known or with_commands:
            out.print(f"    what to do: {order.words}", style="dim")
        for line in order.commands if with_commands else ():
            out.print(f"      {line.text}", style="dim")
    if finding.get("upstream"):
        out.print(f"    {finding['upstream']}", style="dim")
    if "model" in finding:
        out.print(f"    write that run: {finding['model']['save']}", style="dim")


def verdict_line(out: Console, subject: str, result: Result) -> None:
    """Print the first reasons, then the verdict."""
    for reason in result.reasons[:SHOWN]:
        out.print(f"  {reason}")
    if more := len(result.reasons[SHOWN:]):
        out.print(f"  ... and {more} more reason{'s' if more > 1 else ''}; --json lists them all")
    out.print(Text.assemble(f"{subject}: ", styled(result.verdict)))


def counts(result: Result, as_pinned: bool | None) -> str:
    """Describe the size of an exploration, and whether it is as pinned."""
    stats = result.stats
    rate = stats.states / stats.seconds if stats.seconds else 0
    ledger = {True: ", as pinned,", False: ", not as pinned,", None: ""}[as_pinned]
    return (
        f"{stats.states:,} states, {stats.transitions:,} transitions, depth {stats.depth}{ledger}"
        f" in {stats.seconds:.1f} s ({rate:,.0f} states/s)"
    )


def orbits(exploration: Exploration) -> str:
    """Describe the number of states that the visited orbits represent."""
    represented = exploration.represented or 0
    factor = represented / exploration.distinct
    in_all = f"{represented:,} states in all, {factor:.2f} times as many"
    return f"each state represents its orbit: {in_all}; liveness is not judged this way"


def memory(exploration: Exploration) -> str:
    """Describe the memory of a compiled search, and the probability of a missed state."""
    a_state = exploration.memory / exploration.distinct
    each = f", {a_state:,.0f} bytes a state" if exploration.distinct > MANY else ""
    by_fingerprint = f"identified by fingerprints: the probability of a missed state is {exploration.missed:.0e}"
    how = by_fingerprint if exploration.missed else "compared in full: no state was missed"
    return f"{exploration.memory / 2**20:,.0f} MiB{each}; states are {how}"


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
