"""The catalogue of protocol mutants: every patch applies, names its place of detection, and has a result."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.families import ledger_rows
from oneowner.checkers.verdict import Misuse
from oneowner.spec.systems import decisions, systems
from tools.mutation.catalogue import Wrong, catalogue, named
from tools.mutation.kills import By, Kill, in_family, rank
from tools.mutation.mutants import path_of
from tools.mutation.protocol_run import Result, by_file, is_current, is_left, judged, read, row_of, summary, write
from tools.mutation.summary import SUMMARY, read_summary, write_summary

EVERY = catalogue()
FILES = by_file(EVERY)
ROWS = read_summary("protocol")
SEEN_BY = {
    *(name for one in systems().values() for name in (*one.laws_by_name, *one.liveness_by_name)),
    *(witness.name for one in systems().values() for witness in one.witnesses),
    *(law for decision in decisions().values() for law in decision.laws_by_name),
    "vectors",
}


def test_every_patch_applies_at_one_place_and_leaves_a_file_of_python() -> None:
    for one in EVERY:
        ast.parse(one.applied(path_of(one.file).read_bytes()))


def test_mutants_are_many_and_said_in_a_sentence() -> None:
    assert len(EVERY) >= 120
    assert all(one.says[0].isupper() and one.says.endswith(".") for one in EVERY)


def test_every_mutant_names_a_law_or_witness_that_there_is() -> None:
    assert [one.name for one in EVERY if one.law not in SEEN_BY] == []


def test_mutants_are_spread_over_the_files_of_the_model() -> None:
    assert len({one.file for one in EVERY}) >= 35


def test_patch_that_fits_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="holds its old text 0 times"):
        Wrong("x", "X.", "broker.py", "no such text", "another", ("transfer",), "vectors").applied(b"text")


def test_mutant_that_there_is_not_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(Misuse, match="no such mutant of the protocol: override-names-nobod; did you mean"):
        named(["override-names-nobod"])


def test_summary_is_of_the_patches_that_there_are() -> None:
    stale = [file for file, mutants in FILES.items() if not is_current(ROWS.get(file), mutants)]
    assert stale == [], "python -m tools.mutation protocol runs them"
    assert set(ROWS) == set(FILES)
    assert {file: row["mutants"] for file, row in ROWS.items()} == {file: len(own) for file, own in FILES.items()}


def test_summary_of_a_patch_that_changes_is_stale() -> None:
    file, (first, *others) = next(iter(FILES.items()))
    assert is_current(ROWS[file], [first, *others])
    assert not is_current(ROWS[file], [replace(first, new=first.new + " "), first, *others])
    assert not is_current(ROWS[file], others)


def test_no_mutant_survives_or_is_killed_by_a_count_alone_unless_it_is_equivalent() -> None:
    assert [file for file, row in ROWS.items() if is_left(row)] == []
    reasons = {one.name: one.equivalent for one in EVERY}
    assert all(reasons[name] for row in ROWS.values() for name in row.get("equivalent", ()))


def test_every_mutant_is_decided_and_most_are_killed_by_a_law() -> None:
    """Of those that are not equivalent: by a law of states, steps or runs; and by these or a decision."""
    tally = {by: sum(row.get(by, 0) for row in ROWS.values()) for by in By}
    total = sum(tally.values())
    assert total + sum(len(row.get("equivalent", ())) for row in ROWS.values()) == len(EVERY)
    by_law = tally[By.LAW] + tally[By.LIVENESS]
    assert by_law >= 0.94 * total
    assert by_law + tally[By.VECTOR] >= 0.99 * total


def test_document_has_the_numbers_of_the_summary() -> None:
    text = SUMMARY.with_name("README.md").read_text()
    tally = {by: sum(row.get(by, 0) for row in ROWS.values()) for by in By}
    assert f"All {len(EVERY)} mutants are decided" in text
    assert f"| a law of states, steps or a decision | {tally[By.LAW]} |" in text
    assert f"| liveness | {tally[By.LIVENESS]} |" in text
    operators = read_summary("operators")
    assert f"every third one (`--every 3 --budget 25`, {sum(row['mutants'] for row in operators.values())}" in text


def test_results_are_read_back_and_the_summary_counts_them(tmp_path: Path) -> None:
    results = [
        Result("a", "a law", "family transfer", "single-server", "x -> y in transfer"),
        Result("b", "a count only", "family transfer", "", "x -> z in transfer"),
        Result("c", "nothing", "", "", "x -> w in transfer", equivalent=True),
    ]
    write(tmp_path / "results.yaml", results)
    assert read(tmp_path / "results.yaml") == results
    row = row_of(EVERY[:3], results)
    write_summary("protocol", {"channel/x.py": row}, tmp_path / "summary.yaml")
    rows = read_summary("protocol", tmp_path / "summary.yaml")
    assert (rows, is_left(row)) == ({"channel/x.py": row}, True)
    assert (row["equivalent"], row["not by a law"]) == (["c"], {"b": "family transfer: "})
    words = summary(rows)
    assert "killed by a count only         1   50.0 %" in words
    assert "3 mutants of the protocol, 1 equivalent; by a law, liveness or a vector 50.0 %" in words
    assert "  b: family transfer" in words


def test_kinds_of_kills_are_ranked_by_what_they_say() -> None:
    assert rank(By.LAW) < rank(By.LIVENESS) < rank(By.WITNESS) < rank(By.COUNT) < rank(By.NOTHING)


@pytest.mark.slow
def test_model_as_it_is_is_killed_by_nothing() -> None:
    assert in_family(ledger_rows()["tombstone-metadata-store"]) == Kill(By.NOTHING, "family tombstone-metadata-store")


@pytest.mark.slow
def test_mutant_is_judged_in_an_overlay_by_the_law_that_it_names() -> None:
    (one,) = named(["override-names-nobody"])
    found = judged(one, 30)
    assert found.by == By.LAW
    assert one.law in found.words
