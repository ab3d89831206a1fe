"""A contradiction is reported at its lines, as a warning, and once for all as the reason why the run is unknown."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from oneowner.checkers.recordings.fold.numbering import MOST_LISTED, REPAIR
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, finding
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.model.kernel.law import Severity


class Contradiction(NamedTuple):
    """A contradiction that a whole and unaltered recording cannot hold."""

    why: str
    """One sentence, with the names of its subjects."""
    shown: tuple[Citable, ...]
    brokers: tuple[str, ...] = ()
    unit: str | None = None
    is_proof: bool = True
    """True if nothing innocent explains it; else it only warns."""


class Contradictions(NamedTuple):
    """Those of some lines: the first of them, the first that proves something, and how many do."""

    exercised: int
    first: tuple[Contradiction, ...]
    proof: str
    proofs: int


def gathered(exercised: int, found: Iterable[Contradiction]) -> Contradictions:
    """Return the outcome for the contradictions that were found."""
    first, proof, proofs = list[Contradiction](), "", 0
    for one in found:
        if len(first) < MOST_LISTED:
            first.append(one)
        proof = proof or (one.why if one.is_proof else "")
        proofs += one.is_proof
    return Contradictions(exercised, tuple(first), proof, proofs)


def told(law: str, exercised: int, found: Iterable[Contradiction]) -> LawOutcome:
    """Return the outcome of *law* for the contradictions that were found."""
    return told_of_all(law, [gathered(exercised, found)])


def told_of_all(law: str, parts: Sequence[Contradictions]) -> LawOutcome:
    """Return the outcome of *law* for those of all parts."""
    judged = LawOutcome(sum(part.exercised for part in parts))
    for one in [one for part in parts for one in part.first][:MOST_LISTED]:
        step = next((shown for shown in reversed(one.shown) if isinstance(shown, Step)), None)
        judged.findings.append(_finding(law, one, step))
    proofs = sum(part.proofs for part in parts)
    more = f" (and {proofs - 1} more)" if proofs > 1 else ""
    judged.doubts += [f"{part.proof}{more}" for part in parts if part.proof][:1]
    return judged


def _finding(law: str, one: Contradiction, step: Step | None) -> Finding:
    return finding(
        law, Severity.WARNING, one.why, one.shown, unit=one.unit, brokers=one.brokers, step=step, repair=REPAIR
    )  # fmt: skip
