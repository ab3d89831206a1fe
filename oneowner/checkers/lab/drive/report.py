"""A plan, and a run of it, as lines of text."""

from collections.abc import Iterator, Sequence

from oneowner.checkers.lab.drive.ledger import Kept
from oneowner.checkers.lab.drive.outcome import Done
from oneowner.checkers.lab.drive.plan import Plan


def row(plan: Plan) -> str:
    """Return a plan on one line: the number of drivable steps, and the reason that the next is not."""
    can = len(plan.steps) if plan.stops is None else plan.stops.number - 1
    return f"{plan.name:60} {can:3} of {len(plan.steps):3}  {plan.words}"


def plan_in_words(plan: Plan) -> Iterator[str]:
    yield f"{plan.name} on Pulsar {plan.release}: {plan.words}"
    for one in plan.steps:
        real = one.event.words if one.event is not None else f"cannot be driven: {one.why}"
        yield f"  {one.number:2}  {one.action!s:50} {real}"


def done_in_words(done: Done, before: dict[str, str]) -> Iterator[str]:
    """Yield a completed step, and the differences from *before* in the model's and the cluster's words."""
    one = done.planned
    assert one.event is not None
    yield f"  {one.number:2}  {one.action!s:50} {one.event.words}  ({done.seconds:.1f} s)"
    for what, said in done.model.items():
        real = done.cluster.get(what, "unseen")
        if real != said:
            yield f"      {what}: {said} by the model, {real} in the cluster"
        elif before.get(what) != said:
            yield f"      {what}: {said}, in both"


def table(plans: Sequence[Plan], kept: Sequence[Kept]) -> Iterator[str]:
    """Yield the drivable scenarios as a table of Markdown: the number of steps, and the releases of its runs."""
    yield "| scenario | steps | driven |"
    yield "|---|---|---|"
    for plan in plans:
        rows = [row for row in kept if row.scenario == plan.name and not row.rules]
        if plan.drivable or rows:
            yield f"| `{plan.name}` | {len(plan.steps)} | {', '.join(map(in_short, rows))} |"


def mended(kept: Sequence[Kept]) -> Iterator[str]:
    """Yield the runs with repaired brokers, as a table of Markdown."""
    yield "| scenario | rule | steps | driven |"
    yield "|---|---|---|---|"
    for row in kept:
        if row.rules:
            yield f"| `{row.scenario}` | `{', '.join(row.rules)}` | {row.steps} | {in_short(row)} |"


def in_short(row: Kept) -> str:
    """
    Return the ledger's result of one scenario and release, in brief.

    >>> in_short(Kept("a/b", "4.0.6", (), 12, 12, "valid", "", "2026-11-26", "0a1b2c3d"))
    '4.0.6'
    """
    return row.release if row.verdict == "valid" else f"{row.release} for {row.done} steps, then {row.why}"
