"""Faults by bounded model checking: a third way to the fewest steps of those that are shallow."""

from dataclasses import replace

from oneowner.checkers.catalogue.families import family_named, faults
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.engines.prove.bounded import Unrolled
from oneowner.spec.systems import systems

DEEPEST = 4
"""Most steps of a fault's counterexample that are looked for so: deeper ones take minutes."""


def shallow_faults() -> list[Fault]:
    """Return the faults whose law, one of states or steps, fails so early."""
    return [
        fault
        for fault in faults().values()
        if fault.law in systems()[fault.system].laws_by_name and fault.steps <= DEEPEST
    ]


def first_failures(fault: Fault) -> tuple[int | None, int | None]:
    """Return after how many steps its law first fails, with the fault and without it; None if not so early."""
    bounds = bounds_with(family_named(fault.family).bounds, fault.settings)
    with_it, without = (
        Unrolled(
            replace(bounds, rules=replace(bounds.rules, **switches)), bounds.system.laws_by_name[fault.law]
        ).first_failure(fault.steps)
        for switches in (fault.rules, fault.repaired)
    )
    return with_it, without
