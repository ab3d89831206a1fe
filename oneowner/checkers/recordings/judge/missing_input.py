"""
Describe a run that is unknown because input is missing: how much of it was judged, and what to collect.

Such a run has no incident, which proves nothing: a reader must not mistake it for one that was judged. If something
happened after which bundles may have been harmed, that comes first.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.laws.scene_verdict import Evidence
from oneowner.checkers.recordings.read.lines import FileKind
from oneowner.checkers.results import LawRow
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.rules import Storage

CHANNEL: Final = "the channel (oneowner script dump_channel)"
HISTORY: Final = "ZooKeeper's history (oneowner script dump_zookeeper)"
LOGS: Final = "brokers' logs"
LONGER: Final = "a longer dump (oneowner record)"


def absent(run: Run, beside: Evidence) -> list[str]:
    """Name a missing channel: then other laws may be broken, but no run is valid."""
    return [_absence(run, beside)] if run.source is None else []


def _absence(run: Run, beside: Evidence) -> str:
    by_nodes = run.question.storage == Storage.METADATA_STORE
    wanted = "zookeeper*.jsonl[.gz] or channel*.jsonl[.gz]" if by_nodes else "channel*.jsonl[.gz]"
    instead = (
        "its records are judged as far as logs print them" if beside.is_logged else "the laws of the channel need it"
    )
    hint = "; if zookeeper*.jsonl is its history, add --storage metadata-store" if run.unread_history else ""
    return f"{run.name}: there is no {wanted}; {instead}{hint}"


def lack_of(run: Run, laws: Sequence[LawRow], doubts: Sequence[str], beside: Evidence) -> tuple[str, ...]:
    """Return the description in words, the longest first; none if the run lacks nothing that a file could add."""
    is_judged = any(row.verdict == Verdict.VALID for row in laws)
    if is_judged and (run.source is not None or (beside.held is not None and _has_logs(run))):
        return ()
    wanted = " and ".join(_wanted(run, beside))
    if is_judged and beside.signs:
        return tuple(_harm_in_doubt(beside.signs, wanted))
    if is_judged:
        shown = "logs show" if all(piece.kind == FileKind.LOG for piece in run.pieces) else "these files show"
        return (f"nothing is broken as far as {shown}; to judge the rest, collect {wanted}",)
    given = [words.removeprefix(f"{run.name}: ") for words in doubts if words != _absence(run, beside)]
    short = ": ".join(given[0].split(": ")[:2]) if given else _why(run, beside)
    return (
        *(f"nothing could be judged: {why}; to judge it, collect {wanted}" for why in (*given[:1], short)),
        *(f"nothing could be judged: {why}" for why in [short] if given),
        f"nothing could be judged; to judge it, collect {wanted}",
    )


def _harm_in_doubt(signs: Sequence[str], wanted: str) -> Iterator[str]:
    """Yield the first sign of harm, with the files that show the harm; the longest words first."""
    more = f" (and {len(signs) - 1} more event{'s' if len(signs) > 2 else ''})" if len(signs) > 1 else ""
    for sign in dict.fromkeys((signs[0], signs[0].partition(": ")[0])):
        yield f"{sign}{more}; no harm is shown; to judge it, collect {wanted}"
        yield f"{sign}; to judge the harm, collect {wanted}"


def _why(run: Run, beside: Evidence) -> str:
    """Return why no law was judged, in a few words."""
    if run.source is not None:
        return "no law was exercised"
    if beside.is_logged:
        return "its logs have few records, and none that a law judges"
    return "its logs have no record of the channel" if _has_logs(run) else "there is no channel*.jsonl[.gz]"


def _wanted(run: Run, beside: Evidence) -> list[str]:
    """Return the files to collect first."""
    if run.source is not None:
        return [LONGER]
    if beside.held is not None:
        return [LOGS]
    by_nodes = run.question.storage == Storage.METADATA_STORE or beside.is_by_nodes
    return [HISTORY if by_nodes else CHANNEL, *([] if _has_logs(run) else [LOGS])]


def _has_logs(run: Run) -> bool:
    return any(piece.kind == FileKind.LOG for piece in run.pieces)
