"""The gate: everything pinned is checked, and nothing is green because it is absent, damaged or unknown."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from checkers import families, gate
from checkers.audit.engine import JAVA_HINT
from checkers.explore.search import explore
from checkers.families import ROOT
from checkers.gate import Row, Task, check, tasks_of
from spec import PROPERTIES, WITNESSES
from tests.checkers.tool import QUICK, TINY, Outcome, family_row, oneowner, refused, write_ledger

REAL = ROOT / "traces" / "real"
RUN = "transfer"
SMALL = ("channel.jsonl", "channel.jsonl.gz", "manifest.yaml", "expectation.yaml", "zookeeper.jsonl",
         "zookeeper.jsonl.gz")  # fmt: skip


def pinned(**changes: Any) -> dict[str, Any]:
    """A family of 82 states, pinned as a search finds it (test_search counts the same by brute force)."""
    found = explore(TINY, PROPERTIES, WITNESSES)
    row = family_row(states=found.distinct, transitions=found.transitions, depth=found.depth)
    return row | changes


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of one's own: one family, one counterexample and one recorded run, all as pinned."""
    (fault,) = [row for row in yaml.safe_load((families.SPEC / "faults.yaml").read_text()) if row["family"] == "expiry"]
    expiry = yaml.safe_load((families.SPEC / "families" / "expiry.yaml").read_text()) | {"profile": "nightly"}
    write_ledger(tmp_path / "spec", pinned(), expiry, faults=[fault])
    examples, runs = tmp_path / "traces" / "counterexamples", tmp_path / "traces" / "real"
    shutil.copytree(QUICK.parent, examples / QUICK.parent.name)
    (runs / RUN).mkdir(parents=True)
    for path in (REAL / RUN).iterdir():
        if path.name in SMALL:
            shutil.copy(path, runs / RUN)
    monkeypatch.setattr(families, "SPEC", tmp_path / "spec")
    monkeypatch.setattr(gate, "COUNTEREXAMPLES", examples)
    monkeypatch.setattr(gate, "RUNS", runs)
    return tmp_path


def row_of(kind: str, name: str) -> Row:
    return check(Task(kind, name, 0.1))


def green(row: Row) -> bool:
    return row.ok and row.expected == row.verdict and not row.reasons


def example(tree: Path) -> Path:
    return tree / "traces" / "counterexamples" / QUICK.parent.name / f"{QUICK.name}.yaml"


def test_gate_checks_every_family_counterexample_and_run_of_the_profile(tree: Path) -> None:
    smoke = [(task.kind, task.name) for task in tasks_of("smoke")]
    assert smoke == [
        ("family", "tiny"),
        ("counterexample", f"{QUICK.parent.name}/{QUICK.name}.itf.json"),
        ("counterexample", f"{QUICK.parent.name}/{QUICK.name}.yaml"),
        ("run", RUN),
    ]
    pr, nightly = list(tasks_of("pr")), list(tasks_of("nightly"))
    assert {(task.kind, task.name) for task in pr} > set(smoke)
    assert {task.kind for task in pr} == {"family", "counterexample", "run", "engine"}
    assert set(nightly) > set(pr)
    assert {"expiry", "cleanup_without_health_check"} <= {task.name for task in nightly}


def test_gate_of_the_project_covers_all_that_is_there() -> None:
    nightly = {(task.kind, task.name) for task in tasks_of("nightly")}
    assert {name for kind, name in nightly if kind == "family"} == set(families.families())
    assert {name for kind, name in nightly if kind == "fault"} == set(families.faults())
    assert {name for kind, name in nightly if kind == "run"} == {path.name for path in REAL.iterdir() if path.is_dir()}
    pr = {(task.kind, task.name) for task in tasks_of("pr")}
    for fault in families.faults().values():
        saved = str(fault.scenario.relative_to(gate.COUNTEREXAMPLES))
        assert ("counterexample", saved) in pr


def test_rows_of_what_is_as_pinned_are_green(tree: Path) -> None:
    for task in tasks_of("smoke"):
        row = check(task)
        assert green(row), row


@pytest.mark.parametrize("key", ["states", "transitions", "depth"])
def test_family_of_another_count_is_not_as_expected(tree: Path, key: str) -> None:
    write_ledger(tree / "spec", pinned(**{key: 7}))
    row = row_of("family", "tiny")
    assert not row.ok
    assert row.verdict != "unknown"  # the counts are known to differ: exit code 1
    assert any("7" in reason for reason in row.reasons)


