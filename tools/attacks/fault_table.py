"""
The speed of finding planted faults, in three ways: ``python -m tools.attacks.fault_table [FAULT..]`` prints a table.

``--by explorer``, ``--by walks`` or ``--by machines`` asks one of them alone, and leaves the cells of the others open.

The explorer visits all states until the law fails: the steps are the fewest. Random walks of the compiled engine, and
the state machines of Hypothesis, stop at a run that breaks the law; of that as many steps are dropped as can be.
Seconds are wall time and include tracing and compiling. ``docs/reference/planted-faults.md`` keeps such a table.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from oneowner.checkers.catalogue.families import families, faults
from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.ledger.family_search import Asked, search
from oneowner.spec.channel.system import SYSTEM
from tools.attacks.attacking import Profile, attack, scenario_of
from tools.attacks.machines import Target
from tools.attacks.walking import walked

WALKS = 8_000_000
"""Walks at most, until the fault is found."""

PLANTED = Profile(runs=300, steps=60, seeded=True)
"""Until the fault is found, at most; the same runs every time."""

SAFETY = {
    name: fault for name, fault in faults().items() if fault.law in SYSTEM.laws_by_name and "/" not in fault.family
}
"""The channel's faults that one run may show; laws of liveness are about runs without end."""


class Way(NamedTuple):
    """The result of one way for a fault: the number of tries, and of the steps left; none if it is not found."""

    tries: int
    steps: int | None
    seconds: float

    def __str__(self) -> str:
        found = "not found" if self.steps is None else str(self.steps)
        return f"{self.tries:,} | {found} | {self.seconds:.1f}"


def target_of(name: str) -> Target:
    """Return the bounds in which a fault is planted, and its law."""
    fault = pick(SAFETY, name, "fault")
    return Target(families()[fault.family], fault)


def by_explorer(fault: Fault) -> Way:
    """Visit states until the law fails; tries are states."""
    started = time.monotonic()
    asked = Asked([fault.name], settings=fault.settings, laws=[fault.law])
    judged = search(families()[fault.family], asked)
    steps = judged.steps_against(fault.law)
    return Way(judged.exploration.distinct, None if steps is None else len(steps), time.monotonic() - started)


def by_walks(fault: Fault) -> Way:
    """Take random walks until the law fails."""
    started, target = time.monotonic(), target_of(fault.name)
    found = walked(target, WALKS).get(fault.law)
    if found is None:
        return Way(WALKS, None, time.monotonic() - started)
    steps = scenario_of(target, fault.law, found).steps
    return Way(found.example, len(steps), time.monotonic() - started)


def by_machines(fault: Fault) -> Way:
    """Run the state machine until the law fails; tries are runs."""
    started = time.monotonic()
    tally = attack(target_of(fault.name), PLANTED, enough=2 * fault.steps)
    tries = tally.broken[fault.law][0].example if tally.broken else tally.examples
    return Way(tries, tally.shrunk.get(fault.law), time.monotonic() - started)


WAYS: Mapping[str, Callable[[Fault], Way]] = {"explorer": by_explorer, "walks": by_walks, "machines": by_machines}

OPEN = "- | - | -"
"""The cells of a way that was not asked."""

HEAD = """\
| fault | law | states | steps | seconds | walks | steps | seconds | runs | steps | seconds |
|---|---|---|---|---|---|---|---|---|---|---|"""


def row(name: str, ways: Sequence[str]) -> tuple[str, bool]:
    """Return one line of the table, and whether some of the *ways* has found the fault."""
    fault = SAFETY[name]
    asked = {way: find(fault) for way, find in WAYS.items() if way in ways}
    cells = " | ".join(str(asked.get(way, OPEN)) for way in WAYS)
    return f"| {name} | {fault.law} | {cells} |", any(way.steps is not None for way in asked.values())


def main(arguments: Sequence[str]) -> int:
    """Print the table of some faults, or of all; 1 if no way that is asked has found one of them."""
    parser = argparse.ArgumentParser(prog="python -m tools.attacks.fault_table")
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    parser.add_argument("--by", choices=list(WAYS), action="append", help="the only ways that are asked")
    asked = parser.parse_args(arguments)
    print(HEAD, flush=True)
    is_missed = False
    for name in asked.faults or list(SAFETY):
        line, is_found = row(name, asked.by or list(WAYS))
        is_missed |= not is_found
        print(line, flush=True)
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
