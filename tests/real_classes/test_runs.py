"""Saved runs on the real classes: shown by the classes of their release, refused by another's, told apart by rules."""

from pathlib import Path

import pytest

from oneowner.checkers.real_classes.counterexamples import by_release, counterexamples, is_broken
from oneowner.checkers.report.json import STDOUT
from oneowner.checkers.scenarios.packaged import scenario_file
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import read_scenario
from tests.command_line import VALIDATOR, oneowner, refused
from tests.real_classes.test_conform import home  # noqa: F401  # a fixture

LOST = "failure/no-lost-override.yaml"
PLANTED = "override_tells_nobody/dual-serving-explained.yaml"


def test_counterexamples_of_a_release_are_those_that_its_rules_break() -> None:
    saved = [(name, one) for name, one in counterexamples() if name + ".yaml" in (LOST, PLANTED)]
    assert [name for name, _, _ in by_release(saved, "4.0.6", {})] == [LOST.removesuffix(".yaml")]
    assert len(list(by_release(saved, "3.0.0", {}))) == 2


def test_run_needs_its_last_step_to_break_its_law() -> None:
    replayed = replay(read_scenario(scenario_file(Path(LOST))))
    assert is_broken(replayed, "no-lost-override")
    replayed.steps.pop()
    assert not is_broken(replayed, "no-lost-override")


def test_saved_run_agrees_on_the_classes_of_its_release(home: Path) -> None:  # noqa: F811
    outcome = oneowner("conform", "--scenario", LOST, "--scenario", "split_gives_up/flight-ends.yaml", "--home", home,
                       "--json", STDOUT)  # fmt: skip
    assert outcome.code == 0, outcome.said
    VALIDATOR.validate(outcome.json)
    assert [(row["ending"], row["breaks"]) for row in outcome.json["runs"]] == [("agrees", True)] * 2


def test_run_by_rules_of_another_release_differs_where_the_classes_part(home: Path) -> None:  # noqa: F811
    outcome = oneowner("conform", "--scenario", PLANTED, "--release", "3.0.0", "--home", home, "--json", STDOUT)
    assert outcome.code == 1, outcome.said
    VALIDATOR.validate(outcome.json)
    (row,) = outcome.json["runs"]
    assert row["ending"] == "differs"
    assert row["action"].startswith("override(")
    assert row["sides"][0]["part"].endswith("publishes under way")
    assert any("ServiceUnitStateChannelImpl" in line for line in row["stack"])


def test_run_that_is_not_walked_is_unknown_and_named(home: Path) -> None:  # noqa: F811
    shedding = "shedding/shed-only-by-leader.yaml"
    outcome = oneowner("conform", "--scenario", shedding, "--home", home)
    assert outcome.code == 3
    assert "no call or delivery stands for begin_shedding" in outcome.out
    outcome = oneowner("conform", "--scenario", "no_broker_check/single-server.yaml", "--home", home)
    assert outcome.code == 3
    assert "the model refuses it" in outcome.out


@pytest.mark.parametrize("given", [(), ("removal", "--counterexamples")])
def test_families_and_runs_are_not_asked_for_together(given: tuple[str, ...]) -> None:
    refused(oneowner("conform", *given), "either FAMILY... or runs")


def test_options_of_families_are_refused_with_runs(home: Path) -> None:  # noqa: F811
    refused(oneowner("conform", "--scenario", LOST, "--edges", 3, "--home", home), "--edges goes with FAMILY...")
    refused(
        oneowner("conform", "--scenario", "expiry/single-server-always.yaml", "--home", home), "system lock_manager"
    )
