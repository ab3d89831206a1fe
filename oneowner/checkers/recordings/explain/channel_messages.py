"""
The channel of one recorded run, folded as in an audit, with the reasons why it cannot be trusted, if there are any.

A line that is no message ends the reading: the record that is lost could be the one that explains the next. Ids that
repeat or go back leave the order in doubt, and without any record there is nothing to be explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.recordings.fold import channel_read
from oneowner.checkers.recordings.fold.chunk_reader import Summary, disorder
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.read.events import Origin, Position
from oneowner.checkers.recordings.scene.channel_history import Step, Steps
from oneowner.checkers.recordings.scene.run_files import RunFiles
from oneowner.checkers.verdict import UnreadableInput


class RecordedChannel(NamedTuple):
    """The channel of one run."""

    messages: Steps
    """In topic order."""
    lines: tuple[str, ...]
    """Of each message, the name of its file and its line there."""
    doubts: tuple[str, ...]
    """The reasons that keep a run from being accepted, whatever explains its records."""


def read_channel(run: Run) -> RecordedChannel:
    """Read the channel of *run*; raise UnreadableInput for the first line that is no message."""
    read = channel_read.read_channel(run)
    before = _lines_before(read.summaries)

    def place(origin: Origin) -> tuple[str, int]:
        return run.pieces[origin.piece].path, before[origin.piece, origin.chunk] + origin.line

    for summary in read.summaries:
        if summary.unreadable is not None:
            line, why = summary.unreadable
            path, number = place(Origin(summary.chunk.piece, summary.chunk.number, line))
            raise UnreadableInput(f"{path}:{number}: {why}")
    messages = RunFiles(run).channel(read).timeline
    lines = (place(step.origin) for step in messages)
    return RecordedChannel(
        messages,
        tuple(f"{Path(path).name}:{line}" for path, line in lines),
        (*_lacking(run, bool(messages)), *_disorder(messages, place)),
    )


def _lines_before(summaries: Sequence[Summary]) -> Mapping[tuple[int, int], int]:
    """Return the lines of a file before each of its chunks."""
    found: dict[tuple[int, int], int] = {}
    for piece in {summary.chunk.piece for summary in summaries}:
        own = [summary for summary in summaries if summary.chunk.piece == piece]
        counts = accumulate((summary.lines for summary in own), initial=0)
        found |= {(piece, summary.chunk.number): count for summary, count in zip(own, counts, strict=False)}
    return found


def _disorder(messages: Sequence[Step], place: Callable[[Origin], tuple[str, int]]) -> Iterator[str]:
    """Yield each message whose id repeats or goes back in its file, or occurs in two files."""
    last: dict[int, Position] = {}
    for step in sorted(messages, key=lambda step: step.origin):
        previous = last.get(step.origin.piece)
        if previous is not None and step.position <= previous:
            path, line = place(step.origin)
            yield f"{path}:{line}: {disorder(step.position, previous)}"
        last[step.origin.piece] = step.position
    for one, other in pairwise(messages):
        if one.position == other.position and one.origin.piece != other.origin.piece:
            path, line = place(other.origin)
            yield f"{path}:{line}: its message id occurs in another file too"


def _lacking(run: Run, is_there: bool) -> Iterator[str]:
    """Yield a doubt if there is no channel, or an empty one."""
    if run.source is None:
        hint = "; if zookeeper*.jsonl is its history, manifest.yaml has to say so" if run.unread_history else ""
        absent = f"{Path(run.name).name}: there is no channel*.jsonl[.gz]"
        yield f"{absent}; without it the steps of the registry alone are replayed{hint}"
    elif not is_there:
        pieces = ", ".join(piece.path for piece in run.pieces if piece.kind == run.source)
        yield f"{pieces}: empty: no event of the channel"
