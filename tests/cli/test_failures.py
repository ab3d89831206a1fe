"""A failure below a verb is reported in a line, or as a bug, and never as a verdict."""

import errno
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from oneowner.checkers.cli import list as listed
from oneowner.checkers.cli.main import main
from oneowner.checkers.cli.unexpected import BUG
from oneowner.model.channel.bounds import Bounds
from tests.command_line import oneowner, refused


def failing(monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    def listing(*_: Any) -> None:
        raise error

    monkeypatch.setattr(listed, "listing", listing)


def test_place_that_fails_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, OSError(errno.ENOTDIR, "Not a directory", f"{tmp_path}/a file/x"))
    refused(oneowner("list", "laws"), f"{tmp_path}/a file/x: Not a directory")


def test_failure_of_no_place_is_a_bug_and_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, OSError(errno.EIO, "Input/output error"))
    found = CliRunner().invoke(main, ["list", "laws"])
    assert found.exit_code == 3  # Python's own 1 would say that a law is broken
    assert BUG in found.stderr


def test_model_that_cannot_be_run_is_told_by_file_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def listing(*_: Any) -> None:
        Bounds(brokers=0)

    monkeypatch.setattr(listed, "listing", listing)
    found = CliRunner().invoke(main, ["list", "laws"])
    assert found.exit_code == 3
    last = found.stderr.splitlines()[-1]
    assert re.search(r"^error: \S*model/\S+\.py:\d+: ValueError: brokers refused: 0; .*; this is a bug", last)
