"""The results of a driven scenario: as JSON, as JUnit, and in the ledger of drives."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from oneowner.checkers.lab.drive import session
from oneowner.checkers.lab.drive.ledger import Kept, digest, keep, kept_of, read_kept
from oneowner.checkers.lab.drive.look import differences
from oneowner.checkers.lab.drive.outcome import Done, Driven
from oneowner.checkers.lab.drive.plan import Plan, plan_of
from oneowner.checkers.lab.drive.report import in_short, table
from oneowner.checkers.places import TOP
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import Misuse, Verdict
from tests.command_line import COUNTEREXAMPLES, VALIDATOR, Outcome, oneowner

GIVEN_BACK = COUNTEREXAMPLES / "transfer-given-back" / "owner-can-serve.yaml"
WHERE = "broker 1 serves"


def plan() -> Plan:
    return plan_of(read_scenario(GIVEN_BACK), "4.0.6")


def done(number: int, serves: str | None = "as it should") -> Done:
    """Return a step that ends as in the model, except for the units that broker 1 serves, if they are given."""
    model = {"broker 2 serves": "nothing", WHERE: "as it should"}
    cluster = {"broker 2 serves": "nothing"} | ({} if serves is None else {WHERE: serves})
    return Done(plan().steps[number - 1], model, cluster, differences(model, cluster), 0.2)


ALL = Driven(plan(), Verdict.VALID, "", tuple(done(number) for number in range(1, 13)))
PARTED = Driven(plan(), Verdict.INVALID, "they part after step 2", (done(1), done(2, "nothing")))
UNSEEN = Driven(plan(), Verdict.INVALID, "they part after step 1", (done(1, None),))


def drive(monkeypatch: pytest.MonkeyPatch, found: list[Driven], *options: object) -> Outcome:
    """Return the verb's output for a cluster that behaves as *found*."""

    def driven(*_: Any) -> Iterator[Driven]:
        yield from found

    monkeypatch.setattr(session, "driven", driven)
    return oneowner("drive", GIVEN_BACK, *options)


@pytest.mark.parametrize(("found", "apart"), [(ALL, []), (PARTED, ["nothing"]), (UNSEEN, [None])])
def test_json_says_of_each_step_what_was_done_and_where_the_two_differ(
    found: Driven, apart: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = drive(monkeypatch, [found], "--json", "-")
    assert outcome.code == (0 if found is ALL else 1)
    assert [error.message for error in VALIDATOR.iter_errors(outcome.json)] == []
    (row,) = outcome.json["driven"]
    assert (row["scenario"], row["release"]) == ("transfer-given-back/owner-can-serve", "4.0.6")
    assert [step["verdict"] for step in row["steps"]] == [
        *["valid"] * found.followed,
        *["invalid"] * (found is not ALL),
        *[None] * (12 - len(found.done)),
    ]
    assert row["steps"][0]["event"] == "admin call at broker 1: unload bundle 1 to broker 2"
    told = [step["differences"] for step in row["steps"] if step["differences"]]
    assert told == [[{"of": WHERE, "model": "as it should", "cluster": is_}] for is_ in apart]


@pytest.mark.parametrize("damage", ["verdict", "steps", "scenario"])
def test_schema_refuses_a_row_that_lacks_something(damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = drive(monkeypatch, [ALL], "--json", "-").json
    del found["driven"][0][damage]
    assert not VALIDATOR.is_valid(found)


def test_junit_has_a_case_for_each_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drive(monkeypatch, [ALL, PARTED], "--junit", tmp_path / "drive.xml")
    cases = ElementTree.parse(tmp_path / "drive.xml").getroot().findall(".//testcase")
    assert [case.find("failure") is not None for case in cases] == [False, True]
    assert "they part after step 2" in str(cases[1].find("failure").attrib["message"])  # type: ignore[union-attr]


def test_plan_has_the_same_rows_with_nothing_done() -> None:
    outcome = oneowner("drive", "--plan", GIVEN_BACK, "--json", "-")
    assert [error.message for error in VALIDATOR.iter_errors(outcome.json)] == []
    (row,) = outcome.json["driven"]
    assert {step["verdict"] for step in row["steps"]} == {None}
    assert all(step["event"] for step in row["steps"])


def test_what_was_driven_is_kept_one_row_for_each_release(tmp_path: Path) -> None:
    ledger = tmp_path / "driven.yaml"
    newer = replace(ALL, plan=replace(plan(), release="4.2.4"))
    keep([kept_of(PARTED, "2026-11-25"), kept_of(newer, "2026-11-25")], ledger)
    keep([kept_of(ALL, "2026-11-26")], ledger)
    rows = read_kept(ledger)
    assert [(row.release, row.done, row.steps, row.verdict, row.day) for row in rows] == [
        ("4.0.6", 12, 12, "valid", "2026-11-26"),
        ("4.2.4", 12, 12, "valid", "2026-11-25"),
    ]
    assert {row.plan for row in rows} == {digest(plan())}


def test_what_parts_is_kept_with_its_reason(tmp_path: Path) -> None:
    keep([kept_of(PARTED, "2026-11-26")], tmp_path / "driven.yaml")
    (row,) = read_kept(tmp_path / "driven.yaml")
    assert (row.verdict, row.done, row.why) == ("invalid", 1, "they part after step 2")
    assert in_short(row) == "4.0.6 for 1 steps, then they part after step 2"
    assert list(table([plan()], [row]))[2].endswith("| 12 | 4.0.6 for 1 steps, then they part after step 2 |")


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        ("- {scenario: a/b}", "the key release is missing"),
        (
            "- {scenario: a/b, release: 4.0.6, steps: 0, done: 0, verdict: valid, day: x, plan: y}",
            "whole number from 1",
        ),
        ("- {scenario: a/b, release: 4.0.6, steps: 1, done: 0, verdict: green, day: x, plan: y}", "no such verdict"),
    ],
)
def test_row_that_does_not_fit_is_refused_by_its_line(damaged: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "driven.yaml").write_text(f"# a comment\n{damaged}\n")
    with pytest.raises(Misuse, match=rf"driven\.yaml:2: .*{words}"):
        read_kept(tmp_path / "driven.yaml")


def test_digest_is_another_if_the_model_says_something_else() -> None:
    first = plan().steps[0]
    other = replace(plan(), steps=(replace(first, after=first.before), *plan().steps[1:]))
    assert digest(other) != digest(plan())


def planned(row: Kept) -> Plan:
    path = next(
        path
        for folder in ("counterexamples", "driven", "repaired")
        if (path := TOP / f"traces/{folder}/{row.scenario}.yaml").exists()
    )
    return plan_of(read_scenario(path), row.release)


@pytest.mark.sample(48)
@pytest.mark.parametrize("row", read_kept(), ids=lambda row: f"{row.scenario}, {row.release}")
def test_ledger_is_of_what_the_model_says_today(row: Kept) -> None:
    """A row that fails here is of another plan than today's: drive it anew, with --keep."""
    assert (len(planned(row).steps), digest(planned(row))) == (row.steps, row.plan)
    assert (row.done == row.steps) == (row.verdict == "valid") or row.verdict == "unknown"
    assert bool(row.why) == (row.verdict != "valid")


def test_keep_writes_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oneowner.checkers.lab.drive import ledger

    written: list[Kept] = []
    monkeypatch.setattr(ledger, "keep", written.extend)
    assert drive(monkeypatch, [ALL], "--keep").code == 0
    assert [row.key for row in written] == [("transfer-given-back/owner-can-serve", "4.0.6", ())]
    assert drive(monkeypatch, [ALL]).code == 0
    assert len(written) == 1
