"""Everything that documents ask readers to type exists: verbs, options, files, runnable scripts, valid YAML."""

import ast
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner

from oneowner.checkers.catalogue.families import catalogue, faults, log_faults
from oneowner.checkers.cli.main import main
from oneowner.checkers.documents import read_document
from oneowner.checkers.recordings.fold.channel_laws import laws_of

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SCRIPTS = sorted((ROOT / "oneowner/checkers/recordings/scripts").glob("dump_*.py"))
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part in ("build", "node_modules") for part in path.relative_to(ROOT).parts)
)


ROOMS = {"model", "spec", "checkers", "tests", "tools", "traces", "docs"}


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_readme_is_a_front_page() -> None:
    assert len(README.encode()) <= 10_000
    assert README.count("\n") <= 160


def test_overview_of_the_model_is_one() -> None:
    assert len((ROOT / "oneowner/model/README.md").read_bytes()) <= 8_000


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_lines_of_prose_fit(path: Path) -> None:
    in_block = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        in_block ^= line.startswith("```")
        if not in_block and not line.startswith(("|", "    ", "[")):
            assert len(line) <= 120, f"{path.name}:{number}"


def commands() -> list[str]:
    """Every line of an indented block, in any document, that calls our command."""
    lines = [line for path in DOCUMENTS for line in path.read_text(encoding="utf-8").splitlines()]
    return sorted({line.strip().removeprefix("$ ") for line in lines if re.match(r" +(\$ )?oneowner ", line)})


@pytest.mark.parametrize("command", commands())
def test_command_in_a_document_names_a_verb_and_options_that_exist(command: str) -> None:
    _, name, *words = shlex.split(command, comments=True)
    verb = main.commands[name]
    while isinstance(verb, click.Group):
        verb = verb.commands[words.pop(0)]
    known = {option for parameter in verb.params if isinstance(parameter, click.Option) for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_documents_show_some_commands() -> None:
    assert len(commands()) >= 5


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_script_needs_the_client_alone(script: Path) -> None:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= {*sys.stdlib_module_names, "pulsar"}
    assert f"`{script.stem}.py`" in (script.parent / "README.md").read_text(encoding="utf-8")
    assert f"python {script.name}" in page("audit.md")


def test_workflow_runs_the_gate_within_a_limit_keeps_its_caches_and_uploads_what_it_wrote() -> None:
    workflow = next(block for block in blocks("yaml") if "jobs:" in block)
    job = yaml.safe_load(workflow)["jobs"]["gate"]
    assert 0 < job["timeout-minutes"] <= 30
    (command,) = [step["run"] for step in job["steps"] if "run" in step]
    assert command.startswith("make setup && .venv/bin/oneowner gate ")
    options = {parameter for option in main.commands["gate"].params for parameter in option.opts}
    files = dict(re.findall(r"(--\w+) (\S+)", command))
    assert files.keys() == {"--junit", "--sarif", "--table"} <= options
    used = {step["uses"].partition("@")[0]: step for step in job["steps"] if "uses" in step}
    assert used["actions/cache"]["with"]["path"] == "~/.cache/oneowner"
    upload = used["actions/upload-artifact"]
    assert upload["if"] == "always()"
    assert all(Path(file).match(upload["with"]["path"]) for file in files.values())


def test_table_of_laws_is_complete() -> None:
    assert set(re.findall(r"^\| `([a-z][a-z-]+)` \| ", page("audit.md"), re.MULTILINE)) == {
        law.name for law in laws_of(is_history=False)
    }


def test_links_lead_somewhere() -> None:
    assert len(DOCUMENTS) > 150
    for here in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)\)", here.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (here.parent / target).exists(), f"{here}: {target}"


def linked_from(here: Path) -> Iterator[Path]:
    """Yield the documents that a document links; a link to a folder counts as one to its README."""
    for target in re.findall(r"\]\(([^)#\s]+)", here.read_text(encoding="utf-8")):
        there = (here.parent / target).resolve()
        yield there / "README.md" if there.is_dir() else there


def test_every_document_can_be_reached_by_links_from_the_front_page() -> None:
    reached, queue = set[Path](), [ROOT / "README.md"]
    while queue:
        if (here := queue.pop()) in DOCUMENTS and here not in reached:
            reached.add(here)
            queue.extend(linked_from(here))
    assert [path for path in DOCUMENTS if path not in reached] == []


