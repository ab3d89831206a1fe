"""
``hand_over`` maps a system to the sentences of R0, through the owners that it lets an observer see.

A step that breaks another sentence is let pass, so of each sentence the shortest run is found that breaks it.
"""

from oneowner.model.handoff.requirement import NOBODY, Ownership
from oneowner.model.handoff.sentences import LET_GO, LOST, NAMED, broken_by
from oneowner.model.kernel.refinement import Refinement
from oneowner.model.kernel.system import System

SENTENCES = (NAMED, LET_GO, LOST)
GAIN, LOSS = "gain", "loss"
"""The steps that could break a sentence: somebody comes to own a unit; an owner loses one."""


OCCASIONS = {NAMED: GAIN, LET_GO: GAIN, LOST: LOSS}


def hand_over(system: System, *sentences: str) -> Refinement:
    """Return the mapping of a system that has ``observe`` to some sentences: a step must break none of these."""
    assert system.observe is not None
    name = ", ".join(sentences)

    def explain(before: Ownership, after: Ownership) -> tuple[str, ...] | None:
        return tuple(changes(before, after)) if broken_by(before, after).isdisjoint(sentences) else None

    return Refinement(
        name, name, "PIP-192", lambda bounds: True, (GAIN, LOSS), system.observe, as_seen, with_failures, explain
    )


def changes(before: Ownership, after: Ownership) -> list[str]:
    pairs = [(old, new) for old, new in zip(before.own, after.own, strict=True) if old != new]
    return [GAIN for _, new in pairs if new != NOBODY] + [LOSS for old, _ in pairs if old != NOBODY]


def as_seen(seen: Ownership) -> Ownership:
    return seen


def with_failures(before: Ownership, seen: Ownership) -> Ownership:
    """Return what is seen, with all who have failed before: a failure is never taken back."""
    return seen._replace(lost=before.lost | seen.lost)
