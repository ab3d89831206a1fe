"""A printed source can be looked up by anybody, and a printed note needs no other document."""

import re

from oneowner.checkers.catalogue.families import catalogue, families, faults, log_faults, variants
from oneowner.checkers.catalogue.faults import Unkilled
from oneowner.checkers.ledger.kills.hypotheses import hypotheses
from oneowner.checkers.report.rule_texts import declared_laws
from oneowner.spec.systems import decisions, lemmas, systems

LABEL = re.compile(r"\b((channel|models|bugs|policies)\.[A-Z]?[0-9]|run\.G[0-9])")
"""An id that only docs/sources.md decodes."""


def test_no_law_of_any_system_decision_or_recording_prints_a_private_label() -> None:
    declared = [*declared_laws(), *(one for it in systems().values() for one in it.witnesses)]
    declared += [law for decision in decisions().values() for law in decision.laws]
    assert len(declared) > 250
    named = [(one.name, f"{one.statement} {one.source}") for one in declared]
    named += [(lemma.name, f"{lemma.statement} {lemma.source}") for lemma, _ in lemmas().values()]
    assert [name for name, words in named if LABEL.search(words)] == []


def notes() -> dict[str, str]:
    """Return every note by the name of its row."""
    found = {name: family.note for name, family in families().items()}
    found |= {name: fault.note for name, fault in faults().items()}
    found |= {name: fault.note for name, fault in log_faults().items()}
    return found | {name: variant.note for name, variant in variants().items()}


def test_no_note_and_no_fault_or_hypothesis_prints_a_private_label() -> None:
    printed = [*notes().items()]
    printed += [(name, f"{one.title} {one.source}") for name, one in variants().items()]
    printed += [(name, f"{one.title} {one.upstream} {one.releases}") for name, one in catalogue().items()]
    printed += [(name, one.why) for name, one in catalogue().items() if isinstance(one, Unkilled)]
    printed += [(one.record, f"{one.source} {one.says} {one.releases} {one.why}") for one in hypotheses().values()]
    assert sum(bool(words) for _, words in printed) > 200
    assert [name for name, words in printed if LABEL.search(words)] == []


def test_note_is_short() -> None:
    assert sum(bool(note) for note in notes().values()) > 80
    assert max(map(len, notes().values())) <= 600
