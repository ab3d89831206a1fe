"""A lemma put to z3, and the deviations of its answer."""

from oneowner.checkers.engines.prove.proof import Proven, prove
from oneowner.model.kernel.lemma import UNKNOWN, Lemma
from oneowner.spec.systems import lemmas


def proven(name: str) -> Proven:
    """Return the result of one lemma."""
    return prove(*lemmas()[name])


def complaint(lemma: Lemma, found: Proven) -> str:
    """Return the deviations of a lemma, or an empty string."""
    if found.verdict == lemma.expected:
        return ""
    return found.reason if found.verdict == UNKNOWN else f"{found.verdict}, and not {lemma.expected}"
