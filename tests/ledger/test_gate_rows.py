"""The rows of the gate: one that is as pinned is green, every other is not and reports the reason."""

import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.catalogue.holding import fingerprint, in_fingerprints
from oneowner.checkers.ledger import gate_rows, recording_pins
from oneowner.checkers.ledger.blessings import read_words, text_of
from oneowner.checkers.ledger.classes_rows import classes_rows
from oneowner.checkers.ledger.decision_pins import decision_rows
from oneowner.checkers.ledger.gate import Task, check, tasks_of
from oneowner.checkers.ledger.pinned import NOT_AS_PINNED, Effort, Row
from oneowner.checkers.ledger.recording_pins import Recorded, find
from oneowner.checkers.real_classes import jars
from oneowner.checkers.recordings.fold.audit_engine import JAVA_HINT
from oneowner.checkers.scenarios.itf import write_itf
from oneowner.checkers.scenarios.replay import Replay
from oneowner.spec.systems import lemmas
from tests.command_line import (
    OCCASIONS,
    QUICK,
    REAL,
    RUN,
    edit_expectation,
    oneowner,
    pinned,
    saved_in,
    verdicts,
    word_on,
    write_ledger,
)

pytestmark = pytest.mark.usefixtures("searched_once")


def row_of(kind: str, name: str) -> Row:
    return check(Task(kind, name, 0.1))


@cache
def audited() -> tuple[str, dict[str, Any]]:
    """Return the findings of an audit of the run, without its expectations."""
    return find(Recorded(REAL / RUN, None), Effort("pr"))


def green(row: Row) -> bool:
    return row.ok and row.expected == row.verdict and not row.reasons


def test_gate_checks_every_family_counterexample_and_run_of_the_profile(tree: Path) -> None:
    smoke = [(task.kind, task.name) for task in tasks_of("smoke")]
    assert smoke == [
        ("family", "tiny"),
        ("counterexample", f"{QUICK.parent.name}/{QUICK.name}.yaml"),
        ("run", RUN),
    ]
    pr, nightly = list(tasks_of("pr")), list(tasks_of("nightly"))
    assert {(task.kind, task.name) for task in pr} > set(smoke)
    assert {task.kind for task in pr} == {"family", "logs", "decision", "lemma", "counterexample", "run", "engine"}
    assert set(nightly) > set(pr)
    assert {"expiry", "cleanup_without_health_check"} <= {task.name for task in nightly}


def test_gate_of_the_project_covers_all_that_is_there() -> None:
    nightly = {(task.kind, task.name) for task in tasks_of("nightly")}
    assert {name for kind, name in nightly if kind == "family"} == set(families.ledger_rows())
    assert {name for kind, name in nightly if kind == "fault"} == set(families.faults())
    assert {name for kind, name in nightly if kind == "releases"} == set(defects()) > set(families.faults())
    assert {name for kind, name in nightly if kind == "run"} == {path.name for path in REAL.iterdir() if path.is_dir()}
    pr = {(task.kind, task.name) for task in tasks_of("pr")}
    assert {name for kind, name in pr if kind == "lemma"} == set(lemmas())
    assert {name for kind, name in nightly if kind == "decision"} == set(decision_rows())
    for fault in families.faults().values():
        saved = str(fault.scenario.relative_to(gate_rows.COUNTEREXAMPLES))
        assert ("counterexample", saved) in pr


def test_rows_of_what_is_as_pinned_are_green(tree: Path) -> None:
    for task in tasks_of("smoke"):
        row = check(task)
        assert green(row), row


def test_row_that_was_blessed_and_that_no_family_pins_is_not_as_expected(tree: Path) -> None:
    file = tree / "spec" / "channel" / "blessed.yaml"
    file.write_text(text_of({"family": read_words(file)["family"] | {"tiny@3.0.0": word_on((7, 9, 2))}}))
    assert ("family", "tiny@3.0.0") in {(task.kind, task.name) for task in tasks_of("smoke")}
    row = row_of("family", "tiny@3.0.0")
    assert not row.ok
    assert "has a line of tiny@3.0.0, which no family pins" in row.reasons[0]


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
    # The search finished and found the law valid, in as many states as pinned: nothing is unknown.
    write_ledger(tree / "spec", pinned(**verdicts({law: pin})))
    row = row_of("family", "tiny")
    assert not row.ok
    assert any(law in reason for reason in row.reasons)
    assert row.verdict != "unknown"


