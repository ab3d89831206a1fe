"""What is pinned of refinements: the rows of ``spec/refinements.yaml``, checked while read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from checkers.documents import Part, read_document
from checkers.families import SPEC, Family, families, faults
from checkers.refinement.walk import Walked
from checkers.switchings import Fault
from checkers.verdict import Verdict
from spec.compacted import REFINEMENTS

PINS = SPEC / "refinements.yaml"


@dataclass(frozen=True, slots=True)
class Pin:
    """What walking one refinement through one family must find."""

    family: str
    faults: tuple[str, ...]
    refinement: str
    verdict: Verdict = Verdict.VALID
    edges: int | None = None
    """Steps that were walked, of a refinement that holds."""
    steps: int | None = None
    """The length of the shortest failing run, of one that does not."""

    def difference(self, walked: Walked) -> str:
        """Return in words how *walked* is not as pinned, or an empty string."""
        found = Verdict.INVALID if walked.failure is not None else Verdict.VALID
        if found != self.verdict:
            return f"{found} where {self.verdict} is expected"
        if walked.failure is not None and len(walked.failure.steps) != self.steps:
            return f"it fails at step {len(walked.failure.steps)} where {self.steps} is pinned"
        if walked.failure is None and self.edges not in (None, walked.edges):
            return f"{walked.edges:,} steps where {self.edges:,} are pinned"
        return ""


def pins() -> list[Pin]:
    """Return every pin; raise Misuse with file and line for what does not fit."""
    document = read_document(PINS)
    there = families(), faults()
    return [_pin(part, *there) for part in Part(document, document.data).items()]


def _pin(part: Part, known: dict[str, Family], switches: dict[str, Fault]) -> Pin:
    row = part.mapping(["family", "refinement", "verdict"], ["faults", "edges", "steps"])
    verdict = row["verdict"].one_of({one.value: one for one in (Verdict.VALID, Verdict.INVALID)}, "verdict")
    family = row["family"].one_of(known, "family")
    there = {one.name: one.name for one in REFINEMENTS if one.storage == family.bounds.storage}
    count = "edges" if verdict == Verdict.VALID else "steps"
    if ("edges" in row, "steps" in row) != (count == "edges", count == "steps"):
        raise part.complaint(f"counts refused; a row that is {verdict} has {count} alone")
    return Pin(
        family=family.name,
        faults=tuple(item.one_of(switches, "fault").name for item in row["faults"].items()) if "faults" in row else (),
        refinement=row["refinement"].one_of(there, f"refinement of the {family.bounds.storage}"),
        verdict=verdict,
        edges=row["edges"].number() if "edges" in row else None,
        steps=row["steps"].number(1) if "steps" in row else None,
    )


def pin_of(pinned: Iterable[Pin], family: str, faults: tuple[str, ...], refinement: str) -> Pin:
    """Return the pin of a refinement; where there is none it is expected to hold."""
    asked = (family, faults, refinement)
    found = [pin for pin in pinned if (pin.family, pin.faults, pin.refinement) == asked]
    return found[0] if found else Pin(*asked)
