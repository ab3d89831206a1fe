"""What a wheel holds, and that it works where no checkout is: in an empty environment, in an empty folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from setuptools import find_namespace_packages

from oneowner.checkers.cli.script import FOLDER, scripts

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("checkers", "model", "spec", "traces/counterexamples")


def committed(*places: str) -> set[str]:
    listed = subprocess.run(["git", "ls-files", *places], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


def wanted() -> set[str]:
    """What a wheel has of the rooms, as a checkout names it: all but scenarios in their second format."""
    return {name for name in committed(*ROOMS) if not name.endswith(".itf.json")}


def copied(to: Path) -> Path:
    """Return a checkout without what was built or cached in this one, and with caches that a wheel must leave out."""
    for name in committed():
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, to / name)
    for room in ("checkers", "model", "spec"):
        (to / "oneowner" / room).unlink(missing_ok=True)
        (to / "oneowner" / room).symlink_to(f"../{room}")
        (to / room / "__pycache__").mkdir()
        (to / room / "__pycache__" / "stale.cpython-311.pyc").write_bytes(b"")
    (to / "oneowner" / "traces").symlink_to("../traces")
    return to


def test_wheel_has_every_folder_and_every_kind_of_file_that_is_used(tmp_path: Path) -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    found = find_namespace_packages(str(copied(tmp_path / "copy")), **asked["packages"]["find"])
    folders = {name.replace(".", "/").removeprefix("oneowner/") for name in found}
    assert {Path(name).parent.as_posix() for name in wanted()} <= folders
    assert not [name for name in folders if "__pycache__" in name or name.startswith(("tests", "traces/real"))]
    endings = {pattern.removeprefix("*") for pattern in asked["package-data"]["*"]}
    assert {Path(name).suffix for name in wanted()} <= endings | {".py"}


def test_scripts_are_those_of_their_folder() -> None:
    assert set(scripts()) == {"dump_channel", "dump_zookeeper"}
    assert FOLDER.relative_to(ROOT).as_posix() == "checkers/recordings/scripts"


@pytest.mark.slow
def test_wheel_holds_what_is_used_and_works_away_from_a_checkout(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    built = ["wheel", copied(tmp_path / "copy"), "--no-deps", "--quiet", "--wheel-dir", tmp_path]
    subprocess.run([*pip, *map(str, built)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {name.removeprefix("oneowner/") for name in names}
    assert ours - {"__init__.py", "traces/README.md"} == wanted()

    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    constrained = ["--constraint", ROOT / "constraints.txt", wheel]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *map(str, constrained)], check=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "dump").mkdir()
    for name in ("channel.jsonl", "manifest.yaml"):
        shutil.copy(ROOT / "traces" / "real" / "zombie" / name, tmp_path / "dump")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def says(*command: str) -> tuple[int, str]:
        done = subprocess.run(
            [str(python), *command], cwd=empty, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    def oneowner(*arguments: str) -> tuple[int, str]:
        return says("-m", "oneowner.checkers", *arguments)

    assert oneowner("--help")[0] == 0
    assert "single-server" in oneowner("list", "laws")[1]
    assert oneowner("explore", "transfer")[0] == 0
    assert oneowner("replay", "no_version_check/version-chain.yaml")[0] == 1
    assert oneowner("audit", str(tmp_path / "dump"))[0] == 0
    assert oneowner("audit", str(tmp_path / "dump"), "--html", "page.html")[0] == 0
    assert oneowner("script", "dump_channel") == (0, scripts()["dump_channel"].read_text(encoding="utf-8"))
    for arguments in (("gate",), ("prove",), ("audit", str(tmp_path / "dump"), "--engine", "spark"), ("faults",)):
        code, words = oneowner(*arguments)
        assert (code, words.count("\n")) == (2, 1), words
        assert "pip install" in words
    assert says("-c", "import model")[0] == 1
    assert "No module named 'model'" in says("-c", "import model")[1]
