"""
The reading of one run's channel: its events in blocks, and a summary of each part of its files.

The fold and the judge of files beside the channel take the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from oneowner.checkers.recordings.fold.blocks import Block, Packed, read_chunk
from oneowner.checkers.recordings.fold.chunk_reader import READABLE, Summary, lines_before
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.read.lines import EMPTY


class ChannelRead(NamedTuple):
    """The reading of a channel."""

    blocks: Iterable[Packed]
    """Its events, sorted by first position; those of one block are in topic order."""
    summaries: Sequence[Summary]
    """The summaries of the chunks of its files, in the order of these."""


def read_channel(run: Run) -> ChannelRead:
    """Read the channel of a run here and now."""
    blocks, summaries = list[Block](), list[Summary]()
    for chunk in run.chunks(0, with_evidence=False):
        if chunk.kind == run.source:
            for part in read_chunk(chunk._replace(is_one_of_many=False, is_numbered=True), buckets=1):
                if isinstance(part, Block):
                    blocks.append(part)
                elif isinstance(part, Summary):
                    summaries.append(part)
    return ChannelRead(sorted(blocks, key=lambda block: block.first), summaries)


def damage_of(run: Run, summaries: Sequence[Summary]) -> Iterator[str]:
    """Yield the faults of lines of the channel, and its files without lines."""
    for index, piece in enumerate(run.pieces):
        if piece.kind == run.source:
            of_piece = [summary for summary in summaries if summary.chunk.piece == index]
            if all(summary.is_blank for summary in of_piece):
                yield f"{piece.path}: {EMPTY}"
            yield from filter(None, (unreadable_in(run, of_piece, summary) for summary in of_piece))


def unreadable_in(run: Run, summaries: Sequence[Summary], summary: Summary) -> str:
    """Return the line of a chunk that is no message, and the reason; empty if there is none."""
    if summary.unreadable is None:
        return ""
    line, why = summary.unreadable
    number = summary.tally.warnings[READABLE]
    more = f" (and {number - 1} more lines of this part)" if number > 1 else ""
    return f"{run.pieces[summary.chunk.piece].path}:{line_in_file(summaries, summary, line)}: {why}{more}"


def line_in_file(summaries: Iterable[Summary], summary: Summary, line: int) -> int:
    """Return the line within its file of a line of one chunk."""
    return lines_before(summaries)[summary.chunk.piece, summary.chunk.number] + line
