"""A lemma put to z3, and in what its answer is not as expected."""

from __future__ import annotations

from oneowner.checkers.engines.prove.proof import Proven, prove
from oneowner.model.kernel.lemma import UNKNOWN, Lemma
from oneowner.spec.systems import lemmas


def proven(name: str) -> Proven:
    """Return what became of one lemma."""
    return prove(*lemmas()[name])


def complaint(lemma: Lemma, found: Proven) -> str:
    """Return what is not as expected of a lemma, or an empty string."""
    if found.verdict == lemma.expected:
        return ""
    return found.reason if found.verdict == UNKNOWN else f"{found.verdict}, and not {lemma.expected}"
