"""
A law of recordings and the law of states that agrees with it report one finding on a record that breaks both.

The finding is that of the law of recordings, with the step of the model beside its own evidence. Each law has its row,
with its own count and verdict. A breach that the law of states takes more seriously is reported on its own.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

from oneowner.checkers.recordings.judge.finding_json import SEVERITIES
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS
from oneowner.checkers.recordings.read.events import NOWHERE, Finding, Position

SAME: Final = {law.name: law.same_as for law in RECORDING_LAWS if law.same_as}
"""By law of recordings, the law of states that agrees with it."""

Found = tuple[int, Finding]
"""A finding with the number of its run."""


def joined(found: Iterable[Found]) -> Iterator[Found]:
    """Yield findings in their order, by run and record, without those that agree with another one."""
    for (_, position), some in groupby(found, key=lambda one: (one[0], one[1].position)):
        yield from _of_record(position, some)


def _of_record(position: Position, some: Iterator[Found]) -> Iterable[Found]:
    """Return the findings of one record, or those of no record, which may be too many for memory."""
    if position == NOWHERE:
        return some
    found = list(some)
    of_states = {(one.law, one.unit): one for _, one in found if one.model is not None}
    agreeing = [_agreeing(one, of_states) for _, one in found]
    agreed = {(one.law, one.unit) for one in agreeing if one is not None}
    return [
        (run, one if other is None else one._replace(model=other.model))
        for (run, one), other in zip(found, agreeing, strict=True)
        if one.model is None or (one.law, one.unit) not in agreed
    ]


def _agreeing(finding: Finding, of_states: Mapping[tuple[str, str | None], Finding]) -> Finding | None:
    """Return the finding of the law of states that agrees with the law of *finding*."""
    other = of_states.get((SAME.get(finding.law, ""), finding.unit))
    is_worse = other is not None and SEVERITIES.index(other.severity) < SEVERITIES.index(finding.severity)
    return None if is_worse else other
