"""Mutants of what decisions judge are killed by the law that their row names."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from oneowner.checkers.documents import Part, read_document
from oneowner.checkers.engines.decide.inputs import every_input
from oneowner.checkers.engines.decide.judging import judge
from oneowner.checkers.places import ROOT
from oneowner.spec.systems import decisions
from tests.spec.channel.changing import file_changed

FOLDER = ROOT / "tools" / "mutation" / "protocol" / "decisions"


class Mutant(NamedTuple):
    """One row: a text of a file of ``model`` that is changed, and the law that must see it."""

    name: str
    says: str
    file: str
    old: str
    new: str
    decision: str
    law: str


def mutants() -> list[Mutant]:
    return [_mutant(part) for path in sorted(FOLDER.glob("*.yaml")) for part in _rows(path)]


def _rows(path: Path) -> Any:
    document = read_document(path)
    return Part(document, document.data).items()


def _mutant(part: Part) -> Mutant:
    keys = part.mapping(list(Mutant._fields))
    return Mutant(*(str(keys[name].data) for name in Mutant._fields))


QUICK = (
    "owned-changes-source",
    "free-may-be-owned",
    "anyone-releases",
    "cleaned-up-receives",
    "called-off-unchecked",
    "compactor-keeps-what-was-before",
    "syncer-copies-refused",
    "middle-rounds-up",
)
"""Those that an outside judge found to survive."""


def killed_by(mutant: Mutant) -> set[str]:
    """Return the laws of its decision that a mutant breaks."""
    decision = decisions()[mutant.decision]
    module = import_module("oneowner.model." + mutant.file.removesuffix(".py").replace("/", "."))
    with file_changed(module, mutant.old, mutant.new):
        laws = judge(decision, every_input(decision, decision.sizes())).laws
    known = {law.name for law in decision.laws if law.status.is_violated}
    return {name for name, tally in laws.items() if tally.broken_by is not None} - known


EACH = [pytest.param(one, id=one.name, marks=() if one.name in QUICK else pytest.mark.slow) for one in mutants()]


@pytest.mark.parametrize("mutant", EACH)
def test_mutant_of_a_decision_is_killed_by_its_law(mutant: Mutant) -> None:
    assert mutant.law in killed_by(mutant)


def test_model_is_itself_again_and_breaks_nothing() -> None:
    (mutant,) = (one for one in mutants() if one.name == QUICK[0])
    assert killed_by(mutant)
    assert killed_by(mutant._replace(new=mutant.old + "\n")) == set()


def test_names_say_which_mutant_is_meant_and_every_decision_has_one() -> None:
    names = [mutant.name for mutant in mutants()]
    assert len(names) == len(set(names)) > 75
    assert set(QUICK) <= set(names)
    assert {name for name in decisions() if name.startswith("channel/")} <= {mutant.decision for mutant in mutants()}
