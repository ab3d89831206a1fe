"""The table of hypotheses is read as written, and refused where it contradicts the project or refers to nothing."""

from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue import faults as switchings
from oneowner.checkers.catalogue.faults import NOT_MODELLED, Unkilled
from oneowner.checkers.compaction_logs.log_faults import survival
from oneowner.checkers.ledger.kills import fault_matrix as matrix
from oneowner.checkers.ledger.kills.hypotheses import NOT_FOUND, REPRODUCED, Hypothesis, counted, hypotheses
from oneowner.checkers.verdict import Misuse
from tests.command_line import VALIDATOR, oneowner, refused

REPRODUCED_ROW = """
- record: bugs.H1
  source: apache/pulsar#1
  says: Something late is taken.
  reproduced: [tombstone/begins-at-one.yaml, split/parent-stays-deleted.yaml]
  faults: [null_accepts_inflight]
  releases: all
"""
NOT_FOUND_ROW = """
- record: models.H7
  source: PIP-192
  says: Children are refused.
  not_found: {law: children-before-boundaries, in: [split, split-metadata-store@5.0.1], reached: split-is-over}
  why: They are not.
"""
NOT_MODELLED_ROW = """
- record: channel.D8
  source: String.endsWith
  says: Names are compared by their ends.
  not_modelled: Brokers are numbers.
"""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger and the catalogue of the project in a folder of one's own: there they are read once for all tests."""
    channel = tmp_path_factory.mktemp("spec") / "channel"
    channel.mkdir()
    for name in ("families", "faults.yaml", "variants.yaml"):
        (channel / name).symlink_to(families.SPEC / "channel" / name)
    return channel


@pytest.fixture
def desk(room: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of one's own beside them."""
    monkeypatch.setattr(families, "SPEC", room.parent)
    (room / "hypotheses.yaml").write_text(REPRODUCED_ROW + NOT_FOUND_ROW + NOT_MODELLED_ROW)
    return room / "hypotheses.yaml"


def test_row_is_read_as_it_is_written(desk: Path) -> None:
    assert list(hypotheses()) == ["bugs.H1", "models.H7", "channel.D8"]
    late, children, names = hypotheses().values()
    assert (late.verdict, late.faults, late.releases) == (REPRODUCED, ("null_accepts_inflight",), "all")
    assert late.where == "tombstone/begins-at-one.yaml and 1 more"
    assert (children.verdict, children.law) == (NOT_FOUND, "children-before-boundaries")
    words = "children-before-boundaries holds in split, split-metadata-store@5.0.1; reached: split-is-over"
    assert children.where == words
    assert (names.verdict, names.where) == (NOT_MODELLED, "Brokers are numbers.")
    assert counted(hypotheses().values()) == "1 reproduced, 1 not found, 1 not modelled"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("tombstone/begins-at-one.yaml", "tombstone/begins-at-two.yaml", "5: no such scenario: tombstone/begins"),
        ("tombstone/begins-at-one.yaml", "README.md", "5: no such scenario: README.md"),
        ("tombstone/begins-at-one.yaml", "../real/healthy/manifest.yaml", "5: no such scenario: ../real"),
        ("[tombstone/begins-at-one.yaml, split/parent-stays-deleted.yaml]", "[]", "5: reproduced refused: no scenario"),
        ("null_accepts_inflight", "null_accepts", "6: no such fault: null_accepts; did you mean null_accepts_inflight"),
        ("null_accepts_inflight", "out_of_reach", "6: no such fault: out_of_reach"),
        ("children-before-boundaries", "children-first", "12: no such law: children-first"),
        ("children-before-boundaries", "accepted-is-cas", "12: .*split; accepted-is-cas is pinned invalid there"),
        ("children-before-boundaries", "lookup-ends", "12: .*split; lookup-ends is pinned unknown there, not valid"),
        ("in: [split,", "in: [splits,", "12: no such row of the ledger: splits; did you mean split"),
        ("split-metadata-store@5.0.1", "split@1.0", "12: no such row of the ledger: split@1.0"),
        ("in: [split, split-metadata-store@5.0.1]", "in: []", "12: in refused: no row of the ledger"),
        ("split-is-over", "split-ends", "12: no such witness: split-ends"),
        ("split-is-over", "unload-ends", "12: .*unload-ends; it is not pinned in split-metadata-store@5.0.1"),
        (", reached: split-is-over", "", "12: the key reached is missing"),
        ("says: Children", "say: Children", "11: no such key: say; did you mean says"),
        ("  why: They", "  not_modelled: They", "9: a row has one of the keys .*, not not_found and not_modelled"),
        ("  not_modelled: Brokers", "  why: Brokers", "15: a row has one of the keys .*, not none"),
        ("  source: PIP-192\n", "", "9: the key source is missing"),
        ("models.H7", "bugs.H1", "9: record refused: bugs.H1; there is a row of it already"),
    ],
)  # fmt: skip
def test_row_that_nothing_bears_out_is_refused_with_file_and_line(
    desk: Path, before: str, after: str, words: str
) -> None:
    assert before in desk.read_text()
    desk.write_text(desk.read_text().replace(before, after))
    with pytest.raises(Misuse, match=f"hypotheses.yaml:{words}"):
        hypotheses()


def test_row_that_is_refused_ends_the_matrix_with_2(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "kills", lambda chosen, tell: pytest.fail("nothing is searched"))
    desk.write_text(desk.read_text().replace("begins-at-one", "begins-at-two"))
    found = oneowner("faults")
    assert found.code == 2
    assert f"{desk}:5: no such scenario" in found.err


@pytest.mark.usefixtures("desk")  # a table that no test before this one has read
def test_matrix_outside_of_a_checkout_ends_with_2_and_says_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(switchings, "TOP", tmp_path)
    monkeypatch.setattr(matrix, "kills", lambda chosen, tell: pytest.fail("nothing is searched"))
    refused(oneowner("faults"), f"{tmp_path}/traces/counterexamples: no such folder; saved bugs are in a checkout")
    fault = families.log_faults()["split_batch_entries"]
    with pytest.raises(Misuse, match="are in a checkout of the project"):
        survival(fault)


def test_table_comes_after_the_matrix_and_only_if_no_fault_is_named(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = Unkilled("far_away", "A bug", "bugs.R73", "#1", "all", "S1", "channel", NOT_MODELLED, "it is out of reach")
    monkeypatch.setattr(matrix, "catalogue", lambda: {row.name: row})
    found = oneowner("faults", "--json", "-")
    assert found.code == 3  # no law was put to anything
    assert list(VALIDATOR.iter_errors(found.json)) == []
    assert [Hypothesis(**scenario_row(one)) for one in found.json["hypotheses"]] == list(hypotheses().values())
    assert found.err.index("it is out of reach") < found.err.index("hypotheses and hazards: 1 reproduced, 1 not found")
    named = oneowner("faults", "far_away", "--json", "-")
    assert "hypotheses" not in named.json
    assert "hypotheses and hazards" not in named.err


def scenario_row(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
