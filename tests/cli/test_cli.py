"""The command line: exit codes, names that do not exist, where output goes, and help."""

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from oneowner.checkers.catalogue.families import families, ledger_rows, switchings
from oneowner.checkers.cli.list import entries
from oneowner.checkers.cli.list_rules import named_in
from oneowner.checkers.cli.main import main
from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS
from oneowner.checkers.report.text import WORDS, legend
from oneowner.checkers.results import LawRow
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.system import actions
from oneowner.spec.channel.registry import LOG_LAWS
from oneowner.spec.systems import decisions, systems
from tests.command_line import QUICK, oneowner, refused

SCENARIO = QUICK.with_suffix(".yaml")
KILLED = ("explore", "expiry", "--fault", "cleanup_without_health_check")
VALID = ("lock_manager/crash",)
"""A family whose model is small, yet compiled: it has more states than the interpreter visits first."""
VERBS = ("gate", "explore", "replay", "audit", "timeline", "export", "list")


def without_seconds(text: str) -> str:
    return re.sub(r'"seconds": [0-9.]+', '"seconds": 0', text)


@pytest.mark.parametrize("help_option", ["--help", "-h"])
@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_of_every_verb_lists_the_exit_codes(verb: str, help_option: str) -> None:
    found = oneowner(*([verb] if verb else []), help_option)
    assert found.code == 0
    words = " ".join(found.out.split())
    for code, meaning in (("0", "valid"), ("1", "invalid"), ("2", "misuse"), ("3", "unknown")):
        assert re.search(rf"\b{code} {meaning}", words), (verb, code)
    assert found.err == ""


@pytest.mark.parametrize("verb", [*main.commands, "lab up", "lab down", "lab status", "lab record"])
def test_help_of_a_verb_tells_of_exit_codes(verb: str) -> None:
    assert "xit codes: 0 " in " ".join(oneowner(*verb.split(), "--help").out.split())


def test_help_names_every_verb() -> None:
    out = oneowner("--help").out
    for verb in VERBS:
        assert re.search(rf"^  {verb}\b", out, re.MULTILINE)


def test_help_cuts_no_sentence_off() -> None:
    assert "..." not in oneowner("--help").out.partition("Commands:")[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explore", "expirie"], ["no such family: expirie", "expiry"]),
        (["explore", ""], ["no such family", "oneowner list families"]),
        (["explore", "expiry", "--fault", "no_versions_check"], ["no_versions_check", "no_version_check"]),
        (["explore", "expiry", "--law", "single-sever"], ["single-sever", "single-server"]),
        (["explore", "expiry", "--release", "4.0.x"], ["no such release: 4.0.x", "4.0.7"]),
        (["explore", "expiry", "--set", "broker=2"], ["broker", "brokers"]),
        (["explore", "expiry", "--set", "rules=2"], ["rules"]),
        (["explore", "expiry", "--set", "brokers"], ["brokers", "BOUND=VALUE"]),
        (["explore", "expiry", "--set", "=2"], ["oneowner list bounds"]),
        (["explore", "expiry", "--set", "brokers="], ["brokers", "1", "99"]),
        (["explore", "expiry", "--set", "brokers=two"], ["brokers=two", "1", "99"]),
        (["explore", "expiry", "--set", "brokers=0"], ["brokers=0", "1", "99"]),
        (["explore", "expiry", "--set", "brokers=-1"], ["brokers=-1", "1", "99"]),
        (["explore", "expiry", "--set", "brokers=100"], ["brokers=100", "99"]),
        (["explore", "expiry", "--set", "brokers=2=3"], ["brokers=2=3", "99"]),
        (["explore", "expiry", "--set", "owner=3"], ["owner", "3", "2 brokers"]),
        (["explore", "expiry", "--set", "storage=zookeeper"], ["zookeeper", "metadata-store"]),
        (["explore", "expiry", "--set", "storage=metadata-store"], ["metadata store"]),
        (["list", "actions", "apend"], ["apend", "append"]),
        (["list", "families", "transfr"], ["no such family: transfr", "did you mean transfer"]),
        (["list", "families", "transfer@4.0.5"], ["has no pins", "oneowner bless"]),
        (["list", "lemmas", "x"], ["no such lemma: x"]),
        (["list", "laws", "append"], ["no such law: append"]),
        (["replay", "/nowhere/at/all.yaml"], ["/nowhere/at/all.yaml"]),
        (["replay", str(TOP)], [str(TOP), "no file of a recorded run in it"]),
    ],
)  # fmt: skip
def test_name_or_value_that_does_not_exist_is_misuse_with_what_is_allowed(
    arguments: list[str], words: list[str]
) -> None:
    refused(oneowner(*arguments), *words)


@pytest.mark.parametrize(
    "arguments",
    [
        ["explor", "expiry"], ["explore"], ["replay"], ["explore", "expiry", "transfer"], ["list", "fault"],
        ["gate", "--profile", "weekly"], ["explore", "expiry", "--max-states", "0"],
        ["explore", "expiry", "--max-states", "many"], ["explore", "expiry", "--frobnicate"],
        ["explore", "expiry", "--engine", "quantum"],
    ],
)  # fmt: skip
def test_misuse_of_the_command_line_exits_2_with_usage(arguments: list[str]) -> None:
    found = oneowner(*arguments)
    assert found.code == 2
    assert found.out == ""
    assert "Usage: oneowner" in found.err
    assert "Traceback" not in found.err