@pytest.mark.parametrize(
    ("law", "pin"),
    [("single-server-always", "invalid"), ("single-server", "unknown"), ("single-server", "invalid")],
)
def test_family_whose_law_is_known_to_differ_from_its_pin_is_not_as_expected(tree: Path, law: str, pin: str) -> None:
    # The search finished and found the law valid, in as many states as pinned: nothing is unknown (DESIGN 5.2).
    write_ledger(tree / "spec", pinned(laws=pinned()["laws"] | {law: pin}))
    row = row_of("family", "tiny")
    assert not row.ok
    assert any(law in reason for reason in row.reasons)
    assert row.verdict != "unknown"


def test_family_with_a_witness_never_reached_is_unknown(tree: Path) -> None:
    write_ledger(tree / "spec", pinned(witnesses=["override-wins"]))
    row = row_of("family", "tiny")
    assert (row.ok, row.verdict) == (False, "unknown")
    assert any("override-wins" in reason for reason in row.reasons)


def test_counterexample_that_no_longer_breaks_is_not_green(tree: Path) -> None:
    path = example(tree)
    path.write_text(path.read_text().replace("faults: [cleanup_without_health_check]\n", ""))
    row = row_of("counterexample", str(path))
    assert not row.ok
    assert any(f"{path}:" in reason and "step 4 is not enabled" in reason for reason in row.reasons)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("step: 4", "step: 3"), ("law: override-names-the-gone", "law: single-server"), ("  - register(broker=2)\n", ""),
        ("verdict: invalid", "verdict: valid"), (", step: 4", ""), ("verdict: invalid", "verdict: unknown"),
        ("expect: {law: override-names-the-gone, verdict: invalid, step: 4}\n", ""), ("broker=2", "brker=2"),
        ("family: expiry", "family: expiri"),
    ],
)  # fmt: skip
def test_counterexample_that_is_edited_is_not_green_and_says_why(tree: Path, old: str, new: str) -> None:
    path = example(tree)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    row = row_of("counterexample", str(path))
    assert not row.ok
    assert row.reasons


def test_counterexample_to_another_law_than_its_fault_names_is_not_green(tree: Path) -> None:
    # DESIGN 2.6: switched on, the law that its record names must fail, with a pinned shortest counterexample.
    path = example(tree)
    path.write_text(
        "family: expiry\nexpect: {law: single-server-always, verdict: invalid, step: 6}\nsteps:\n"
        "  - expire(broker=2)\n  - notice(observer=1, broker=2)\n  - override(broker=1, destination=1)\n"
        "  - append(broker=1)\n  - consume(broker=1)\n  - open(broker=1)\n"
    )
    assert oneowner("replay", path).code == 1  # a documented violation, reproduced; but no fault is in it
    row = row_of("counterexample", str(path.relative_to(gate.COUNTEREXAMPLES)))
    assert not row.ok


def test_trace_in_itf_that_is_damaged_is_not_green(tree: Path) -> None:
    path = example(tree).with_suffix(".itf.json")
    trace = json.loads(path.read_text())
    trace["states"][2]["leader"] = {"#bigint": "2"}
    path.write_text(json.dumps(trace))
    row = row_of("counterexample", str(path))
    assert not row.ok
    assert any(str(path) in reason and "leader" in reason for reason in row.reasons)


def edit(tree: Path, **changes: Any) -> None:
    path = tree / "traces" / "real" / RUN / "expectation.yaml"
    data = yaml.safe_load(path.read_text()) | changes
    path.write_text(yaml.safe_dump({k: v for k, v in data.items() if v is not ...}, sort_keys=False))


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"refusals": {"version": 28, "transition": 2}}, "29"), ({"events": 1}, "events"),
        ({"accepted": 1}, "accepted"), ({"laws": {}}, "laws"), ({"findings": ["one more"]}, "findings"),
        ({"verdict": "invalid"}, "verdict"), ({"reasons": ["because"]}, "reasons"), ({"findings": ...}, "findings"),
        ({"remark": "new"}, "verdict"),
    ],
)  # fmt: skip
def test_run_that_differs_from_its_expectation_is_not_green(tree: Path, changes: dict[str, Any], word: str) -> None:
    edit(tree, **changes)
    row = row_of("run", RUN)
    assert not row.ok
    assert any(word in reason for reason in row.reasons)


def test_run_without_an_expectation_is_unknown(tree: Path) -> None:
    path = tree / "traces" / "real" / RUN / "expectation.yaml"
    path.unlink()
    row = row_of("run", RUN)
    assert (row.ok, row.verdict) == (False, "unknown")
    assert any(str(path) in reason for reason in row.reasons)


