"""The comparison as tables of a document: one of all systems, then the laws of each system by requirement."""

from collections.abc import Iterator, Sequence
from textwrap import fill

from oneowner.checkers.comparison.claims import Breach, Claim
from oneowner.checkers.comparison.comparison import Cell, Says
from oneowner.spec.handoff.requirements import REQUIREMENTS

TOP = "../../"
"""From the folder of the document to the top of a checkout."""
MOST = 3
"""The number of families that are named; others are counted."""


def markdown(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the lines of the tables."""
    systems = list(dict.fromkeys(cell.system for cell in cells))
    by_place = {(cell.system, cell.requirement.name): cell for cell in cells}
    yield from _head(["", "requirement", *(f"`{name}`" for name in systems)])
    for one in REQUIREMENTS:
        yield _row([f"`{one.name}`", one.title, *(_short(by_place[name, one.name]) for name in systems)])
    for name in systems:
        yield from ["", f"### {name}", ""]
        yield from _system([cell for cell in cells if cell.system == name])


def _system(cells: Sequence[Cell]) -> Iterator[str]:
    reasons = dict.fromkeys(cell.why for cell in cells if cell.says == Says.NOT_CLAIMED)
    if claimed := [cell for cell in cells if cell.says != Says.NOT_CLAIMED]:
        yield from _head(["", "stands for it", "status", "holds within", "fails after"])
        for cell in claimed:
            for claim in cell.claims or (Claim("", "", "", "", problem=cell.problem),):
                yield _row([f"`{cell.requirement.name}`", *_claim(claim)])
        yield ""
    for why in reasons:
        names = ", ".join(f"`{cell.requirement.name}`" for cell in cells if cell.why == why)
        yield fill(f"Not claimed: {names}, for {why}.", 118, break_long_words=False, break_on_hyphens=False)
        yield ""


def _claim(claim: Claim) -> list[str]:
    name = "each step against R0" if claim.kind == "walk" else f"`{claim.name}`"
    if claim.problem:
        return [name, "unknown", claim.problem, ""]
    return [name, claim.status, _holds(claim), _fails(claim)]


def _holds(claim: Claim) -> str:
    largest = sorted(claim.holds, key=lambda one: (-one.size, one.name))
    named = [f"[{one.name}]({TOP}{one.file})" if one.file else one.name for one in largest[:MOST]]
    more = f" and {len(largest) - MOST} smaller" if len(largest) > MOST else ""
    size = f" (up to {largest[0].size:,})" if largest and largest[0].size else ""
    return f"{', '.join(named)}{more}{size}"


def _fails(claim: Claim) -> str:
    order = sorted(claim.fails, key=lambda one: (one.steps is None, one.steps or 0, one.name))
    more = f" and {len(order) - MOST} more" if len(order) > MOST else ""
    return f"{', '.join(map(_breach, order[:MOST]))}{more}"


def _breach(one: Breach) -> str:
    words = f"{one.steps} in {one.name}" if one.steps is not None else one.name
    return f"[{words}]({TOP}{one.file})" if one.file else words


def _short(cell: Cell) -> str:
    if cell.says == Says.NOT_CLAIMED:
        return ""
    is_shown = cell.fewest is not None and cell.fewest.file
    return f"[{cell.in_short()}]({TOP}{cell.fewest.file})" if cell.fewest and is_shown else cell.in_short()


def _head(columns: Sequence[str]) -> list[str]:
    return [_row(columns), _row(["---"] * len(columns)).replace(" ", "")]


def _row(columns: Sequence[str]) -> str:
    return f"| {' | '.join(columns)} |"