def test_law_that_is_new_is_named_with_the_command_that_pins_it(tree: Path) -> None:
    write_ledger(tree / "spec", pinned(holds=in_fingerprints(law for law in OCCASIONS if law != "one-owner")))
    row = row_of("family", "tiny")
    assert not row.ok
    new = "one-owner: valid, but the ledger pins unknown: the law is new there; it is pinned by: oneowner bless tiny"
    assert row.reasons == (new,)


def test_law_that_is_no_longer_exercised_is_named(tree: Path) -> None:
    write_ledger(tree / "spec", pinned(holds=in_fingerprints([*OCCASIONS, "one-elected"])))
    row = row_of("family", "tiny")
    assert not row.ok
    assert row.reasons == ("one-elected: unknown, but the ledger pins valid",)


def test_law_that_is_no_longer_declared_is_not_as_pinned(tree: Path) -> None:
    write_ledger(tree / "spec", pinned(holds=in_fingerprints([*OCCASIONS, "no-such-law"])))
    row = row_of("family", "tiny")
    assert (row.ok, row.verdict) == (False, NOT_AS_PINNED)
    assert fingerprint("no-such-law") in row.reasons[0]


def test_family_whose_law_differs_from_its_pin_says_why_it_was_pinned_so(tree: Path) -> None:
    write_ledger(tree / "spec", pinned(**verdicts({"type-ok": "unknown"}), reason={"type-ok": "By hand."}))
    assert "type-ok: valid, but the ledger pins unknown (By hand.)" in row_of("family", "tiny").reasons


def test_family_with_a_witness_never_reached_is_unknown(tree: Path) -> None:
    write_ledger(tree / "spec", pinned(witnesses=["override-wins"]))
    row = row_of("family", "tiny")
    assert (row.ok, row.verdict) == (False, "unknown")
    assert any("override-wins" in reason for reason in row.reasons)


def test_counterexample_that_no_longer_breaks_is_not_green(tree: Path) -> None:
    path, catalogue = saved_in(tree), tree / "spec" / "channel" / "faults.yaml"
    catalogue.write_text(catalogue.read_text().replace("health_check: false", "health_check: true"))  # it is healed
    row = row_of("counterexample", str(path))
    assert not row.ok
    assert any(f"{path}:" in reason and "step 5 is not enabled" in reason for reason in row.reasons)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("step: 5", "step: 4"), ("law: override-names-the-gone", "law: single-server"),
        ("  - register(broker=2)\n", ""),
        ("verdict: invalid", "verdict: valid"), (", step: 5", ""), ("verdict: invalid", "verdict: unknown"),
        ("expect: {law: override-names-the-gone, verdict: invalid, step: 5}\n", ""), ("broker=2", "brker=2"),
        ("family: expiry", "family: expiri"),
    ],
)  # fmt: skip
def test_counterexample_that_is_edited_is_not_green_and_says_why(tree: Path, old: str, new: str) -> None:
    path = saved_in(tree)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    row = row_of("counterexample", str(path))
    assert not row.ok
    assert row.reasons


def test_counterexample_that_expects_nothing_to_break_is_not_green_and_says_why(tree: Path) -> None:
    path = saved_in(tree)
    text = path.read_text().replace("verdict: invalid, step: 5", "verdict: valid, step: 4")
    path.write_text(text[: text.index("  - override(")])
    row = row_of("counterexample", str(path))
    assert not row.ok
    assert row.reasons


def test_counterexample_to_another_law_than_its_fault_names_is_not_green(tree: Path) -> None:
    # The contract: switched on, the law that its record names must fail, with a pinned shortest counterexample.
    path = saved_in(tree)
    path.write_text(
        "family: expiry\nexpect: {law: single-server-always, verdict: invalid, step: 6}\nsteps:\n"
        "  - expire(broker=2)\n  - notice(observer=1, broker=2)\n  - override(broker=1, destination=1)\n"
        "  - append(broker=1)\n  - consume(broker=1)\n  - open(broker=1)\n"
    )
    assert oneowner("replay", path).code == 1  # a documented violation, reproduced; but no fault is in it
    row = row_of("counterexample", str(path.relative_to(gate_rows.COUNTEREXAMPLES)))
    assert not row.ok


