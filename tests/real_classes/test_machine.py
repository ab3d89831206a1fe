"""The JVM of the real classes: its ends in one line, and a metadata store with threads of its own."""

from pathlib import Path

import pytest

from oneowner.checkers.real_classes import machine
from oneowner.checkers.real_classes.defects import Has, decide, deciding_runs
from oneowner.checkers.real_classes.jars import Jars, Missing, jars_of
from oneowner.checkers.real_classes.machine import Machine
from oneowner.checkers.real_classes.runs import Classes
from oneowner.checkers.report.json import STDOUT
from oneowner.checkers.verdict import EngineError
from oneowner.model.channel.releases import RELEASES
from tests.real_classes.test_conform import conform, home  # noqa: F401  # a fixture

JAVA_17 = "this version of the Java Runtime only recognizes class file versions up to 61.0"
DEFECTS = {"cas_retry_keeps_value", "equality_by_version_only"}
"""Those whose runs are in the metadata store."""


@pytest.mark.parametrize(
    ("printed", "error", "words"),
    [
        (
            f"WARNING: deprecated\\nCaused by: UnsupportedClassVersionError: A (class file version 65.0), {JAVA_17}",
            Missing,
            "a class needs Java 21, and java is of 17; JAVA_HOME",
        ),
        (
            "Error occurred during initialization of boot layer\\nFindException: Module java.instrument not found",
            Missing,
            "java has no module java.instrument; install a JDK",
        ),
        (
            "Caused by: TimeoutException\\n  at A.b\\nfailed: NullPointerException at C.d(C.java:7)",
            EngineError,
            r"exit code 1: NullPointerException at C.d\(C.java:7\)$",
        ),
        ("Error: could not reserve space", EngineError, "exit code 1: Error: could not reserve space$"),
    ],
)
def test_end_of_the_jvm_is_one_line_about_its_cause(
    printed: str, error: type[Exception], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\nprintf '{printed}\\n' >&2\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setattr(machine, "found_program", lambda name, package: str(java))
    monkeypatch.setattr(machine, "harness", lambda jars: tmp_path / "harness.jar")
    with Machine(Jars("", (), ()), {}) as ended, pytest.raises(error, match=words):
        list(ended.states([["append 1"]]))


def test_runtime_without_a_compiler_needs_one(
    home: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").touch()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    outcome = conform("removal", "--home", home)
    assert (outcome.code, outcome.out) == (3, "unknown: javac is not on the path; install a JDK, 17 or later\n")


@pytest.mark.parametrize("release", ["4.2.4", "5.0.0-M1", "5.0.1"])
def test_metadata_store_whose_caches_have_threads_of_their_own_takes_every_edge(release: str, home: Path) -> None:  # noqa: F811
    outcome = conform(
        "transfer-metadata-store", "--set", "brokers=2", "--pulsar", _at_hand(release, home), "--home", home,
        "--json", STDOUT,
    )  # fmt: skip
    if "a class needs Java" in outcome.out:
        pytest.skip(outcome.json["reasons"][0])
    assert outcome.code == 0, outcome.said
    (row,) = outcome.json["walked"]
    assert row["edges"] == row["walked"] > 400
    assert {"append", "notify", "close"} <= {one["action"] for one in row["actions"] if one["walked"]}


def test_defects_of_the_metadata_store_are_decided(home: Path) -> None:  # noqa: F811
    release = _at_hand("4.2.4", home)
    runs = [one for one in deciding_runs(release) if one.defect.name in DEFECTS]
    with Classes(jars_of(release, home)) as classes:
        found = {one.defect.name: decide(classes, one, RELEASES[release]) for one in runs}
    assert {name: (one.has, one.why) for name, one in found.items()} == dict.fromkeys(DEFECTS, (Has.LACKS, ""))


def _at_hand(release: str, home: Path) -> str:  # noqa: F811
    if not (home / "own" / release).is_dir() and not (home / f"apache-pulsar-{release}" / "lib").is_dir():
        pytest.skip(f"no jars of {release} in {home}: oneowner conform removal --pulsar {release} fetches them")
    return release