def test_run_without_its_dump_is_unknown(tree: Path) -> None:
    for path in (tree / "traces" / "real" / RUN).glob("*.jsonl*"):
        path.unlink()
    row = row_of("run", RUN)
    assert not row.ok
    assert row.reasons


def test_engines_without_java_are_unknown_with_the_install_hint(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "has_java", lambda: False)
    row = row_of("engine", "every run on Spark")
    assert (row.ok, row.verdict, row.reasons) == (False, "unknown", (JAVA_HINT,))
    assert "install" in JAVA_HINT


@pytest.mark.parametrize("kind", ["counterexamples", "real"])
@pytest.mark.parametrize("missing", [True, False])
def test_gate_with_nothing_to_check_is_misuse_and_names_the_place(tree: Path, kind: str, missing: bool) -> None:
    place = tree / "traces" / kind
    shutil.rmtree(place)
    if not missing:
        place.mkdir()
    refused(oneowner("gate", "--profile", "smoke"), place)


def test_gate_without_a_family_is_misuse(tree: Path) -> None:
    shutil.rmtree(tree / "spec" / "families")
    refused(oneowner("gate", "--profile", "smoke"), tree / "spec" / "families")


def test_gate_misses_a_counterexample_that_a_fault_pins(tree: Path) -> None:
    # faults.yaml names the file: where it is gone, the fault is no longer shown to be killed.
    other = tree / "traces" / "counterexamples" / "other"
    shutil.move(example(tree).parent, other)
    scenario = families.faults()["cleanup_without_health_check"].scenario
    name = f"{scenario.parent.name}/{scenario.name}"
    assert ("counterexample", name) in {(task.kind, task.name) for task in tasks_of("smoke")}
    assert not row_of("counterexample", name).ok


@pytest.fixture
def real_gate(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Task]]:
    """The tasks that the whole gate shall run: workers are new processes, so names are absolute paths."""
    tasks: list[Task] = []
    monkeypatch.setattr(gate, "tasks_of", lambda profile: iter(tasks))
    monkeypatch.setattr(gate.os, "cpu_count", lambda: 1)
    yield tasks


def gate_says(*more: str) -> Outcome:
    found = oneowner("gate", "--json", "-", *more)
    schema = json.loads((ROOT / "checkers" / "report" / "result.schema.json").read_text())
    assert list(Draft202012Validator(schema).iter_errors(found.json)) == []
    return found


def test_gate_of_all_that_is_as_expected_exits_0(tree: Path, real_gate: list[Task]) -> None:
    real_gate += [Task("counterexample", str(example(tree)), 0.1), Task("run", str(tree / "traces/real" / RUN), 0.1)]
    found = gate_says("--progress")
    assert (found.code, found.json["verdict"], found.json["reasons"]) == (0, "valid", [])
    assert [(row["kind"], row["ok"]) for row in found.json["rows"]] == [("counterexample", True), ("run", True)]
    assert "2 of 2 done" in found.err


def test_gate_of_something_unknown_exits_3(
    tree: Path, real_gate: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "has_java", lambda: False)
    real_gate += [Task("counterexample", str(example(tree)), 0.1), Task("engine", "every run on Spark", 0.1)]
    found = gate_says()
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert found.json["reasons"] == [f"engine every run on Spark: {JAVA_HINT}"]


def test_gate_of_something_not_as_expected_exits_1_whatever_is_unknown(
    tree: Path, real_gate: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "has_java", lambda: False)
    edit(tree, accepted=1)
    real_gate += [Task("run", str(tree / "traces/real" / RUN), 0.1), Task("engine", "every run on Spark", 0.1)]
    found = gate_says()
    assert (found.code, found.json["verdict"]) == (1, "invalid")
    assert len(found.json["reasons"]) == 2


def test_gate_of_an_unknown_run_that_differs_otherwise_exits_1(tree: Path, real_gate: list[Task]) -> None:
    # The run is as unknown as its expectation says; its refusals are known to differ: that is "not as expected".
    run = tree / "traces" / "real" / "unsure"
    shutil.copytree(REAL / "zombie", run)
    path = run / "expectation.yaml"
    data = yaml.safe_load(path.read_text())
    channel = next(run.glob("channel.jsonl*"))
    channel.unlink()
    channel.with_name("channel.jsonl").write_text("")
    path.write_text(
        yaml.safe_dump(data | {"verdict": "unknown", "refusals": {"version": 4}}, sort_keys=False)
    )
    assert oneowner("audit", run, "--engine", "inline").code == 3
    real_gate += [Task("run", str(run), 0.1)]
    assert gate_says().code == 1
