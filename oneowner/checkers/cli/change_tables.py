"""The effect of a change of the rules: a table of laws that differ, a table of families, a summary."""

from collections.abc import Iterator, Sequence

from rich.console import Console

from oneowner.checkers.ledger.family_changes import RANK, FamilyChange, LawChange
from oneowner.checkers.report.exploration_text import mirrors_in_words
from oneowner.checkers.report.text import SOME, styled, table
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import LawKind

A_LAW = 3
"""Families of one law in the table; the JSON has all."""


def print_changes(out: Console, found: Sequence[FamilyChange]) -> None:
    """Print the laws that differ, those of purpose first, with the fewest steps and the states on both sides."""
    of_family = {one.family: one for one in found}
    shown = table("law", "kind", "family", "before", "after", "steps>", "states>")
    for law, changes in by_law(found):
        for change in changes[:A_LAW]:
            size = of_family[change.family]
            shown.add_row(
                law,
                change.kind.value,
                change.family,
                styled(in_words(change.before)),
                styled(in_words(change.after)),
                beside(change.steps_before, change.steps_after),
                beside(size.states_before, size.states_after),
            )
        if rest := len(changes) - A_LAW:
            if rest > 0:
                shown.add_row(law, changes[0].kind.value, f"... and {rest} more", "", "", "", "")
    out.print(shown if shown.row_count else "no law of purpose or protocol differs")


def by_law(found: Sequence[FamilyChange]) -> list[tuple[str, list[LawChange]]]:
    """
    Return the changes of every law but mirrors: by kind, regressions first, then by the fewest steps.

    Laws with the same verdict on both sides, where the steps alone differ, come last.
    """
    grouped: dict[str, list[LawChange]] = {}
    for change in (law for family in found for law in family.laws if law.kind != LawKind.MIRROR):
        grouped.setdefault(change.law, []).append(change)
    for changes in grouped.values():
        changes.sort(key=_urgency)
    return sorted(grouped.items(), key=lambda one: (_is_the_same(one[1][0]), RANK[one[1][0].kind], _urgency(one[1][0])))


def _is_the_same(change: LawChange) -> bool:
    return change.before == change.after


def _is_mended(change: LawChange) -> bool:
    return (change.before, change.after) == (Verdict.INVALID, Verdict.VALID)


def _urgency(change: LawChange) -> tuple[bool, bool, bool, int]:
    steps = change.steps_after or 0
    return not change.is_regression, _is_the_same(change), change.after != Verdict.INVALID, steps


def in_words(verdict: Verdict) -> str:
    """Return the verdict on one law; in a finished search an unknown one had no occasion."""
    return "no occasion" if verdict == Verdict.UNKNOWN else verdict.value


def beside(before: int | None, after: int | None) -> str:
    """
    Return two numbers, of which either may be missing.

    >>> beside(None, 9), beside(1200, 1300), beside(7, 7), beside(None, None)
    ('- -> 9', '1,200 -> 1,300', '7', '-')
    """
    one, other = ("-" if number is None else f"{number:,}" for number in (before, after))
    return one if one == other else f"{one} -> {other}"


def print_families(out: Console, found: Sequence[FamilyChange]) -> None:
    """Print the families that the change touches."""
    shown = table("family", "verdict", "laws that differ>", "states>", "seconds>")
    for one in (one for one in found if not one.is_untouched):
        states, seconds = beside(one.states_before, one.states_after), f"{one.seconds:.1f}"
        shown.add_row(one.family, styled(one.verdict.value), str(len(one.laws)), states, seconds)
    if shown.row_count:
        out.print(shown)


def gains(found: Sequence[FamilyChange]) -> Iterator[str]:
    """Yield the defects that are gone, by the laws that come to hold, and the situations that went with them."""
    mended = {law: [one.family for one in changes if _is_mended(one)] for law, changes in by_law(found)}
    if coming := [f"violations of {law} in {listed(of)}" for law, of in mended.items() if of]:
        yield f"Gone within these bounds: {'; '.join(coming)}"
    for one in found:
        if one.verdict == Verdict.VALID:
            yield from (f"{one.family}: {reason}" for reason in one.reasons)


def summary(found: Sequence[FamilyChange]) -> Iterator[str]:
    """Yield what the families show, a line each: the touched, laws lost, the undecided, mirrors."""
    touched = [one for one in found if not one.is_untouched]
    yield f"the change takes part in steps of {len(touched)} of {in_families(len(found))}"
    for verdict, words in ((Verdict.INVALID, "a law is broken in"), (Verdict.UNKNOWN, "undecided:")):
        if names := [one.family for one in touched if one.verdict == verdict]:
            yield f"{words} {listed(names)}"
    if mirrors := broken_mirrors(found):
        yield mirrors_in_words(mirrors, has_new_rules=True)


def broken_mirrors(found: Sequence[FamilyChange]) -> list[str]:
    """Return the mirrors that the change breaks in some family."""
    broken = (law for one in found for law in one.laws if law.after == Verdict.INVALID != law.before)
    return list(dict.fromkeys(law.law for law in broken if law.kind == LawKind.MIRROR))


def in_families(number: int) -> str:
    return f"{number} famil{'y' if number == 1 else 'ies'}"


def listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SOME]) + (f" and {len(names) - SOME} more" if len(names) > SOME else "")
