"""The inline engine: one process, no Spark; a small dump is answered within a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from checkers.audit.blocks import Block, merge, read_chunk
from checkers.audit.events import Finding, Interval, Refused
from checkers.audit.fold import Fold
from checkers.audit.lines import chunks_of
from checkers.audit.outcomes import Outcomes, sort_key
from checkers.audit.runs import Run


def audit_inline(runs: Sequence[Run], on_progress: Callable[[str], None] | None = None) -> Outcomes:
    """Read and judge *runs* in this process."""
    outcomes = Outcomes()
    said: list[tuple[int, Finding | Refused | Interval]] = []
    for number, run in enumerate(runs):
        blocks: list[Block] = []
        for index, piece in enumerate(run.pieces):
            for chunk in chunks_of(number, index, piece.path, piece.kind):
                if on_progress is not None:
                    on_progress(f"{piece.path}, part {chunk.number + 1}")
                for part in read_chunk(chunk, buckets=1):
                    if isinstance(part, Block):
                        blocks.append(part)
                    elif isinstance(part, Finding):
                        said.append((number, part))
                    else:
                        outcomes.note(number, part)
        folding = Fold(run.question)
        for rows in merge(sorted(blocks, key=lambda block: block.first), folding.say):
            folding.take(rows)
        outcomes.note(number, folding.finish())
        said.extend((number, item) for item in folding.out)
    findings = [(run, item) for run, item in said if isinstance(item, Finding)]
    refusals = [(run, item) for run, item in said if isinstance(item, Refused)]
    intervals = [(run, item) for run, item in said if isinstance(item, Interval)]
    findings.sort(key=lambda pair: sort_key(*pair))
    refusals.sort(key=lambda pair: sort_key(*pair))
    intervals.sort(key=lambda pair: sort_key(*pair))
    outcomes.findings = lambda: iter(findings)
    outcomes.refusals = lambda: iter(refusals)
    outcomes.intervals = lambda: iter(intervals)
    return outcomes
