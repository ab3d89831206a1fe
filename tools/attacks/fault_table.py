"""
How soon the state machines find planted faults: ``python -m tools.attacks.fault_table [FAULT..]`` prints a table.

By fault, how many runs it took until its law failed, how long that run was, how many steps are left of the best of a
few such runs when steps are dropped, and how many the explorer's shortest one has in the family's own bounds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from oneowner.checkers.catalogue.families import families, faults
from oneowner.checkers.catalogue.family import pick
from oneowner.spec.channel.system import SYSTEM
from tools.attacks.attacking import Profile, attack
from tools.attacks.machines import Tally, Target

PLANTED = Profile(runs=300, steps=60, seeded=True)
"""Until the fault is found, at most; the same runs every time."""

SAFETY = {name: fault for name, fault in faults().items() if fault.law in SYSTEM.laws_by_name}
"""The faults that one run may show; laws of liveness are about runs without end."""

HEAD = f"{'fault':30} {'family':24} {'law':28} {'runs':>5} {'steps':>6} {'shrunk':>6} {'shortest':>8} {'seconds':>7}"


def target_of(name: str) -> Target:
    """Return the bounds in which a fault is planted, and its law."""
    fault = pick(SAFETY, name, "fault")
    return Target(families()[fault.family], fault)


def row(name: str, tally: Tally) -> str:
    """Return one line of the table."""
    fault = SAFETY[name]
    found = tally.broken[fault.law][0] if tally.broken else None
    many = (found.example, len(found.steps), tally.shrunk[fault.law]) if found else (f">{tally.examples}", "-", "-")
    runs, steps, shrunk = map(str, many)
    return (
        f"{name:30} {fault.family:24} {fault.law:28} {runs:>5} {steps:>6} {shrunk:>6} {fault.steps:>8}"
        f" {tally.seconds:>7.1f}"
    )


def main(names: Sequence[str]) -> int:
    """Print the table of these faults, or of all; 1 if one of them was not found."""
    print(HEAD, flush=True)
    is_missed = False
    for name in names or list(SAFETY):
        tally = attack(target_of(name), PLANTED, enough=2 * SAFETY[name].steps)
        is_missed |= not tally.broken
        print(row(name, tally), flush=True)
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
