"""Refusals before a cluster starts, and the remains of one that does not start; a real one is slow."""

import os
import sys
import time
from pathlib import Path

import pytest

from oneowner.checkers.lab.cluster import distribution
from oneowner.checkers.lab.cluster.cluster import LOAD_MANAGERS, VIEWS, Cluster
from oneowner.checkers.lab.cluster.processes import Process, free_ports, listens
from oneowner.checkers.lab.scenarios.register import SCENARIOS
from oneowner.checkers.verdict import Misuse
from tests.command_line import oneowner


def test_scenarios_are_listed_with_what_is_done() -> None:
    outcome = oneowner("lab", "record")
    assert outcome.code == 0
    assert [line.split()[0] for line in outcome.out.splitlines()] == list(SCENARIOS)
    assert all(scenario.done.__doc__ for scenario in SCENARIOS.values())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["helthy", "--out", "x"], "did you mean healthy or healthy-quiet?"),
        (["healthy"], "--out DIR is required"),
        (["healthy", "--out", "."], "exists; --out takes a new folder"),
        (["healthy", "--out", "x", "--load-manager", "simple"], "modular"),
        (["healthy", "--out", "x", "--seed", "2"], "healthy is not random; scenarios that take --seed: nemesis, "),
        (
            ["zk-restart", "--out", "x", "--load-manager", "modular"],
            "zk-restart needs the channel; scenarios for locks: healthy, ",
        ),
    ],
)
def test_misuse_is_one_line(arguments: list[str], words: str) -> None:
    outcome = oneowner("lab", "record", *arguments)
    assert outcome.code == 2
    assert words in outcome.err


def test_broker_gets_its_ports_and_the_settings_over_those_of_the_distribution(tmp_path: Path) -> None:
    (tmp_path / "pulsar" / "conf").mkdir(parents=True)
    (tmp_path / "pulsar" / "conf" / "broker.conf").write_text("webServicePort=8080\nzzz=1\nnumIOThreads=99\n")
    cluster = Cluster(tmp_path / "pulsar", tmp_path / "run", 2, LOAD_MANAGERS["modular"])
    cluster.brokers[0].command = [sys.executable, "-c", ""]
    cluster.own[0] = VIEWS["metadata-store"]
    cluster.start_broker(1)
    conf = (tmp_path / "run" / "broker-1.conf").read_text().splitlines()
    cluster.down()
    assert any(line.endswith("ServiceUnitStateMetadataStoreTableViewImpl") for line in conf)
    assert f"webServicePort={cluster.web[0]}" in conf
    assert "webServicePort=8080" not in conf
    assert "zzz=1" in conf
    assert any(line.endswith("ModularLoadManagerImpl") for line in conf)
    assert len({*cluster.web, *cluster.binary, cluster.keeper_port, cluster.bookie_port}) == 6


@pytest.mark.parametrize(
    ("release", "message"), [("4.0.6", "%msg"), ("4.2.4", "%msg"), ("5.0.0-M1", "%msg %X"), ("6.0.0", "%msg %X")]
)
def test_lines_of_a_log_have_the_fields_of_their_release(tmp_path: Path, release: str, message: str) -> None:
    Cluster(tmp_path / f"apache-pulsar-{release}", tmp_path / "run", 1, {})
    layout = (tmp_path / "run" / "log4j2.properties").read_text().splitlines()
    (pattern,) = (line for line in layout if line.startswith("appender.console.layout.pattern="))
    assert pattern.endswith(f"%c - {message}%n")


def test_process_that_ends_while_it_starts_says_its_last_line(tmp_path: Path) -> None:
    process = Process("broker-1", tmp_path, tmp_path / "broker-1.log", "8m", [], tmp_path / "log4j")
    process.command = [sys.executable, "-c", "print('port in use')"]
    process.start()
    with pytest.raises(RuntimeError, match=r"broker-1 ended while it started.*port in use"):
        process.wait_until(lambda: False, 30)


def test_process_that_does_not_end_is_killed(tmp_path: Path) -> None:
    process = Process("broker-1", tmp_path, tmp_path / "broker-1.log", "8m", [], tmp_path / "log4j")
    loop = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(60)"
    process.command = [sys.executable, "-c", loop]
    process.start()
    process.wait_until(lambda: "up" in (tmp_path / "broker-1.log").read_text(), 30)
    began = time.monotonic()
    assert process.end(grace=0.1) == -9
    assert time.monotonic() - began < 30


def test_free_ports_are_free() -> None:
    assert not any(listens(port) for port in free_ports(3))


@pytest.mark.slow
def test_a_real_cluster_is_recorded_audited_and_explained(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert oneowner("lab", "record", "kill-owner", "--load-manager", "modular", "--out", run).code == 0
    assert oneowner("audit", run, "--engine", "inline").code == 0
    assert oneowner("replay", run).code == 0
    assert not (run / "cluster").exists()


def test_project_of_a_release_names_versions_only_where_its_parent_does_not() -> None:
    managed, alone = distribution.pom("4.2.4", is_managed=True), distribution.pom("5.0.0-M1", is_managed=False)
    assert "<artifactId>pulsar</artifactId><version>4.2.4</version>" in managed
    assert "<artifactId>log4j-core</artifactId></dependency>" in managed
    assert "<artifactId>pulsar-broker</artifactId><version>5.0.0-M1</version>" in alone
    assert "<artifactId>log4j-core</artifactId><version>2.25.4</version>" in alone
    assert "<artifactId>jackson-bom</artifactId>" in alone
    assert "<artifactId>pulsar</artifactId>" not in alone


def test_error_of_maven_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mvn = tmp_path / "bin" / "mvn"
    mvn.parent.mkdir()
    mvn.write_text(
        "#!/bin/sh\nprintf '\\033[0m[ERROR] \\n'\necho '[ERROR] Could not find artifact a:b:pom:1'\nexit 1\n"
    )
    mvn.chmod(0o755)
    monkeypatch.setenv("PATH", f"{mvn.parent}:{os.environ['PATH']}")
    with pytest.raises(Misuse, match=r"broker of Pulsar 9\.9\.9.*: Could not find artifact a:b:pom:1"):
        distribution.distribution("9.9.9", tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []
