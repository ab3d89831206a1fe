"""A plan, and a run of it, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from oneowner.checkers.lab.drive.driver import Done
from oneowner.checkers.lab.drive.plan import Plan


def name_of(plan: Plan) -> str:
    """Return the folder and the name of a scenario."""
    path = plan.scenario.path
    return f"{path.parent.name}/{path.stem}" if path.parent.name else path.stem


def row(plan: Plan) -> str:
    """Return a plan on one line: how many of its steps can be done, and why not the others."""
    can = len(plan.steps) if plan.stops is None else plan.stops.number - 1
    return f"{name_of(plan):60} {can:3} of {len(plan.steps):3}  {plan.words}"


def plan_in_words(plan: Plan) -> Iterator[str]:
    """Yield what would be done, step by step."""
    yield f"{name_of(plan)} on Pulsar {plan.release}: {plan.words}"
    for one in plan.steps:
        real = one.event.words if one.event is not None else f"cannot be driven: {one.why}"
        yield f"  {one.number:2}  {one.action!s:50} {real}"


def done_in_words(done: Done, before: dict[str, str]) -> Iterator[str]:
    """Yield a step that was done, and what is another than *before*: the model's and the cluster's words."""
    one = done.planned
    assert one.event is not None
    yield f"  {one.number:2}  {one.action!s:50} {one.event.words}  ({done.seconds:.1f} s)"
    for what, said in done.model.items():
        real = done.cluster.get(what, "unseen")
        if real != said:
            yield f"      {what}: {said} by the model, {real} in the cluster"
        elif before.get(what) != said:
            yield f"      {what}: {said}, in both"
