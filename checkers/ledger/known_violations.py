"""Stories that need no fault: runs of a family, or of a variant, in which a law fails that is known to fail there."""

from __future__ import annotations

from collections.abc import Iterable

from oneowner.checkers.catalogue.families import families, variants
from oneowner.checkers.catalogue.faults import Variant
from oneowner.checkers.ledger.pinned import NOT_AS_PINNED, Outcome
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import Expectation, Scenario
from oneowner.checkers.verdict import Verdict


def check_known_violation(scenario: Scenario) -> Outcome:
    """Replay a story that needs no fault: its law is known to fail in its family, or under its variant."""
    folder, law = scenario.path.parent.name, scenario.path.name.split(".")[0]
    known: dict[str, tuple[str, ...]] = {
        family.name: ()
        for family in families().values()
        if {**family.laws, **family.liveness}.get(law) == Verdict.INVALID
    }
    known |= {variant.name: (variant.name,) for variant in variants().values() if law in broken_by(variant, scenario)}
    stem = len(scenario.steps) if scenario.loop is None else scenario.loop - 1
    pinned = Expectation(law, Verdict.INVALID, stem)
    if folder not in known or (scenario.faults, scenario.expect) != (known[folder], pinned):
        words = f"it is not what the ledger pins: {law} fails after the last step, in or under {folder}"
        return Outcome(Verdict.INVALID.value, NOT_AS_PINNED, [words])
    replayed = replay(scenario)
    reasons = [] if replayed.verdict == Verdict.INVALID else replayed.reasons
    return Outcome(Verdict.INVALID.value, replayed.verdict.value, reasons)


def broken_by(variant: Variant, scenario: Scenario) -> Iterable[str]:
    """Return the laws that fail under *variant* in the family of *scenario* after as many steps."""
    measured = variant.families.get(scenario.family)
    steps = len(scenario.steps)
    return [law for law, after in measured.broken.items() if after == steps] if measured is not None else []
