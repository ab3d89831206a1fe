"""The ledger's rows: releases, profiles, the table, and how far each engine goes."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.families import ledger_rows
from oneowner.checkers.catalogue.family import COUNTS, Family
from oneowner.checkers.choices import PROFILES
from oneowner.checkers.ledger import family_check as ledger
from oneowner.checkers.ledger import gate
from oneowner.checkers.ledger.blessings import blessed_file, blessings, lost, text_of, unblessed
from oneowner.checkers.ledger.family_check import check_row
from oneowner.checkers.ledger.family_search import Asked, search
from oneowner.checkers.ledger.gate import Task, check, tasks_of
from oneowner.checkers.report.family_tables import ledger_table
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.rules import Rules
from tests.channel import LAWS
from tests.command_line import FAULT, OCCASIONS, VALIDATOR, oneowner, pinned, refused, word_on, write_ledger

WITHOUT_CHECK = Rules(broker_check=False)
"""Some other release."""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(families, "SPEC", write_ledger(tmp_path / "spec", pinned()))
    monkeypatch.setitem(RELEASES, "5.0.1", WITHOUT_CHECK)
    return tmp_path / "spec"


COUNTED = {name: pinned()[name] for name in COUNTS}


def in_5_0_1(**changes: Any) -> dict[str, Any]:
    return pinned(releases={"5.0.1": COUNTED | changes})


def tiny() -> Family:
    return ledger_rows()["tiny"]


def test_family_of_another_release_has_its_rules(spec: Path) -> None:
    write_ledger(spec, pinned(release="5.0.1"))
    (row,) = ledger_rows().values()
    assert (row.row, row.release, row.bounds.rules) == ("tiny@5.0.1", "5.0.1", WITHOUT_CHECK)
    assert search(row).exploration.bounds == row.bounds
    assert row.bounds.rules == WITHOUT_CHECK
    assert search(row, Asked(release="4.0.6")).exploration.bounds == replace(row.bounds, rules=Rules())


def test_release_of_a_family_is_a_row_that_names_differences_alone(spec: Path) -> None:
    write_ledger(spec, in_5_0_1(laws={"single-server": "invalid"}, witnesses=[], states=7))
    own, other = ledger_rows().values()
    assert (own.row, other.row) == ("tiny", "tiny@5.0.1")
    assert (other.bounds, other.states) == (replace(own.bounds, rules=WITHOUT_CHECK), 7)
    assert (other.laws, other.witnesses) == ({**own.laws, "single-server": Verdict.INVALID}, ())
    assert (own.profile, other.profile) == ("smoke", "nightly")
    assert own.under("5.0.1") is own.releases["5.0.1"]
    assert own.under(None) is own


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"4.0.6": COUNTED}, "it is the family's own"),
        ({"5.0.11": COUNTED}, "did you mean 5.0.1"),
        ({"5.0.1": {"states": 1}}, "transitions"),
        ({"5.0.1": COUNTED | {"bounds": {}}}, "no such key: bounds"),
        ({"5.0.1": COUNTED | {"laws": {"type-ok": "valid"}}}, "only differences here"),
        ({"5.0.1": COUNTED | {"laws": {"type-okay": "valid"}}}, "type-ok"),
        ({"5.0.1": COUNTED | {"liveness": {"flight-ends": "valid"}}}, "flight-ends"),
        ({"5.0.1": COUNTED | {"profile": "hourly"}}, "nightly"),
        (["5.0.1"], "mapping"),
    ],
)
def test_release_of_a_family_that_does_not_fit_is_refused(spec: Path, row: Any, words: str) -> None:
    write_ledger(spec, pinned(releases=row))
    refused(oneowner("list", "families"), spec / "channel" / "families" / "tiny.yaml", words)


def test_release_of_a_family_that_is_not_counted_yet_stops_nothing_but_its_row(spec: Path) -> None:
    write_ledger(spec, pinned(releases={"5.0.1": None}))
    assert [row.is_pinned for row in ledger_rows().values()] == [True, False]
    assert check(Task("family", "tiny", 1)).ok
    row = check(Task("family", "tiny@5.0.1", 1))
    assert (row.ok, row.verdict) == (False, "unknown")
    assert row.reasons[0].endswith("not counted yet; oneowner bless tiny@5.0.1 --reason 'why there is this family'")


def test_release_that_is_not_pinned_is_explored_without_pins(spec: Path) -> None:
    judged = search(replace(tiny(), states=7), Asked(release="5.0.1"))
    assert judged.as_pinned is None
    assert judged.result.verdict == Verdict.VALID
    assert search(replace(tiny(), states=7)).as_pinned is False


def test_profiles_include_those_before_them(spec: Path) -> None:
    write_ledger(spec, in_5_0_1(profile="pr"), pinned(family="big", profile="nightly"), faults=[FAULT])
    names = {p: [t.name for t in gate.tasks_of(p) if t.kind == "family"] for p in PROFILES}
    assert names == {"smoke": ["tiny"], "pr": ["tiny", "tiny@5.0.1"], "nightly": ["big", "tiny", "tiny@5.0.1"]}


def test_profiles_of_the_project_are_nested() -> None:
    smoke, pr, nightly = ([(task.kind, task.name) for task in tasks_of(profile)] for profile in PROFILES)
    assert set(smoke) < set(pr) < set(nightly)
    assert any(kind == "family" for kind, _ in smoke)


def test_gate_checks_a_release_of_a_family_in_its_rules(spec: Path) -> None:
    write_ledger(spec, in_5_0_1())
    row = check(Task("family", "tiny@5.0.1", 1))
    found = row.ledger
    assert row.ok, row.reasons
    assert found is not None
    assert (found["family"], found["release"], found["states"]) == ("tiny", "5.0.1", pinned()["states"])
    write_ledger(spec, in_5_0_1(states=7))
    assert not check(Task("family", "tiny@5.0.1", 1)).ok
    assert check(Task("family", "tiny", 1)).ok


def test_row_of_the_gate_says_how_far_each_engine_went(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    states = pinned()["states"]
    assert (check(Task("family", "tiny", 1)).ledger or {})["engines"]["native"] == states
    monkeypatch.setitem(ledger.NATIVE, "pr", states - 1)
    monkeypatch.setitem(ledger.FIRST, "pr", 40)
    row = check(Task("family", "tiny", 1))
    assert row.ok, row.reasons
    assert (row.ledger or {})["engines"] == {"python": states, "native": 40}
    in_all = (check(Task("family", "tiny", 1, "nightly")).ledger or {})["engines"]
    assert in_all == {"c": states, "python": states, "native": states}


def test_row_of_the_gate_needs_no_compiler(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    row = check(Task("family", "tiny", 1))
    assert row.ok, row.reasons
    assert set((row.ledger or {})["engines"]) == {"python", "native"}


@pytest.mark.sample(2)
@pytest.mark.parametrize("most", [0, 5_000])
@pytest.mark.parametrize("engine", ["explore", "explore_generated"])
def test_engines_that_differ_are_told(spec: Path, monkeypatch: pytest.MonkeyPatch, engine: str, most: int) -> None:
    run = getattr(ledger, engine)

    def wrong(*arguments: Any, **more: Any) -> Any:
        found = run(*arguments, **more)
        found.fired["consume"] = found.fired.get("consume", 0) + 1
        return found

    monkeypatch.setitem(ledger.NATIVE, "pr", most)
    monkeypatch.setitem(ledger.FIRST, "pr", 40)
    monkeypatch.setattr(ledger, engine, wrong)
    assert "differ in fired" in check_row(tiny(), "pr", 1).differs
    row = check(Task("family", "tiny", 1))
    assert (row.ok, row.verdict) == (False, "engines differ")


def test_pins_that_were_edited_by_hand_are_not_as_blessed(spec: Path) -> None:
    blessed_file().write_text(text_of({"family": {"tiny": word_on((81, 2, 3))}}))
    row = check(Task("family", "tiny", 1))
    assert (row.ok, row.verdict) == (False, "not as pinned")
    assert any("make bless" in reason for reason in row.reasons)


def test_list_of_families_is_the_ledger_as_a_table(spec: Path) -> None:
    write_ledger(spec, in_5_0_1())
    output = oneowner("list", "families").out
    valid = len(OCCASIONS)
    laws = f"{valid}/0/{len(LAWS) - valid}"
    assert "family release bounds" in " ".join(output.split())
    for words in (
        "owner=1 storage=metadata-store unloads=1 transfers=1",
        "tiny 5.0.1",
        laws,
        "1/1 smoke",
        "1/1 nightly",
    ):
        assert words in " ".join(output.split()), words
    found = oneowner("list", "families", "--json", "-").json
    assert list(VALIDATOR.iter_errors(found)) == []
    assert [(row["ledger"]["release"], row["ledger"]["states"]) for row in found["list"]] == [
        ("4.0.6", pinned()["states"]),
        ("5.0.1", pinned()["states"]),
    ]


@cache
def rows_of_the_project() -> list[tuple[dict[str, Any], float, bool]]:
    return [(ledger.pinned_row(row).as_json(), 12.3, True) for row in ledger_rows().values()]


@pytest.mark.parametrize("width", [100, 120])
def test_table_of_the_project_fits_a_terminal(width: int) -> None:
    from rich.console import Console

    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(ledger_table(rows_of_the_project()))
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= width
    for row in ledger_rows().values():
        assert any(row.full_name[:16] in line and f"{row.states:,}" in line and "yes" in line for line in lines), (
            row.name
        )


def test_rows_of_the_project_are_as_they_were_blessed() -> None:
    words = blessings()
    assert words
    assert lost(ledger_rows(), words) == []
    assert [complaint for row in ledger_rows().values() if (complaint := unblessed(row, words))] == []


@pytest.mark.parametrize(
    "text", ["[]\n", "family: {tiny: first}\n", "family: {tiny: {date: today, counts: x}}\n", "family: {tiny: [}\n"]
)
def test_words_on_rows_that_are_damaged_are_refused_with_file_and_line(spec: Path, text: str) -> None:
    blessed_file().write_text(text)
    row = check(Task("family", "tiny", 1))
    assert not row.ok
    assert f"{blessed_file()}:1" in row.reasons[0]
