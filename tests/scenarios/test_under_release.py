"""``oneowner replay FILE --release R``: a scenario by the rules of another release, and faults in place of files."""

from pathlib import Path

import pytest

from oneowner.checkers.catalogue.affected import affected_releases
from oneowner.checkers.catalogue.families import faults
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.scenarios.under_release import under_release
from tests.command_line import COUNTEREXAMPLES, VALIDATOR, oneowner, refused

RACE = COUNTEREXAMPLES / "cleanup_no_retry" / "unregistered-owns-nothing.yaml"


@pytest.mark.parametrize("release", ["4.0.6", "4.2.4", "4.2.5"])
def test_counterexample_breaks_its_law_in_the_releases_that_have_the_bug(release: str) -> None:
    found = replay(under_release(read_scenario(RACE), release, {}))
    is_affected = release in affected_releases(faults()["cleanup_no_retry"])
    assert ("unregistered-owns-nothing" in found.broken) == is_affected
    assert found.scenario.release == release


def test_faults_and_expectation_of_the_file_give_way_and_are_named() -> None:
    path = COUNTEREXAMPLES / "no_version_check" / "version-chain.yaml"
    assert oneowner("replay", path).code == 1
    found = oneowner("replay", path, "--release", "4.0.6", "--json", "-")
    assert (found.code, found.json["verdict"]) == (0, "valid")
    assert list(VALIDATOR.iter_errors(found.json)) == []
    assert "judged by the rules of 4.0.6, without no_version_check" in found.err


def test_step_that_the_release_does_not_have_ends_the_replay_with_its_guard() -> None:
    found = oneowner("replay", "free_deletes_assignment", "--release", "3.0.0")
    assert "step 3 is not enabled: free_orphan(broker=1, unit=1); it needs: an override that finds" in found.out


def test_number_means_the_saved_counterexamples_of_its_faults() -> None:
    found = oneowner("replay", "#26520")
    assert found.code == 1
    assert "3 replayed: invalid" in found.out
    refused(oneowner("replay", "#999999"), "no fault of #999999 is known")


def test_release_of_a_recording_or_of_a_trace_is_refused(tmp_path: Path) -> None:
    trace = tmp_path / "run.itf.json"
    assert oneowner("replay", RACE, "--itf", trace).code == 1
    refused(oneowner("replay", trace, "--release", "4.2.5"), "--release refused", "holds the states of its own rules")
    refused(oneowner("replay", tmp_path, "--release", "4.2.5"), "--release refused", "not to recorded runs")
    refused(oneowner("replay", RACE, "--release", "4.2.x"), "no such release: 4.2.x")
