"""The conditions for a proved, refuted or unknown lemma; the limits of its predicates."""

from dataclasses import replace

import pytest

from oneowner.checkers.engines.prove import proof
from oneowner.checkers.engines.prove.formulas import Inputs
from oneowner.checkers.engines.prove.proof import holds, prove
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.model.channel.record import DELETED, INIT, Record
from oneowner.model.kernel.language import Domain, Fields
from oneowner.model.kernel.lemma import PROVED, REFUTED, UNKNOWN, Mutant
from oneowner.spec.channel.compaction_lemmas import COMPACTED_IS_ACCEPTED_ALWAYS
from oneowner.spec.channel.lemma_domains import BROKERS
from oneowner.spec.channel.registry import LEMMAS
from oneowner.spec.channel.version_lemmas import (
    VERSIONS_INCREASE,
    VERSIONS_INCREASE_ALWAYS,
    both_name_versions,
    does_not_wrap,
    has_won,
    is_forced,
    is_unforced,
    version_grows,
)
from oneowner.spec.systems import subjects
from tests.channel import SYSTEM


def test_proof_gives_inputs_for_its_assumptions_and_for_its_mutant() -> None:
    found = prove(VERSIONS_INCREASE, SYSTEM)
    assert found.verdict == PROVED
    assert found.witness is not None
    assert holds(both_name_versions, found.witness)
    assert holds(does_not_wrap, found.witness)
    assert found.mutant is not None
    assert VERSIONS_INCREASE.mutant is not None
    assert VERSIONS_INCREASE.mutant.claim is not None
    assert not isinstance(VERSIONS_INCREASE.mutant.claim, tuple)
    assert not holds(VERSIONS_INCREASE.mutant.claim, found.mutant)


def test_refutation_gives_inputs_that_the_predicates_themselves_refute() -> None:
    found = prove(VERSIONS_INCREASE_ALWAYS, SYSTEM)
    assert found.verdict == REFUTED
    assert found.witness is not None
    assert not holds(version_grows, found.witness)
    assert found.witness["held"].version == 2**63 - 1


def test_lemma_whose_assumptions_cannot_be_met_is_unknown() -> None:
    found = prove(replace(VERSIONS_INCREASE, given=(both_name_versions, is_forced, is_unforced)), SYSTEM)
    assert found.verdict == UNKNOWN
    assert "cannot be met" in found.reason


def test_lemma_whose_occasion_is_impossible_is_unknown() -> None:
    found = prove(replace(VERSIONS_INCREASE, given=(*VERSIONS_INCREASE.given, is_forced), occasion=is_unforced), SYSTEM)
    assert found.verdict == UNKNOWN
    assert "cannot be met" in found.reason


def test_lemma_whose_mutant_holds_is_unknown() -> None:
    found = prove(replace(VERSIONS_INCREASE, mutant=Mutant("the same", version_grows)), SYSTEM)
    assert found.verdict == UNKNOWN
    assert found.reason == "its mutant holds as well: the same"


def test_lemma_for_which_time_does_not_suffice_is_unknown() -> None:
    slow = next(lemma for lemma in LEMMAS if lemma.name == "single-owner-append")
    found = prove(replace(slow, seconds=0.001), SYSTEM)
    assert found.verdict == UNKNOWN
    assert "z3 cannot tell within 0.001 s" in found.reason


def test_counterexample_that_the_predicates_deny_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "holds", lambda predicate, values: True)
    with pytest.raises(EngineError, match="say otherwise"):
        prove(VERSIONS_INCREASE_ALWAYS, SYSTEM)


def test_proved_lemma_without_mutant_is_refused() -> None:
    with pytest.raises(ValueError, match="a proved one has a mutant"):
        replace(VERSIONS_INCREASE, mutant=None)
    with pytest.raises(ValueError, match="a proved one has a mutant"):
        replace(VERSIONS_INCREASE_ALWAYS, mutant=Mutant("any", version_grows))


def test_predicate_that_orders_brokers_is_refused() -> None:
    ordered: dict[str, Domain] = {"held": Fields(Record, **dict.fromkeys(Record._fields, BROKERS)), "won": BROKERS}
    with pytest.raises(EngineError, match="brokers have no order"):
        Inputs(ordered, SYSTEM).holds(has_won)


def test_predicate_outside_of_model_and_spec_is_refused() -> None:
    with pytest.raises(Misuse, match="is no function of a module that is traced"):
        Inputs(VERSIONS_INCREASE.over, SYSTEM).holds(lambda held: True)


def test_compaction_with_an_init_record_fails_as_the_notes_say() -> None:
    """Deleted v1, Init v2, cut at 2: the Init record is kept, and a new reader refuses it."""
    values = {"current": Record(DELETED, 1, version=1), "following": Record(INIT, 1, version=2)}
    assert all(holds(given, values) for given in COMPACTED_IS_ACCEPTED_ALWAYS.given)
    assert not holds(COMPACTED_IS_ACCEPTED_ALWAYS.claims[0], values)


def test_names_of_lemmas_are_unique() -> None:
    names = [lemma.name for subject in subjects() for lemma in subject.lemmas]
    assert len(set(names)) == len(names)
