"""The verb ``check-patch``: runs that tell a defect from its repair, and the defects of jars."""

import zipfile
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.real_classes.defects import DecidingRun, deciding_runs
from oneowner.checkers.real_classes.jars import BASE, BROKER
from oneowner.checkers.report.json import STDOUT
from tests.command_line import VALIDATOR, Outcome, oneowner, refused
from tests.real_classes.repair.build import repaired_jar
from tests.real_classes.test_conform import LIB, home  # noqa: F401  # a fixture

DECIDED = 29
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
        ("refresh_ends_early", "no call or delivery stands for flush_early"),
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
    asked = ("check-patch", "--home", home, "--families", "none", "--json", STDOUT, "--jar")
    own = oneowner(*asked, broker())
    assert own.code == 0, own.said
    VALIDATOR.validate(own.json)
    assert own.json["methods"] == own.json["walked"] == []
    assert all(row["here"] == row["claimed"] for row in own.json["switches"])
    here = {row["defect"]: row["here"] for row in own.json["defects"] if row["change"] == "has"}
    assert {"replay_only_owned", "returned_unit_stays_fenced"} <= here.keys()
    jar = changed_jar(tmp_path)
    outcome = oneowner(*asked, jar)
    assert outcome.code == 3, outcome.said
    assert any(
        "ends like neither rule" in row["why"] for row in outcome.json["defects"] if row["change"] == "undecided"
    )


def test_jar_with_our_repair_has_lost_the_defect_and_takes_every_step_of_the_repaired_model(
    home: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    jar = repaired_jar(LIB, broker(), tmp_path / f"pulsar-broker-{BASE}.jar")
    family = ("--families", "transfer-given-back", "--html", tmp_path / "page.html")
    outcome = oneowner("check-patch", "--home", home, "--jar", jar, *family, "--json", STDOUT)
    assert outcome.code == 0, outcome.said
    VALIDATOR.validate(outcome.json)
    lost = {row["defect"] for row in outcome.json["defects"] if row["change"] == "lost"}
    assert lost == {"returned_unit_stays_fenced", "policies_held_hostage"}
    (switch,) = (row for row in outcome.json["switches"] if row["here"] != row["claimed"])
    assert (switch["switch"], switch["here"]) == ("returned_unit_is_closed", True)
    changed = {row["method"].partition("(")[0]: row for row in outcome.json["methods"] if row["change"] == "changed"}
    assert changed.keys() == {"handleEvent", "closeServiceUnit"}
    assert not any(row["missed"] for row in changed.values())
    (walk,) = outcome.json["walked"]
    assert (walk["verdict"], walk["walked"]) == ("valid", walk["edges"])
    assert "returned_unit_is_closed" in (tmp_path / "page.html").read_text()


def test_walk_that_differs_is_no_valid_patch(home: Path, tmp_path: Path) -> None:  # noqa: F811
    """The channel is that of 4.0.6 with one word changed: a walk of it differs, and shows the shortest path."""
    jar = changed_jar(tmp_path)
    outcome = oneowner("check-patch", "--home", home, "--jar", jar, "--families", "transfer-given-back")
    assert outcome.code == 1, outcome.said
    assert "  differs   transfer-given-back: " in outcome.out
    assert "transfer-given-back differs" in outcome.out.splitlines()[-1]


def broker() -> Path:
    (jar,) = LIB.glob("org.apache.pulsar-pulsar-broker-[0-9]*.jar")
    return jar


def changed_jar(folder: Path) -> Path:
    """Return a jar in which the source of a transfer publishes Releasing once more, in place of Assigning."""
    jar = folder / f"pulsar-broker-{BASE}.jar"
    with zipfile.ZipFile(broker()) as whole, zipfile.ZipFile(jar, "w") as changed:
        changed.writestr(BROKER, whole.read(BROKER).replace(b"\x00\x09Assigning", b"\x00\x09Releasing"))
    return jar


def jar_of(path: Path, data: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(BROKER, data)
    return path


def test_bad_input_is_refused(tmp_path: Path) -> None:
    jar = tmp_path / "mine.jar"

    def checked(*more: object) -> Outcome:
        return oneowner("check-patch", "--jar", jar, *more)

    refused(checked(), "no release in the name of a jar")
    refused(checked("--pulsar", BASE), jar, "cannot be read as a jar: No such file")
    jar.write_bytes(b"")
    refused(checked("--pulsar", BASE), jar, "cannot be read as a jar")
    whole = jar_of(jar, bytes(range(256)) * 40).read_bytes()
    refused(checked("--pulsar", "tomorrow"), "tomorrow")
    refused(checked("--pulsar", BASE, "--families", "removed"), "no such family: removed")
    refused(checked("--pulsar", BASE, "--families", "locks/given-back"), "check-patch walks those of the channel")
    refused(checked("--pulsar", BASE, "--families", ","), "it names no family")
    jar.write_bytes(whole[: len(whole) // 2])
    refused(checked("--pulsar", BASE), jar, "cannot be read as a jar")
    jar.write_bytes(whole[:200] + bytes(20) + whole[220:])
    refused(checked("--pulsar", BASE), jar, "cannot be read as a jar")
    jar.unlink()
    jar.mkdir()
    refused(checked("--pulsar", BASE), jar, "cannot be read as a jar: Is a directory")


def test_missing_java_is_unknown_and_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    outcome = oneowner("check-patch", "--jar", jar_of(tmp_path / "mine.jar", b""), "--pulsar", BASE)
    assert (outcome.code, outcome.out) == (3, "unknown: java is not on the path; install a JDK, 17 or later\n")


def test_class_that_cannot_be_parsed_is_refused(home: Path, tmp_path: Path) -> None:  # noqa: F811
    jar = jar_of(tmp_path / "mine.jar", b"\xca\xfe\xba\xbe")
    outcome = oneowner("check-patch", "--jar", jar, "--pulsar", BASE, "--home", home)
    refused(outcome, jar, "ServiceUnitStateChannelImpl.class cannot be read: no class file, or a damaged one")
