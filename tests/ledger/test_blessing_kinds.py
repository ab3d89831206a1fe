"""Every kind of pins is blessed by one mechanism: wrong values become right again, and nothing else moves."""

import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from oneowner.checkers.catalogue.families import SPEC
from oneowner.checkers.compaction_logs import log_rows
from oneowner.checkers.documents import read_document
from oneowner.checkers.ledger import conformance_pins, decision_pins, recording_pins, refinement_pins
from oneowner.checkers.ledger.blessings import read_words
from oneowner.checkers.ledger.kinds import BLESSED, KINDS
from oneowner.checkers.yaml_text import data_of
from oneowner.spec.systems import DECIDING
from tests.command_line import REAL, oneowner, refused

REASON = "The rows were miscounted"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return a function that copies the file of a kind, and has it read instead of the project's own."""

    def copied(kind: str) -> Path:
        if kind == "decision":
            for home in DECIDING:
                shutil.copytree(SPEC / home, tmp_path / home, ignore=shutil.ignore_patterns("*.py"))
            monkeypatch.setattr(decision_pins, "SPEC", tmp_path)
            return tmp_path / "balancer" / "decisions.yaml"
        if kind == "recording":
            shutil.copytree(REAL / "split", tmp_path / "split")
            monkeypatch.setattr(recording_pins, "RUNS", tmp_path)
            return tmp_path / "split" / "expectation.yaml"
        module, name = {
            "logs": (log_rows, "LEDGER"),
            "refinement": (refinement_pins, "PINS"),
            "conformance": (conformance_pins, "PINS"),
        }[kind]
        path = tmp_path / Path(getattr(module, name)).name
        text = Path(getattr(module, name)).read_text()
        if kind == "conformance":  # a few of its many rows: the whole file takes long to read, each time that it is
            text = (
                text[: text.index("\ncompaction:\n") + 1]
                + text[text.index("\nhealthy:\n") + 1 : text.index("\nkill-owner:\n") + 1]
            )
        path.write_text(text)
        monkeypatch.setattr(module, name, path)
        return path

    return copied


ROWS = {
    "logs": ("two-units", "count: 1884", "count: 7"),
    "decision": ("balancer/initial-boundaries", "inputs: 64", "inputs: 7"),
    "refinement": ("transfer-metadata-store", "refinement: node, verdict: valid, edges: 15077",
                   "refinement: node, verdict: valid, edges: 7"),
    "conformance": ("healthy", "inferred: 36", "inferred: 7"),
    "recording": ("split", "accepted: ", "accepted: 7"),
}  # fmt: skip
"""A row of each kind, its text in the file, and a different text."""


SEARCHED = ("logs", "refinement")
"""Kinds of which a row takes seconds: nightly."""


def kinds(rows: Iterable[str]) -> list[Any]:
    """Return the kinds as parameters, slow ones marked."""
    return [pytest.param(kind, marks=pytest.mark.slow if kind in SEARCHED else ()) for kind in rows]


def test_every_kind_that_is_pinned_in_files_can_be_blessed() -> None:
    assert set(BLESSED) == {"family", *ROWS}
    assert [name for name, kind in KINDS.items() if kind.pins is not None and kind not in BLESSED.values()] == []


@pytest.mark.parametrize("kind", kinds(ROWS))
def test_bless_sets_a_wrong_number_right_and_keeps_every_other_character(
    kind: str, desk: Callable[[str], Path]
) -> None:
    path, (row, right, wrong) = desk(kind), ROWS[kind]
    before = path.read_text()
    assert right in before
    path.write_text(before.replace(right, wrong, 1))
    found = oneowner("bless", kind, row, "--reason", REASON)
    assert found.code == 0, found.said
    assert path.read_text() == before
    words = read_words(path.parents[1 if kind == "recording" else 0] / "blessed.yaml")
    assert words[kind][row].reason == REASON


