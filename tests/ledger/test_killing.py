"""The kill matrix: a fault is killed by its law as pinned, or the matrix reports a problem."""

from pathlib import Path

import pytest

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.families import catalogue, faults
from oneowner.checkers.catalogue.faults import Unkilled
from oneowner.checkers.ledger.kills.fault_kill import kill
from oneowner.checkers.verdict import Misuse

ROW = """
- fault: destination_returns
  title: The destination owns the unit at once
  record: models.H1
  upstream: PIP-192
  releases: the design text
  breaks: models.S22
  law: transfer-handshake
  family: pip-192
  rules: {source_returns: false}
  steps: 6
  scenario: traces/counterexamples/destination_returns/transfer-handshake.yaml
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue of one's own, beside the families of the project."""
    for name in ("families", "variants.yaml"):
        (tmp_path / "channel").mkdir(exist_ok=True)
        (tmp_path / "channel" / name).symlink_to(families.SPEC / "channel" / name)
    monkeypatch.setattr(families, "SPEC", tmp_path)
    (tmp_path / "channel" / "faults.yaml").write_text(ROW)
    return tmp_path / "channel" / "faults.yaml"


def test_fault_is_killed_by_its_law_in_as_many_steps_as_pinned(desk: Path) -> None:
    steps = faults()["destination_returns"].steps
    found = kill("destination_returns")
    assert (found.verdict, found.reasons, found.steps) == ("killed", (), steps)
    assert found.states > 0


def test_kill_in_another_number_of_steps_says_so(desk: Path) -> None:
    desk.write_text(ROW.replace("steps: 6", "steps: 3"))
    assert kill("destination_returns").reasons == ("transfer-handshake fails after 6 steps, but 3 are pinned",)


def test_fault_whose_law_holds_with_it_survives(desk: Path) -> None:
    desk.write_text(ROW.replace("transfer-handshake", "version-chain"))
    found = kill("destination_returns")
    assert found.verdict != "killed"
    assert "version-chain does not fail with it" in found.reasons[0]


def test_law_that_fails_without_the_fault_too_kills_nothing(desk: Path) -> None:
    """The repair of this one repairs nothing."""
    desk.write_text(ROW.replace("  rules:", "  repaired: {source_returns: false}\n  rules:"))
    found = kill("destination_returns")
    assert found.verdict == "survived"
    assert found.reasons == ("transfer-handshake is invalid without it, so that its failure says nothing",)


def test_bounds_of_a_fault_that_do_not_fit_are_misuse_with_the_line(desk: Path) -> None:
    desk.write_text(ROW.replace("rules: {", "set: {transfer: 2}\n  rules: {"))
    with pytest.raises(Misuse, match=r"faults.yaml:10: .*no such bound: transfer; did you mean transfers"):
        faults()


def test_fault_that_turns_no_switch_is_misuse(desk: Path) -> None:
    desk.write_text(ROW.replace("{source_returns: false}", "{}"))
    with pytest.raises(Misuse, match="it turns no switch"):
        faults()


@pytest.mark.parametrize(("key", "verdict"), [("survives", "survived"), ("not_modelled", "not modelled")])
def test_record_that_nothing_kills_says_why(desk: Path, key: str, verdict: str) -> None:
    row = ROW[: ROW.index("  law:")]
    desk.write_text(f"{ROW}{row.replace('destination_returns', 'out_of_reach')}  {key}: no broker is asked\n")
    found = catalogue()["out_of_reach"]
    assert isinstance(found, Unkilled)
    assert (found.verdict, found.why) == (verdict, "no broker is asked")
    assert list(faults()) == ["destination_returns"]
