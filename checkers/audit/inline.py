"""The inline engine: one process, no Spark; a small dump is answered within a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from checkers.audit.blocks import Block, Summary, merge, read_chunk, repeats
from checkers.audit.column_fold import ColumnFold
from checkers.audit.events import Finding, Interval, Refused
from checkers.audit.outcomes import Outcomes, sort_key
from checkers.audit.runs import Run


def audit_inline(runs: Sequence[Run], on_progress: Callable[[str], None] | None = None) -> Outcomes:
    """Read and judge *runs* in this process."""
    outcomes = Outcomes()
    said: list[tuple[int, Finding | Refused | Interval]] = []
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
        for finding in repeats(buckets.get(1, [])):
            folding.say(finding)
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
