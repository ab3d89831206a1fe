"""
The work of a task on one partition of a level: expand its states, and merge new states with known ones.

Keys are spread evenly, so each partition has a range of them: states are sorted by key, and go where it belongs. What
comes to a partition is sorted in memory, compared with all that was known there, as it lies sorted on disk, and what
is new is judged and written. Where it is more than a buffer holds it goes to disk in ranges of keys, which are then
taken one after the other; so memory does not grow with a level.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from oneowner.checkers.engines.compile.watched import memory_of_process
from oneowner.checkers.engines.spark.gathered import Gathered
from oneowner.checkers.engines.spark.level_files import Writer, keys_file, level_file, way_file
from oneowner.checkers.engines.spark.library import Model, Words
from oneowner.checkers.engines.spark.work import RECORDS, TALLY, Block, Run, Summary, Work, end_of
from oneowner.checkers.verdict import EngineError


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


def expand_part(work: Work, part: int) -> Iterator[Block]:
    """Expand the states of a partition; yield sorted records for each partition, and the counts."""
    model, tally = work.model, work.model.empty_tally()
    out, filled = np.empty((work.room, model.record), np.uint64), 0
    for keys, states in work.states(part):
        first = 0
        while first < len(keys):
            some = keys[first:], states[first:]
            found, taken = model.expand(*some, work.perturbations, out[filled:], tally)
            filled += found
            first += taken
            if first < len(keys):  # there is no room for the steps of another state
                yield from _cut(model, out[:filled], work.partitions)
                filled = 0
        work.heed()
    if tally[3]:
        raise EngineError(
            f"{level_file(work.place, work.level, part)}: the checkpoint is damaged: keys of other states"
        )
    yield from _cut(model, out[:filled], work.partitions)
    yield Block(part, TALLY, tally.tobytes())


def _cut(model: Model, records: Words, partitions: int) -> Iterator[Block]:
    ordered, first = model.ordered_once(records), 0
    for part in range(partitions):
        end = model.below(ordered, end_of(part, partitions))
        if end > first:
            yield Block(part, RECORDS, ordered[first:end].tobytes())
        first = end


def merge_part(work: Work, part: int, blocks: Iterable[tuple[int, bytes]]) -> Summary:
    """Find what is new among all that leads to a partition; judge it, and write it."""
    model, tally = work.model, work.model.empty_tally()
    gathered = Gathered(work, part)
    for kind, body in blocks:
        if kind == TALLY:
            model.add(tally, np.frombuffer(body, np.uint64))
        else:
            gathered.add(np.frombuffer(body, np.uint64).reshape(-1, model.record))
    path = level_file(work.place, work.level + 1, part)
    with Writer(path, key=2, state=model.words) as writer:
        for records in gathered.new():
            model.judge(records, tally)
            writer.write(*model.split(records))
            work.heed()
    runs = [*work.runs[part]]
    if writer.rows:
        runs = merged_runs(work, part, [*runs, Run.at(path, writer.rows, work.place)])
    return Summary(part, writer.rows, runs, tally.tobytes(), memory_of_process())


def level_here(work: Work) -> list[Summary]:
    """Expand a small level in this process: a job would take longer than the level."""
    blocks: list[list[tuple[int, bytes]]] = [[] for _ in work.counts]
    for part in range(work.partitions):
        for block in expand_part(work, part):
            blocks[block.part].append((block.kind, block.body))
    return [merge_part(work, part, sent) for part, sent in enumerate(blocks)]


@dataclass(frozen=True)
class Back:
    """The input of tasks that find the paths back through a level."""

    work: Work
    question: bytes
    ahead: Sequence[Run]
    """The states of the next level that lie on ways, by partition."""


def back_part(back: Back, part: int) -> Run:
    """Write those states of a partition that lie on the way to where a law breaks, with the laws as bits."""
    work, model = back.work, back.work.model
    keys_ahead, masks_ahead = ways(work.place, back.ahead)
    question = np.frombuffer(back.question, np.uint64)
    path = way_file(work.place, work.level, part)
    with Writer(path, key=2, mask=1, state=model.words) as writer:
        for keys, states in work.states(part):
            masks = model.leading(states, work.perturbations, question, keys_ahead, masks_ahead)
            chosen = masks > 0
            writer.write(keys[chosen], masks[chosen].reshape(-1, 1), states[chosen])
            work.heed()
    return Run.at(path, writer.rows, work.place)


def ways(folder: Path, runs: Sequence[Run]) -> tuple[Words, Words]:
    """Return the keys on ways through a level, in order, and their bits."""
    found = [batch for run in runs for batch in run.read(folder, "key", "mask")]
    if not found:
        return np.empty((0, 2), np.uint64), np.empty(0, np.uint64)
    return np.concatenate([keys for keys, _ in found]), np.concatenate([masks for _, masks in found]).ravel()


def back_here(back: Back) -> Sequence[Run]:
    """Go back through a small level in this process."""
    return [back_part(back, part) for part in range(back.work.partitions)]
