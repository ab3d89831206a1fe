"""What a law prints as its source can be looked up by anybody, in whatever system, decision or room it is declared."""

import re

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
