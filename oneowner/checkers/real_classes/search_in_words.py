"""A search of the real classes as text and as JSON."""

from collections.abc import Iterator
from typing import Any

from oneowner.checkers.real_classes.in_words import difference_lines
from oneowner.checkers.real_classes.search import Finding, Search
from oneowner.checkers.verdict import Verdict


def verdict_of(search: Search) -> Verdict:
    """Return valid if no state is left and nothing was found, unknown if the search ended before."""
    if search.findings:
        return Verdict.INVALID
    return Verdict.VALID if search.is_complete else Verdict.UNKNOWN


def reasons_of(search: Search) -> list[str]:
    """Return the reasons that a search is not valid."""
    if search.findings:
        first = search.findings[0].difference
        kinds = "1 kind" if len(search.findings) == 1 else f"{len(search.findings)} kinds"
        return [f"{kinds} of findings, the first after {len(first.path)} steps, {first.path[-1]}"]
    return [] if search.is_complete else ["nothing was found, and there are more runs"]


def lines_of(search: Search) -> Iterator[str]:
    """Yield the counts, what was judged, and the findings."""
    states = f"{search.states:,} states, " if search.states else f"{len(search.judged):,} states of the model, "
    yield f"{states}{search.steps:,} steps, {search.tried:,} refused steps tried, {search.seconds:.1f} s"
    yield f"  laws asked of what real objects show: {', '.join(search.shown_laws) or 'none'}"
    yield f"  laws asked with cells of the model that follows: {', '.join(search.other_laws) or 'none'}"
    for law, count in sorted(search.broken.items()):
        yield f"  {law} fails in {count:,} states that agree: the model has it too"
    for one in search.findings:
        yield from difference_lines(one.difference)
        yield f"  {_judged(one)}"
    for law, path in sorted(search.behind.items()):
        yield f"{law} fails behind a finding, after {len(path)} steps:"
        yield from (f"  {number:3}  {action}" for number, action in enumerate(path, 1))


def _judged(one: Finding) -> str:
    if not one.is_judged:
        return "no law is asked: the projection does not determine the state after it"
    return f"laws that it breaks: {', '.join(one.laws) or 'none'}"


def as_json(family: str, classes: str, release: str, search: Search) -> dict[str, Any]:
    """Return a search as the JSON has it (``result.schema.json``, searched)."""
    return {
        "family": family,
        "classes": classes,
        "release": release,
        "verdict": str(verdict_of(search)),
        "states": search.states,
        "steps": search.steps,
        "tried": search.tried,
        "seconds": round(search.seconds, 3),
        "judgedByShown": list(search.shown_laws),
        "judgedWithModel": list(search.other_laws),
        "broken": [{"law": law, "states": count} for law, count in sorted(search.broken.items())],
        "findings": [
            {
                "action": one.difference.action,
                "guard": one.difference.guard,
                "times": one.difference.edges,
                "path": [str(action) for action in one.difference.path],
                "sides": [side._asdict() for side in one.difference.sides],
                "stack": list(one.difference.stack),
                "judged": one.is_judged,
                "laws": list(one.laws),
            }
            for one in search.findings
        ],
        "behind": [
            {"law": law, "path": [str(action) for action in path]} for law, path in sorted(search.behind.items())
        ],
    }
