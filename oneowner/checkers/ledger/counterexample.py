"""The least counterexample of a search as a scenario: printed, saved and replayed."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from oneowner.checkers.catalogue.families import bounds_under, switching_named
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.engines.explore.native import confirm
from oneowner.checkers.engines.explore.reading_order import in_reading_order
from oneowner.checkers.ledger.exploration_verdict import Judged
from oneowner.checkers.ledger.family_search import Asked
from oneowner.checkers.scenarios.scenario import Expectation, Scenario, switch_in_words
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.bounds import Kind


def counterexample(
    family: Family,
    judged: Judged,
    law: str,
    asked: Asked,
) -> Scenario:
    """
    Return the least counterexample to *law* as a scenario, in a reader's order.

    If the law is one of liveness it has a loop, and the order in which it was found.
    """
    bounds: Any = judged.exploration.bounds
    lasso = judged.liveness.results[law].lasso if law in judged.liveness.results else None
    if lasso is not None:
        steps = lasso.steps
    else:
        found = judged.exploration.laws[law].steps
        assert found is not None
        steps = in_reading_order(bounds, bounds.system.laws_by_name[law], found)
        confirm(bounds, bounds.system.laws_by_name[law], steps)
    titles = [switching_named(name).title for name in asked.faults]
    numbers = {
        name: value if bounds.described()[name].kind == Kind.WORD else int(value)
        for name, value in asked.settings.items()
    }
    by_faults = bounds_under(bounds, family.release, asked.faults).rules
    rules = {name: value for name, value in asdict(bounds.rules).items() if value != getattr(by_faults, name)}
    turned = "".join(f", {switch_in_words(*one)}" for one in rules.items())
    return Scenario(
        path=Path(f"{'-'.join([family.name, *asked.faults, *rules, law])}.yaml"),
        family=family.full_name,
        steps=steps,
        bounds=judged.exploration.bounds,
        title="; ".join(titles) or f"{law} in {family.full_name}{turned}",
        release=family.release,
        settings=numbers,
        faults=tuple(asked.faults),
        rules=rules,
        expect=Expectation(law, Verdict.INVALID, len(steps) if lasso is None else lasso.loop - 1),
        loop=lasso.loop if lasso is not None else None,
    )