def test_save_writes_a_scenario_and_a_trace_that_reproduce(tmp_path: Path) -> None:
    found = oneowner(*KILLED, "--law", "override-names-the-gone", "--save", tmp_path / "new" / "folder", "--json", "-")
    saved = sorted((tmp_path / "new" / "folder").iterdir())
    assert [path.suffixes[-1] for path in saved] == [".json", ".yaml"]
    assert found.json["counterexample"]["scenario"] == str(saved[1])
    assert str(saved[1]) in found.err
    for path in saved:
        again = oneowner("replay", path)
        assert again.code == 1
        assert "broken: override-names-the-gone" in again.out
    scenario = yaml.safe_load(SCENARIO.read_text())
    assert scenario.pop("story")  # which a person wrote
    assert yaml.safe_load(saved[1].read_text()) == scenario
    assert saved[0].read_text() == QUICK.with_suffix(".itf.json").read_text()


def test_save_into_a_file_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        found = oneowner(*KILLED, "--save", place)
        assert found.code == 2
        assert str(place) in found.err
    assert (tmp_path / "file").read_text() == "mine"


def test_save_where_nothing_can_be_written_is_misuse() -> None:
    refused(oneowner(*KILLED, "--save", "/proc/oneowner"), "/proc/oneowner")


def test_list_of_families_says_which_allow_symmetry_and_of_what() -> None:
    output = oneowner("list", "families").out
    declared = {family.full_name: family.symmetry for family in families().values() if family.symmetry}
    assert declared
    marked = dict(re.findall(r"^  (\S+) .* \[symmetry: ([\w, ]+)\]", output, re.MULTILINE))
    assert marked == {name: ", ".join(kinds) for name, kinds in declared.items()}


def test_exploration_explains_the_words_of_its_table() -> None:
    output = oneowner(*KILLED, "--continue").out
    assert " may fail " in output
    assert f"\nexpected may fail: {WORDS['expected may fail'].format(project='Pulsar')}\n" in output


