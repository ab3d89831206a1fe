"""A walk as lines of text, and as JSON."""

from collections.abc import Iterator
from typing import Any

from oneowner.checkers.real_classes.compared import Difference
from oneowner.checkers.real_classes.steps import STEPS
from oneowner.checkers.real_classes.tries import Tries
from oneowner.checkers.real_classes.walk import MOST_STATES, Walk
from oneowner.checkers.verdict import Verdict

SHOWN = 3
"""Differences that are printed; the JSON has them all."""


def verdict_of(walk: Walk) -> Verdict:
    """Return valid if every edge of the graph was walked and agrees, unknown if edges are left."""
    if walk.differing or walk.tries.taken:
        return Verdict.INVALID
    return Verdict.VALID if walk.is_complete else Verdict.UNKNOWN


def reasons_of(walk: Walk) -> list[str]:
    """Return the reasons that a walk is not valid."""
    found = []
    if walk.differing:
        first = next(one for one in walk.differences if not one.guard)
        found.append(f"{walk.differing:,} edges differ, the first after {len(first.path)} steps, {first.path[-1]}")
    if laws := sorted({law for one in walk.differences for law in one.laws}):
        found.append(f"{', '.join(laws)}: broken by the real objects alone")
    if walk.tries.taken:
        first = next(one for one in walk.differences if one.guard)
        found.append(f"the classes take {walk.tries.taken:,} steps that the model refuses, the first after "
                     f"{len(first.path)} steps, {first.path[-1]}")  # fmt: skip
    if walk.walked < walk.all_edges:
        left = "edges behind a difference are left" if walk.differing else "--edges ended the walk"
        found.append(f"{walk.walked:,} of {walk.all_edges:,} edges were walked: {left}")
    if not walk.all_edges:
        found.append("the graph has no edge: no action is enabled within these bounds")
    if not walk.is_whole:
        found.append(f"the graph has more than {MOST_STATES:,} states, of which the first have edges here; "
                     "--set makes it smaller")  # fmt: skip
    if walk.beyond:
        found.append(f"a step needs more than the bound {walk.beyond} holds; --set {walk.beyond}=N makes it larger")
    return found


def lines_of(walk: Walk) -> Iterator[str]:
    """Yield the actions with their edges, then the differences."""
    rate = walk.steps / walk.seconds if walk.seconds else 0.0
    yield f"{walk.walked:,} of {walk.all_edges:,} edges, {walk.steps:,} steps, {rate:,.0f} steps/s"
    for name, (walked, count) in walk.by_action.items():
        yield f"  {name:18} {walked:>9,} of {count:>9,}  {STEPS[name].kind}: {STEPS[name].words}"
    yield from _tries(walk.tries)
    for one in walk.differences[:SHOWN]:
        yield from difference_lines(one)
    if len(walk.differences) > SHOWN:
        yield f"{len(walk.differences) - SHOWN} more kinds of differences: --json has them"


def _tries(tries: Tries) -> Iterator[str]:
    """Yield the refused steps that were tried, and the others by the reason."""
    of = "" if tries.every == 1 else f", in one of {tries.every} states,"
    yield f"{tries.tried:,} of {tries.possible:,} refused steps{of} were tried: {tries.taken:,} are taken"
    if tries.elsewhere:
        yield f"  {tries.elsewhere:>9,}  lead where another edge leads"
    for reason, count in sorted(tries.left_out.items(), key=lambda row: -row[1]):
        yield f"  {count:>9,}  left out: {reason}"


def difference_lines(one: Difference) -> Iterator[str]:
    """Yield the path to a difference, both sides, and the calls of its last step."""
    edges = "1 edge differs" if one.edges == 1 else f"{one.edges:,} edges differ so"
    if one.guard:
        edges = f"the classes take it, the model refuses ({one.edges:,} times so): {one.guard}"
    yield f"{one.action}: {edges}; the shortest path:"
    for number, action in enumerate(one.path, 1):
        yield f"  {number:3}  {action}"
    for side in one.sides:
        yield f"  {side.part}"
        yield f"       model: {side.model or '-'}"
        yield f"       real:  {side.real or '-'}"
    if one.laws:
        yield f"  laws that fail there, and not in the model's state: {', '.join(one.laws)}"
    yield "  calls of the real classes in the last step:" if one.stack else "  no call of the real classes acts there"
    yield from (f"    {line}" for line in one.stack)


def as_json(family: str, jars: str, release: str, walk: Walk) -> dict[str, Any]:
    """Return a walk as the JSON has it (``result.schema.json``, walked)."""
    return {
        "family": family,
        "classes": jars,
        "release": release,
        "verdict": str(verdict_of(walk)),
        "reasons": reasons_of(walk),
        "edges": walk.all_edges,
        "walked": walk.walked,
        "differing": walk.differing,
        "steps": walk.steps,
        "seconds": round(walk.seconds, 3),
        "refused": {
            "possible": walk.tries.possible,
            "tried": walk.tries.tried,
            "every": walk.tries.every,
            "elsewhere": walk.tries.elsewhere,
            "taken": walk.tries.taken,
            "leftOut": [{"reason": reason, "steps": count} for reason, count in walk.tries.left_out.items()],
        },
        "actions": [
            {"action": name, "edges": count, "walked": walked} for name, (walked, count) in walk.by_action.items()
        ],
        "differences": [
            {
                "action": one.action,
                "edges": one.edges,
                "path": [str(action) for action in one.path],
                "sides": [side._asdict() for side in one.sides],
                "stack": list(one.stack),
                "laws": list(one.laws),
                "guard": one.guard,
            }
            for one in walk.differences
        ],
    }
