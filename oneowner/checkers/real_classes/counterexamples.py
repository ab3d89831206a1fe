"""``ends_of`` takes saved runs on the real classes, by the rules of the release that these are."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.real_classes.runs import Classes, Ending, Outcome
from oneowner.checkers.scenarios.packaged import names, scenario_file
from oneowner.checkers.scenarios.replay import Replay, replay
from oneowner.checkers.scenarios.scenario import Scenario, read_scenario
from oneowner.checkers.scenarios.under_release import under_release
from oneowner.checkers.verdict import Misuse


class End(NamedTuple):
    """The end of a saved run: in the model by the rules of a release, and on the real classes."""

    name: str
    law: str
    """The law that it is kept for; empty if it names none."""
    replay: Replay
    outcome: Outcome

    @property
    def breaks(self) -> bool:
        """Report whether the run breaks its law in the model, by these rules."""
        return is_broken(self.replay, self.law)


def is_broken(replayed: Replay, law: str) -> bool:
    """Return whether a run comes to its last step, and breaks a law."""
    return len(replayed.steps) == len(replayed.scenario.steps) and law in replayed.broken


def counterexamples() -> Iterator[tuple[str, Scenario]]:
    """Yield the saved counterexamples of the channel, each with its name."""
    for name in names():
        scenario = read_scenario(scenario_file(Path(name)))
        if scenario.bounds.system.name == "channel":
            yield name.removesuffix(".yaml"), scenario


def by_release(
    scenarios: Iterable[tuple[str, Scenario]], release: str, turned: Mapping[str, str]
) -> Iterator[tuple[str, str, Replay]]:
    """Yield, by name, the law of each run and the run by the rules of *release*, of those that these rules break."""
    for name, scenario in scenarios:
        law = law_of(scenario)
        try:
            replayed = replay(under_release(scenario, release, turned))
        except Misuse:  # the release has no such storage
            continue
        if is_broken(replayed, law):
            yield name, law, replayed


def law_of(scenario: Scenario) -> str:
    """Return the law that a scenario is kept for, or nothing."""
    return (scenario.expect.law or "") if scenario.expect is not None else ""


def ends_of(classes: Classes, runs: Iterable[tuple[str, str, Replay]]) -> Iterator[End]:
    """Take runs that the model has replayed; one that it refuses is not walked."""
    for name, law, replayed in runs:
        if len(replayed.steps) < len(replayed.scenario.steps):
            outcome = Outcome(Ending.NOT_WALKED, why=f"the model refuses it: {replayed.reasons[-1]}")
        else:
            outcome = classes.take(replayed.scenario.steps, replayed.states)
        yield End(name, law, replayed, outcome)
