"""A release that is not known is judged by the nearest older one, and each verb reports it first."""

from __future__ import annotations

from pathlib import Path

import pytest

from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.lab.drive.by_release import RELEASES as OF_A_LAB
from oneowner.checkers.settings.facts import releases as of_settings
from oneowner.checkers.verdict import Misuse
from oneowner.model.balancer.batch.algorithms import RELEASES as OF_DECISIONS
from oneowner.model.lock_manager.nodes import LEADER_FIELDS
from oneowner.model.pulsar.releases import MILESTONES, RELEASES
from oneowner.spec.systems import systems
from tests.command_line import oneowner

DESIGN = "pip-192"
PULSAR = ("channel", "closed_loop", "leader_election", "load_data", "lock_manager", "locks")


@pytest.mark.parametrize("name", PULSAR)
def test_releases_of_a_system_of_pulsar_are_of_the_one_list(name: str) -> None:
    assert set(systems()[name].releases) <= {DESIGN, *RELEASES, *MILESTONES}


@pytest.mark.parametrize("names", [OF_DECISIONS, OF_A_LAB, of_settings(), LEADER_FIELDS])
def test_releases_that_were_read_or_run_are_of_the_one_list(names: tuple[str, ...]) -> None:
    assert set(names) <= {*RELEASES, *MILESTONES}


@pytest.mark.parametrize(
    ("asked", "by"),
    [("4.2.9", "4.2.5"), ("4.0.99", "4.0.14"), ("4.3.0", "4.2.5"), ("9.9.9", "5.0.1"), ("5.0.0-M1", "5.0.0")],
)
def test_release_that_is_not_known_is_judged_by_the_nearest_older_one(asked: str, by: str) -> None:
    known = [*systems()["channel"].releases]
    at_the_end = [name for name in known if name not in ("4.2.6", "4.0.15", "5.0.2")]
    found = judged_release(asked, at_the_end)
    assert (found.name, found.note) == (by, f"release {asked} is not known; it is judged by the rules of {by}")


@pytest.mark.parametrize("name", sorted(systems()))
def test_system_refuses_what_is_older_or_no_release_with_its_own_releases(name: str) -> None:
    known = [*systems()[name].releases]
    for asked, why in (("0.0.1", "release refused"), ("4.0", "no such release"), ("", "no such"), ("4.0.x", "no such")):
        with pytest.raises(Misuse, match=why) as refused:
            judged_release(asked, known)
        named = str(refused.value).partition(";")[2]
        assert all(word.strip("?,") in known for word in named.split() if word[0].isdigit())


SCENARIO = """family: expiry
release: {release}
steps:
  - expire(broker=1)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("explore", "expiry", "--release", "4.2.99"),
        ("explore", "kafka/join", "--release", "4.0.6"),
        ("simulate", "constant", "--shedder", "threshold", "--cycles", "2", "--release", "4.2.99"),
    ],
)
def test_first_line_reports_by_which_release_it_is_judged(arguments: tuple[str, ...]) -> None:
    first = oneowner(*arguments).out.splitlines()[0]
    assert first.startswith(f"release {arguments[-1]} is not known; it is judged by the ")


def test_scenario_of_a_release_that_is_not_known_is_replayed_and_reports_it(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(SCENARIO.format(release="4.2.99"), encoding="utf-8")
    found = oneowner("replay", file, "--json", "-")
    note = found.json["reasons"][0]
    assert note.startswith("release 4.2.99 is not known; it is judged by the rules of 4.2.")
    assert oneowner("replay", file).out.startswith(note)
    file.write_text(SCENARIO.format(release="2.10.5"), encoding="utf-8")
    refused = oneowner("replay", file)
    assert refused.code == 2
    assert f"{file}:2: release refused: 2.10.5; it is older than all that are known" in refused.err


def test_batch_keeps_standard_output_for_answers(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": 1, "algorithm": "transfer", "cycles": []}\n', encoding="utf-8")
    found = oneowner("decide", "--batch", file, "--release", "4.2.99")
    assert found.err.startswith("release 4.2.99 is not known; it is judged by the transfer rules of 4.2.4")
    assert found.out.startswith("{")
