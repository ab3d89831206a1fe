"""``oneowner list KIND NAME`` for switches, and for kinds whose one line is all that is known."""

import pytest

from oneowner.checkers.cli.list import entries
from oneowner.checkers.cli.list_rules import parts_of, rules
from oneowner.model.channel import orphans
from tests.command_line import oneowner, refused


def test_rule_in_full_has_its_releases_its_fault_and_a_command() -> None:
    [row] = oneowner("list", "rules", "health_check", "--json", "-").json["list"]
    assert row["about"].endswith("[true in 4.0.6]")
    assert row["parts"]["Releases in which it is false"].startswith("3.0.0-3.0.17")
    assert row["parts"]["Faults and variants that set it"] == "cleanup_without_health_check"
    assert row["parts"]["Try it"] == "oneowner explore channel --all --rule health_check=false --diff"


def test_rule_of_another_system_is_named_as_it_is_listed_and_tried_by_its_own_name() -> None:
    [row] = oneowner("list", "rules", "locks/serialised", "--json", "-").json["list"]
    assert row["parts"]["Try it"] == "oneowner explore locks --all --rule serialised=false --diff"


def test_no_rule_has_its_other_value_in_the_default_release() -> None:
    for rule in rules().values():
        releases, *_ = parts_of(rule).values()
        assert rule.system.default_release not in releases.split(", ")
        assert releases != "all"


@pytest.mark.parametrize("kind", ["bounds", "decisions", "lemmas"])
def test_kind_without_a_longer_description_prints_its_line(kind: str) -> None:
    name, about = next(entries(kind))
    [row] = oneowner("list", kind, name, "--json", "-").json["list"]
    assert (row["name"], row["about"]) == (name, about)


def test_switch_without_a_meaning_is_listed_with_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orphans, "HEALTH_CHECK", None)  # a name in rules.py whose Switch is not yet written
    [row] = oneowner("list", "rules", "health_check", "--json", "-").json["list"]
    assert row["about"].startswith('No meaning is declared: HEALTH_CHECK = Switch("...") is missing')


def test_witness_that_a_search_names_is_described() -> None:
    [row] = oneowner("list", "laws", "unregistered-leader", "--json", "-").json["list"]
    assert row["about"].startswith("Witness: ")


def test_list_in_a_pipe_has_each_entry_on_one_line() -> None:
    lines = oneowner("list", "rules").out.splitlines()
    assert [line.split(maxsplit=1)[0] for line in lines] == ["rules:", *rules()]
    assert all(line.endswith(rule.about) for line, rule in zip(lines[1:], rules().values(), strict=True))


def test_unknown_rule_names_those_that_contain_it() -> None:
    refused(oneowner("list", "rules", "unplaced"), "no such rule: unplaced; did you mean frees_unplaced?")
