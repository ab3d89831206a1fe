"""
Units are explained and judged one after the other, in parallel by processes, or by tasks on Spark.

The outcome is the same: a unit is a task that needs nothing of others, and the reports come in the order of the units.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from oneowner.checkers.recordings.explain.broken_laws import judge_laws
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge_group
from oneowner.checkers.recordings.explain.recording import Recording
from oneowner.checkers.recordings.explain.unit_groups import UnitGroup
from oneowner.checkers.recordings.read.partition import Executor, in_processes, in_turn
from oneowner.model.kernel.action import Action

TASK: Final = 500
"""The observations that a task explains, about: at a thousand in a second, tasks are many and not too small."""
IN_PROCESSES: Final = 10_000
"""The observations from which it pays to start processes, which takes two seconds."""


class ReportedBreach(NamedTuple):
    """A law that a unit breaks."""

    law: str
    number: int
    """The step that breaks it, in the run that explains the unit, from 1."""
    action: Action | None
    place: str
    """The observation that shows the step: a message id or zxid."""


class UnitReport(NamedTuple):
    """The result for one unit, without the states of its run."""

    keys: tuple[str, ...]
    """The unit, and the children of its split."""
    answer: Acceptance
    place: str
    """The step that could not be explained: its message id or zxid."""
    why: str
    replayed: int
    inferred: int
    exercised: Counter[str]
    """By law, its occasions."""
    shown: Counter[str]
    """By action that an observation shows, how often."""
    breaches: tuple[ReportedBreach, ...]
    doubts: tuple[tuple[str, str], ...]
    """Laws for which the search for a run that keeps them was cut off, each with the reason."""

    @property
    def key(self) -> str:
        return self.keys[0]


def reports(recording: Recording, groups: Sequence[UnitGroup], executor: Executor) -> Iterator[UnitReport]:
    """Yield the report on each of the *groups* of a recording, in their order."""
    if executor is in_turn and sum(map(observations, groups)) >= IN_PROCESSES:
        executor = in_processes
    alone = replace(recording, records=(), steps=(), handled=frozenset())  # a group has its own
    return executor(partial(_reports, alone), list(_tasks(groups)))


def observations(group: UnitGroup) -> int:
    """Return the number of observations of a group, by which the work on it is estimated."""
    return len(group.timeline)


def shortest(groups: Sequence[UnitGroup], most: int) -> set[str]:
    """Return the names of the groups with the shortest histories that have at most *most* observations together."""
    chosen, total = set[str](), 0
    for group in sorted(groups, key=lambda one: (observations(one), one.name)):
        total += observations(group)
        if total > most:
            break
        chosen.add(group.name)
    return chosen


def _tasks(groups: Sequence[UnitGroup]) -> Iterator[tuple[UnitGroup, ...]]:
    task, size = list[UnitGroup](), 0
    for group in groups:
        task.append(group)
        size += observations(group)
        if size >= TASK:
            yield tuple(task)
            task, size = [], 0
    if task:
        yield tuple(task)


def _reports(recording: Recording, groups: Sequence[UnitGroup]) -> Iterator[UnitReport]:
    return (report_of(recording, group) for group in groups)


def report_of(recording: Recording, group: UnitGroup) -> UnitReport:
    """Explain a group and judge its run by the laws of states."""
    unit = judge_group(recording, group, recording.rules)
    judged = judge_laws(recording, unit, recording.rules)
    return UnitReport(
        group.keys,
        unit.answer,
        unit.place,
        unit.why,
        len(group.timeline),
        unit.inferred,
        judged.exercised,
        Counter(step.action.name for step in unit.steps if step.place and step.action),
        tuple(ReportedBreach(one.law.name, one.number, one.step.action, one.place) for one in judged.breaches),
        tuple((one.law.name, one.why) for one in judged.doubts),
    )
