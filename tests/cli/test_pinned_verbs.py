"""The verbs about pins: their output, their JSON, and their refusals in one line."""

from typing import Any

import pytest

from oneowner.checkers.cli import check, pinned_rows, pinned_verbs
from oneowner.checkers.cli.verbs import Verb
from oneowner.checkers.engines.compile.traceable import Complaint
from oneowner.checkers.ledger.kinds import KINDS
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Verdict
from tests.command_line import VALIDATOR, oneowner, refused


@pytest.mark.parametrize("verb", [verb.name for verb in vars(pinned_verbs).values() if isinstance(verb, Verb)])
def test_help_of_a_verb_says_its_exit_codes(verb: str) -> None:
    found = oneowner(verb, "--help")
    assert found.code == 0
    assert "Exit codes: 0 valid, 1 invalid, 2 misuse" in found.out
    assert "--json FILE" in found.out


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("arguments", "kind"),
    [(["logs", "around-the-wrap"], "logs"), (["refine", "pip-192"], "refinement"), (["explain", "split"], "conform")],
)
def test_rows_of_a_kind_are_shown_and_compared_as_in_the_gate(arguments: list[str], kind: str) -> None:
    found = oneowner(*arguments, "--json", "-")
    assert list(VALIDATOR.iter_errors(found.json)) == []
    assert (found.code, found.json["verb"], found.json["verdict"]) == (0, arguments[0], "valid")
    assert [(row["kind"], row["name"], row["ok"]) for row in found.json["rows"]] == [(kind, arguments[1], True)]


def test_family_that_no_refinement_is_about_is_unknown_by_name_and_not_among_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = oneowner("refine", "locks/holders")
    assert found.code == 3
    assert "locks/holders: no refinement is about it" in found.out
    asked: list[str] = []

    def look(*given: Any) -> Result:
        asked.extend(given[5])
        return Result("refine", Verdict.VALID, [])

    monkeypatch.setattr(pinned_rows, "look", look)
    assert oneowner("refine").code == 0
    assert asked == [name for name, _ in KINDS["refinement"].rows("nightly")]


def test_sources_that_no_engine_can_follow_are_told_and_invalid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "check_systems", list)  # of all systems test_architecture says the same
    found = oneowner("check")
    assert (found.code, found.out) == (0, "")
    complaint = Complaint("model/channel/x.py", 7, "while: a tracer cannot see it")
    monkeypatch.setattr(check, "check_systems", lambda: [complaint])
    found = oneowner("check")
    assert (found.code, found.out) == (1, f"{complaint}\n")


def test_unit_of_a_recording_is_explained_with_its_trail() -> None:
    unit = "rig/a/0x00000000_0x40000000"
    found = oneowner("explain", "split", "--unit", unit, "--trail")
    assert found.code == 0
    assert found.out.startswith("   1 ")
    last = found.out.splitlines()[-1]
    assert last.startswith(unit)
    assert ": accepted, " in last


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explain", "splitt"], "no such run: splitt; name a folder, or one of traces/real: did you mean split"),
        (["explain", "--trail"], "--trail requires --unit KEY"),
        (["explain", "--unit", "a/b/0x0_0x1"], "--unit requires one RUN, not 0"),
        (["explain", "split", "--unit", "a/b/0x0_0x1"], "no unit a/b/0x0_0x1 in it"),
        (["explain", "split", "--unit", "a", "--refute"], "--refute and --unit exclude each other"),
        (["referee", "pip-193"], "no such family: pip-193; did you mean pip-192"),
        (["bless", "transfer", "--reason", " "], "a reason is demanded, on one line"),
        (["bless", "transfr", "--reason", "x"], "no such family: transfr; did you mean transfer"),
    ],
)
def test_misuse_is_one_line_with_what_is_allowed(arguments: list[str], words: str) -> None:
    refused(oneowner(*arguments), words)
