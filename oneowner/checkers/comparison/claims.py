"""
The pins of one piece of evidence for a requirement: a law, a law of a decision, or a lemma.

Nothing is searched here. A law holds within the families that pin it so, and fails in those that pin that, after as
many steps as the saved scenario has. What does not exist, or never had an occasion, is a *problem*: unknown.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from oneowner.checkers.catalogue.families import families, home_of, unreadable
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.documents import suggestion
from oneowner.checkers.ledger.decision_pins import decision_rows, file_of
from oneowner.checkers.places import TOP, shown
from oneowner.checkers.scenarios.packaged import FOLDER
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import Status
from oneowner.model.kernel.lemma import Proof
from oneowner.model.kernel.system import System
from oneowner.spec.systems import decisions, lemmas


@dataclass(frozen=True, slots=True)
class Within:
    """A place where a claim holds."""

    name: str
    """A family, a row of decisions, or the subject of a lemma."""
    size: int
    """States, or inputs; 0 of a lemma, which has no bounds."""
    file: str
    """The file that declares it, from the top of a checkout."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A place where a claim fails."""

    name: str
    steps: int | None
    """The fewest; None of a decision or a lemma, which has no steps, and where no run is saved."""
    file: str
    """The scenario that shows it, or else where it is pinned."""
    least: str = ""
    """The least input, or the run."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that stands for a requirement."""

    kind: str
    """law, decision, lemma, or walk: of every step against a sentence of R0."""
    name: str
    status: str
    """The status of the law in the modelled release: holds, guarded, documented, hole."""
    statement: str
    holds: tuple[Within, ...] = ()
    fails: tuple[Breach, ...] = ()
    problem: str = ""
    """The reason for an unknown answer."""

    @property
    def fewest(self) -> Breach | None:
        """Return where it fails after the fewest steps."""
        return min(self.fails, key=lambda one: (one.steps is None, one.steps or 0, one.name), default=None)


def missing(kind: str, name: str, known: Mapping[str, object], there: str) -> Claim:
    """Return the claim by a name that there is not."""
    return Claim(kind, name, "", "", problem=f"no such {there}: {name}; {suggestion(name, known)}")


def of_law(system: System, name: str, apart: frozenset[str] = frozenset()) -> Claim:
    """Return the pins of a system's families, except those *apart*, for its law in the modelled release."""
    known = {**system.laws_by_name, **system.liveness_by_name}
    if name not in known:
        return missing("law", name, known, "law")
    rows = [row for row in families().values() if is_about(row, system) and row.full_name not in apart]
    verdicts = [(row, row.laws.get(name) or row.liveness.get(name)) for row in rows]
    holds = [Within(row.full_name, row.states, family_file(row)) for row, said in verdicts if said == Verdict.VALID]
    fails = [breach(row, name) for row, said in verdicts if said == Verdict.INVALID]
    damaged = [words for family, words in unreadable().items() if belongs(family, system)]
    problem = damaged[0] if damaged else "" if holds or fails else f"{name} is never exercised"
    law = known[name]
    return Claim("law", name, law.status.value, law.statement, tuple(holds), tuple(fails), problem)


def is_about(row: Family, system: System) -> bool:
    return row.system is system and row.is_pinned and row.release == system.default_release


def belongs(family: str, system: System) -> bool:
    return family.rpartition("/")[0] in (system.name, *(("",) if home_of(system).name == "channel" else ()))


def family_file(row: Family) -> str:
    return shown(home_of(row.system) / "families" / f"{row.name}.yaml")


def breach(row: Family, law: str) -> Breach:
    """Return the saved scenario of a family, without a fault, that breaks a law; without one, the family's file."""
    path = TOP / FOLDER / row.name / f"{law}.yaml"
    if path.is_file():
        scenario = read_scenario(path)
        expected = scenario.expect
        if scenario.family == row.full_name and not scenario.faults and expected is not None and expected.law == law:
            return Breach(row.full_name, expected.step, shown(path))
    return Breach(row.full_name, None, family_file(row))


def of_decision(name: str, law: str) -> Claim:
    """Return the verdict of all small inputs of a decision on its law."""
    if name not in decisions():
        return missing("decision", name, decisions(), "decision")
    known = decisions()[name].laws_by_name
    if law not in known:
        return missing("decision", law, known, f"law of {name}")
    file = shown(file_of(decisions()[name].home))
    rows = [row for row in decision_rows().values() if row.decision.name == name]
    holds = [Within(row.name, row.inputs, file) for row in rows if row.laws[law].verdict == Verdict.VALID]
    broken = [row for row in rows if row.laws[law].verdict == Verdict.INVALID]
    fails = [Breach(row.name, None, file, row.laws[law].least) for row in broken]
    problem = "" if holds or fails else f"{name}: {law} is never exercised"
    one = known[law]
    return Claim("decision", f"{name}: {law}", one.status.value, one.statement, tuple(holds), tuple(fails), problem)


def of_lemma(name: str) -> Claim:
    """Return the verdict that the gate expects of z3."""
    if name not in lemmas():
        return missing("lemma", name, lemmas(), "lemma")
    lemma, _ = lemmas()[name]
    if lemma.expected == Proof.PROVED:
        return Claim("lemma", name, Status.HOLDS.value, lemma.statement, (Within("no bounds", 0, ""),))
    if lemma.expected == Proof.REFUTED:
        return Claim("lemma", name, Status.DOCUMENTED.value, lemma.statement, (), (Breach("z3", None, ""),))
    return Claim("lemma", name, "", lemma.statement, problem=f"{name} is not decided")
