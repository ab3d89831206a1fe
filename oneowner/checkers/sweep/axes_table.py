"""``axes_tables`` gives the page of a sweep a column for each axis on which its tasks differ."""

from collections.abc import Sequence
from typing import Any

from oneowner.checkers.sweep.task import KINDS, Task

SIZES = ("brokers", "bundles", "cycles")


def axes_tables(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """
    Return a table for each kind of task.

    ``common``: the axes on which all of its tasks agree, with their values; ``columns``: the others; ``rows``: for each
    task its number in the sweep and its values of the columns, empty for one that it does not set.
    """
    found = []
    for kind in KINDS:
        there = {number: axes_of(task) for number, task in enumerate(tasks) if task.kind == kind}
        names = list(dict.fromkeys(name for axes in there.values() for name in axes))
        columns = [name for name in names if len({axes.get(name) for axes in there.values()}) > 1]
        common = {name: value for axes in there.values() for name, value in axes.items() if name not in columns}
        rows = [
            {"number": number, "values": [axes.get(name, "") for name in columns]} for number, axes in there.items()
        ]
        if rows:
            found.append({"kind": kind, "common": common, "columns": columns, "rows": rows})
    return found


def axes_of(task: Task) -> dict[str, str]:
    """
    Return the values of a task on the axes of its kind.

    >>> axes_of(Task("explore", "transfer", settings=(("brokers", "2"),), rules=(("gap_rule", "false"),)))
    {'family': 'transfer', 'release': "the family's own", 'fault': 'none', 'brokers': '2', 'gap_rule': 'false'}
    """
    if task.kind in ("kill", "releases"):
        return {"fault": "+".join(task.faults)}
    own = dict((*task.settings, *task.rules))
    if task.kind == "simulate":
        sizes = {name: str(getattr(task, name) or "as recorded") for name in SIZES}
        return {
            "trace": task.trace,
            "shedder": task.shedder,
            "release": task.release,
            **own,
            **sizes,
            "seed": str(task.seed),
        }
    axes = {"family": task.family, "release": task.release or "the family's own"}
    axes |= {"fault": "+".join(task.faults) or "none"} | own
    if task.kind == "walks":
        axes |= {"walks": f"{task.walks:,}", "longest": f"{task.depth:,} steps", "seed": str(task.seed)}
    return axes
