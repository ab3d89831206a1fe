"""Mutants of judged decisions are killed by the law that their row names."""

from dataclasses import replace
from importlib import import_module

import pytest

from oneowner.checkers.engines.decide.judging import every_input, judge
from oneowner.spec.systems import decisions
from tests.spec.channel.changing import file_changed
from tools.mutation.catalogue import Wrong, catalogue

MUTANTS = [one for one in catalogue() if one.decision]
BY_LAW = [one for one in MUTANTS if one.law != "vectors"]
QUICK = (
    "owned-changes-source", "free-may-be-owned", "anyone-releases", "cleaned-up-receives", "back-is-enough",
    "compactor-keeps-what-was-before", "syncer-copies-what-readers-refuse", "middle-rounds-up",
)  # fmt: skip
"""Those that an outside judge found to survive."""


def killed_by(mutant: Wrong) -> set[str]:
    """Return the laws of its decision that a mutant breaks."""
    decision = decisions()[mutant.decision]
    module = import_module("oneowner.model." + mutant.file.removesuffix(".py").replace("/", "."))
    with file_changed(module, mutant.old, mutant.new):
        laws = judge(decision, every_input(decision, decision.sizes())).laws
    known = {law.name for law in decision.laws if law.status.is_violated}
    return {name for name, tally in laws.items() if tally.broken_by is not None} - known


EACH = [pytest.param(one, id=one.name, marks=() if one.name in QUICK else pytest.mark.slow) for one in BY_LAW]


@pytest.mark.parametrize("mutant", EACH)
def test_mutant_of_a_decision_is_killed_by_its_law(mutant: Wrong) -> None:
    assert mutant.law in killed_by(mutant)


def test_model_is_itself_again_and_breaks_nothing() -> None:
    (mutant,) = (one for one in BY_LAW if one.name == QUICK[0])
    assert killed_by(mutant)
    assert killed_by(replace(mutant, new=mutant.old + "\n")) == set()


def test_names_say_which_mutant_is_meant_and_every_decision_has_one() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert len(names) == len(set(names)) > 250
    assert set(QUICK) <= {mutant.name for mutant in BY_LAW}
    assert {name for name in decisions() if name.startswith(("channel/", "balancer/"))} <= {
        mutant.decision for mutant in MUTANTS
    }


def test_every_mutant_of_a_decision_names_a_law_of_it_that_holds_or_the_vectors() -> None:
    for one in BY_LAW:
        assert not decisions()[one.decision].laws_by_name[one.law].status.is_violated
    assert {one.decision.partition("/")[0] for one in MUTANTS if one not in BY_LAW} <= {"balancer", "kafka"}