def anchors(document: Path) -> set[str]:
    """Return the anchors of a document: its own, and those of its headings as GitHub forms them."""
    text = document.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {*re.findall(r'<a id="(\w+)"></a>', text)} | {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings
    }


def test_links_to_a_heading_name_one_that_exists() -> None:
    for here in DOCUMENTS:
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", here.read_text(encoding="utf-8")):
            there = here.parent / target if target else here
            if there.suffix == ".md" and not target.startswith("http"):
                assert anchor in anchors(there), f"{here}: {target}#{anchor}"


def test_paths_in_backticks_are_there() -> None:
    """Python files, of this room or of all; other files if they are named as files of our rooms."""
    for here in DOCUMENTS:
        named = re.findall(r"`([\w.-]+(?:/[\w.-]+)+\.\w+)`", here.read_text(encoding="utf-8"))
        for path in sorted({path for path in named if path.endswith(".py") or path.split("/")[0] in ROOMS}):
            assert (ROOT / path).exists() or (here.parent / path).exists(), f"{here}: {path}"


@pytest.mark.parametrize("document", ["docs/trust.md", "oneowner/checkers/engines/prove/README.md"])
def test_tests_that_documents_name_exist(document: str) -> None:
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", (ROOT / document).read_text(encoding="utf-8")):
        assert f"def {name}(" in written, name


def test_page_of_trust_counts_the_catalogue() -> None:
    known, killed = catalogue(), {**faults(), **log_faults()}
    rows, records = (f"{len(known)} rows", f"{len({row.record for row in known.values()})} records")
    words = (
        f"{rows} for {records} of real bugs, design holes and what a real cluster did; laws kill {len(killed)} faults"
    )
    text = " ".join(page("trust.md").split())
    assert f"{words} of {len({row.record for row in killed.values()})} records." in text


def test_targets_of_make_that_documents_name_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for path in DOCUMENTS:
        for target in re.findall(r"(?:^ +|`)make ([a-z]+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{path.name}: make {target}"


def test_counterexample_tells_its_story() -> None:
    paths = sorted((ROOT / "traces/counterexamples").glob("*/*.yaml"))
    assert len(paths) > 200
    for path in paths:
        scenario = read_document(path).data  # the gate reads, and replays, the whole scenario
        assert scenario["title"], path
        assert len(scenario["story"].split()) > 5, path
        assert scenario["story"] != scenario["title"], path


def test_index_of_decisions_is_complete() -> None:
    folder = ROOT / "docs/decisions"
    index = re.findall(r"^\| (\d+) \| (\S+) \| \[(.+)\]\((\S+)\) \|$", page("decisions/README.md"), re.MULTILINE)
    assert [name for *_, name in index] == sorted(path.name for path in folder.glob("[0-9]*.md"))
    for number, date, title, name in index:
        text = (folder / name).read_text(encoding="utf-8")
        assert text.startswith(f"# {number}. {title}\n\nDate: {date}\n")
        assert all(f"\n**{part}.** " in text for part in ("Decision", "Why", "Consequence")), name


def test_document_cites_no_document_that_is_not_here() -> None:
    for document in DOCUMENTS:
        cited = re.search(r"\bDESIGN\b|\bthe contracts?\b|\bthe notes'? |DECISIONS\.md|SOURCES\.md|NOT-INVARIANTS\.md",
                          document.read_text(encoding="utf-8"))  # fmt: skip
        assert cited is None, f"{document}: {cited}"


def test_lasso_that_is_shown_is_what_replay_prints() -> None:
    (shown,) = re.findall(r"\$ oneowner replay (\S+no_force\S+)\n    \.\.\.\n(.*?)\n\n", page("explore.md"), re.DOTALL)
    path, block = shown
    printed = CliRunner().invoke(main, ["replay", str(ROOT / path)]).stdout.splitlines()
    lines = [line.removeprefix("    ").removesuffix(" ...") for line in block.splitlines()]
    start = next(number for number, line in enumerate(printed) if line == lines[0])
    assert len(lines) > 7
    for line, real in zip(lines, printed[start:], strict=False):
        assert real.startswith(line)
