"""The contents of a wheel; it works where no checkout is: in an empty environment, in an empty folder."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from oneowner.checkers.cli.script import FOLDER, scripts

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("oneowner", "docs", "traces/counterexamples")


def committed(*places: str) -> set[str]:
    listed = subprocess.run(["git", "ls-files", *places], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of a checkout that has caches, and no links: so a zip of the tree, or a clone on Windows, comes."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in committed():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    for room in ("checkers", "model", "spec"):
        (copy / room).write_text(f"oneowner/{room}", encoding="utf-8")
        (copy / "oneowner" / room / "__pycache__").mkdir()
        (copy / "oneowner" / room / "__pycache__" / "stale.cpython-311.pyc").write_bytes(b"")
    built = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(copy / "built")]
    subprocess.run(built, cwd=copy, check=True, capture_output=True)
    (found,) = (copy / "built").glob("*.whl")
    return found


def test_wheel_holds_every_file_of_the_package_the_documents_and_the_counterexamples(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    there = {name.replace("oneowner/traces/", "traces/").replace("oneowner/docs/", "docs/") for name in names}
    assert there == committed(*ROOMS)


def test_scripts_are_those_of_their_folder() -> None:
    assert set(scripts()) == {"dump_channel", "dump_zookeeper"}
    assert FOLDER.relative_to(ROOT).as_posix() == "oneowner/checkers/recordings/scripts"


@pytest.mark.slow
def test_wheel_works_away_from_a_checkout(wheel: Path, tmp_path: Path) -> None:
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

    def output_of(*command: str) -> tuple[int, str]:
        done = subprocess.run(
            [str(python), *command], cwd=empty, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    def oneowner(*arguments: str) -> tuple[int, str]:
        return output_of("-m", "oneowner", *arguments)

    assert oneowner("--help")[0] == 0
    assert "single-server" in oneowner("list", "laws")[1]
    assert oneowner("explore", "transfer")[0] == 0
    assert oneowner("replay", "no_version_check/version-chain.yaml")[0] == 1
    assert oneowner("audit", str(tmp_path / "dump"))[0] == 0
    assert oneowner("audit", str(tmp_path / "dump"), "--html", "page.html")[0] == 0
    assert oneowner("script", "dump_channel") == (0, scripts()["dump_channel"].read_text(encoding="utf-8"))
    for arguments in (("gate",), ("prove",), ("audit", str(tmp_path / "dump"), "--engine", "spark")):
        code, words = oneowner(*arguments)
        *progress, error = words.splitlines()
        assert (code, len(progress)) == (2, arguments == ("gate",)), words
        assert error.startswith("error: ")
        assert "pip install" in error
    assert output_of("-c", "import model")[0] == 1
    assert "No module named 'model'" in output_of("-c", "import model")[1]
