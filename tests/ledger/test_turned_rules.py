"""Switches that are turned by name (``--rule``): judged as any change, saved with the scenario, or refused."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from oneowner.checkers.catalogue import families
from tests.command_line import FAULT, oneowner, pinned, refused, write_ledger


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger with the family ``tiny``, pinned right, and one fault."""
    monkeypatch.setattr(families, "SPEC", write_ledger(tmp_path / "spec", pinned(), faults=[FAULT]))
    return tmp_path / "spec"


TURNED = ("--rule", "close_before_assign=false")
"""The switch that the fault of this ledger turns."""


def test_switch_that_is_turned_is_judged_as_the_fault_that_turns_it(spec: Path) -> None:
    law = ("--law", "single-writer")  # else a fault is searched for its own law, and a switch for what breaks first
    by_fault = oneowner("explore", "tiny", "--fault", "early", *law, "--json", "-").json
    found = oneowner("explore", "tiny", *TURNED, *law, "--json", "-")
    assert (found.code, found.json["verdict"]) == (1, "invalid")
    for key in ("laws", "reasons", "counterexample", "actions"):
        assert found.json[key] == by_fault[key]
    assert "rule close_before_assign=false: invalid" in oneowner("explore", "tiny", *TURNED).out


def test_search_in_the_cache_is_not_that_of_other_rules(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = ("explore", "tiny", "--engine", "c", "--law", "single-writer")
    for _ in range(2):
        assert oneowner(*asked).code == 0
        assert oneowner(*asked, *TURNED).code == 1


@pytest.mark.slow
def test_walks_go_by_the_rules_that_are_turned(spec: Path) -> None:
    asked = ("explore", "tiny", "--walks", 300, "--depth", 20, "--engine", "native", "--law", "single-writer")
    assert [oneowner(*asked, *more).code for more in ((), TURNED)] == [3, 1]


def test_switch_that_changes_nothing_in_these_bounds_is_told(spec: Path) -> None:
    found = oneowner("explore", "tiny", "--rule", "health_check=false")
    assert found.code == 0
    assert "as many states and transitions as without --rule" in found.out
    assert "without --rule" not in oneowner("explore", "tiny", *TURNED, "--continue").out


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (["close_before_asign=false"], "no such rule: close_before_asign; did you mean close_before_assign"),
        (["version_check=maybe"], "no such value of version_check: maybe; there are: false, true"),
        (["version_check"], "the form is NAME=VALUE, such as version_check=false"),
        (["version_check=true", "version_check=false"], "each switch once"),
    ],
)
def test_switch_that_there_is_not_is_refused(spec: Path, rules: list[str], words: str) -> None:
    refused(oneowner("explore", "tiny", *(part for rule in rules for part in ("--rule", rule))), words)


def test_switch_that_a_fault_or_a_repair_turns_is_refused(spec: Path) -> None:
    refused(oneowner("explore", "tiny", "--fault", "early", *TURNED), "early turns it")
    write_ledger(spec, pinned(), faults=[FAULT | {"rules": {}, "repaired": {"returned_unit_is_closed": True}}])
    asked = ("--repair", "early", "--rule", "returned_unit_is_closed=false")
    refused(oneowner("explore", "tiny", *asked), "early turns it")


def test_switch_that_does_not_go_with_the_bounds_is_refused_in_words(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(bounds: Any) -> None:
        if not bounds.rules.version_check:
            raise ValueError("unloads refused: 1; not modelled without versions")

    monkeypatch.setattr("oneowner.model.channel.bounds.check_combination", refuse)
    words = "rules refused: version_check; unloads refused: 1; not modelled without versions"
    refused(oneowner("explore", "tiny", "--rule", "version_check=false"), words)


def test_counterexample_by_a_switch_is_saved_with_it_and_replayed(spec: Path, tmp_path: Path) -> None:
    found = oneowner("explore", "tiny", *TURNED, "--save", tmp_path)
    assert found.code == 1
    (file,) = tmp_path.glob("*.yaml")
    assert yaml.safe_load(file.read_text())["rules"] == {"close_before_assign": False}
    for saved in (file, file.with_suffix(".itf.json")):
        assert oneowner("replay", saved).code == 1
    assert "rules: close_before_assign=false" in oneowner("replay", file).out
    mended = oneowner("replay", file, "--rule", "close_before_assign=true")
    assert mended.code == 3
    assert "is not enabled" in mended.out
    refused(
        oneowner("replay", file.with_suffix(".itf.json"), *TURNED), "an ITF trace holds the states of its own rules"
    )
    text = file.read_text()
    file.write_text(text.replace("close_before_assign:", "close_before_asign:"))
    refused(oneowner("replay", file), f"{file}:3: no such rule: close_before_asign; did you mean close_before_assign")
    file.write_text(text.replace("close_before_assign: false", "close_before_assign: maybe"))
    refused(oneowner("replay", file), f"{file}:3: close_before_assign refused: maybe; it is true or false")


def test_counterexample_under_a_repair_is_saved_with_the_switches_that_it_turns(spec: Path, tmp_path: Path) -> None:
    repaired = FAULT | {"rules": {}, "repaired": {"close_before_assign": False}}  # which repairs nothing
    write_ledger(spec, pinned(), faults=[repaired])
    assert oneowner("explore", "tiny", "--repair", "early", "--save", tmp_path).code == 1
    (file,) = tmp_path.glob("*.yaml")
    assert oneowner("replay", file).code == 1


def test_switch_is_refused_where_nothing_is_a_scenario(tmp_path: Path) -> None:
    refused(oneowner("replay", tmp_path, *TURNED), "it applies to scenarios, not to recorded runs")
    refused(
        oneowner("replay", tmp_path / "x.jsonl", "--system", "locks", *TURNED), "--system excludes --itf and --rule"
    )
