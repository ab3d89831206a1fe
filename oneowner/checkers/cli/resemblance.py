"""A run of logs alone that no law decides is compared with the known bugs: one line each that names the first."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.recordings.read.lines import FileKind
from oneowner.checkers.verdict import Misuse, Verdict

LARGEST: Final = 64 << 20
"""Bytes of logs that are searched beside an audit: some ten seconds."""


def resemblances(judgement: Judgement) -> Iterator[str]:
    """
    Yield a line for each run: the known bug that its logs look like, or their subject; empty if there is none.

    A run with a channel, with a history or with a verdict has its answer already.
    """
    for one in judgement.runs:
        is_open = one.verdict is Verdict.UNKNOWN and one.run.source is None and one.run.pieces
        is_of_logs = is_open and all(piece.kind == FileKind.LOG for piece in one.run.pieces)
        yield _line(one.run, any(log.lines for log in one.coverage)) if is_of_logs else ""


def _line(run: Run, is_understood: bool) -> str:
    """Return the line for a run; one of which an audit understands lines is not of another subject."""
    from oneowner.checkers.bugs.advice import advice_of
    from oneowner.checkers.bugs.answer import answer_to
    from oneowner.checkers.bugs.page import headline_of
    from oneowner.checkers.bugs.signature import Sureness
    from oneowner.checkers.bugs.sources import Source
    from oneowner.checkers.catalogue.releases import is_release

    search = f"oneowner bugs --like {run.name}"
    texts = [Source(Path(piece.path).name, piece.path) for piece in run.pieces]
    if sum(Path(text.path).stat().st_size for text in texts if Path(text.path).is_file()) > LARGEST:
        return f"{run.name}: its logs are long, and were not compared with known bugs: {search}"
    release = run.manifest.release
    try:
        answer = answer_to(texts, release if is_release(release) else None)
    except Misuse:  # the audit reports an empty or unreadable log
        return ""
    if answer.suspects and answer.suspects[0].match.signature.sure is Sureness.POSSIBLE:
        return f"{run.name}: it has lines of a known bug, which occur without it, too: {search}"
    is_other = not is_understood and (answer.reading.is_client or advice_of(answer).is_conclusive)
    return f"{run.name}: {headline_of(answer)}: {search}" if answer.suspects or is_other else ""
