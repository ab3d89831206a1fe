"""No verb prints what a terminal would obey, whatever names its input holds."""

import re
from pathlib import Path

import pytest

from oneowner.checkers.report.control_characters import visible
from tests.command_line import oneowner
from tests.recordings.dumps import dump, write

TITLE = "\x1b]0;owned\x07"
CLEAR = "\x1b[2J"
TURNED = "\u202eten"
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A run whose tenant, brokers and folder have names that a terminal would obey; one law is broken."""
    messages = dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 Owned(2) v9 forced", "0-8 -")
    for message in messages:
        message["key"] = f"{TITLE}{CLEAR}{message['key']}"
        if message["value"]:
            message["value"] = {
                name: f"{TURNED}{CLEAR}{value}" if name.endswith("roker") and value else value
                for name, value in message["value"].items()
            }
    return write(tmp_path / f"run{CLEAR}" / "channel.jsonl", messages).parent


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", "RUN", "--engine", "inline"),
        ("audit", "RUN", "--engine", "inline", "--progress"),
        ("audit", "RUN", "--engine", "inline", "--junit", "-"),
        ("audit", "RUN", "--engine", "inline", "--sarif", "-"),
        ("audit", "RUN", "--engine", "inline", "--json", "-"),
        ("timeline", "RUN", "--engine", "inline"),
        ("timeline", "RUN", "--engine", "inline", "--unit", f"{CLEAR}x"),
        ("replay", "RUN"),
        ("replay", f"RUN{CLEAR}.yaml"),
        ("explore", f"transfer{CLEAR}"),
        ("explore", "transfer", "--set", f"brokers={CLEAR}"),
        ("explore", "transfer", "--law", TITLE),
        ("prove", CLEAR),
        ("faults", CLEAR),
        ("releases", CLEAR),
        ("list", CLEAR),
        ("export", CLEAR, "--to", "dot"),
        ("bless", CLEAR, "--reason", "x"),
        (CLEAR,),
    ],
)
def test_no_verb_prints_what_a_terminal_obeys(hostile: Path, arguments: tuple[str, ...]) -> None:
    outcome = oneowner(*(argument.replace("RUN", str(hostile)) for argument in arguments)).said
    assert outcome.strip()
    assert not OBEYED.findall(outcome)


def test_name_is_printed_with_its_control_characters_spelt(hostile: Path) -> None:
    out = oneowner("audit", hostile, "--engine", "inline").out
    assert r"\x1b]0;owned\x1b[2Jtenant/ns" in out  # a bell is left out where words get colours
    assert r"\u202eten" in out


def test_lines_and_tabs_stay() -> None:
    assert visible("a\tb\nc\r\n") == "a\tb\nc\\r\n"
