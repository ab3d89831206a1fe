"""Runs that tell the value of a switch, and the switches of classes beside those that the rules claim."""

import json
from pathlib import Path

import pytest

from oneowner.checkers.cli import conform_releases
from oneowner.checkers.real_classes import telling
from oneowner.checkers.real_classes.telling import TellingRun, telling_run
from oneowner.checkers.report.json import STDOUT
from oneowner.checkers.scenarios.packaged import scenario_file
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.rules import Rules
from tests.command_line import VALIDATOR, oneowner, refused
from tests.real_classes.test_conform import home

__all__ = ["home"]
SAVED = "failure-metadata-store/dual-serving-explained"


def told_by(switch: str) -> TellingRun | None:
    scenario = read_scenario(scenario_file(Path(f"{SAVED}.yaml")))
    return telling_run(SAVED, scenario.bounds, switch, scenario.steps)


def test_run_tells_a_switch_up_to_the_step_at_which_its_values_part() -> None:
    found = told_by("override_tells_owner")
    assert found is not None
    assert found.value
    assert found.run[-1].name == "override"
    assert len(found.states) == len(found.run) + 1 == found.parting.at + 1


def test_run_that_reads_no_such_switch_tells_nothing() -> None:
    assert told_by("boundaries_compared") is None


@pytest.mark.parametrize("text", ["", "[]", '{"health_check": 1}', '{"health_check": ["no family", []]}'])
def test_file_of_runs_that_is_damaged_is_not_there(tmp_path: Path, text: str) -> None:
    path = tmp_path / "telling.json"
    assert telling._kept(path, {}) is None
    path.write_text(text, encoding="utf-8")
    assert telling._kept(path, {}) is None


def test_runs_in_a_file_are_judged_anew(tmp_path: Path) -> None:
    found = told_by("override_tells_owner")
    assert found is not None
    bounds = read_scenario(scenario_file(Path(f"{SAVED}.yaml"))).bounds
    path = tmp_path / "telling.json"
    rows = {name: (SAVED, [str(one) for one in found.run]) for name in (found.switch, "boundaries_compared")}
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert telling._kept(path, {SAVED: bounds}) == {found.switch: found}


def test_release_that_is_not_served_is_refused() -> None:
    refused(oneowner("conform", "--all-releases", "--pulsar", "4.0.9"), "4.0.9", "not among the releases")
    refused(oneowner("conform", "--all-releases", "removal"), "--all-releases goes with")


def test_claim_that_the_classes_contradict_is_invalid(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told_by("override_tells_owner")
    assert found is not None
    monkeypatch.setattr(conform_releases, "known_runs", lambda on_progress: {found.switch: found})
    outcome = oneowner("conform", "--all-releases", "--pulsar", "4.0.6", "--home", home, "--json", STDOUT)
    VALIDATOR.validate(outcome.json)
    (row,) = [one for one in outcome.json["switches"] if one["switch"] == found.switch]
    assert (outcome.code, row["shown"], row["claimed"]) == (0, True, True), outcome.said
    wrong = {**RELEASES, "4.0.6": Rules(override_tells_owner=False)}
    monkeypatch.setattr(conform_releases, "RELEASES", wrong)
    monkeypatch.setattr("oneowner.checkers.real_classes.switch_values.RELEASES", wrong)
    outcome = oneowner("conform", "--all-releases", "--pulsar", "4.0.6", "--home", home)
    assert outcome.code == 1
    assert "4.0.6: override_tells_owner is true, and not as claimed:" in outcome.out