def test_example_of_itf_that_is_not_the_trace_of_its_scenario_is_not_green(tree: Path) -> None:
    path = saved_in(tree).with_suffix(".itf.json")
    trace = json.loads(path.read_text())
    trace["states"][2]["leader"] = {"#bigint": "2"}
    path.write_text(json.dumps(trace))
    row = row_of("counterexample", str(saved_in(tree)))
    assert (row.ok, row.verdict) == (False, NOT_AS_PINNED)
    assert any(str(path) in reason and "--to itf" in reason for reason in row.reasons)


def test_trace_that_lies_beside_no_scenario_is_not_green(tree: Path) -> None:
    path = saved_in(tree)
    shutil.copy(path.with_suffix(".itf.json"), path.with_name("alone.itf.json"))
    assert ("counterexample", f"{QUICK.parent.name}/alone.itf.json") in {(t.kind, t.name) for t in tasks_of("smoke")}
    row = row_of("counterexample", f"{QUICK.parent.name}/alone.itf.json")
    assert not row.ok
    assert row.reasons


def test_scenario_whose_trace_reads_back_as_another_run_is_not_green(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_last_state(replayed: Replay) -> str:
        trace = json.loads(write_itf(replayed))
        return json.dumps({**trace, "#meta": {**trace["#meta"], "expect": None}, "states": trace["states"][:-1]})

    saved_in(tree).with_suffix(".itf.json").unlink()
    monkeypatch.setattr(gate_rows, "write_itf", without_last_state)
    row = row_of("counterexample", str(saved_in(tree)))
    assert not row.ok


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"refusals": {"version": 12, "broker": 2}}, "13"), ({"events": 1}, "events"),
        ({"accepted": 1}, "accepted"), ({"laws": {}}, "laws"), ({"findings": ["one more"]}, "findings"),
        ({"verdict": "invalid"}, "verdict"), ({"reasons": ["because"]}, "reasons"), ({"findings": ...}, "findings"),
        ({"remark": "new"}, "verdict"),
    ],
)  # fmt: skip
def test_run_that_differs_from_its_expectation_is_not_green(
    tree: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], word: str
) -> None:
    monkeypatch.setattr(recording_pins, "find", lambda row, effort: audited())
    edit_expectation(tree, **changes)
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


def test_releases_of_a_fault_that_are_not_the_pinned_ones_are_not_as_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "override_tells_nobody"
    assert green(row_of("releases", name))
    wrong = replace(families.faults()[name], holds=("3.0.0",))
    monkeypatch.setattr(gate_rows, "defects", lambda: {name: wrong})
    row = row_of("releases", name)
    assert (row.ok, row.expected, row.verdict) == (False, "none", "3.0.0")
    assert "but none is pinned" in row.reasons[0]


def test_engines_without_java_are_unknown_with_the_install_hint(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_rows, "has_java", lambda: False)
    row = row_of("engine", "every run on Spark")
    assert (row.ok, row.verdict, row.reasons) == (False, "unknown", (JAVA_HINT,))
    assert "install" in JAVA_HINT


def test_real_classes_that_cannot_run_are_unknown_and_fail_no_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    row = row_of("classes", "removal on 4.0.6")
    assert (row.ok, row.verdict) == (True, "unknown: java is not on the path; install a JDK, 17 or later")


def test_real_classes_without_their_jars_are_unknown_and_name_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(jars, "found_program", lambda name, package: name)
    assert jars.not_at_hand("4.0.8", tmp_path) == (
        "no jars of 4.0.8; oneowner conform removal --pulsar 4.0.8 fetches them"
    )
    (tmp_path / "apache-pulsar-4.0.6" / "lib").mkdir(parents=True)
    assert not jars.not_at_hand("4.0.6", tmp_path)
    assert jars.not_at_hand("4.0.8", tmp_path)


def test_pull_requests_walk_one_family_on_real_classes_and_nights_the_others() -> None:
    assert [name for name, _ in classes_rows("pr")] == ["removal on 4.0.6"]
    nightly = {name for name, _ in classes_rows("nightly")}
    assert nightly > {"failure on 4.0.6", "multi-phase, brokers=2 on 5.0.1", "removal on 3.0.0"}
    assert not list(classes_rows("smoke"))
