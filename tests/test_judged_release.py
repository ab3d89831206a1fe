"""A release that is not known is judged by the nearest older one, and each verb reports it first."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.lab.drive.by_release import RELEASES as OF_A_LAB
from oneowner.checkers.settings.facts import releases as of_settings
from oneowner.checkers.verdict import Misuse
from oneowner.model.balancer.batch.algorithms import RELEASES as OF_DECISIONS
from oneowner.model.pulsar.releases import MILESTONES, RELEASES
from oneowner.spec.systems import systems
from tests.command_line import REAL, oneowner

DESIGN = "pip-192"
PULSAR = ("channel", "closed_loop", "leader_election", "load_data", "lock_manager", "locks")


@pytest.mark.parametrize("name", PULSAR)
def test_releases_of_a_system_of_pulsar_are_of_the_one_list(name: str) -> None:
    assert set(systems()[name].releases) <= {DESIGN, *RELEASES, *MILESTONES}


@pytest.mark.parametrize("names", [OF_DECISIONS, OF_A_LAB, of_settings()])
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


@pytest.mark.parametrize(
    ("asked", "note"),
    [
        ("4.0", "release 4.0 has no patch number; it is judged by the rules of 4.0.14"),
        ("4.2", "release 4.2 has no patch number; it is judged by the rules of 4.2.5"),
        ("4.0.4.1", "release 4.0.4.1 is not known; it is judged by the rules of 4.0.4"),
        ("v4.0.6", "release v4.0.6 is not known; it is judged by the rules of 4.0.6"),
        ("4.0.6-SNAPSHOT", "release 4.0.6-SNAPSHOT is not known; it is judged by the rules of 4.0.6"),
    ],
)
def test_release_is_judged_however_its_number_is_written(asked: str, note: str) -> None:
    found = judged_release(asked, systems()["channel"].releases)
    assert found.note == note
    assert found.note.endswith(f" {found.name}")


@pytest.mark.parametrize("name", ["locks", "lock_manager", "leader_election"])
def test_system_of_2_9_judges_older_releases_of_2_by_its_oldest(name: str) -> None:
    oldest = next(iter(systems()[name].releases))
    found = judged_release("2.6.1", systems()[name].releases)
    assert found.note == f"release 2.6.1 is not known; it is judged by the rules of {oldest}, the oldest known"


@pytest.mark.parametrize("shedder", ["uniform", "avg", "transfer"])
def test_shedder_is_refused_for_a_release_that_has_no_such_class(shedder: str) -> None:
    loads = "traces/snapshots/21722-comes-back.yaml"
    found = oneowner("decide", loads, "--shedder", shedder, "--release", "2.8.1")
    assert found.code == 2
    assert f"{shedder} is not modelled for 2.8.1; it is modelled for " in found.err
    assert found.err.endswith(", which have such a class\n")


@pytest.mark.parametrize("name", sorted(systems()))
def test_system_refuses_what_is_older_or_no_release_with_its_own_releases(name: str) -> None:
    known = [*systems()[name].releases]
    for asked, why in (("0.0.1", "release refused"), ("4", "no such release"), ("", "no such"), ("4.0.x", "no such")):
        with pytest.raises(Misuse, match=why) as refused:
            judged_release(asked, known)
        named = re.findall(r"\d+(?:\.\d+)+\S*\b", str(refused.value).partition(";")[2])
        assert {*named} <= {*known}


SCENARIO = """family: expiry
release: {release}
steps:
  - expire(broker=1)
"""


@pytest.fixture
def files(tmp_path: Path) -> Callable[[str], dict[str, Path]]:
    """Return by name the files that a verb is given, which name a release."""

    def written(release: str) -> dict[str, Path]:
        shutil.copytree(REAL / "healthy-quiet", run := tmp_path / "run")
        manifest = run / "manifest.yaml"
        text = manifest.read_text(encoding="utf-8")
        manifest.write_text(text.replace("pulsar: 4.0.6", f"pulsar: {release}"), encoding="utf-8")
        (scenario := tmp_path / "run.yaml").write_text(SCENARIO.format(release=release), encoding="utf-8")
        (conf := tmp_path / "broker.conf").write_text("loadBalancerEnabled=true\n", encoding="utf-8")
        return {"run": run, "scenario": scenario, "conf": conf}

    return written


VERBS = (
    "audit {run}",
    "timeline {run}",
    "explain {run}",
    "replay {run}",
    "replay {scenario}",
    "explore expiry --release {release}",
    "export expiry --to dot --out {run} --release {release}",
    "list families expiry@{release}",
    "lint {conf} --release {release}",
    "simulate constant --shedder threshold --cycles 2 --release {release}",
    "decide traces/snapshots/21722-comes-back.yaml --shedder threshold --release {release}",
    "drive traces/counterexamples/multi-phase/connections-end.yaml --plan --pulsar {release}",
    "releases {release}",
)
"""Every verb that takes a release of Pulsar, or a file that names one."""


@pytest.mark.parametrize("verb", VERBS)
def test_verb_reports_first_by_which_release_it_judges(verb: str, files: Callable[[str], dict[str, Path]]) -> None:
    found = oneowner(*verb.format(release="4.2.99", **files("4.2.99")).split())
    report = r"release 4\.2\.99 is not known; it is judged by the (\w+ )?rules of 4\.2\.[45]\n"
    assert re.match(rf"(run: |.*/run: healthy \(valid\)\. No incident\.\n)?{report}", found.out), found.said


@pytest.mark.parametrize("release", ["4", "latest", "1.0.0"])
@pytest.mark.parametrize("verb", [verb for verb in VERBS if "{release}" in verb or "{scenario}" in verb])
def test_verb_refuses_what_is_no_release_or_older_than_all(
    verb: str, release: str, files: Callable[[str], dict[str, Path]]
) -> None:
    found = oneowner(*verb.format(release=release, **files(release)).split())
    assert found.code == 2, found.said
    refusal = (
        rf"(no such release|no such release or fault|release refused): {release}; |is not modelled for {release}; "
    )
    assert re.search(rf"{refusal}|no fault of {release} is known; ", found.err)  # a number may be that of a thread


@pytest.mark.parametrize(("name", "by"), [("v4.0.6", "4.0.6"), ("latest", "4.0.6"), ("1.0.0", "2.6.0")])
def test_recorded_run_is_judged_whatever_release_it_names(
    name: str, by: str, files: Callable[[str], dict[str, Path]]
) -> None:
    found = oneowner("audit", files(name)["run"], "--json", "-")
    assert found.code == 0
    assert f"run: release {name} is not known; it is judged by the rules of {by}" in found.json["reasons"][0]


@pytest.mark.parametrize(
    ("family", "release", "by"),
    [
        ("kafka/join", "4.0.6", "3.9.1"),
        ("redis/fail-over", "4.0.6", "3.0.0"),
        ("streams_group/fail-over", "9.0.0", "4.3.1"),
        ("elasticsearch/fail-over", "8.16.0", "8.15.0"),
    ],
)
def test_other_product_is_judged_by_its_own_releases(family: str, release: str, by: str) -> None:
    found = oneowner("explore", family, "--release", release, "--max-states", "10")
    assert found.out.startswith(f"release {release} is not known; it is judged by the rules of {by}\n"), found.said


def test_batch_keeps_standard_output_for_answers(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": 1, "algorithm": "transfer", "cycles": []}\n', encoding="utf-8")
    found = oneowner("decide", "--batch", file, "--release", "4.2.99")
    assert found.err.startswith("release 4.2.99 is not known; it is judged by the transfer rules of 4.2.4")
    assert found.out.startswith("{")
