"""Keys that are known lie in files; the last ones are merged, so that there are few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from oneowner.checkers.engines.spark.level_files import Writer, keys_file
from oneowner.checkers.engines.spark.library import Words
from oneowner.checkers.engines.spark.work import Run, Work


def merged_runs(work: Work, part: int, runs: list[Run]) -> list[Run]:
    """Merge the last runs while they are not much smaller than those before them: so there are few."""
    first = len(runs) - 1
    size = runs[-1].rows
    while first > 0 and 2 * size > runs[first - 1].rows:
        first -= 1
        size += runs[first].rows
    if first == len(runs) - 1:
        return runs
    path = keys_file(work.place, work.level + 1, part)
    with Writer(path, key=2) as writer:
        for keys in _merged(work, runs[first:]):
            writer.write(keys)
    return [*runs[:first], Run.at(path, writer.rows, work.place)]


def _merged(work: Work, runs: Sequence[Run]) -> Iterator[Words]:
    if len(runs) == 1:
        for (keys,) in runs[0].read(work.place, "key"):
            yield keys
        return
    sides = [_merged(work, runs[:-1]), _merged(work, runs[-1:])]
    nothing = np.empty((0, 2), np.uint64)
    heads = [next(side, nothing) for side in sides]
    while len(heads[0]) and len(heads[1]):
        out, *taken = work.model.merged(*heads)
        yield out
        for at, count in enumerate(taken):
            heads[at] = heads[at][count:]
            if not len(heads[at]):
                heads[at] = next(sides[at], nothing)
    for head, side in zip(heads, sides, strict=True):
        if len(head):
            yield head
        yield from side
