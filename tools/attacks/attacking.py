"""
The effort of machines, and their findings: scenarios that ``oneowner replay`` accepts.

``HYPOTHESIS_PROFILE`` (dev, ci or nightly) sets the effort, ``ONEOWNER_MACHINES`` the folder of scenarios. ``python
-m tools.attacks [FAMILY..]`` prints the events that the machines of families met.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from hypothesis.stateful import run_state_machine_as_test

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM
from oneowner.checkers.engines.explore.native import confirm
from oneowner.checkers.engines.explore.reading_order import in_reading_order
from oneowner.checkers.engines.explore.shrinking import minimised
from oneowner.checkers.places import TOP
from oneowner.checkers.scenarios.scenario import Expectation, Scenario, write_scenario
from oneowner.checkers.verdict import Verdict
from oneowner.spec.channel.system import SYSTEM
from tools.attacks.machines import Found, LawBroken, Machine, Tally, Target
from tools.attacks.walking import walked

_ANYWHERE = settings(
    deadline=None, database=None, print_blob=False, report_multiple_bugs=False, verbosity=Verbosity.quiet,
    suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.target),
)  # fmt: skip
"""Without shrinking by Hypothesis: steps are dropped instead, which is quicker."""

ROUND = 10
"""Runs of which Hypothesis is asked at once: after so many it varies the last one, five times at the same sizes."""


FURTHER = 4
"""Rounds after the first one that breaks a law: of several runs that do, another may shrink to fewer steps."""


class Profile(NamedTuple):
    """The effort of a machine: so many runs of at most so many steps."""

    runs: int
    steps: int
    seeded: bool = False
    """True if it takes the same runs every time."""
    walks: int = 0
    """The number of random walks of the compiled engine that follow where no run has broken a law."""


PROFILES = {"dev": Profile(20, 100), "ci": Profile(4, 50, seeded=True), "nightly": Profile(100, 1000)}
"""A few hundred steps a second: ci about a second a family, nightly half a minute."""

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
FOLDER = Path(os.environ.get("ONEOWNER_MACHINES", TOP / "build" / "machines"))


def attack(target: Target, how: Profile, folder: Path = FOLDER, enough: int = 0) -> Tally:
    """
    Run the machine of *target*; a run that breaks a law is written to *folder* as a scenario that can be replayed.

    A law that was broken in *enough* steps or fewer needs no further rounds.
    """
    tally, started, further = Tally(), time.process_time(), FURTHER
    best: dict[str, Scenario] = {}
    for first in range(0, how.runs, ROUND):
        machine: type[Machine] = type("Machine", (Machine,), {"target": target, "tally": tally, "turn": first})
        if how.seeded:
            seed(first)(machine)
        runs = settings(_ANYWHERE, max_examples=min(ROUND, how.runs - first), stateful_step_count=how.steps)
        with suppress(LawBroken), _whatever_is_loaded():
            run_state_machine_as_test(machine, settings=runs)
        for law, found in tally.broken.items():
            scenario = scenario_of(target, law, found[-1])
            if law not in best or len(scenario.steps) < len(best[law].steps):
                best[law] = scenario
        further -= bool(best)
        if best and (further < 0 or all(len(scenario.steps) <= enough for scenario in best.values())):
            break
    if how.walks and not best:
        for law, longer in walked(target, how.walks).items():
            tally.broken[law], tally.is_walked = [longer], True
            best[law] = scenario_of(target, law, longer)
    for law, scenario in best.items():
        tally.shrunk[law], tally.scenarios[law] = len(scenario.steps), folder / scenario.path
        folder.mkdir(parents=True, exist_ok=True)
        tally.scenarios[law].write_text(write_scenario(scenario), encoding="utf-8")
    tally.seconds = time.process_time() - started
    return tally


@contextmanager
def _whatever_is_loaded() -> Iterator[None]:
    """
    Keep Hypothesis from drawing constants of loaded modules: which are loaded may depend on another test.

    Runs of one seed would differ by that (since Hypothesis 6.131); no setting turns that off.
    """
    with patch.object(providers, "_get_local_constants", Constants):
        providers.CONSTANTS_CACHE.cache.clear()
        try:
            yield
        finally:
            providers.CONSTANTS_CACHE.cache.clear()


def scenario_of(target: Target, name: str, found: Found) -> Scenario:
    """Return the rest of a run that breaks a law after dropping steps; raise EngineError if nothing breaks."""
    bounds, law = target.bounds(found.grown), SYSTEM.laws_by_name[name]
    steps = in_reading_order(bounds, law, minimised(bounds, law, found.steps))
    confirm(bounds, law, steps)
    fault = [target.fault.name] if target.fault is not None else []
    return Scenario(
        path=Path(f"{'-'.join([target.family.name, *fault, name])}.yaml"),
        family=target.family.name,
        steps=steps,
        bounds=bounds,
        title=f"{name} in {target.family.name}, found by chance",
        settings={**target.base, **found.grown},
        faults=tuple(fault),
        expect=Expectation(name, Verdict.INVALID, len(steps)),
    )


def in_words(name: str, target: Target, tally: Tally) -> str:
    """Return one line about what a machine met."""
    laws, witnesses = target.owed & set(tally.exercised), set(target.family.witnesses) & tally.witnesses
    missed = sorted((target.owed - laws) | (set(target.family.witnesses) - witnesses) | tally.known - set(tally.fired))
    return (
        f"{name:28} {tally.examples:4} runs {tally.steps:7,} steps {tally.steps / (tally.seconds or 1):6,.0f}/s"
        f"  longest log {tally.records:4}  actions {len(tally.fired)}/{len(tally.known)}"
        f"  laws {len(laws)}/{len(target.owed)}  witnesses {len(witnesses)}/{len(target.family.witnesses)}"
        f"{'  BROKEN: ' + ', '.join(map(str, tally.scenarios.values())) if tally.broken else ''}"
        f"{'  not met: ' + ' '.join(missed) if missed else ''}"
    )


def main(names: Sequence[str]) -> int:
    """Run the machines of these families, or of all; print a line about each."""
    is_broken = False
    for name in names or [name for name, family in families().items() if family.system.name == DEFAULT_SYSTEM]:
        target = Target(pick(families(), name, "family"))
        tally = attack(target, PROFILES[PROFILE])
        is_broken |= bool(tally.broken)
        print(in_words(name, target, tally), flush=True)
    return int(is_broken)