def test_legend_explains_the_words_that_a_table_shows_and_no_other() -> None:
    def words(*rows: tuple[str, Verdict, Verdict]) -> list[str]:
        laws = [LawRow("a-law", status, expected, verdict, 1) for status, expected, verdict in rows]
        return [line.partition(":")[0] for line in legend(laws, "Pulsar")]

    held = ("holds", Verdict.VALID, Verdict.VALID)
    assert words(held, ("holds", Verdict.VALID, Verdict.INVALID)) == []
    assert words(held, ("documented", Verdict.UNKNOWN, Verdict.INVALID)) == ["expected may fail"]
    assert words(("hole", Verdict.INVALID, Verdict.INVALID)) == ["expected invalid"]
    assert words(("holds", Verdict.VALID, Verdict.UNKNOWN)) == ["verdict unknown"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("arguments", [KILLED, ("replay", str(SCENARIO)), ("list", "faults")])
def test_json_on_standard_output_sends_the_table_to_standard_error(arguments: tuple[str, ...]) -> None:
    plain = oneowner(*arguments)
    found = oneowner(*arguments, "--json", "-")
    assert found.code == plain.code
    assert found.json["tool"] == "oneowner"
    measured = re.compile(r"in [0-9.]+ s .*|[0-9,]+ MiB")  # the memory of a search may stand on a line of its own
    assert measured.sub("", found.err) == measured.sub("", plain.out)
    assert plain.err == ""


def test_json_in_a_file_leaves_the_table_on_standard_output(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    found = oneowner("replay", SCENARIO, "--json", path)
    assert (found.code, found.err) == (1, "")
    assert "broken: override-names-the-gone" in found.out
    assert path.read_text() == oneowner("replay", SCENARIO, "--json", "-").out
    assert [one.name for one in tmp_path.iterdir()] == ["out.json"]  # nothing temporary is left


def test_json_is_written_on_1_and_3_but_not_on_misuse(tmp_path: Path) -> None:
    one, three, two = (tmp_path / name for name in ("1.json", "3.json", "2.json"))
    assert oneowner(*KILLED, "--json", one).code == 1
    assert oneowner("explore", "expiry", "--max-states", 50, "--json", three).code == 3
    assert oneowner("explore", "expirie", "--json", two).code == 2
    assert json.loads(one.read_text())["verdict"] == "invalid"
    assert json.loads(three.read_text())["verdict"] == "unknown"
    assert not two.exists()


@pytest.mark.parametrize("place", ["missing/out.json", "file/out.json", "."])
def test_json_that_cannot_be_written_is_misuse(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    refused(oneowner("list", "faults", "--json", tmp_path / place), tmp_path / place)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "arguments", [KILLED, pytest.param(("explore", *VALID), marks=pytest.mark.slow), ("list", "families")]
)
def test_json_of_the_same_inputs_is_the_same_but_for_seconds(arguments: tuple[str, ...]) -> None:
    first, second = (oneowner(*arguments, "--json", "-").out for _ in range(2))
    assert without_seconds(first) == without_seconds(second)


def test_quiet_prints_nothing_and_exits_the_same() -> None:
    for arguments, code in ((KILLED, 1), (("list", "faults"), 0), (("replay", str(SCENARIO)), 1)):
        found = oneowner(*arguments, "--quiet")
        assert (found.code, found.out, found.err) == (code, "", "")


def test_quiet_still_prints_errors_and_json() -> None:
    refused(oneowner("explore", "expirie", "--quiet"), "expiry")
    found = oneowner("list", "laws", "--quiet", "--json", "-")
    assert found.json["list"]
    assert found.err == ""


@pytest.mark.slow
def test_progress_is_silent_without_a_terminal_and_plain_lines_if_asked_for() -> None:
    # More than a second of search: Progress comes about once a second.
    assert oneowner("explore", "expiry", "--engine", "native", "--max-states", 4_000).err == ""
    lines = oneowner("explore", "expiry", "--engine", "native", "--max-states", 8_000, "--progress").err.splitlines()
    assert lines
    for line in lines:
        assert re.fullmatch(r"expiry: [\d,]+ distinct, [\d,]+ transitions, depth \d+ \(.*states/s, [\d,]+ MiB", line)


def test_list_says_all_there_is() -> None:
    found = oneowner("list", "--json", "-")
    assert found.code == 0
    rows = found.json["list"]
    named = {(row["kind"], row["name"]) for row in rows}
    assert {name for kind, name in named if kind == "families"} == set(ledger_rows())
    assert {name for kind, name in named if kind == "faults"} == set(switchings())
    declared = [one for it in systems().values() for one in (*it.laws, *it.liveness, *it.witnesses)]
    laws = {law.name for law in (*declared, *LOG_LAWS, *RECORDING_LAWS)}
    laws |= {law.name for decision in decisions().values() for law in decision.laws}
    assert {name for kind, name in named if kind == "decisions"} == set(decisions())
    assert {name for kind, name in named if kind == "laws"} == laws
    every = {named_in(one, name) for one in systems().values() for name in one.fairness}
    assert {name.partition("(")[0] for kind, name in named if kind == "actions"} == every
    rules = {named_in(one, rule.name) for one in systems().values() for rule in fields(one.rules)}
    assert {name for kind, name in named if kind == "rules"} == rules
    bounds = {named_in(one, name) for one in systems().values() for name in one.bounds.described()}
    assert {name for kind, name in named if kind == "bounds"} == bounds
    assert all(row["about"].partition(" [")[0] for row in rows if row["kind"] in ("rules", "bounds"))


def test_list_tells_the_whole_of_an_action() -> None:
    found = oneowner("list", "actions", "kafka/join", "notice", "--json", "-").json["list"]
    assert [row["name"] for row in found] == ["kafka/join(member)", *["notice(observer, broker)"] * 2]
    assert [*found[0]["parts"]] == ["Enabled", "Changes", "Log", "Mirrors", "Bounds", "Spends", "Owed"]
    assert [*found[1]["parts"]] == ["Enabled", "Changes", "Mirrors", "Evidence", "Bounds", "Spends", "Owed"]
    assert all(value for row in found for value in row["parts"].values())
    assert {row["parts"]["Bounds"] for row in found[1:]} == {
        "brokers_go and (not safe_mode)", "brokers_go and safe_mode"
    }  # fmt: skip


def test_list_of_actions_can_be_typed_into_a_scenario() -> None:
    parameters = dict(name.rstrip(")").split("(") for name, _ in entries("actions"))
    for family in families().values():
        for action in actions(family.bounds):
            given = [name for name, _ in action.arguments]
            listed = parameters[named_in(family.system, action.name)].split(", ") if given else []
            assert [name.strip("[]") for name in listed if name.strip("[]") in given] == given
            assert {name for name in listed if not name.startswith("[")} <= set(given)


def test_module_runs_from_another_directory(tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "oneowner", "replay", str(SCENARIO), "--json", "-"]
    found = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stdout == oneowner("replay", SCENARIO, "--json", "-").out
    assert "Traceback" not in found.stderr


def test_broken_pipe_leaves_no_traceback_and_no_verdict() -> None:
    reader, writer = os.pipe()
    os.close(reader)  # as `oneowner list | head -1` once head has seen enough
    arguments = [sys.executable, "-m", "oneowner", "list"]
    found = subprocess.run(arguments, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert found.stderr == ""
    assert found.returncode == 141  # as any program that writes into a closed pipe; 2 would blame the input


def test_wrong_word_of_a_few_is_answered_with_the_one_that_it_may_mean() -> None:
    for words, meant in ((["list", "law"], "laws"), (["gate", "--profile", "smoek"], "smoke")):
        outcome = oneowner(*words)
        assert outcome.code == 2
        assert f"; did you mean {meant}?" in outcome.err
