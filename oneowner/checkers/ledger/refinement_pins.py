"""The pins of refinements: the rows of ``spec/channel/refinements.yaml``, checked while read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from oneowner.checkers.catalogue.families import SPEC, families, faults, unreadable
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.documents import Document, Part, read_document
from oneowner.checkers.engines.liveness.graph import MOST_STATES
from oneowner.checkers.engines.refine.refinement_walk import Walked
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.refinement import Refinement
from oneowner.spec.channel.registry import REFINEMENTS

PINS = SPEC / "channel" / "refinements.yaml"


@dataclass(frozen=True, slots=True)
class Pin:
    """The expected results of walking one refinement through one family."""

    family: str
    faults: tuple[str, ...]
    refinement: str
    verdict: Verdict = Verdict.VALID
    edges: int | None = None
    """Steps that were walked, of a refinement that holds."""
    steps: int | None = None
    """The length of the shortest failing run, of one that does not."""
    shows: tuple[str, ...] = ()
    """The abstract actions that are to be seen here, as witnesses are; the refinement's others are elsewhere."""
    out_of_reach: tuple[str, ...] = ()
    """The abstract actions that no family takes."""
    reason: str = ""
    """The reason for the verdict, if it changed once."""

    def found(self, walked: Walked) -> Pin:
        if walked.failure is not None:
            return replace(self, verdict=Verdict.INVALID, edges=None, steps=len(walked.failure.steps))
        return replace(self, verdict=Verdict.VALID, edges=walked.edges, steps=None)

    def difference(self, walked: Walked) -> str:
        """Return in words how *walked* is not as pinned, or an empty string."""
        found = Verdict.INVALID if walked.failure is not None else Verdict.VALID
        if found != self.verdict:
            return f"{found} where {self.verdict} is expected"
        if walked.failure is not None and len(walked.failure.steps) != self.steps:
            return f"it fails at step {len(walked.failure.steps)} where {self.steps} is pinned"
        if walked.failure is None and self.edges not in (None, walked.edges):
            return f"{walked.edges:,} steps where {self.edges:,} are pinned"
        if reached := [name for name in self.out_of_reach if walked.taken[name]]:
            return f"{', '.join(reached)} taken, where {PINS.name} says out of reach"
        return ""

    def doubt(self, walked: Walked) -> str:
        """Return in words why *walked*, which is as pinned, shows nothing all the same, or an empty string."""
        if self.edges is None and self.steps is None:
            return f"{PINS.name} has no row of it; {walked.edges:,} steps were walked"
        if unseen := [name for name in self.shows if not walked.taken[name]]:
            return f"{', '.join(unseen)} never taken, which is to be seen here"
        return ""


def pins() -> list[Pin]:
    """Return every pin; raise Misuse with file and line for a malformed row."""
    return pins_in(read_document(PINS))


def pins_in(document: Document) -> list[Pin]:
    """Return every pin of a document; raise Misuse with file and line for a malformed row."""
    parts = Part(document, document.data).items()
    there, damaged = (families(), faults()), unreadable()
    pinned = [part for part in parts if "taken" not in part.mapping()]
    found = [_pin(part, *there) for part in pinned if part.data.get("family") not in damaged]
    return _with_occasions(document, [part for part in parts if "taken" in part.mapping()], found)


def _with_occasions(document: Document, parts: Sequence[Part], found: Sequence[Pin]) -> list[Pin]:
    """Add to *found* where each abstract action is to be seen; every action needs a family, or a reason for none."""
    known = {one.name: one for one in REFINEMENTS}
    rows = {part.mapping()["refinement"].one_of(known, "refinement").name: part for part in parts}
    if missing := [name for name in known if name not in rows]:
        raise document.refuse(f"no row says where the abstract actions of {missing[0]} are taken")
    seen = {name: _occasions(part, known[name], found) for name, part in rows.items()}
    return [pin if pin.faults else _with(pin, *seen[pin.refinement]) for pin in found]


def _with(pin: Pin, taken: dict[str, str], out_of_reach: tuple[str, ...]) -> Pin:
    here = tuple(name for name, family in taken.items() if family == pin.family)
    return replace(pin, shows=here, out_of_reach=out_of_reach)


def _occasions(part: Part, refinement: Refinement, found: Sequence[Pin]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return in which family each abstract action is to be seen, and which are out of reach."""
    row = part.mapping(["refinement", "taken"], ["out_of_reach"])
    names = {name: name for name in refinement.actions}
    holds = [pin.family for pin in found if (pin.faults, pin.refinement, pin.steps) == ((), refinement.name, None)]
    there, damaged = families(), unreadable()
    small = {name: name for name in holds if there[name].states <= MOST_STATES}
    kind = f"family in which {refinement.name} is pinned as valid"
    taken = {
        name: one.data if one.data in damaged else one.one_of(small, kind)
        for name, one in row["taken"].mapping((), names).items()
    }
    reasons = row["out_of_reach"].mapping((), names) if "out_of_reach" in row else {}
    for name in names:
        if (name in taken) == (name in reasons):
            raise part.complaint(f"{name} refused: it is taken in a family, or out of reach for a reason; one of both")
    return taken, tuple(name for name, reason in reasons.items() if reason.text())


def _pin(part: Part, known: dict[str, Family], switches: dict[str, Fault]) -> Pin:
    row = part.mapping(["family", "refinement", "verdict"], ["faults", "edges", "steps", "reason"])
    verdict = row["verdict"].one_of({one.value: one for one in (Verdict.VALID, Verdict.INVALID)}, "verdict")
    family = row["family"].one_of(known, "family")
    there = {one.name: one.name for one in family.system.refinements if one.applies(family.bounds)}
    count = "edges" if verdict == Verdict.VALID else "steps"
    if ("edges" in row, "steps" in row) != (count == "edges", count == "steps"):
        raise part.complaint(f"counts refused; a row that is {verdict} has {count} alone")
    return Pin(
        family=family.full_name,
        faults=tuple(item.one_of(switches, "fault").name for item in row["faults"].items()) if "faults" in row else (),
        refinement=row["refinement"].one_of(there, "refinement"),
        verdict=verdict,
        edges=row["edges"].number() if "edges" in row else None,
        steps=row["steps"].number(1) if "steps" in row else None,
        reason=row["reason"].line() if "reason" in row else "",
    )


def pin_of(pinned: Iterable[Pin], family: str, faults: tuple[str, ...], refinement: str) -> Pin:
    """Return the pin of a refinement; where there is none it is expected to hold, without a count: that is a doubt."""
    asked = (family, faults, refinement)
    found = [pin for pin in pinned if (pin.family, pin.faults, pin.refinement) == asked]
    return found[0] if found else Pin(*asked)
