"""
``compare`` lists the hand-over guarantees of systems: an answer to each requirement.

``requirements.yaml`` in the folder of a system maps requirements to its laws; all else is computed from the ledger.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from oneowner.checkers.catalogue.families import SPEC, families
from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.comparison.claims import Breach, Claim, of_decision, of_law, of_lemma
from oneowner.checkers.comparison.walks import of_walks
from oneowner.checkers.documents import Document, Part, read_document, suggestion
from oneowner.model.kernel.law import Status
from oneowner.model.kernel.system import System
from oneowner.spec.handoff.requirements import REQUIREMENTS, Requirement
from oneowner.spec.systems import DECIDING, names, systems

MAPPING = "requirements.yaml"
MEANS = ("walked", "laws", "decisions", "lemmas")
"""The kinds of evidence for a requirement."""
APART = "apart"
"""Families that differ from the released system, with the reasons; they are not compared."""


class Says(StrEnum):
    """The answer of a system to a requirement."""

    HOLDS = "holds"
    """Within all bounds in which it has an occasion."""
    GUARDED = "guarded"
    """Under the guard that a law states; without it, it fails."""
    FAILS = "fails"
    NOT_CLAIMED = "not claimed"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Cell:
    """One requirement of one system."""

    system: str
    requirement: Requirement
    claims: tuple[Claim, ...] = ()
    why: str = ""
    """The reason that it is not claimed."""
    problem: str = ""
    """The reasons for an unknown answer, beside the problems of its claims."""

    @cached_property
    def problems(self) -> list[str]:
        """Return why it is unknown."""
        return [words for words in (self.problem, *(claim.problem for claim in self.claims)) if words]

    @cached_property
    def says(self) -> Says:
        if self.problems:
            return Says.UNKNOWN
        if not self.claims:
            return Says.NOT_CLAIMED
        if not any(claim.fails for claim in self.claims):
            return Says.HOLDS
        guarded = [claim for claim in self.claims if claim.status == Status.GUARDED]
        return Says.FAILS if not guarded or any(claim.fails for claim in guarded) else Says.GUARDED

    @cached_property
    def fewest(self) -> Breach | None:
        """Return where it fails after the fewest steps."""
        found = [one for one in (claim.fewest for claim in self.claims) if one is not None]
        return min(found, key=lambda one: (one.steps is None, one.steps or 0, one.name), default=None)

    @cached_property
    def within(self) -> int:
        """Return in how many families, rows and lemmas one of its claims holds."""
        return len({(claim.kind, one.name) for claim in self.claims for one in claim.holds})

    def in_short(self) -> str:
        """Return the cell in a few words: ``fails (5)`` after five steps, ``holds (12)`` in twelve families."""
        if self.says == Says.HOLDS:
            return f"holds ({self.within})"
        if self.fewest is None or self.fewest.steps is None or self.says == Says.UNKNOWN:
            return self.says.value
        guarded = [one.fewest.steps for one in self.claims if one.status == Status.GUARDED and one.fewest is not None]
        steps = min((one for one in guarded if one is not None), default=self.fewest.steps)
        also = f"; guarded {steps}" if steps > self.fewest.steps else ""
        return f"{self.says} ({self.fewest.steps}{also})"

    def as_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "requirement": self.requirement.name,
            "says": self.says.value,
            "words": self.in_short(),
            "why": self.why or "; ".join(self.problems),
            "claims": [asdict(claim) for claim in self.claims],
        }


@dataclass(frozen=True, slots=True)
class Subject:
    """A folder of laws that is compared: a system, or decisions."""

    name: str
    title: str
    system: System | None
    document: Document | None
    """Its mapping, if there is one."""


def subjects() -> dict[str, Subject]:
    """Return every system by name, then the decisions of folders that have a mapping and no system."""
    deciding = [name for name in DECIDING if name not in systems() and (SPEC / name / MAPPING).is_file()]
    found = [Subject(name, one.title, one, _mapping(name)) for name, one in systems().items()]
    found += [Subject(name, f"{name}: decisions", None, _mapping(name)) for name in deciding]
    return {one.name: one for one in found}


def _mapping(name: str) -> Document | None:
    path = SPEC / name / MAPPING
    return read_document(path) if path.is_file() else None


def walked_families() -> list[str]:
    """Return the full names of all families that a mapping has walked, in the order of systems."""
    found = [(one, family) for one in subjects().values() if one.system is not None for family in _walked(one)]
    there = {(one.system.name, one.name): one.full_name for one in families().values()}
    return list(dict.fromkeys(there[one.name, family] for one, family in found if (one.name, family) in there))


def _walked(subject: Subject) -> list[str]:
    rows = subject.document.data if subject.document is not None else {}
    return [name for row in rows.values() if isinstance(row, dict) for name in row.get("walked", ())]


def compare(asked: Sequence[str] = ()) -> list[Cell]:
    """Return every cell of these systems, or of all; raise Misuse for one that there is not, or a broken mapping."""
    known = subjects()
    aliases = {**names(), **{name: name for name in known}}
    chosen = dict.fromkeys(pick(aliases, name, "system") for name in asked) if asked else known
    return [cell for name in chosen for cell in cells(known[name])]


def cells(subject: Subject) -> Iterator[Cell]:
    """Yield the cells of one system, in the order of the requirements; raise Misuse if the mapping cannot be read."""
    file = f"oneowner/spec/{subject.name}/{MAPPING}"
    rows: dict[str, Part] = {}
    if subject.document is not None:
        rows = Part(subject.document, subject.document.data).mapping((), [APART, *(one.name for one in REQUIREMENTS)])
    apart = _apart(subject, rows)
    for requirement in REQUIREMENTS:
        if requirement.name in rows:
            yield _cell(subject, requirement, rows[requirement.name], apart)
        else:
            lack = f"{file} does not mention {requirement.name}" if rows else f"there is no {file}"
            yield Cell(subject.name, requirement, problem=lack)


def _apart(subject: Subject, rows: Mapping[str, Part]) -> frozenset[str]:
    """Return the full names of families that are left out; raise Misuse for one that there is not."""
    if APART not in rows:
        return frozenset()
    there = {one.name: one.full_name for one in families().values() if one.system is subject.system}
    for name, why in rows[APART].mapping().items():
        if name not in there:
            raise why.complaint(f"no such family: {name}; {suggestion(name, there)}")
        why.line()
    return frozenset(there[name] for name in rows[APART].data)


def _cell(subject: Subject, requirement: Requirement, part: Part, apart: frozenset[str]) -> Cell:
    if "not_claimed" in part.mapping():
        return Cell(subject.name, requirement, why=part.mapping(["not_claimed"])["not_claimed"].line())
    claims = tuple(_claims(subject.system, requirement, part, apart))
    return Cell(subject.name, requirement, claims, problem="" if claims else "nothing stands for it")


def _claims(system: System | None, requirement: Requirement, part: Part, apart: frozenset[str]) -> Iterator[Claim]:
    row = part.mapping((), MEANS)
    if system is None and (of_system := [key for key in ("walked", "laws") if key in row]):
        raise row[of_system[0]].complaint(f"{of_system[0]} refused: there is no system of this name, only decisions")
    if system is not None and "walked" in row:
        yield of_walks(system, requirement.name, tuple(name.text() for name in row["walked"].items()))
    if system is not None and "laws" in row:
        yield from (of_law(system, name.text(), apart) for name in row["laws"].items())
    if "decisions" in row:
        for decision, laws in row["decisions"].mapping().items():
            yield from (of_decision(decision, name.text()) for name in laws.items())
    if "lemmas" in row:
        yield from (of_lemma(name.text()) for name in row["lemmas"].items())
