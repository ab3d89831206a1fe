"""Rules that stand for a fix are read and taken into the plan; all others are refused."""

from pathlib import Path

import pytest

from oneowner.checkers.lab.gates.agent import methods, told_to_cluster
from oneowner.checkers.lab.gates.repair import REPAIRS, read_repair
from oneowner.checkers.places import TOP
from tests.command_line import COUNTEREXAMPLES, oneowner, refused

FILES = sorted(REPAIRS.glob("*.btm"))
REPAIRED = sorted((TOP / "traces" / "repaired").glob("*/*.yaml"))
GIVEN_BACK = COUNTEREXAMPLES / "transfer-given-back" / "owner-can-serve.yaml"
RULE = "RULE one\nCLASS a.B\nMETHOD c\nHELPER oneowner.Own\nAT ENTRY\nIF true\nDO d()\nENDRULE\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_repair_stands_for_a_switch_and_has_its_helper(path: Path) -> None:
    repair = read_repair(path)
    assert list(repair.switches) == [path.stem]
    assert repair.sources
    assert all(name.startswith("org.apache.pulsar.") for name in methods([path]))


@pytest.mark.parametrize("path", REPAIRED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_repaired_scenario_ends_well_and_can_be_driven_only_with_its_rule(path: Path) -> None:
    assert oneowner("replay", path).code == 0
    rule = REPAIRS / f"{path.parent.name}.btm"
    assert oneowner("drive", "--plan", path, "--agent-rule", rule).code == 0
    without = oneowner("drive", "--plan", path)
    assert without.code == 3
    assert "4.0.6 goes another way at step " in without.out


def test_every_repair_has_a_scenario() -> None:
    assert {path.parent.name for path in REPAIRED} == {path.stem for path in FILES}


def test_brokers_are_told_of_all_rules() -> None:
    files = told_to_cluster(Path("b.jar"), Path("c"), [Path("t")], [1], [read_repair(FILES[0])])
    assert files["agents"][0][0].endswith(f"rules.btm,script:{FILES[0].resolve()}")


def test_what_is_no_rule_is_refused(tmp_path: Path) -> None:
    refused(oneowner("drive", "--plan", GIVEN_BACK, "--agent-rule", tmp_path / "none.btm"), "cannot be read")
    (tmp_path / "empty.btm").write_text("# nothing\n")
    refused(oneowner("drive", "--plan", GIVEN_BACK, "--agent-rule", tmp_path / "empty.btm"), "holds no rule of Byteman")
    (tmp_path / "own.btm").write_text(RULE)
    refused(oneowner("drive", "--plan", GIVEN_BACK, "--agent-rule", tmp_path / "own.btm"), "Own.java is where")
    (tmp_path / "Own.java").write_text("")
    (tmp_path / "own.btm").write_text(f"# model: no_such_switch=true\n{RULE}")
    refused(oneowner("drive", "--plan", GIVEN_BACK, "--agent-rule", tmp_path / "own.btm"), "no_such_switch")
