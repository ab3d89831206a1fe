"""A package that only some verbs need and that is not installed: one line, and the command that installs it."""

import subprocess
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers import extras
from oneowner.checkers.recordings.fold import audit_engine, runs
from tests.command_line import REAL, oneowner, refused

HIDDEN = """
import sys
from importlib.machinery import PathFinder
find = PathFinder.find_spec
hidden = sys.argv.pop(1).split(",")
PathFinder.find_spec = lambda name, *more: None if name.partition(".")[0] in hidden else find(name, *more)
from oneowner.checkers.cli.main import main
main()
"""
"""The command line where some packages are not installed."""

ALL = {name for names in extras.PACKAGES.values() for name in names} | {"networkx", "hypothesis", "pytest"}


def without(packages: set[str], *arguments: object) -> tuple[int, str, str]:
    command = [sys.executable, "-c", HIDDEN, ",".join(packages), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


MISSING = [
    ("prove", ["prove"]),
    ("spark", ["audit", REAL / "split", "--engine", "spark"]),
]
"""A verb for each extra: in a process of its own, where nothing has imported the packages before."""
MISSING_TOO = [
    ("prove", ["explore", "locks/holders", "--symmetry"]),
    ("spark", ["audit", REAL / "split", "--master", "local[1]"]),
    ("spark", ["timeline", REAL / "split", "--engine", "spark"]),
    ("spark", ["audit", REAL / "split", "--tables", "tables"]),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("extra", "arguments"), MISSING)
def test_verb_that_misses_a_package_says_what_installs_it(extra: str, arguments: list[object]) -> None:
    code, _, error = without(set(extras.PACKAGES[extra]), *arguments)
    assert code == 2, error
    assert error.count("\n") == 1, error
    assert error.startswith("error: ")
    assert error.endswith(f": pip install 'oneowner[{extra}]'\n")


@pytest.mark.parametrize(("extra", "arguments"), MISSING_TOO)
def test_other_verb_that_misses_it_says_so_too(
    extra: str, arguments: list[object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # what is compiled already needs no solver
    find = PathFinder.find_spec
    hidden = extras.PACKAGES[extra]
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name in hidden else find(name))
    found = oneowner(*arguments)
    refused(found)
    assert found.err.endswith(f": pip install 'oneowner[{extra}]'\n")


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["explore", "load_data/lost-tombstone"],
        ["audit", REAL / "split"],
        pytest.param(["timeline", REAL / "split"], marks=pytest.mark.slow),
        pytest.param(["replay", REAL / "split"], marks=pytest.mark.slow),
    ],
)
def test_other_verbs_need_none_of_them(arguments: list[object]) -> None:
    code, out, error = without(ALL, *arguments)
    assert (code, error) == (0, "")
    assert out


def test_long_run_without_spark_is_judged_inline_and_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    find = PathFinder.find_spec

    def hiding(name: str, *more: Any) -> ModuleSpec | None:
        return None if name == "pyspark" else find(name, *more)

    monkeypatch.setattr(extras, "find_spec", hiding)
    monkeypatch.setattr(audit_engine, "INLINE_LIMIT", 1_000)
    found = runs.find_runs([str(REAL / "split")], runs.Options())
    engine, why = audit_engine.choose(found, "auto", None)
    assert engine == "inline"
    assert why.endswith("but Spark is not installed: pip install 'oneowner[spark]'")


def test_script_that_is_not_there_is_refused_with_the_nearest() -> None:
    refused(oneowner("script", "dump_chanel"), "dump_channel")
    assert [line.split()[0] for line in oneowner("script").out.splitlines()] == ["dump_channel", "dump_zookeeper"]


def test_scenario_of_the_package_is_replayed_by_its_name() -> None:
    assert oneowner("replay", "no_version_check/version-chain.yaml").code == 1
    refused(
        oneowner("replay", "no_version_chek/version-chain.yaml"), "did you mean no_version_check/version-chain.yaml"
    )
    refused(oneowner("replay", "zzzzzz"), "zzzzzz: no such file", "packaged")


def test_command_line_starts_without_engines_catalogue_and_solvers() -> None:
    heavy = "numpy scipy z3 networkx hypothesis pyspark pyarrow jinja2 oneowner.spec.channel.registry".split()
    code = f"import sys; import oneowner.checkers.cli.main; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
