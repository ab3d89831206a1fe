"""What the README tells people to type exists: verbs, options, files, scripts that compile, YAML that parses."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner

from oneowner.checkers.cli.main import main
from oneowner.checkers.ledger.families import catalogue, faults, log_faults
from oneowner.checkers.recordings.fold.channel_laws import STATEMENTS
from oneowner.checkers.scenarios.scenario import read_scenario

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted(path for path in ROOT.rglob("*.md") if not {".venv", "node_modules"} & set(path.parts))


ROOMS = {"model", "spec", "checkers", "tests", "traces"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Every line of an indented block, in any document, that calls our command."""
    lines = [line for path in DOCUMENTS for line in path.read_text(encoding="utf-8").splitlines()]
    return sorted({line.strip().removeprefix("$ ") for line in lines if re.match(r" +(\$ )?oneowner ", line)})


@pytest.mark.parametrize("command", commands())
def test_command_in_a_document_names_a_verb_and_options_that_exist(command: str) -> None:
    _, name, *words = shlex.split(command, comments=True)
    verb = main.commands[name]
    known = {option for parameter in verb.params if isinstance(parameter, click.Option) for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_documents_show_some_commands() -> None:
    assert len(commands()) >= 5


@pytest.mark.parametrize("script", blocks("python"))
def test_script_compiles(script: str) -> None:
    compile(script, "README.md", "exec")


def test_workflow_runs_the_gate() -> None:
    workflow = next(block for block in blocks("yaml") if "jobs:" in block)
    steps = yaml.safe_load(workflow)["jobs"]["gate"]["steps"]
    assert {"run": "make gate"} in steps


def test_table_of_laws_is_complete() -> None:
    assert set(re.findall(r"^\| `([a-z][a-z-]+)` \| ", README, re.MULTILINE)) == set(STATEMENTS)


@pytest.mark.parametrize("document", [path.relative_to(ROOT).as_posix() for path in DOCUMENTS])
def test_links_lead_somewhere(document: str) -> None:
    here = ROOT / document
    for target in re.findall(r"\]\(([^)#]+)\)", here.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (here.parent / target).exists(), f"{document}: {target}"


@pytest.mark.parametrize("document", [path.relative_to(ROOT).as_posix() for path in DOCUMENTS])
def test_paths_in_backticks_are_there(document: str) -> None:
    """Python files, of this room or of all; other files if they are said to be in one of our rooms."""
    here = ROOT / document
    named = re.findall(r"`([\w.-]+(?:/[\w.-]+)+\.\w+)`", here.read_text(encoding="utf-8"))
    ours = {path for path in named if path.endswith(".py") or path.split("/")[0] in ROOMS}
    assert [path for path in sorted(ours) if not ((ROOT / path).exists() or (here.parent / path).exists())] == []


@pytest.mark.parametrize("document", ["README.md", "checkers/engines/prove/README.md"])
def test_tests_that_documents_name_exist(document: str) -> None:
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", (ROOT / document).read_text(encoding="utf-8")):
        assert f"def {name}(" in written, name


def test_changelog_counts_the_catalogue() -> None:
    known, killed = catalogue(), {**faults(), **log_faults()}
    rows, records = (f"{len(known)} rows", f"{len({row.record for row in known.values()})} records")
    words = (
        f"{rows} for {records} of real bugs, design holes and what a real cluster did; laws kill {len(killed)} faults"
    )
    told = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"{words} of {len({row.record for row in killed.values()})} records." in told


def test_targets_of_make_that_documents_name_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for path in DOCUMENTS:
        for target in re.findall(r"(?:^ +|`)make ([a-z]+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{path.name}: make {target}"


def test_counterexamples_that_are_told_exist() -> None:
    told = re.findall(
        r"^\*\*([\w-]+)\*\* \(.*?`([a-z-]+)` fails at step (\d+)\)",
        (ROOT / "traces/counterexamples/README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    for fault, law, step in told:
        scenario = read_scenario(ROOT / f"traces/counterexamples/{fault}/{law}.yaml")
        assert scenario.expect is not None
        assert (scenario.expect.law, scenario.expect.step) == (law, int(step))
    assert len(told) == len(list((ROOT / "traces/counterexamples").glob("*/*.yaml")))


def test_lasso_that_is_shown_is_what_replay_prints() -> None:
    (shown,) = re.findall(r"\$ oneowner replay (\S+no_force\S+)\n    \.\.\.\n(.*?)\n\n", README, re.DOTALL)
    path, block = shown
    printed = CliRunner().invoke(main, ["replay", str(ROOT / path)]).stdout.splitlines()
    lines = [line.removeprefix("    ").removesuffix(" ...") for line in block.splitlines()]
    start = next(number for number, line in enumerate(printed) if line == lines[0])
    assert len(lines) > 7
    for line, real in zip(lines, printed[start:], strict=False):
        assert real.startswith(line)
