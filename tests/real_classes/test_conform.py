"""The verb ``conform``: the classes of 4.0.6 along a family, with other rules, with a change in a class; what lacks."""

import shutil
import zipfile
from pathlib import Path

import pytest

from oneowner.checkers.real_classes.jars import BASE, BROKER
from oneowner.checkers.report.json import STDOUT
from tests.command_line import VALIDATOR, Outcome, oneowner, refused

HOME = Path.home() / ".cache" / "oneowner" / "pulsar"
"""Where ``oneowner conform`` keeps jars; these tests compile elsewhere, and fetch nothing."""
LIB = HOME / f"apache-pulsar-{BASE}" / "lib"


@pytest.fixture
def home() -> Path:
    for program in ("java", "javac"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}")
    if not LIB.is_dir():
        pytest.skip(f"no jars of {BASE} in {HOME}: oneowner conform removal fetches them")
    return HOME


def conform(*arguments: object) -> Outcome:
    return oneowner("conform", *arguments)


def test_classes_of_a_release_take_every_edge_as_the_model(home: Path) -> None:
    outcome = conform("removal", "--set", "unloads=0", "--home", home, "--json", STDOUT)
    assert outcome.code == 0, outcome.said
    VALIDATOR.validate(outcome.json)
    (row,) = outcome.json["walked"]
    assert row["edges"] == row["walked"] > 300
    assert row["steps"] > row["edges"]
    assert all(one["walked"] == one["edges"] for one in row["actions"])
    refused = row["refused"]
    assert refused["tried"] == refused["possible"] > 100
    assert refused["taken"] == 0


def test_leaders_job_is_refused_by_the_classes_as_by_the_model(home: Path) -> None:
    """A broker without the role has no monitor scheduled; the script's own guards are not tried."""
    outcome = conform("leader", "--set", "brokers=2", "--home", home, "--json", STDOUT)
    assert outcome.code == 0, outcome.said
    refused = outcome.json["walked"][0]["refused"]
    assert refused["tried"] == 2_000
    assert refused["taken"] == 0


def test_rules_of_another_release_are_a_difference_with_its_shortest_path(home: Path) -> None:
    asked = ("multi-phase", "--set", "brokers=2", "--release", "3.0.0", "--refused", 0, "--home", home)
    outcome = conform(*asked, "--json", STDOUT)
    assert outcome.code == 1, outcome.said
    VALIDATOR.validate(outcome.json)
    first = outcome.json["walked"][0]["differences"][0]
    assert first["path"] == [
        "crash(broker=1)", "expire(broker=1)", "notice(observer=2, broker=1)", "elect(broker=2)",
        "override(broker=2, unit=1, destination=2)",
    ]  # fmt: skip
    assert first["sides"] == [
        {
            "part": "broker 2, publishes under way",
            "model": "1:Owned(2) v3 forced",
            "real": "1:Owned(2, from 1) v3 forced",
        }
    ]
    assert any("ServiceUnitStateChannelImpl.overrideOwnership" in line for line in first["stack"])


def test_changed_class_of_a_jar_is_a_difference(home: Path, tmp_path: Path) -> None:
    """The source of a transfer publishes Releasing once more, where it should publish Assigning."""
    (original,) = LIB.glob("org.apache.pulsar-pulsar-broker-[0-9]*.jar")
    jar = tmp_path / f"pulsar-broker-{BASE}.jar"
    with zipfile.ZipFile(original) as whole, zipfile.ZipFile(jar, "w") as changed:
        code = whole.read(BROKER)
        assert b"Assigning" in code
        changed.writestr(BROKER, code.replace(b"\x00\x09Assigning", b"\x00\x09Releasing"))
    outcome = conform(
        "transfer", "--set", "brokers=2", "--edges", 200, "--refused", 0, "--jar", jar, "--home", home, "--json", STDOUT
    )
    assert outcome.code == 1, outcome.said
    (row,) = outcome.json["walked"]
    assert row["classes"] == jar.name
    first = row["differences"][0]
    assert [step.partition("(")[0] for step in first["path"]] == ["transfer", "append", "consume", "close"]
    assert first["sides"][0]["model"].startswith("1:Assigning(2, from 1)")
    assert first["sides"][0]["real"].startswith("1:Releasing(2, from 1)")


def test_step_that_the_classes_take_and_a_narrower_guard_refuses_is_a_difference(home: Path) -> None:
    """No edge differs by a rule that only forbids steps."""
    asked = ("--set", "brokers=2", "--rule", "lag_below_tombstone_delay=true", "--edges", 20, "--refused", 150)
    outcome = conform("tombstone", *asked, "--home", home, "--json", STDOUT)
    assert outcome.code == 1, outcome.said
    VALIDATOR.validate(outcome.json)
    (row,) = outcome.json["walked"]
    assert row["differing"] == 0
    assert row["refused"]["taken"] > 0
    (one,) = row["differences"]
    assert (one["action"], one["guard"]) == ("tombstone", "every living broker has read the entry")
    assert one["sides"][0]["part"] == "broker 1, publishes under way"
    assert one["sides"][0]["real"].endswith("1:nothing")
    assert any("monitorOwnerships" in line for line in one["stack"])


def test_budget_that_leaves_edges_is_unknown(home: Path) -> None:
    outcome = conform("removal", "--edges", 40, "--refused", 0, "--home", home)
    assert outcome.code == 3, outcome.said
    assert "--edges ended the walk" in outcome.out


def test_missing_java_is_unknown_and_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    outcome = conform("removal")
    assert (outcome.code, outcome.out) == (3, "unknown: java is not on the path; install a JDK, 17 or later\n")


def test_family_without_a_counterpart_is_unknown(home: Path) -> None:
    outcome = conform("shedding", "--home", home)
    assert outcome.code == 3
    assert "no call or delivery stands for begin_shedding" in outcome.out


def test_bad_input_is_refused(home: Path, tmp_path: Path) -> None:
    empty = tmp_path / f"pulsar-broker-{BASE}.jar"
    empty.write_bytes(b"")
    refused(conform("removal", "--jar", empty), empty, "cannot be read as a jar")
    with zipfile.ZipFile(tmp_path / "mine.jar", "w") as archive:
        archive.writestr("a.txt", "")
    refused(conform("removal", "--jar", tmp_path / "mine.jar"), "no release in the name of a jar")
    refused(conform("removal", "--jar", tmp_path / "mine.jar", "--pulsar", BASE), "holds no ServiceUnitStateChannel")
    (tmp_path / "lib").mkdir()
    refused(conform("removal", "--lib", tmp_path / "lib"), "takes the folder lib of a Pulsar distribution")
    refused(conform("removal", "--pulsar", "tomorrow"), "tomorrow")
    refused(conform("locks/given-back", "--home", home), "conform takes those of the channel")
    refused(conform("removed"), "no such family: removed")
