"""JSON lines, a command, a terminal."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.live.channel_watch import LiveFinding
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.watch.sinks import Command, JsonLines, Least, Terminal
from tests.watch.broken_dumps import ListSink, lines_of

ONE = LiveFinding("law 0:1 u", "c", {"law": "law", "severity": "violation", "at": {"file": "topic"}})
OTHER = LiveFinding("law 0:2 u", "c", {"law": "law", "severity": "note", "at": {"file": "topic"}})


def test_file_of_lines_holds_each_once(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    path.write_text('{"id": "torn')
    JsonLines(str(path)).tell(ONE, is_again=False)
    again = JsonLines(str(path))
    again.tell(ONE, is_again=True)
    again.tell(OTHER, is_again=True)
    assert lines_of(path) == [{"id": one.name, "cluster": "c", **one.finding} for one in (ONE, OTHER)]


def test_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="cannot be written"):
        JsonLines(str(tmp_path / "none" / "found.jsonl"))


def test_file_of_something_else_is_refused_and_kept(tmp_path: Path) -> None:
    other = tmp_path / "token"
    other.write_text("a secret without a line's end")
    with pytest.raises(Misuse, match="token: it holds no findings"):
        JsonLines(str(other))
    assert other.read_text() == "a secret without a line's end"


def test_pipe_gets_each_finding(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    JsonLines(str(tmp_path / "pipe")).tell(ONE, is_again=True)
    assert json.loads(os.read(reader, 4096))["id"] == ONE.name
    os.close(reader)


def test_command_gets_the_finding_and_no_shell(tmp_path: Path) -> None:
    script = tmp_path / "keep.py"
    script.write_text("import sys\nopen(sys.argv[1], 'a').write(sys.stdin.read() + sys.argv[2] + '\\n')\n")
    messages: list[str] = []
    command = Command(f"{sys.executable} {script} {tmp_path}/got '$(touch {tmp_path}/no); {{}}'", messages.append)
    command.tell(ONE, is_again=False)
    line, words = (tmp_path / "got").read_text().splitlines()
    assert json.loads(line)["id"] == ONE.name
    assert words == f"$(touch {tmp_path}/no); {{}}"
    assert not (tmp_path / "no").exists()
    assert messages == []


def test_command_that_fails_or_hangs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[str] = []
    Command("false", messages.append).tell(ONE, is_again=False)
    monkeypatch.setattr("oneowner.checkers.watch.sinks.LASTS", 0.05)
    Command("sleep 9", messages.append).tell(ONE, is_again=False)
    assert messages[0] == "--on-finding: false ended with 1 for law 0:1 u"
    assert "timed out" in messages[1]


@pytest.mark.parametrize(
    ("command", "words"), [("", "no such program"), ("no-such-program-here", "no such program"), ("'", "no closing")]
)
def test_command_that_is_none_is_refused(command: str, words: str) -> None:
    with pytest.raises(Misuse, match=words):
        Command(command, print)


def test_only_what_is_grave_enough_is_told() -> None:
    kept = ListSink()
    least = Least(("violation",), kept)
    least.tell(ONE, is_again=False)
    least.tell(OTHER, is_again=False)
    assert kept == [ONE]


def test_terminal_says_which_cluster_if_there_are_several() -> None:
    shown: list[Any] = []
    for with_cluster in (False, True):
        Terminal(shown.append, with_cluster).tell(ONE, is_again=False)
    assert [one["at"]["file"] for one in shown] == ["topic", "c topic"]
