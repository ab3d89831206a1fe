"""The verb ``step``: commands from standard input, bad lines, completion, the page."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from oneowner.checkers.catalogue.families import family_files
from oneowner.checkers.cli.main import main
from oneowner.checkers.cli.step_prompt import Prompt
from oneowner.checkers.cli.unexpected import BUG
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.scenarios.stepping import SteppedRun
from tests.command_line import COUNTEREXAMPLES, VALIDATOR, Outcome, oneowner, refused

EARLY = "assign_before_close/single-writer.yaml"
TRANSFER = ("transfer(broker=1, destination=2)", "append", "consume(broker=1)")


def stepping(*lines: str, of: tuple[str, ...] = ("transfer",)) -> Outcome:
    """Run the verb with *lines* on standard input."""
    found = CliRunner().invoke(
        main, ["step", *of], input="".join(f"{line}\n" for line in lines), catch_exceptions=False
    )
    assert BUG not in found.stderr, found.stderr
    return Outcome(found.exit_code, found.stdout, found.stderr)


def test_run_is_taken_undone_and_saved_as_a_scenario(tmp_path: Path) -> None:
    file = tmp_path / "kept.yaml"
    found = stepping(*TRANSFER, "undo", "back 0", "undo", f"save {file}", "quit", "never read")
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines()[-1] == "transfer, 2 steps: valid"
    assert "step 3> consume(broker=1)" in found.out
    kept = read_scenario(file)
    assert [str(one) for one in kept.steps] == ["transfer(broker=1, unit=1, destination=2)", "append(broker=1)"]
    assert oneowner("replay", file).code == 0


def test_run_that_breaks_a_law_is_invalid_and_its_scenario_expects_so(tmp_path: Path) -> None:
    file = tmp_path / "kept.yaml"
    found = stepping(f"save {file}", of=(EARLY,))
    assert found.code == 1
    assert "broken: single-writer" in found.out
    assert "expect: {law: single-writer, verdict: invalid, step: 9}" in file.read_text(encoding="utf-8")
    assert stepping("undo", "undo", "close(broker=1)", "open(broker=2)", of=(EARLY,)).code == 2  # nothing was chosen
    closed_first = stepping("back 8", "close(broker=1)", "open(broker=2)", of=(EARLY,)).out.partition("back 8")[2]
    assert "broken: single-writer:" not in closed_first


def test_fault_or_number_means_its_saved_counterexample() -> None:
    assert "with no_force" in stepping(of=("no_force",)).out
    refused(
        oneowner("step", "26520"),
        "several counterexamples: 26520; name one of traces/counterexamples/waiting_clean_up_overrides_again/",
    )
    refused(oneowner("step", "99999999"))


def test_script_that_is_no_text_is_refused() -> None:
    found = CliRunner().invoke(main, ["step", "transfer"], input=b"append\xff\n")
    assert (found.exit_code, found.stderr) == (2, "error: standard input:1: not UTF-8\n")


def test_run_without_a_step_is_unknown() -> None:
    assert stepping().code == 3


def test_faults_bounds_and_rules_are_those_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "kept.yaml"
    of = ("transfer", "--fault", "assign_before_close", "--set", "brokers=2", "--rule", "version_check=false")
    assert stepping(*TRANSFER, f"save {file}", of=of).code == 0
    kept = read_scenario(file)
    assert (kept.faults, kept.settings, kept.rules) == (
        ("assign_before_close",),
        {"brokers": 2},
        {"version_check": False},
    )
    assert oneowner("replay", file).code == 0


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("consumes",), "no such action or command: consumes; did you mean consume"),
        (("consume",), "several actions begin so"),
        (("77",), "number refused: 77; allowed is 1 to "),
        (("open(broker=2)",), "open(broker=2) is not enabled: it needs: "),
        (("consume(broker=9)",), "value refused: broker=9"),
        (("undo 2",), "undo refused: 2; it stands alone"),
        (("back x",), "back refused: x; it takes the number of a step"),
        (("back 7",), "back refused: 7; allowed is 0 to 2"),
        (("back", "back", "back"), "back refused: -1"),
        (("save",), "save refused: it takes the name of a file"),
        (("save /nowhere/at/all",), "/nowhere/at/all"),
        (("why",), "why refused: it takes an action"),
        (("\x1b[31m",), "step refused: \\x1b[31m"),
    ],
)
def test_bad_line_of_a_script_ends_it_with_its_number(lines: tuple[str, ...], words: str) -> None:
    found = stepping("# a comment", "", *TRANSFER[:2], *lines, "help")
    assert found.code == 2
    assert found.err.startswith(f"error: standard input:{4 + len(lines)}: ")
    assert found.err.count("\n") == 1
    assert words in found.err
    assert "\x1b" not in found.err


def test_person_is_told_of_a_bad_line_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["nonsense", "append", "quit"])
    run = SteppedRun(read_scenario(COUNTEREXAMPLES / EARLY))
    run.back(1)
    prompt = Prompt(Console(), run)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda words: next(typed))
    prompt.talk()
    assert capsys.readouterr().err.startswith("error: no such action or command: nonsense")
    assert len(run.taken) == 2


def test_reports_of_a_state_are_printed() -> None:
    out = stepping(*TRANSFER, "why open(broker=2)", "why close(broker=1)", "show", "run", "next", "help").out
    assert "open(broker=2) is not enabled: it needs: " in out
    assert "close(broker=1) is enabled" in out
    assert "closing" in out
    assert out.count("   0  start: ") == 2
    assert "undo the last step" in out


SMALL = sorted({name.rpartition("/")[0]: name for name in family_files()}.values())
"""A family of each system."""


@pytest.mark.parametrize("family", SMALL)
def test_family_of_each_system_can_be_stepped(family: str, tmp_path: Path) -> None:
    assert stepping("1", "show", "undo", of=(family,)).code in (0, 1, 3)
    page = oneowner("step", family, "--html", tmp_path / "page.html", "--max-states", "200")
    assert page.code == 0
    assert "the page holds" in page.out


def test_completion_offers_commands_and_the_enabled_actions() -> None:
    run = SteppedRun(read_scenario(COUNTEREXAMPLES / EARLY))
    prompt = Prompt(Console(quiet=True), run)
    assert prompt.completions("close") == ["close(broker=1)"]
    assert prompt.completions("s") == ["show", "save"]
    assert "why open(broker=1)" in prompt.completions("why o")
    assert set(run.enabled()) < set(prompt.completions(""))
    assert not any(line.startswith("why ") for line in prompt.completions(""))


def test_misuse_is_one_line() -> None:
    refused(oneowner("step", "transfre"), "transfer")
    refused(oneowner("step", "transfer", "no/such.yaml"), "no/such.yaml")
    refused(oneowner("step", "expiry", COUNTEREXAMPLES / EARLY), "it is of the family transfer, not of expiry")
    refused(oneowner("step", EARLY, "--set", "brokers=2"), "a scenario has its own")
    refused(oneowner("step", "transfer", "--max-states", "50"), "--max-states requires --html")
    refused(oneowner("step", "transfer", "--set", "brokers=two"), "brokers")


def test_scenario_with_a_step_that_is_not_enabled_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("family: transfer\nsteps:\n  - open(broker=2)\n", encoding="utf-8")
    refused(oneowner("step", path), f"{path}:3: step 1 is not enabled")


def test_page_holds_all_states_or_whole_levels_of_them(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    whole = oneowner("step", "transfer", "--set", "brokers=2", "--html", page, "--json", "-")
    assert (whole.code, whole.json["verb"], whole.json["verdict"]) == (0, "step", "valid")
    assert list(VALIDATOR.iter_errors(whole.json)) == []
    assert "1,016 states: all there are within its bounds" in whole.err
    part = oneowner("step", "transfer", "--html", page, "--max-states", "400")
    assert "all up to 4 steps from the start" in part.out
    refused(oneowner("step", "transfer", "--html", page, "--max-states", "10"), "--max-states refused: 10")


def test_page_begins_with_the_steps_of_a_scenario(tmp_path: Path) -> None:
    found = oneowner("step", EARLY, "--html", tmp_path / "page.html", "--max-states", "500")
    assert found.code == 0
    assert "from the steps of the scenario" in found.out


@pytest.mark.parametrize("word", ["?", "h", "help"])
def test_question_mark_and_h_list_the_commands_as_help_does(word: str) -> None:
    assert "write the run as a scenario" in stepping(word).out
