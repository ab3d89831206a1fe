"""Judging: a mutant is killed by the row that sees it, an equivalent one by none; the work tree stays as it is."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tools.mutation.judging import Outcome
from tools.mutation.mutants import FILES, MODEL, ROOT, Kind, Mutant, mutants
from tools.mutation.original import shown
from tools.mutation.overlay import overlaid
from tools.mutation.places import callees, comes_by, noted
from tools.mutation.results import Result, read_results, rows_of, summary, write_results
from tools.mutation.rows import Row, Sort
from tools.mutation.running import judged_apart

pytestmark = pytest.mark.slow

SMALL = [Row(Sort.VECTORS, ""), Row(Sort.FAMILY, "tombstone-metadata-store")]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of two quick rows for the model as it is."""
    path = tmp_path_factory.mktemp("original") / "original.json"
    path.write_text("".join(json.dumps(asdict(shown(row, FILES))) + "\n" for row in SMALL))
    return path


def by_hand(file: str, old: str, new: str, function: str) -> Mutant:
    source = (MODEL / file).read_bytes()
    start = source.index(old.encode())
    line = source.count(b"\n", 0, start) + 1
    last = line + old.count("\n")
    return Mutant(1, file, line, Kind.GUARD, old, new, start, start + len(old), new, function, line, last)


def test_resolver_without_its_version_rule_is_killed_by_the_vectors(small: Path) -> None:
    mutant = by_hand("resolver.py", "held.version >= proposed.version", "held.version > proposed.version", "refusal")
    fate = judged_apart(mutant, small)
    assert (fate.outcome, fate.by) == (Outcome.KILLED, "vectors")


def test_broker_that_forgets_what_it_reads_is_killed_by_a_family(small: Path) -> None:
    mutant = by_hand("broker.py", "state.view[broker, unit] = record", "pass", "take")
    fate = judged_apart(mutant, small)
    assert (fate.outcome, fate.by) == (Outcome.KILLED, "family tombstone-metadata-store")


def test_same_model_in_other_words_is_equivalent(small: Path) -> None:
    mutant = by_hand("broker.py", "record.destination == broker:", "broker == record.destination:", "handle")
    fate = judged_apart(mutant, small)
    assert (fate.outcome, fate.same, fate.test) == (Outcome.EQUIVALENT, ["family tombstone-metadata-store"], "")


def test_mutant_that_cannot_be_traced_is_an_error(small: Path) -> None:
    mutant = by_hand("broker.py", "record.destination == broker:", "record.destination is broker:", "handle")
    assert judged_apart(mutant, small).outcome == Outcome.ERROR


def test_work_tree_stays_as_it_is_and_the_overlay_has_the_change() -> None:
    mutant = mutants()[0]
    before = (MODEL / mutant.file).read_bytes()
    with overlaid(mutant) as place:
        assert (place / "oneowner" / "model" / "channel" / mutant.file).read_bytes() == mutant.applied(before)
        assert (place / "oneowner" / "spec" / "systems.py").samefile(ROOT / "oneowner" / "spec" / "systems.py")
    assert (MODEL / mutant.file).read_bytes() == before


def test_run_comes_by_the_lines_of_what_it_calls_only() -> None:
    from oneowner.model.channel import resolver
    from oneowner.model.channel.rules import Storage

    places: dict[str, list[int]] = {}
    with noted(MODEL, frozenset(["resolver.py"]), places):
        resolver.moves(Storage.METADATA_STORE)
    found = [one for one in mutants(["resolver.py"]) if one.function and comes_by(places, one)]
    assert {one.function for one in found} == {"moves"}


def test_callees_of_an_action_include_the_guards_of_the_table() -> None:
    from oneowner.model.channel.broker import consume

    assert {"consume", "handle", "refusal", "splits_its_owner", "require"} <= callees(consume)
    assert "move_boundaries" not in callees(consume)


def test_results_are_read_back_and_the_score_counts_what_is_left(tmp_path: Path) -> None:
    mutant = ("broker.py", 7, "guard dropped", "old: text", "")
    results = [
        Result(1, *mutant, outcome="killed", by="vectors", seconds=1.5),
        Result(2, *mutant, outcome="equivalent"),
        Result(3, *mutant, outcome="unmet"),
        Result(4, *mutant, outcome="survived", test="tests/model/channel/test_broker.py::test_x"),
    ]
    write_results(tmp_path / "results.yaml", results)
    assert list(read_results(tmp_path / "results.yaml").values()) == results
    (row,) = rows_of(results).values()
    assert (row["mutants"], row["killed by a test alone"]) == (4, 1)
    assert row["left"] == ["unmet, line 7: old: text -> "]
    words = summary(results)
    assert words.startswith("4 mutants: 1 killed by a row of the ledger, 0 killed by an error, 1 killed by a test")
    assert "1 equivalent within the ledger, 1 left; killed or equivalent: 75.0 %" in words
    assert "3 broker.py:7 unmet" in words
