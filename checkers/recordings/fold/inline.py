"""The inline engine: one process, no Spark; a small dump is answered within a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from oneowner.checkers.recordings.fold.blocks import Block, Summary, merge, read_chunk, repeats
from oneowner.checkers.recordings.fold.column_fold import ColumnFold
from oneowner.checkers.recordings.fold.intervals import Intervals
from oneowner.checkers.recordings.fold.outcomes import Outcomes, sort_key
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.read.events import Finding, Refused


def audit_inline(runs: Sequence[Run], on_progress: Callable[[str], None] | None = None) -> Outcomes:
    """Read and judge *runs* in this process."""
    outcomes = Outcomes()
    said: list[tuple[int, Finding | Refused]] = []
    lasted: list[tuple[int, Intervals]] = []
    for number, run in enumerate(runs):
        buckets: dict[int, list[Block]] = {}
        for chunk in run.chunks(number):
            if on_progress is not None:
                on_progress(f"{chunk.path}, part {chunk.number + 1}")
            for part in read_chunk(chunk, buckets=1):
                if isinstance(part, Block):
                    buckets.setdefault(part.bucket, []).append(part)
                elif isinstance(part, Summary):
                    outcomes.note(number, part)
                else:
                    said.extend((number, item) for item in part)
        for blocks in buckets.values():
            blocks.sort(key=lambda block: block.first)
        folding = ColumnFold(run.question)
        for columns in merge(buckets.get(0, [])):
            folding.take_columns(columns)
            lasted.extend((number, ended) for ended in folding.ended())
        for finding in repeats(buckets.get(1, [])):
            folding.say(finding)
        outcomes.note(number, folding.finish())
        said.extend((number, item) for item in folding.out)
        lasted.extend((number, ended) for ended in folding.ended())
    findings = [(run, item) for run, item in said if isinstance(item, Finding)]
    refusals = [(run, item) for run, item in said if isinstance(item, Refused)]
    findings.sort(key=lambda pair: sort_key(*pair))
    refusals.sort(key=lambda pair: sort_key(*pair))
    lasted.sort(key=lambda pair: (pair[0], pair[1].units, pair[1].first()))
    outcomes.findings = lambda: iter(findings)
    outcomes.refusals = lambda: iter(refusals)
    outcomes.intervals = lambda: iter(lasted)
    return outcomes
