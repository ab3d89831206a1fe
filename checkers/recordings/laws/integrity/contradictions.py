"""A contradiction is told at its lines, as a warning, and once for all as the reason why the run is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from oneowner.checkers.recordings.fold.numbering import MOST_TOLD, REPAIR
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, finding
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.model.kernel.law import Severity


class Contradiction(NamedTuple):
    """What a recording cannot hold if it is whole and unaltered."""

    why: str
    """One sentence, with the names of what it is about."""
    shown: tuple[Citable, ...]
    brokers: tuple[str, ...] = ()
    unit: str | None = None
    is_proof: bool = True
    """Whether nothing innocent explains it; else it only warns."""


def told(law: str, exercised: int, found: Iterable[Contradiction]) -> LawOutcome:
    """Return what *law* says of the contradictions that were found."""
    all_found = list(found)
    judged = LawOutcome(exercised)
    for one in all_found[:MOST_TOLD]:
        step = next((shown for shown in reversed(one.shown) if isinstance(shown, Step)), None)
        judged.findings.append(_finding(law, one, step))
    judged.doubts += _doubt([one for one in all_found if one.is_proof])
    return judged


def _finding(law: str, one: Contradiction, step: Step | None) -> Finding:
    return finding(
        law, Severity.WARNING, one.why, one.shown, unit=one.unit, brokers=one.brokers, step=step, repair=REPAIR
    )  # fmt: skip


def _doubt(proofs: list[Contradiction]) -> Iterator[str]:
    if proofs:
        more = f" (and {len(proofs) - 1} more)" if len(proofs) > 1 else ""
        yield f"{proofs[0].why}{more}"
