"""The laws of a search as a table: those that it decides, and a line about the others."""

from collections.abc import Collection, Sequence

from rich.console import Console

from oneowner.checkers.report.text import SOME, laws_table, legend
from oneowner.checkers.results import LawRow, Result
from oneowner.checkers.verdict import Verdict


def print_laws(out: Console, result: Result, project: str, named: Collection[str], undecided: str = "") -> None:
    """
    Print the laws that a search decides, and those that are *named*; count the others.

    *undecided* is the reason that a search leaves laws open: empty if it visited everything, or if it walked.
    """
    decided = [row for row in result.laws if row.law in named or _is_news(row, bool(undecided))]
    if decided:
        out.print(laws_table(decided))
    for line in legend(decided, project):
        out.print(line, style="dim")
    if rest := len(result.laws) - len(decided):
        plural = "" if rest == 1 else "s"
        why = f"{rest} law{plural} undecided: {undecided}" if undecided else f"{rest} more law{plural} had no occasion"
        out.print(f"{why}; --json names them", style="dim")


def _is_news(row: LawRow, is_cut_short: bool) -> bool:
    if is_cut_short:
        return row.verdict != Verdict.UNKNOWN
    return bool(row.exercised) or row.verdict == Verdict.INVALID


def mirrors_in_words(mirrors: Sequence[str], has_new_rules: bool) -> str:
    """
    Report broken laws that restate the code, apart from the others.

    Under other rules they fail because the code that they describe is another one. In other bounds alone they should
    hold: then the model or such a law is wrong there.

    >>> mirrors_in_words(["done-is-told", "orphans-are-taken"], True)
    '2 laws describe the old behaviour: done-is-told, orphans-are-taken'
    """
    one = len(mirrors) == 1
    rest = f" and {len(mirrors) - SOME} more" if len(mirrors) > SOME else ""
    names = f"{', '.join(mirrors[:SOME])}{rest}"
    if has_new_rules:
        return f"{len(mirrors)} law{'' if one else 's'} describe{'s' if one else ''} the old behaviour: {names}"
    laws = "law that restates the code does" if one else "laws that restate the code do"
    return f"{len(mirrors)} {laws} not fit the model in these bounds: {names}; please report it"