VERDICTS = {
    "logs": ("two-units", "    compaction-order: {verdict: valid, exercised: 1884}",
             "    compaction-order: {verdict: invalid, exercised: 1884, broken: 3, shortest: 1}", "compaction-order"),
    "decision": ("balancer/initial-boundaries", "initial-boundaries-cut-the-ring: {verdict: valid, exercised: 64}",
                 "initial-boundaries-cut-the-ring:\n      verdict: invalid\n      exercised: 64\n      least: none",
                 "initial-boundaries-cut-the-ring"),
    "refinement": ("transfer-metadata-store", "refinement: node-unless-tainted, verdict: valid, edges: 15077",
                   "refinement: node-unless-tainted, verdict: invalid, steps: 3", "node-unless-tainted"),
    "conformance": ("healthy", "healthy:\n  verdict: accepted", "healthy:\n  verdict: refused", "verdict"),
    "recording": ("split", "version-chain: valid", "version-chain: invalid", "version-chain"),
}  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", kinds(VERDICTS))
def test_verdict_changes_only_for_a_reason_that_its_row_keeps(kind: str, desk: Callable[[str], Path]) -> None:
    path, (row, right, wrong, subject) = desk(kind), VERDICTS[kind]
    before = path.read_text()
    assert right in before
    path.write_text(before.replace(right, wrong, 1))
    edited = path.read_text()
    found = oneowner("bless", kind, row, "--reason", REASON)
    assert (found.code, path.read_text()) == (2, edited), found.said
    assert f"--because '{subject}=" in found.out
    found = oneowner("bless", kind, row, "--reason", REASON, "--because", f"{subject}=It is: so")
    assert found.code == 0, found.said
    assert right.split(":")[-1].strip(" }") in path.read_text()
    assert "It is: so" in yaml.safe_dump(read_document(path).data)
    again = oneowner("bless", kind, row, "--reason", "Again")
    assert again.out.startswith("blessed: 0 changes"), again.said


@pytest.mark.parametrize(("kind", "run"), [("recording", "split"), ("conformance", "healthy")])
def test_recording_that_is_new_is_pinned_for_the_first_time(kind: str, run: str, desk: Callable[[str], Path]) -> None:
    path = desk(kind)
    before = path.read_text()
    if kind == "recording":
        path.unlink()
    else:
        start, end = before.index("\nhealthy:\n") + 1, before.index("\nhealthy-quiet:\n") + 1
        path.write_text(before[:start] + before[end:])
    found = oneowner("bless", kind, run, "--reason", REASON)
    assert found.code == 0, found.said
    assert f"{run}: first pinned" in found.out
    assert path.read_text() == before


@pytest.mark.slow
def test_refinement_without_a_row_gets_one(desk: Callable[[str], Path]) -> None:
    path = desk("refinement")
    before = path.read_text()
    (row,) = re.findall(r"- {family: expiry, refinement: views, verdict: valid, edges: \d+}\n", before)
    path.write_text(before.replace(row, ""))
    assert oneowner("bless", "refinement", "expiry", "--reason", REASON).code == 0
    assert path.read_text() == before.replace(row, "") + row


def test_bless_of_a_row_that_is_not_there_names_the_nearest() -> None:
    refused(oneowner("bless", "logs", "two-unit", "--reason", REASON), "no such logs", "did you mean two-units")
    refused(oneowner("bless", "recording", "splitt", "--reason", REASON), "no such recording", "did you mean split")
    refused(oneowner("bless", "refinement", "two-crashes", "--reason", REASON), "nothing can be pinned of two-crashes")
    refused(oneowner("bless", "logz", "--reason", REASON), "no such family: logz")


def test_decision_that_answers_otherwise_than_the_original_is_not_blessed(
    desk: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk("decision")
    facts = path.with_name("facts.yaml")
    rows = data_of(facts.read_text())
    next(row for row in rows if row["decision"] == "balancer/initial-boundaries")["answer"] = [0]
    facts.write_text(yaml.safe_dump(rows))
    found = oneowner("bless", "decision", "balancer/initial-boundaries", "--reason", REASON)
    assert (found.code, "unknown: balancer/initial-boundaries: " in found.out) == (3, True), found.said
