"""Every system has a cell for every requirement; a missing row, or one without an occasion, is unknown."""

from functools import cache
from pathlib import Path

import pytest

from oneowner.checkers.comparison.comparison import Cell, Says, Subject, cells, compare, subjects
from oneowner.checkers.documents import parse_document
from oneowner.checkers.verdict import Misuse
from oneowner.spec.handoff.requirements import REQUIREMENTS
from oneowner.spec.systems import systems


@cache
def all_cells() -> list[Cell]:
    return compare()


def at(system: str, requirement: str) -> Cell:
    (cell,) = [one for one in all_cells() if (one.system, one.requirement.name) == (system, requirement)]
    return cell


def test_every_system_says_something_of_every_requirement() -> None:
    assert set(systems()) <= {cell.system for cell in all_cells()}
    places = {(cell.system, cell.requirement.name) for cell in all_cells()}
    assert len(all_cells()) == len(places) == len(subjects()) * len(REQUIREMENTS)
    assert [f"{cell.system}, {cell.requirement.name}: {words}" for cell in all_cells() for words in cell.problems] == []


def test_requirements_have_names_of_their_own_and_sources() -> None:
    assert len({one.name for one in REQUIREMENTS}) == len(REQUIREMENTS) == 3 + 10 + 6
    assert all(one.statement.endswith(".") and one.source for one in REQUIREMENTS)


def test_every_word_of_a_cell_is_said_somewhere() -> None:
    assert {cell.says for cell in all_cells()} == set(Says) - {Says.UNKNOWN}


def test_shortest_saved_run_is_the_scenario_of_the_cell() -> None:
    cell = at("lock_manager", "O1")
    assert cell.says == Says.FAILS
    assert cell.fewest is not None
    assert (cell.fewest.steps, cell.fewest.file) == (4, "traces/counterexamples/two-managers/single-server.yaml")
    assert cell.in_short() == "fails (4)"


def test_guard_that_holds_where_the_law_without_it_fails_is_said() -> None:
    assert at("kafka", "O1").in_short() == "guarded (4)"
    assert at("locks", "O1").in_short() == "fails (7; guarded 9)"


def of(system: str, text: str, requirement: str = "O1") -> Cell:
    """Return a cell of a mapping that reads so; of a folder that is no system only decisions are known."""
    document = parse_document(Path(system) / "requirements.yaml", text)
    found = cells(Subject(system, "", systems().get(system), document))
    return next(cell for cell in found if cell.requirement.name == requirement)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("{laws: [single-serve]}", "no such law: single-serve; did you mean single-server"),
        ("{laws: [type-ok]}", "no such law"),
        ("{walked: [lookup]}", "no such family: lookup; did you mean lookups?"),
        ("{walked: [lookups]}", "was not walked"),
        ("{decisions: {kafka/sticki: [x]}}", "no such decision: kafka/sticki; did you mean kafka/sticky"),
        (
            "{decisions: {kafka/sticky: [share-stay]}}",
            "no such law of kafka/sticky: share-stay; did you mean share-stays?",
        ),
        ("{lemmas: [node-exclude]}", "no such lemma: node-exclude; did you mean node-excludes?"),
        ("{laws: []}", "nothing stands for it"),
        ("{}", "nothing stands for it"),
    ],
)
def test_what_does_not_exist_is_unknown(row: str, why: str) -> None:
    cell = of("lock_manager", f"O1: {row}")
    assert (cell.says, cell.in_short()) == (Says.UNKNOWN, "unknown")
    assert why in " ".join(cell.problems)


def test_law_that_no_family_exercises_is_unknown() -> None:
    (claim,) = of("lock_manager", "O1: {laws: [window-closes]}").claims
    apart = ", ".join(f"{one.name.removeprefix('lock_manager/')}: w" for one in claim.holds)
    cell = of("lock_manager", f"apart: {{{apart}}}\nO1: {{laws: [window-closes]}}")
    assert cell.problems == ["window-closes is never exercised"]


def test_requirement_that_is_not_mentioned_is_unknown() -> None:
    assert of("locks", "O2: {not_claimed: w}").problems == ["oneowner/spec/locks/requirements.yaml does not mention O1"]
    (cell, *_) = cells(Subject("locks", "", systems()["locks"], None))
    assert cell.problems == ["there is no oneowner/spec/locks/requirements.yaml"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("O11: {laws: [x]}", "no such key: O11"),
        ("O1: {law: [x]}", "no such key: law; did you mean laws?"),
        ("O1: {not_claimed: w, laws: [x]}", "no such key: laws"),
        ('O1: {not_claimed: ""}', "it is one line of text"),
        ("apart: {nowhere: w}", "no such family: nowhere"),
    ],
)
def test_mapping_that_cannot_be_read_is_refused_by_file_and_line(text: str, why: str) -> None:
    with pytest.raises(Misuse, match=r"requirements.yaml:1: ") as refused:
        of("locks", text)
    assert why in str(refused.value)


def test_decisions_alone_have_no_laws_and_no_walks() -> None:
    assert of("nowhere", "O1: {decisions: {kafka/sticky: [share-stays]}}").says == Says.HOLDS
    with pytest.raises(Misuse, match="there is no system of this name"):
        of("nowhere", "O1: {laws: [single-server]}")
