"""Evidence of real clusters for each prediction, by release: no contradiction without a reason."""

from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.finding import Finding
from oneowner.checkers.catalogue.findings import findings
from oneowner.checkers.lab.drive.by_release import (
    RELEASES,
    Real,
    because,
    contradicts,
    explanations,
    fails,
    real,
    reasons,
    scenario_named,
    table,
    tried,
)
from oneowner.checkers.lab.drive.ledger import Kept, read_kept

GIVEN_BACK = "transfer-given-back/owner-can-serve"
NAME = "returned_unit_stays_fenced"
ROW = Kept(GIVEN_BACK, "4.0.4", (), 12, 12, "valid", "", "2026-11-26", "0a1b2c3d")
SEEN = replace(findings()[NAME], driven=(GIVEN_BACK,), trials={})
"""Recorded on 4.2.4."""


def test_no_contradiction_is_left_unexplained() -> None:
    rows = list(explanations(tried(), read_kept()))
    assert rows
    assert [line for line in rows if line.endswith(": ")] == []


def test_explanation_is_of_a_contradiction() -> None:
    kept = read_kept()
    for row in tried():
        assert all(contradicts(real(row, release, kept), fails(row, release)) for release in row.explained), row.name


@pytest.mark.parametrize("row", tried(), ids=lambda row: row.name)
def test_row_names_what_is_there(row: Finding) -> None:
    assert row.driven
    assert all(scenario_named(name).steps for name in (*row.driven, *row.held))


def test_what_was_driven_counts_before_what_was_recorded() -> None:
    parted = replace(ROW, release="4.0.8", verdict="invalid", done=3, why="they part")
    found = {release: real(SEEN, release, [ROW, parted]) for release in RELEASES}
    assert found == {
        "4.0.4": Real.DRIVEN,
        "4.0.6": Real.NOT_TRIED,
        "4.0.8": Real.NOT_SEEN,
        "4.2.4": Real.RECORDED,
        "5.0.0-M1": Real.NOT_TRIED,
    }
    assert real(SEEN, "4.2.4", [replace(parted, release="4.2.4")]) is Real.RECORDED
    assert real(SEEN, "4.0.8", [replace(ROW, release="4.0.8", rules=("a repair",))]) is Real.NOT_TRIED
    assert real(replace(SEEN, driven=("shutdown/no-waiter-leak",)), "4.0.8", []) is Real.NO_WAY


def test_release_that_does_as_its_rules_say_has_not_shown_what_they_prevent() -> None:
    seen = replace(SEEN, driven=("lists_what_it_knew/listed-is-owned",), held=("lists_what_it_knew/view-is-kept",))
    row = replace(ROW, scenario=seen.held[0], steps=2, done=2)
    assert real(seen, "4.0.4", [row]) is Real.NOT_SEEN
    assert real(seen, "4.0.4", []) is Real.NOT_TRIED
    parted = replace(row, verdict="invalid", done=1, why="they part")
    assert real(seen, "4.0.4", [parted]) is Real.PARTED
    assert contradicts(Real.PARTED, by_rules=False)
    assert because(seen, "4.0.4", [parted]) == "`lists_what_it_knew/view-is-kept`, step 2: they part"
    assert real(seen, "4.0.4", [replace(parted, verdict="unknown")]) is Real.NOT_REACHED
    assert because(seen, "4.0.4", [row]).startswith("`lists_what_it_knew/view-is-kept`, step 2: the brokers do as the")


def test_step_that_could_not_be_brought_about_is_told_with_its_reason() -> None:
    unknown = replace(ROW, release="4.0.6", verdict="unknown", done=3, why="no answer")
    assert real(SEEN, "4.0.6", [unknown]) is Real.NOT_REACHED
    assert real(SEEN, "4.0.6", [unknown, replace(unknown, verdict="invalid")]) is Real.NOT_SEEN
    assert not contradicts(Real.NOT_REACHED, by_rules=True)
    assert because(SEEN, "4.0.6", [unknown]) == f"`{GIVEN_BACK}`, step 4: no answer"


def test_every_cell_that_was_not_driven_to_its_end_says_by_what_it_goes() -> None:
    parted = replace(ROW, release="4.0.8", verdict="invalid", done=3, why="they part")
    other = replace(SEEN, driven=("shutdown/no-waiter-leak",), recordings=("zombie",), trials={"4.2.4": "by signals"})
    assert list(reasons([SEEN], [ROW, parted]))[2:] == [
        f"| `{NAME}` | 4.0.8 | not seen | `{GIVEN_BACK}`, step 4: they part |",
        f"| `{NAME}` | 4.2.4 | seen | [fenced-for-good-4.2.4](../traces/real/fenced-for-good-4.2.4) |",
    ]
    assert list(reasons([other], []))[2:] == [
        f"| `{NAME}` | 4.0.4, 4.0.8, 5.0.0-M1 | cannot be driven | `shutdown/no-waiter-leak`: stops at step 9, restart:"
        " no gate is at what makes it real |",
        f"| `{NAME}` | 4.0.6 | seen | [zombie](../traces/real/zombie) |",
        f"| `{NAME}` | 4.2.4 | seen | by signals |",
    ]


def test_row_that_contradicts_the_rules_is_marked_and_told() -> None:
    parted = replace(ROW, verdict="invalid", done=3, why="they part")
    assert "| not seen, fails (*) |" in list(table([SEEN], [parted]))[2]
    assert list(explanations([SEEN], [parted])) == [f"- `{NAME}`, 4.0.4: "]
    assert list(explanations([replace(SEEN, explained={"4.0.4": "so"})], [parted])) == [f"- `{NAME}`, 4.0.4: so"]
    assert list(explanations([SEEN], [ROW])) == []


def test_what_is_seen_where_the_law_holds_is_a_contradiction() -> None:
    assert contradicts(Real.RECORDED, by_rules=False)
    assert not contradicts(Real.NO_WAY, by_rules=False)
    assert not contradicts(Real.NOT_SEEN, by_rules=False)


def test_milestone_goes_by_the_rules_of_its_release() -> None:
    assert fails(SEEN, "5.0.0-M1")
    assert not fails(findings()["store_closes_blocking"], "5.0.0-M1")
