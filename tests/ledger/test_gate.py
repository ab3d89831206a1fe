"""The whole gate: exit codes, its JSON, and never green by absence."""

import os
import shutil
from pathlib import Path

import pytest
import yaml

from oneowner.checkers.catalogue import families
from oneowner.checkers.ledger import gate
from oneowner.checkers.ledger.gate import Task, check, tasks_of
from oneowner.checkers.recordings.fold.audit_engine import JAVA_HINT
from oneowner.checkers.yaml_text import data_of
from tests.command_line import REAL, RUN, VALIDATOR, Outcome, edit_expectation, oneowner, refused, saved_in


@pytest.mark.parametrize("kind", ["counterexamples", "real"])
@pytest.mark.parametrize("missing", [True, False])
def test_gate_with_nothing_to_check_is_misuse_and_names_the_place(tree: Path, kind: str, missing: bool) -> None:
    place = tree / "traces" / kind
    shutil.rmtree(place)
    if not missing:
        place.mkdir()
    refused(oneowner("gate", "--quiet", "--profile", "smoke"), place)


def test_gate_without_a_family_is_misuse(tree: Path) -> None:
    shutil.rmtree(tree / "spec" / "channel" / "families")
    refused(oneowner("gate", "--quiet", "--profile", "smoke"), tree / "spec" / "channel" / "families")


def test_gate_misses_a_counterexample_that_a_fault_pins(tree: Path) -> None:
    # faults.yaml names the file: where it is gone, the fault is no longer shown to be killed.
    other = tree / "traces" / "counterexamples" / "other"
    shutil.move(saved_in(tree).parent, other)
    scenario = families.faults()["cleanup_without_health_check"].scenario
    name = f"{scenario.parent.name}/{scenario.name}"
    assert ("counterexample", name) in {(task.kind, task.name) for task in tasks_of("smoke")}
    assert not check(Task("counterexample", name, 0.1)).ok


@pytest.fixture
def real_gate(tree: Path, monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """The tasks that the whole gate shall run: workers are new processes, so names are absolute paths."""
    tasks: list[Task] = []
    monkeypatch.setattr(gate, "tasks_of", lambda profile: iter(tasks))
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    return tasks


def hide_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("SPARK_REMOTE", raising=False)


def gate_says(*more: str) -> Outcome:
    found = oneowner("gate", "--json", "-", *more)
    assert list(VALIDATOR.iter_errors(found.json)) == []
    return found


def test_gate_of_all_that_is_as_expected_exits_0(tree: Path, real_gate: list[Task]) -> None:
    real_gate += [Task("counterexample", str(saved_in(tree)), 0.1), Task("run", str(tree / "traces/real" / RUN), 0.1)]
    found = gate_says("--progress")
    assert (found.code, found.json["verdict"], found.json["reasons"]) == (0, "valid", [])
    assert [(row["kind"], row["ok"]) for row in found.json["rows"]] == [("counterexample", True), ("run", True)]
    assert "2 of 2 done" in found.err


@pytest.mark.usefixtures("in_one_process")
def test_gate_of_something_unknown_exits_3(tree: Path, real_gate: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    hide_java(monkeypatch)
    real_gate += [Task("counterexample", str(saved_in(tree)), 0.1), Task("engine", "every run on Spark", 0.1)]
    found = gate_says()
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert found.json["reasons"] == [f"engine every run on Spark: {JAVA_HINT}"]


@pytest.mark.usefixtures("in_one_process")
def test_gate_of_something_not_as_expected_exits_1_whatever_is_unknown(
    tree: Path, real_gate: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    hide_java(monkeypatch)
    edit_expectation(tree, accepted=1)
    real_gate += [Task("run", str(tree / "traces/real" / RUN), 0.1), Task("engine", "every run on Spark", 0.1)]
    found = gate_says()
    assert (found.code, found.json["verdict"]) == (1, "invalid")
    assert len(found.json["reasons"]) == 2


@pytest.mark.slow
def test_gate_of_an_unknown_run_that_differs_otherwise_exits_1(tree: Path, real_gate: list[Task]) -> None:
    # The run is as unknown as its expectation says; its refusals are known to differ: that is "not as expected".
    run = tree / "traces" / "real" / "unsure"
    shutil.copytree(REAL / "zombie", run)
    path = run / "expectation.yaml"
    data = data_of(path.read_text())
    channel = next(run.glob("channel.jsonl*"))
    channel.unlink()
    channel.with_name("channel.jsonl").write_text("")
    path.write_text(yaml.safe_dump(data | {"verdict": "unknown", "refusals": {"version": 4}}, sort_keys=False))
    assert oneowner("audit", run, "--engine", "inline").code == 3
    real_gate += [Task("run", str(run), 0.1)]
    assert gate_says().code == 1
