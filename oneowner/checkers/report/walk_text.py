"""The coverage of random walks: their lengths, and how often each action was taken in how many classes of states."""

from __future__ import annotations

from rich.console import Console

from oneowner.checkers.engines.walks.plan import Broken, Walks
from oneowner.checkers.report.text import table


def print_walks(out: Console, walks: Walks) -> None:
    """Print the coverage of random walks: one row per action, then the actions that were never taken."""
    rows = table("action", "taken>", "in classes of states>")
    for name, times in walks.fired.items():
        rows.add_row(name, f"{times:,}", f"{walks.pairs[name]:,} of {walks.classes:,}")
    out.print()
    out.print(rows)
    rate = walks.steps / walks.seconds if walks.seconds else 0
    out.print(
        f"{walks.walks:,} walks from seed {walks.plan.seed}, {walks.steps:,} steps, the longest {walks.longest:,};"
        f" {walks.terminal:,} ended without an enabled step, in {walks.seconds:.1f} s ({rate:,.0f} steps/s)"
    )
    met = f"about {walks.distinct:,} (an estimate, to 1%)" if walks.is_estimate else f"{walks.distinct:,}"
    at_least = "at least " if walks.are_classes_full else ""
    pairs = sum(walks.pairs.values())
    out.print(f"distinct states: {met}; classes: {at_least}{walks.classes:,}; classes x actions: {at_least}{pairs:,}")
    never = [name for name, times in walks.fired.items() if not times]
    out.print(f"never taken: {', '.join(never)}" if never else "every action was taken")


def print_shrinking(out: Console, law: str, found: Broken, steps: int) -> None:
    """Print the length of the walk that broke a law, and of the counterexample after shrinking."""
    needless = "none of which can be dropped" if len(found.steps) == steps else f"of which {steps} are needed"
    out.print(f"walk {found.walk:,} broke {law} after {len(found.steps)} steps, {needless}:")
