"""The verb ``check-patch``: runs that tell a defect from its repair, and the defects of jars."""

import zipfile
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.real_classes.defects import DecidingRun, deciding_runs
from oneowner.checkers.real_classes.jars import BASE, BROKER
from oneowner.checkers.report.json import STDOUT
from tests.command_line import VALIDATOR, oneowner, refused
from tests.real_classes.test_conform import LIB, home  # noqa: F401  # a fixture

DECIDED = 15
"""Defects that the classes of 4.0.6 decide; the number may only grow."""


@pytest.fixture(scope="module")
def runs() -> dict[str, DecidingRun]:
    return {one.defect.name: one for one in deciding_runs(BASE)}


def test_every_defect_of_the_channel_has_a_run_or_a_reason(runs: dict[str, DecidingRun]) -> None:
    assert runs.keys() == {one.name for one in defects().values() if one.system == "channel"}
    assert all((one.run is None) == bool(one.why_not) == (not one.parting.at) for one in runs.values())
    assert sum(one.run is not None for one in runs.values()) >= DECIDED


@pytest.mark.parametrize(
    ("defect", "words"),
    [
        ("dead_broker_selected", "the script decides step 3, assign("),
        ("override_without_flush", "the script answers a flush"),
        ("cleanup_no_retry", "no call or delivery stands for disable"),
        ("no_reregister", "the repaired rules show the same"),
        ("split_crash_overlaps", "no repair is modelled"),
    ],
)
def test_run_that_no_class_decides_has_its_reason(runs: dict[str, DecidingRun], defect: str, words: str) -> None:
    assert words in runs[defect].why_not


def test_parting_is_the_step_at_which_the_repair_publishes_otherwise(runs: dict[str, DecidingRun]) -> None:
    one = runs["override_forgets_source"]
    assert one.run is not None
    assert one.run.scenario.steps[one.parting.at - 1].name == "override"
    assert "forced" in one.parting.other


def test_storage_that_a_release_does_not_have_decides_nothing() -> None:
    (one,) = (one for one in deciding_runs("3.2.3") if one.defect.name == "cas_retry_keeps_value")
    assert one.why_not == "the release has no metadata store for the channel"


def test_jar_with_a_changed_class_is_never_better_than_its_release(home: Path, tmp_path: Path) -> None:  # noqa: F811
    """The source of a transfer publishes Releasing once more: the runs of other defects end, or are undecided."""
    (original,) = LIB.glob("org.apache.pulsar-pulsar-broker-[0-9]*.jar")
    asked = ("check-patch", "--home", home, "--json", STDOUT, "--jar")
    own = oneowner(*asked, original)
    assert own.code == 0, own.said
    VALIDATOR.validate(own.json)
    here = {row["defect"]: row["here"] for row in own.json["defects"] if row["change"] == "has"}
    assert {"replay_only_owned", "returned_unit_stays_fenced"} <= here.keys()
    jar = tmp_path / f"pulsar-broker-{BASE}.jar"
    with zipfile.ZipFile(original) as whole, zipfile.ZipFile(jar, "w") as changed:
        changed.writestr(BROKER, whole.read(BROKER).replace(b"\x00\x09Assigning", b"\x00\x09Releasing"))
    outcome = oneowner(*asked, jar)
    assert outcome.code == 3, outcome.said
    assert any(
        "ends like neither rule" in row["why"] for row in outcome.json["defects"] if row["change"] == "undecided"
    )


def test_bad_input_is_refused(home: Path, tmp_path: Path) -> None:  # noqa: F811
    jar = tmp_path / "mine.jar"
    jar.write_bytes(b"")
    refused(oneowner("check-patch", "--jar", jar), "no release in the name of a jar")
    refused(oneowner("check-patch", "--jar", jar, "--pulsar", BASE, "--home", home), jar, "cannot be read as a jar")
